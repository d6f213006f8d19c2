import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CallReport } from '../../../model/index.ts';
import { root } from '../../testing/read-sources.ts';
import type { ReadOptions } from '../../read.ts';
import { SourceProject } from '../../source-project.ts';
import { leanly, readCallsIn, readCallsWhole } from '../read-calls.ts';

const runtimeFolder = fileURLToPath(new URL('../../../runtime/', import.meta.url));

const manifest = {
  name: 'operator-runtime',
  type: 'module',
  exports: {
    '.': './index.ts',
    './markers': './markers/index.ts',
    './apis/*': './apis/*.ts',
    './client': './client/index.ts',
    './cache': './cache/index.ts',
    './election': './election/index.ts',
  },
};

/** The package as it is published: its declarations alone. */
const builtManifest = {
  ...manifest,
  exports: Object.fromEntries(
    Object.entries(manifest.exports).map(([name, path]) => [
      name,
      path.replace(/^\.\//, './dist/').replace(/\.ts$/, '.d.ts'),
    ]),
  ),
};

/** In which form programs have operator-runtime: all of its sources, or what `npm run build` makes of these. */
export type RuntimeForm = 'sources' | 'built';

/** Whether what was built is of the declarations as they are: the compiler alone does not make `program.d.ts`. */
export const isBuilt = ((): boolean => {
  const time = (name: string): number => statSync(`${runtimeFolder}dist/${name}`).mtimeMs;
  if (!existsSync(`${runtimeFolder}dist/program.d.ts`)) return false;
  const built = time('program.d.ts');
  return globSync('**/*.d.ts', { cwd: `${runtimeFolder}dist` }).every((name) => time(name) <= built);
})();

function runtimePackage(form: RuntimeForm): Map<string, string> {
  const folder = `${root}/node_modules/operator-runtime`;
  const files = new Map([[`${folder}/package.json`, JSON.stringify(form === 'built' ? builtManifest : manifest)]]);
  for (const name of globSync(form === 'built' ? 'dist/**/*.d.ts' : '**/*.ts', { cwd: runtimeFolder })) {
    const path = name.replaceAll('\\', '/');
    if (form === 'sources' && /^(dist|node_modules|testing)\/|\.test(-d)?\.ts$/.test(path)) continue;
    files.set(`${folder}/${path}`, readFileSync(`${runtimeFolder}${path}`, 'utf8'));
  }
  return files;
}

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  strict: true,
  experimentalDecorators: true,
  useDefineForClassFields: false,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: [],
};

function optionsOf(
  sources: Readonly<Record<string, string>>,
  entries: readonly string[],
  form: RuntimeForm = 'sources',
): ReadOptions {
  return {
    files: entries.map((name) => `${root}/${name}`),
    root,
    tsconfig: `${root}/tsconfig.json`,
    fileSystem: new Map([
      [`${root}/package.json`, JSON.stringify({ name: 'project', type: 'module' })],
      [`${root}/tsconfig.json`, JSON.stringify({ compilerOptions })],
      ...runtimePackage(form),
      ...Object.entries(sources).map(([name, text]) => [`${root}/${name}`, text] as const),
    ]),
  };
}

const ownFiles = (sources: Readonly<Record<string, string>>): string[] =>
  Object.keys(sources).filter((name) => !name.includes('node_modules/'));

/** Reads the calls of sources in memory, by their paths below the project; `entries` are the files to begin at (default: all). */
export function readCallsOf(sources: Readonly<Record<string, string>>, entries = ownFiles(sources)): CallReport {
  return readCallsWhole(optionsOf(sources, entries));
}

/** Reads the calls of single files of the same sources in both ways; the lean one gives undefined where it needs the whole program. */
export function readBothWays(
  sources: Readonly<Record<string, string>>,
  form?: RuntimeForm,
): (entry: string) => { readonly lean: CallReport | undefined; readonly whole: CallReport } {
  const options = optionsOf(sources, ownFiles(sources), form);
  const [lean, whole] = [new SourceProject(options, 'calls'), new SourceProject(options, false)];
  return (entry) => {
    const entries = [`${root}/${entry}`];
    return { lean: leanly(() => readCallsIn(lean, entries, true)), whole: readCallsIn(whole, entries, false) };
  };
}

/** `widgets.ts`: kinds as generated clients define them. */
export const kinds = {
  'kinds.ts': `
import { defineKind } from 'operator-runtime';
import type { Kind, KubernetesObject } from 'operator-runtime';

export interface Widget extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Widget';
  spec: { size?: number };
  status?: { size?: number };
}
export const Widget: Kind<Widget, 'Namespaced', 'status' | 'scale'> = defineKind({
  group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced', subresources: ['status', 'scale'],
});

/** Its plural is not regular. */
export interface Staff extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Staff';
}
export const Staff: Kind<Staff, 'Cluster'> = defineKind({
  group: 'example.com', version: 'v1', kind: 'Staff', plural: 'personnel', scope: 'Cluster', subresources: [],
});

export interface ConfigMap extends KubernetesObject {
  apiVersion: 'v1';
  kind: 'ConfigMap';
  data?: Record<string, string>;
}
export const ConfigMap: Kind<ConfigMap, 'Namespaced'> = defineKind({
  group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced', subresources: [],
});
`,
} as const;
