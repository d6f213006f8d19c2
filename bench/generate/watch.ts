import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** `create-operator generate --watch` in a process of its own. */
export interface WatchedProject {
  /** Changes a member of a type, and waits until the outputs are written. */
  readonly edit: () => Promise<void>;
  readonly end: () => void;
}

const member = '@maxLength 63';

/** Starts to watch a project, and resolves when the first run is over; `file` is the source that is edited. */
export async function watchProject(command: readonly string[], folder: string, file: string): Promise<WatchedProject> {
  const child = spawn(process.execPath, [...command, '--watch'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let look = (): void => {};
  const printedLike = async (pattern: RegExp): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('close', () => reject(new Error(`the watching process has ended: ${printed}`)));
    look = () => pattern.test(printed) && resolve();
    look();
    await promise;
    printed = '';
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      look();
    });
  }
  await printedLike(/^watching/m);
  const source = readFileSync(file, 'utf8');
  if (!source.includes(member)) throw new Error(`${file} has no ${member}`);
  let length = 63;
  return {
    edit: async () => {
      length++;
      writeFileSync(file, source.replace(member, `@maxLength ${length}`));
      await printedLike(/\(1 written, /);
    },
    end: () => child.kill(),
  };
}
