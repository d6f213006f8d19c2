import { type Diagnostic, type Kind, type OutputFile, typeScriptHead, type Version } from '../../model/index.ts';
import { kindIdentifier, localName, stringLiteral } from './identifiers.ts';
import { keyedSchema, listKeys } from './list-keys.ts';
import { exportedNames, imported, kindInfo, kindShapes, runtimeImports, runtimeNames } from './shapes.ts';
import { importSpecifier } from './specifier.ts';

/**
 * The client files of all kinds, one for each version: `<folder>/<version>/<kind>.ts`. Kinds of several groups that would share a
 * file stand under a folder of their group; with `groupFolders` all do. A client that would replace a declaration is an error.
 */
export function emitClients(
  kinds: readonly Kind[],
  folder: string,
  root: string,
  groupFolders = false,
): { files: OutputFile[]; diagnostics: Diagnostic[] } {
  const files: OutputFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const declarations = new Set(
    kinds.flatMap((kind) => kind.versions.map(({ declaration }) => comparable(declaration.file))),
  );
  const shared = sharedFiles(kinds);
  for (const kind of kinds) {
    for (const version of kind.versions) {
      const file = fileInFolder(kind, version);
      const path = joinPath(folder, groupFolders || shared.has(file) ? `${kind.group}/${file}` : file);
      if (declarations.has(comparable(path))) {
        diagnostics.push({
          code: 'CO2200',
          severity: 'error',
          message: `the client of ${kind.kind} would replace the declaration in ${path}`,
          position: version.position,
          remedy: `rename the file to ${path.replace(/\.ts$/, '.types.ts')}, or give another folder for clients`,
        });
        continue;
      }
      const specifier = importSpecifier(root, path, version.declaration.file);
      if (specifier === undefined) {
        diagnostics.push({
          code: 'CO2201',
          severity: 'error',
          message: `the client of ${kind.kind} lies on another drive than its declaration`,
          position: version.position,
        });
        continue;
      }
      files.push({ path, content: emitClient(kind, version, specifier) });
    }
  }
  return { files, diagnostics };
}

/**
 * The typed client of one version of a kind: a type and a value of one name, its list, what apply takes of it, and a client of its objects.
 * `specifier` imports the module of the declaration.
 */
export function emitClient(kind: Kind, version: Version, specifier: string): string {
  const name = kindIdentifier(kind.kind);
  const taken = new Set(exportedNames(name));
  const names = runtimeNames(taken);
  const declaration = localName('Declaration', taken);
  const apiVersion = `${kind.group}/${version.name}`;
  const subresources = [
    ...(version.statusSubresource ? (['status'] as const) : []),
    ...(version.scaleSubresource === undefined ? [] : (['scale'] as const)),
  ];
  const keys = listKeys(keyedSchema(version.schema));
  return `${typeScriptHead}
${runtimeImports(names)}
import type { ${imported(version.declaration.name, declaration)} } from ${stringLiteral(specifier)};

export interface ${name} extends ${names.object}, ${declaration} {
  apiVersion: ${stringLiteral(apiVersion)};
  kind: ${stringLiteral(kind.kind)};
}

${kindShapes({ name, apiVersion, listKind: kind.listKind, scope: kind.scope, subresources, listKeys: keys }, kindInfo(kind, version.name, subresources), names)}`;
}

/** Whether a file is a client that we wrote: what may be pruned from a folder of clients. */
export function isClient(content: string): boolean {
  return (
    /^import type \{ .*\bas Declaration_* \} from '/m.test(content) && content.includes('/* @__PURE__ */ defineKind')
  );
}

function fileInFolder(kind: Kind, version: Version): string {
  return `${version.name}/${kind.kind.toLowerCase()}.ts`;
}

function sharedFiles(kinds: readonly Kind[]): Set<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const file of kinds.flatMap((kind) => kind.versions.map((version) => fileInFolder(kind, version)))) {
    if (seen.has(file)) shared.add(file);
    seen.add(file);
  }
  return shared;
}

function joinPath(folder: string, file: string): string {
  return folder === '' || folder === '.' ? file : `${folder.replace(/\/$/, '')}/${file}`;
}

/** Paths that differ in case alone are one file on many systems. */
const comparable = (path: string): string => path.toLowerCase();
