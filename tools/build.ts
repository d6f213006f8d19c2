// npm run build: type-checks and builds both packages; does nothing where nothing changed.
//   src/runtime/dist/  operator-runtime: JavaScript, declarations and source maps, one for each source file (tsc)
//   dist/              create-operator: cli/main.js and the chunks it loads when a command needs them (esbuild)
//   THIRD-PARTY-LICENSES   of what is inside dist/
import { buildCommandLine } from './build/command-line.ts';
import { removeStaleOutputs } from './build/stale-outputs.ts';
import { isMain, main, run, packages } from './repository.ts';

/** Builds both packages. Throws with the compilers' messages when one of them fails. */
export async function build(): Promise<void> {
  const compiler = await run('tsc', ['-b', 'src']);
  if (compiler.code !== 0) throw new Error(`${compiler.stdout}${compiler.stderr}`.trim());
  await removeStaleOutputs(packages['operator-runtime']);
  await buildCommandLine();
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await build();
    return 0;
  });
}
