import { reasonOf } from '../output/compare.ts';
import { exitCode } from './exit-code.ts';

/** Says what goes wrong with the standard output and the standard error, which would otherwise end the process with a stack. */
export function reportBrokenOutput(): void {
  let failed = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that has seen enough (`| head`) closes the pipe; that is no error of ours.
      if (error.code === 'EPIPE' || failed) return;
      failed = true;
      if (stream === process.stdout) process.stderr.write(`error: cannot print: ${reasonOf(error) ?? error.message}\n`);
      // What was asked for is not whole, whatever the command says next.
      process.once('exit', () => {
        process.exitCode = exitCode.usage;
      });
    });
  }
}
