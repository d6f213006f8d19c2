import { readdirSync, readFileSync } from 'node:fs';
import { type Diagnostic, Float, type Kind, type Schema } from '../../model/index.ts';
import { problems } from '../problems.ts';
import { read, type ReadOptions, type ReadResult } from '../read.ts';

/** The folder of the project that tests read; nothing of it is on the disk. */
export const root = '/project';

const runtimeFolder = new URL('../../runtime/', import.meta.url);

/** A second copy of operator-runtime as a package manager would lay it out, made of its sources. */
export function runtimePackage(folder: string): Map<string, string> {
  const manifest = {
    name: 'operator-runtime',
    type: 'module',
    exports: { '.': './index.ts', './markers': './markers/index.ts', './apis/*': './apis/*.ts' },
  };
  const index = "export type * from './apis/meta/v1.ts';\nexport type * from './scalars/scalars.ts';\n";
  const files = new Map([
    [`${folder}/package.json`, JSON.stringify(manifest)],
    [`${folder}/index.ts`, index],
    [`${folder}/markers/index.ts`, sourceOf('markers/index.ts')],
    [`${folder}/scalars/scalars.ts`, sourceOf('scalars/scalars.ts')],
    [`${folder}/kind/kind.ts`, sourceOf('kind/kind.ts')],
  ]);
  for (const group of readdirSync(new URL('apis/', runtimeFolder))) {
    for (const file of readdirSync(new URL(`apis/${group}/`, runtimeFolder))) {
      if (file.endsWith('.test.ts')) continue;
      files.set(`${folder}/apis/${group}/${file}`, sourceOf(`apis/${group}/${file}`));
    }
  }
  return files;
}

function sourceOf(path: string): string {
  return readFileSync(new URL(path, runtimeFolder), 'utf8');
}

const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    strict: true,
    experimentalDecorators: true,
    useDefineForClassFields: false,
    allowImportingTsExtensions: true,
    types: [],
  },
};

export type SourceOptions = Partial<Omit<ReadOptions, 'files'>> & {
  readonly files?: readonly string[];
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
};

/** Reads sources from memory, by their paths below the project; all of them unless `files` says which. */
export function readSources(sources: Readonly<Record<string, string>>, options: SourceOptions = {}): ReadResult {
  return read(optionsFor(sources, options));
}

/** What `read` takes to read sources from memory. */
export function optionsFor(sources: Readonly<Record<string, string>>, options: SourceOptions = {}): ReadOptions {
  const { files, compilerOptions, ...rest } = options;
  const config = { compilerOptions: { ...tsconfig.compilerOptions, ...compilerOptions } };
  const fileSystem = new Map([
    [`${root}/package.json`, JSON.stringify({ name: 'project', type: 'module' })],
    [`${root}/tsconfig.json`, JSON.stringify(config)],
    ...runtimePackage(`${root}/node_modules/operator-runtime`),
    ...Object.entries(sources).map(([path, text]) => [`${root}/${path}`, text] as const),
  ]);
  const names = files ?? Object.keys(sources).filter((path) => path.endsWith('.ts') && !path.includes('node_modules/'));
  return {
    files: names.map((path) => `${root}/${path}`),
    root,
    tsconfig: `${root}/tsconfig.json`,
    fileSystem,
    ...rest,
  };
}

const imports = `
import type { integer, int32, int64, float, double, Quantity, Duration, Time, MicroTime, IntOrString } from 'operator-runtime';
import * as m from 'operator-runtime/markers';
`;

/**
 * Reads one kind whose spec has these members, written as in a class or an interface; `rest` stands in front of it. Its resource
 * markers are JSDoc tags.
 */
export function readSpec(members: string, rest = '', container: 'class' | 'interface' = 'class'): ReadResult {
  return readSources({ 'thing.ts': specSource(members, rest, container) });
}

export function specSource(members: string, rest = '', container: 'class' | 'interface' = 'class'): string {
  return `${imports}${rest}
export ${container} Spec {
${members}
}
/** @resource { group: 'test.example.com', version: 'v1' } */
export interface Thing { spec: Spec }
`;
}

/** The remedies that a code has wherever it is reported. */
const general = new Set<string | undefined>(
  Object.values(problems).map(([, , remedy]: readonly [code: string, text: string, remedy?: string]) => remedy),
);

/** Errors and warnings as lines of text: code, message, path, and the remedy where the place has one of its own. */
export function lines(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(({ code, message, path, remedy }) =>
    [code, message, path === undefined ? '' : `[${path}]`, general.has(remedy) ? '' : `(${remedy})`]
      .filter((part) => part !== '')
      .join(' '),
  );
}

export function theKind(result: ReadResult): Kind {
  const [kind] = result.model.kinds;
  if (kind === undefined) throw new Error(`no kind was read: ${lines(result.diagnostics).join('\n')}`);
  return kind;
}

/** The schema of the spec of the only version, as plain JSON without origins. */
export function specSchema(result: ReadResult): PlainSchema {
  const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(lines(errors).join('\n'));
  const spec = theKind(result).versions[0]?.schema.properties?.get('spec');
  if (spec === undefined) throw new Error('there is no spec');
  return plain(spec);
}

export interface PlainSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, PlainSchema>>;
}

/** A schema as the JSON that a CRD holds. */
export function plain(schema: Schema): PlainSchema {
  return plainValue(schema) as PlainSchema;
}

function plainValue(value: unknown): unknown {
  if (value instanceof Map) {
    const members: [string, unknown][] = [...value].map(([name, item]) => [String(name), plainValue(item)]);
    return Object.fromEntries(members);
  }
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'origin');
  return Object.fromEntries(members.map(([name, item]) => [name, plainValue(item)]));
}
