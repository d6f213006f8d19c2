/** The parts of operator-runtime that generated clients import: the folders to copy, and the text of an entry. */
export const clientFolders = ['apis', 'client', 'kind', 'scalars'] as const;

const modules = [
  './client/kind-client.ts',
  './client/kind-client-types.ts',
  './client/patch-types.ts',
  './client/types.ts',
  './kind/kind.ts',
  './apis/meta/v1.ts',
];

/** `more` are modules that it exports, too. What the projects know of no platform's types is declared in it. */
export function clientEntry(more: readonly string[] = []): string {
  const exports = [...modules, ...more].map((module) => `export * from '${module}';\n`).join('');
  // Kubernetes has a type of this name, too.
  const named = `export type { DeleteOptions } from './client/types.ts';\n`;
  return `${exports}${named}declare global {\n  interface AbortSignal {\n    readonly aborted: boolean;\n  }\n}\n`;
}
