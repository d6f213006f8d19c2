import { readFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { cacheFolder, root } from '../repository.ts';

/** Where `tsc -b src` puts the declarations of everything, for us to choose from. */
const compiled = join(cacheFolder, 'tsc', 'src');

/**
 * The declarations of an exported module and of all modules that these name, by their paths below `dist/`. What is not reachable from
 * an export is nobody's business and is not published.
 */
export async function exportedDeclarations(modules: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const waiting = modules.map((module) => `${module}.d.ts`);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    // Source maps lead to sources that are not published.
    const text = (await readFile(join(compiled, path), 'utf8')).replace(/^\/\/# sourceMappingURL=.*\n?/m, '');
    found.set(path, text);
    for (const [, specifier = ''] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      waiting.push(posix.join(posix.dirname(path), specifier).replace(/\.[cm]?[jt]s$/, '.d.ts'));
    }
  }
  return found;
}

/** The same, as files of `dist/types/`, by their absolute paths. */
export async function declarationFiles(modules: readonly string[]): Promise<Map<string, Buffer>> {
  const declarations = await exportedDeclarations(modules);
  return new Map(
    [...declarations].map(([path, text]) => [join(root, 'dist', 'types', ...path.split('/')), Buffer.from(text)]),
  );
}

/** For the stamp: what the declarations are made of, relative to the repository. */
export async function declarationInputs(modules: readonly string[]): Promise<string[]> {
  return [...(await exportedDeclarations(modules)).keys()].map((path) =>
    relative(root, join(compiled, dirname(path), posix.basename(path))),
  );
}
