import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests read the runtime from its sources, so that a failing test points at the line that is wrong. */
const runtime = (path: string): string => fileURLToPath(new URL(`src/runtime/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^operator-runtime$/, replacement: runtime('index.ts') },
      { find: /^operator-runtime\/apis\/(.*)$/, replacement: runtime('apis/$1.ts') },
      { find: /^operator-runtime\/([a-z-]+)$/, replacement: runtime('$1/index.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    setupFiles: ['test/support/random.ts'],
    globalSetup: ['test/conformance/kubernetes/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
