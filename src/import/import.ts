import { compareText, type Diagnostic, type OutputFile } from '../model/index.ts';
import { clientFile, emitForeignClient } from './client.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { emitTypes } from './types/types-file.ts';

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

/**
 * Marked types for each version of each definition, and warnings of what has no notation.
 *
 * @param groupFolders whether each API group has a folder of its own
 */
export function importTypes(
  definitions: readonly CustomResourceDefinition[],
  folder: string,
  groupFolders = false,
): Imported {
  const names = definitions.flatMap((definition) =>
    definition.versions.map((version) => `${version.name}/${definition.kind.toLowerCase()}.types.ts`),
  );
  const files: OutputFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const definition of definitions) {
    for (const version of definition.versions) {
      const file = `${version.name}/${definition.kind.toLowerCase()}.types.ts`;
      // Kinds of several groups that would share a file stand under a folder of their group, as their clients do.
      const shared = groupFolders || names.filter((name) => name === file).length > 1;
      const { content, lost } = emitTypes(definition, version);
      files.push({ path: joinPath(folder, shared ? `${definition.group}/${file}` : file), content });
      diagnostics.push(...lost);
    }
  }
  return { files: files.toSorted(byPath), diagnostics: [...checkPaths(files, definitions), ...diagnostics] };
}

function joinPath(folder: string, file: string): string {
  return folder === '' || folder === '.' ? file : `${folder}/${file}`;
}

function byPath(a: OutputFile, b: OutputFile): number {
  return compareText(a.path, b.path);
}

/** Two files at one path would silently be one; on many systems that is also so where only the case differs. */
function checkPaths(files: readonly OutputFile[], definitions: readonly CustomResourceDefinition[]): Diagnostic[] {
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
