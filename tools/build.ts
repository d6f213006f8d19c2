// npm run build: type-checks and builds both packages; does nothing where nothing changed.
//   src/runtime/dist/  operator-runtime: JavaScript, declarations and source maps, one for each source file (tsc)
//   dist/              create-operator: cli/main.js and the chunks it loads when a command needs them (esbuild)
//   THIRD-PARTY-LICENSES   of what is inside dist/
import { join } from 'node:path';
import { documentApis } from './build/api-documentation.ts';
import { buildCommandLine } from './build/command-line.ts';
import { removeStaleOutputs } from './build/stale-outputs.ts';
import { withLock } from './lock.ts';
import { cacheFolder, isMain, main, packages, root, run } from './repository.ts';

/** Builds both packages. Throws with the compilers' messages when one of them fails. One build runs at a time. */
export async function build(): Promise<void> {
  await withLock(
    join(cacheFolder, 'build', 'lock'),
    () => {},
    async () => {
      const compiler = await run('tsc', ['-b', 'src']);
      if (compiler.code !== 0) throw new Error(`${compiler.stdout}${compiler.stderr}`.trim());
      await removeStaleOutputs(packages['operator-runtime']);
      documentApis(packages['operator-runtime'], join(root, 'node_modules/@kubernetes/client-node/dist/gen/models'));
      await buildCommandLine();
    },
  );
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await build();
    return 0;
  });
}
