// Runs a program for as long as this process's standard input stays open, then kills it: whoever started this process
// may end in any way, also by SIGKILL, and leaves nothing running.
// usage: node supervise.ts REMOVE PROGRAM [ARGUMENT ...]   REMOVE: a folder to delete once the program is dead, or ''
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [remove, program, ...args] = process.argv.slice(2);
if (remove === undefined || program === undefined) {
  console.error('usage: node supervise.ts REMOVE PROGRAM [ARGUMENT ...]');
  process.exit(2);
}

// The data of these servers is thrown away, so there is nothing that an orderly stop would save.
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
let ending = false;
const end = (): void => {
  ending = true;
  child.kill('SIGKILL');
};
process.stdin.resume().on('end', end).on('error', end);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
child.on('error', (error) => {
  console.error(error.message);
  process.exit(2);
});
child.on('exit', (code) => {
  if (ending && remove !== '') rmSync(remove, { recursive: true, force: true, maxRetries: 5 });
  process.exit(ending ? 0 : (code ?? 1));
});
