// Stands for ts-morph in the bundle of `create-operator generate` and `rbac`: the compiler that ts-morph brings along, without ts-morph's own
// classes around it, which take almost as long to load. Who needs those requires ts-morph itself (whole-program.ts).
import { createRequire } from 'node:module';
import type { ts as Compiler } from 'ts-morph';
import type { LoadModule } from '../../src/cli/kept-code.ts';

/** Given to scripts that are loaded with the code that was kept of them. */
declare const loadModule: LoadModule | undefined;

const require = createRequire(import.meta.url);

export const ts: typeof Compiler = load();

function load(): typeof Compiler {
  // From where ts-morph stands, so that package managers that keep packages apart find it, too.
  const inside = createRequire(require.resolve('ts-morph'));
  try {
    const file = inside.resolve('@ts-morph/common/dist/typescript.js');
    return (typeof loadModule === 'undefined' ? inside(file) : loadModule(file)) as typeof Compiler;
  } catch (error) {
    // Another release may have it elsewhere.
    if (!(error instanceof Error && 'code' in error)) throw error;
    return (inside('ts-morph') as { ts: typeof Compiler }).ts;
  }
}
