// npm run build: type-checks and builds both packages; does nothing where nothing changed.
//   src/runtime/dist/  operator-runtime: JavaScript, declarations and source maps, one for each source file (tsc; of generated ones no
//                      maps); all declarations of its entries in program.d.ts, for create-operator; the program of the election's thread
//                      as a string (esbuild)
//   dist/              create-operator: cli/main.js and the chunks it loads when a command needs them (esbuild)
//   THIRD-PARTY-LICENSES   of what is inside dist/
import { join } from 'node:path';
import { documentApis } from './build/api-documentation.ts';
import { buildCommandLine } from './build/command-line.ts';
import { inlineElectionWorker } from './build/election-worker.ts';
import { writeProgramDeclarations } from './build/program-declarations.ts';
import { removeMapsOfGenerated } from './build/generated-maps.ts';
import { removeStaleOutputs } from './build/stale-outputs.ts';
import { withLock } from './lock.ts';
import { cacheFolder, isMain, main, packages, root, run } from './repository.ts';

/** Builds both packages. Throws with the compilers' messages when one of them fails. One build runs at a time. */
export async function build(): Promise<void> {
  await locked(async () => {
    await compile('src');
    await finishRuntime();
    await buildCommandLine();
  });
}

/** Builds operator-runtime alone. */
export async function buildRuntime(): Promise<void> {
  await locked(async () => {
    await compile('src/runtime');
    await finishRuntime();
  });
}

async function compile(project: string): Promise<void> {
  const compiler = await run('tsc', ['-b', project]);
  if (compiler.code !== 0) throw new Error(`${compiler.stdout}${compiler.stderr}`.trim());
}

/** What the compiler leaves to do. */
async function finishRuntime(): Promise<void> {
  const folder = packages['operator-runtime'];
  await removeStaleOutputs(folder);
  removeMapsOfGenerated(folder);
  documentApis(folder, join(root, 'node_modules/@kubernetes/client-node/dist/gen/models'));
  writeProgramDeclarations(folder);
  await inlineElectionWorker(folder);
}

async function locked(work: () => Promise<void>): Promise<void> {
  await withLock(join(cacheFolder, 'build', 'lock'), () => {}, work);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await build();
    return 0;
  });
}
