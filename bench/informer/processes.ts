// The processes of the benchmark: the server's stand-in, and candidates as the one file that users ship.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

/** How a candidate is started; the server's address and the mode follow. */
export interface Command {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Custom resources of so many bytes, or Pods, which have about 4 kB. */
export type Shape = number | 'pods';

/** As the scaffold's Deployment starts an operator. */
export const shippedFlags = ['--max-semi-space-size=4'];

/** Bundles a program of this folder into one file. */
export async function bundleFile(folder: string, name: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return outfile;
}

export function nodeCommand(file: string, env: Command['env'] = {}, flags: readonly string[] = []): Command {
  return { program: process.execPath, parameters: ['--expose-gc', ...flags, file], env };
}

/** Starts a server of its own for a candidate, runs it to its end, and gives what it printed last. */
export async function runCandidate<M>(
  { program, parameters, env }: Command,
  { objects, shape }: { readonly objects: number; readonly shape: Shape },
  ...args: readonly string[]
): Promise<M> {
  const server = await startServer(objects, shape);
  try {
    const child = spawn(program, [...parameters, server.address, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env, ...(shape === 'pods' ? { BENCH_PODS: '1' } : {}) },
    });
    const lines: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    const [code] = (await once(child, 'close')) as [number];
    if (code !== 0) throw new Error(`${program} ended with ${code}`);
    return JSON.parse(lines.at(-1) ?? '') as M;
  } finally {
    server.process.kill();
  }
}

async function startServer(
  objects: number,
  shape: Shape,
): Promise<{ readonly address: string; readonly process: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), String(objects), String(shape)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { address: `http://127.0.0.1:${port}`, process: child };
}
