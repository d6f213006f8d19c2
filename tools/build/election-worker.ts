import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Puts the program of the election's thread into `<runtime>/dist/election/thread/worker-code.js`, as a string: an operator that is bundled
 * into one file has it inside. It must hold nothing but our own code and Node's modules. Writes nothing where it is up to date.
 */
export async function inlineElectionWorker(runtime: string): Promise<void> {
  const output = join(runtime, 'dist/election/thread/worker-code.js');
  const contents = `export const workerCode = ${JSON.stringify(await electionWorker(runtime))};\n`;
  if (existsSync(output) && (await readFile(output, 'utf8')) === contents) return;
  const temporary = `${output}.${process.pid}.tmp`;
  await writeFile(temporary, contents);
  await rename(temporary, output);
}

/** The program as one script of CommonJS, which a thread can run from a string. */
export async function electionWorker(runtime: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: runtime,
    entryPoints: ['election/thread/worker.ts'],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22.19',
    minify: true,
    // Names stand in log lines.
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const foreign = Object.keys(metafile.inputs).filter((input) => input.includes('node_modules'));
  if (foreign.length > 0) throw new Error(`the election's thread must not need packages: ${foreign.join(', ')}`);
  return outputFiles[0]?.text ?? '';
}
