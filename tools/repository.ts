// Where things stand in this repository, and how its scripts run other programs.
import { spawn } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder, without a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/** What scripts keep between runs: the incremental state of compilers and the list of what was bundled. */
export const cacheFolder = join(root, 'node_modules', '.cache');

export interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
}

export function readPackageJson(folder: string): PackageJson {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson;
}

/** The two packages that are released, with one version. */
export const packages = { 'create-operator': root, 'operator-runtime': join(root, 'src', 'runtime') } as const;

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `inherit` shows the output as it comes, `capture` (the default) returns it. */
  readonly output?: 'inherit' | 'capture';
  /** Ends the program with SIGTERM. */
  readonly signal?: AbortSignal;
  /** Written to the program's standard input. */
  readonly input?: string;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. A code other than 0 is a result, not an error; a program that cannot be started is one. */
export async function run(command: string, args: readonly string[] = [], options: RunOptions = {}): Promise<RunResult> {
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  const show = options.output === 'inherit';
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin?.on('error', () => {
    // A program that ends without reading its input says so with its exit code.
  });
  child.stdin?.end(options.input);
  child.on('error', reject);
  child.on('close', (code, signal) => {
    resolve({ code: code ?? 1, stdout, stderr: signal === null ? stderr : `${stderr}(ended by ${signal})\n` });
  });
  return await promise;
}

/** Thrown by {@link runChecked}; the message holds the command and its output. */
export class CommandError extends Error {
  readonly code: number;
  constructor(command: string, result: RunResult) {
    const output = `${result.stdout}${result.stderr}`.trim();
    super(`${command}: exit code ${result.code}${output === '' ? '' : `\n${output}`}`);
    this.name = 'CommandError';
    this.code = result.code;
  }
}

/** {@link run}, with an exit code other than 0 as an error. Returns the standard output. */
export async function runChecked(
  command: string,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<string> {
  const result = await run(command, args, options);
  if (result.code !== 0) throw new CommandError([command, ...args].join(' '), result);
  return result.stdout;
}

/** Whether a module is the script that was started, not one that it imports. (`import.meta.main` is newer than our oldest Node.) */
export function isMain(url: string): boolean {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);
}

/** The main function of a script: its errors become one message and exit code 1. */
export async function main(script: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await script();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
