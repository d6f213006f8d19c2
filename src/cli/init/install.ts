import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PackageManager } from '../../project/package-manager.ts';
import type { Io } from '../io.ts';

/** How an install ended; `reason` in the user's terms. */
export type Installation = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** The path of a program, looked up as a shell would. */
export function findProgram(name: string, environment: Io['environment']): string | undefined {
  const names = process.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name];
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((file) => join(folder, file))).find((path) => existsSync(path));
}

/** Without a network npm tries again for eight minutes, package by package; who has settings of their own for that keeps them. */
const fewRetries = { npm_config_fetch_retries: '1', npm_config_fetch_retry_mintimeout: '1000' };

/** In CI yarn refuses to write its lock file, which a new project does not have yet. */
const mayWriteLockFile = { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' };

const installArguments: Readonly<Record<PackageManager, readonly string[]>> = {
  npm: ['install', '--no-audit', '--no-fund', '--loglevel=error'],
  pnpm: ['install'],
  yarn: ['install'],
  bun: ['install'],
};

/** Installs the dependencies of a project; what is printed is shown only when it fails. A signal ends it. */
export function installDependencies(
  manager: PackageManager,
  program: string,
  root: string,
  io: Io,
): Promise<Installation> {
  io.stdout.write(`Installing dependencies with ${manager} ...\n`);
  return new Promise((settle) => {
    const child = spawn(program, installArguments[manager], {
      cwd: root,
      env: { ...fewRetries, ...mayWriteLockFile, ...io.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString()}`.slice(-4000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let interrupted = false;
    const stop = async (): Promise<void> => {
      await io.interrupted();
      interrupted = true;
      child.kill('SIGTERM');
    };
    void stop();
    child.on('error', (error) => settle({ ok: false, reason: error.message }));
    child.on('close', (code, signal) => {
      if (code === 0) return settle({ ok: true });
      const reason = interrupted
        ? `${manager} was interrupted`
        : signal === null
          ? firstError(manager, output)
          : `${manager} was ended by ${signal}`;
      settle({ ok: false, reason });
    });
  });
}

/** The line of a package manager's output that says what is wrong. */
export function firstError(manager: PackageManager, output: string): string {
  if (manager !== 'npm') return firstErrorOfOthers(manager, output);
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !/^(code|syscall|errno) /.test(line));
  const unreachable = /^FetchError: .* failed, reason: (.+)$/.exec(lines[0] ?? '')?.[1];
  return unreachable === undefined ? (lines[0] ?? 'npm failed') : `npm cannot reach its registry: ${unreachable}`;
}

/** The first line that looks like an error (yarn has codes for them), else the last. */
function firstErrorOfOthers(manager: PackageManager, output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const isError = (line: string): boolean => /\berror\b|ERR_|✕|×|╰─▶|YN0(001|009|028|035|082):/i.test(line);
  // pnpm tells the cause behind its frame.
  const line = lines.find((each) => each.startsWith('╰─▶')) ?? lines.find(isError) ?? lines.at(-1);
  return line === undefined ? `${manager} failed` : line.replace(/^(➤|╰─▶) /, '');
}
