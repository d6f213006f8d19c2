import { compareText, type Diagnostic, type OutputFile } from '../model/index.ts';
import { clientFile, emitForeignClient } from './client.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';

/** What an import writes below its folder, in the order of paths, and what is wrong with its input. */
export interface Imported {
  readonly files: readonly OutputFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Types and client for each version of each definition; `folder` is in front of the paths. */
export async function importClients(
  definitions: readonly CustomResourceDefinition[],
  folder: string,
): Promise<Imported> {
  const files: OutputFile[] = [];
  for (const definition of definitions) {
    for (const version of definition.versions) {
      const path = joinPath(folder, clientFile(definition, version));
      files.push({ path, content: await emitForeignClient(definition, version) });
    }
  }
  return { files: files.toSorted(byPath), diagnostics: checkPaths(files, definitions) };
}

export function joinPath(folder: string, file: string): string {
  return folder === '' || folder === '.' ? file : `${folder}/${file}`;
}

export function byPath(a: OutputFile, b: OutputFile): number {
  return compareText(a.path, b.path);
}

/** Two files at one path would silently be one; on many systems that is also so where only the case differs. */
export function checkPaths(
  files: readonly OutputFile[],
  definitions: readonly CustomResourceDefinition[],
): Diagnostic[] {
  const owners = definitions.flatMap((definition) => definition.versions.map(() => definition));
  const seen = new Set<string>();
  return files.flatMap(({ path }, index) => {
    const key = path.toLowerCase();
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const position = owners[index]?.position;
    const message = `two definitions would be written to ${path}`;
    const remedy = 'import one of them alone, or into another folder';
    return [{ code: 'CO2604', severity: 'error' as const, message, remedy, ...(position && { position }) }];
  });
}
