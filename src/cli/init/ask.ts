import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';

/** Asks for a text in the terminal. Ctrl-C ends the command before anything was written. */
export async function ask(io: Io, question: string, placeholder: string): Promise<string> {
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({
    message: question,
    placeholder,
    defaultValue: placeholder,
    ...(io.environment['NO_COLOR'] === undefined ? {} : { withGuide: false }),
  });
  if (isCancel(answer)) throw new UsageError('cancelled; nothing was written');
  return answer.trim();
}
