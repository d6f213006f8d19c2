import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Io } from '../io.ts';

/** How an install ended; `reason` in the user's terms. */
export type Installation = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** The path of npm, looked up as a shell would. */
export function findNpm(environment: Io['environment']): string | undefined {
  const names = process.platform === 'win32' ? ['npm.cmd', 'npm.exe'] : ['npm'];
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/** Runs `npm install` in a project; its output is shown only when it fails. */
export function installDependencies(npm: string, root: string, io: Io): Promise<Installation> {
  io.stdout.write('Installing dependencies with npm ...\n');
  return new Promise((settle) => {
    const child = spawn(npm, ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString()}`.slice(-4000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    // Ctrl-C reaches npm as well; what is left to say is said when it has ended.
    const release = io.holdSignals();
    const end = (result: Installation): void => {
      release();
      settle(result);
    };
    child.on('error', (error) => end({ ok: false, reason: error.message }));
    child.on('close', (code, signal) => {
      if (code === 0) return end({ ok: true });
      end({ ok: false, reason: signal === null ? firstError(output) : `npm was ended by ${signal}` });
    });
  });
}

/** The line of npm's output that says what is wrong. */
function firstError(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !/^(code|syscall|errno) /.test(line));
  return lines[0] ?? 'npm failed';
}
