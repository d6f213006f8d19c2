import { describe, expect, it } from 'vitest';
import { ts } from 'ts-morph';
import { SourceProject } from './source-project.ts';

const root = '/project';

const exports = {
  '.': { types: './dist/index.d.ts' },
  './markers': { types: './dist/markers/index.d.ts' },
  './apis/*': { types: './dist/apis/*.d.ts' },
};

/** A copy of operator-runtime below a folder, with or without the file that declares all of it. */
function runtime(folder: string, isWhole = true): Record<string, string> {
  const files: Record<string, string> = {
    'package.json': JSON.stringify({ name: 'operator-runtime', type: 'module', version: '1.0.0', exports }),
    'dist/index.d.ts': "export * from './client/types.ts';\nexport { Kind } from './kind/kind.ts';\n",
    'dist/client/types.d.ts':
      "import type { Kind } from '../kind/kind.ts';\nexport interface Client { get<T>(kind: Kind<T>): T }\n",
    'dist/kind/kind.d.ts': 'export interface Kind<T> { readonly object: T }\n',
    'dist/markers/index.d.ts': 'export declare function DescriptionDepth(depth: number): void;\n',
    'dist/apis/core/v1.d.ts':
      "import { Kind } from '../../kind/kind.ts';\nexport interface Pod { readonly node: string }\nexport declare const Pod: Kind<Pod>;\n",
    ...(isWhole ? { 'dist/program.d.ts': program } : {}),
  };
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`${folder}/node_modules/operator-runtime/${name}`, text]),
  );
}

const program = `declare module 'operator-runtime:client/types' {
import type { Kind } from 'operator-runtime:kind/kind';
export interface Client { get<T>(kind: Kind<T>): T }
}
declare module 'operator-runtime:index' {
export * from 'operator-runtime:client/types';
export { Kind } from 'operator-runtime:kind/kind';
}
declare module 'operator-runtime:kind/kind' {
export interface Kind<T> { readonly object: T }
}
declare module 'operator-runtime:markers/index' {
export function DescriptionDepth(depth: number): void;
}
declare module 'operator-runtime' {
export * from 'operator-runtime:index';
}
declare module 'operator-runtime/markers' {
export * from 'operator-runtime:markers/index';
}
`;

const main = `import type { Client } from 'operator-runtime';
import { Pod } from 'operator-runtime/apis/core/v1';
export declare const client: Client;
export const pod = client.get(Pod);
`;

function open(files: Record<string, string>, packages = runtime(root)): SourceProject {
  const own = Object.entries(files).map(([name, text]) => [`${root}/${name}`, text] as const);
  const fileSystem = new Map([[`${root}/package.json`, '{ "type": "module" }'], ...Object.entries(packages), ...own]);
  return new SourceProject({ files: own.map(([path]) => path), root, fileSystem }, 'calls');
}

/** What is read of operator-runtime, below `dist`. */
function filesOfRuntime(project: SourceProject): string[] {
  const folder = '/node_modules/operator-runtime/dist/';
  return project.program
    .getSourceFiles()
    .flatMap(({ fileName }) => (fileName.includes(folder) ? [fileName.split(folder)[1] ?? ''] : []))
    .sort();
}

/** Where the method that `client.get(...)` calls is declared, and the type of what it gives. */
function callIn(project: SourceProject): unknown {
  const [file] = project.files.filter(({ text }) => text.includes('client.get('));
  let found: unknown;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const method = project.checker.getResolvedSignature(node)?.declaration;
      found = [
        method && project.runtimeDeclaration(method.parent),
        project.typeText(project.checker.getTypeAtLocation(node)),
      ];
    }
    ts.forEachChild(node, visit);
  };
  if (file !== undefined) visit(file);
  return found;
}

const declared = [{ module: 'client/types', name: 'Client' }, 'Pod'];
const each = ['apis/core/v1.d.ts', 'client/types.d.ts', 'index.d.ts', 'kind/kind.d.ts'];

describe('the file that declares all of operator-runtime', () => {
  it('stands for the files of its modules', () => {
    const project = open({ 'main.ts': main });
    expect(filesOfRuntime(project)).toEqual(['apis/core/v1.d.ts', 'program.d.ts']);
    expect(callIn(project)).toEqual(declared);
    expect(project.inputs).toContain(`${root}/node_modules/operator-runtime/dist/program.d.ts`);
  });

  it.each<[string, Record<string, string>, Record<string, string>, string[]]>([
    ['is not there', {}, runtime(root, false), each],
    [
      'stands in a checkout of the sources',
      {},
      { ...runtime(root), [`${root}/node_modules/operator-runtime/tsconfig.json`]: '{}' },
      each,
    ],
    [
      'has another copy beside it',
      { 'other/index.ts': "import type { Client } from 'operator-runtime';\nexport type Own = Client;\n" },
      { ...runtime(root), ...runtime(`${root}/other`) },
      // The compiler takes packages of one name and version for the same.
      [...each, 'index.d.ts'].sort(),
    ],
    [
      'has no comments, which somebody asks for',
      {
        'types.ts':
          "import { DescriptionDepth } from 'operator-runtime/markers';\nexport const depth = DescriptionDepth;\n",
      },
      runtime(root),
      [...each, 'markers/index.d.ts'],
    ],
    [
      'is added to by its name',
      { 'more.ts': "declare module 'operator-runtime' {\n  interface Client { more(): void }\n}\nexport {};\n" },
      runtime(root),
      each,
    ],
  ])('is not read where it %s', (_title, files, packages, read) => {
    const project = open({ 'main.ts': main, ...files }, packages);
    expect(filesOfRuntime(project)).toEqual(read);
    expect(callIn(project)).toEqual(declared);
  });
});
