import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Asks for a text in the terminal, and again while `problem` says what is wrong with it. Ctrl-C ends the command before anything was
 * written.
 */
export async function ask(
  io: Io,
  question: string,
  placeholder: string,
  problem: (answer: string) => string | undefined = () => undefined,
): Promise<string> {
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({
    message: question,
    placeholder,
    defaultValue: placeholder,
    validate: (answer) => problem((answer ?? '').trim() || placeholder),
    ...(io.environment['NO_COLOR'] === undefined ? {} : { withGuide: false }),
  });
  if (isCancel(answer)) throw new UsageError('cancelled; nothing was written');
  return answer.trim();
}
