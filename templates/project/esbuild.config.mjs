// Bundles the operator into dist/main.js: one file that runs without node_modules inside a cluster.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/main.ts'],
  outfile: 'dist/main.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  sourcemap: true,
  legalComments: 'none',
  // Read only outside of a cluster, for kubeconfig files; there it is taken from node_modules.
  external: ['@kubernetes/client-node'],
  // Dependencies that are CommonJS call require(); an ES module has to make one.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
