// The import rules of the repository: who may know whom, who may touch the disk, and who may print.
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ts } from 'ts-morph';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/repository.ts';

/** The rooms of the toolchain and the rooms that each may import beside itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  model: [],
  markers: ['model'],
  schema: ['model'],
  reader: ['markers', 'model'],
  generate: ['markers', 'model', 'schema'],
  output: ['model'],
  project: ['model'],
  import: ['generate', 'markers', 'model', 'output', 'project', 'schema'],
  scaffold: ['generate', 'markers', 'model', 'output', 'project'],
  apiserver: ['model', 'schema'],
  testing: ['apiserver', 'model', 'project', 'schema'],
  cli: [
    'apiserver',
    'generate',
    'import',
    'markers',
    'model',
    'output',
    'project',
    'reader',
    'scaffold',
    'schema',
    'testing',
  ],
  runtime: [],
};

/** Packages that one room alone may know. */
const owned: Readonly<Record<string, readonly string[]>> = {
  'ts-morph': ['reader'],
  commander: ['cli'],
  handlebars: ['scaffold'],
  'yeoman-environment': ['scaffold'],
  'yeoman-generator': ['scaffold'],
  '@clack/prompts': ['scaffold', 'cli'],
  '@kubernetes/client-node': ['runtime'],
  undici: ['runtime'],
  pino: ['runtime'],
  '@opentelemetry/api': ['runtime'],
};

/** Rooms that reach operator-runtime, by the name of its package. */
const runtimeUsers = ['testing', 'cli'];

const pure = ['model', 'markers', 'schema', 'generate'];
/** Rooms that may read files but not write them. */
const readers = ['project', 'reader', 'cli'];
const writers = ['output', 'scaffold'];
/** Rooms that run servers: what they do with the disk is theirs to say. */
const servers = ['apiserver', 'testing', 'runtime', 'import'];

/** Modules of Node that do nothing but compute. */
const computing = new Set([
  'node:path',
  'node:util',
  'node:buffer',
  'node:url',
  'node:crypto',
  'node:assert',
  'node:net',
]);

const reading =
  /^(accessSync|closeSync|existsSync|fstatSync|globSync|lstatSync|openSync|readdirSync|readFileSync|readSync|realpathSync|statSync|watch|FSWatcher|Stats|Dirent|constants)$/;

interface Imported {
  readonly specifier: string;
  readonly names: readonly string[];
  readonly typeOnly: boolean;
}

interface Source {
  /** Relative to `src`, with `/`. */
  readonly file: string;
  readonly room: string;
  readonly imports: readonly Imported[];
  /** Members of globals that the file names, as `process.exit`; and the globals themselves. */
  readonly globals: readonly string[];
}

const sources: readonly Source[] = globSync('**/*.ts', { cwd: join(root, 'src') })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/(^|\/)(dist|node_modules)\/|\.test\.ts$|\.test-d\.ts$/.test(file))
  .sort()
  .map((file) => parse(file, readFileSync(join(root, 'src', file), 'utf8')));

function parse(file: string, text: string): Source {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const imports: Imported[] = [];
  const globals: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      imports.push({ specifier: (node.moduleSpecifier as ts.StringLiteral).text, ...namesOf(node) });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      const specifier = argument !== undefined && ts.isStringLiteralLike(argument) ? argument.text : '<computed>';
      imports.push({ specifier, names: ['*'], typeOnly: false });
    } else if (
      ts.isImportTypeNode(node) &&
      ts.isLiteralTypeNode(node.argument) &&
      ts.isStringLiteral(node.argument.literal)
    ) {
      imports.push({ specifier: node.argument.literal.text, names: ['*'], typeOnly: true });
    } else if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      if (['process', 'console'].includes(node.expression.text))
        globals.push(`${node.expression.text}.${node.name.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { file, room: file.split('/')[0] ?? '', imports, globals };
}

function namesOf(node: ts.ImportDeclaration | ts.ExportDeclaration): Pick<Imported, 'names' | 'typeOnly'> {
  if (ts.isExportDeclaration(node)) return { names: ['*'], typeOnly: node.isTypeOnly };
  const clause = node.importClause;
  const bindings = clause?.namedBindings;
  if (bindings === undefined || ts.isNamespaceImport(bindings) || clause?.name !== undefined) {
    return { names: ['*'], typeOnly: clause?.isTypeOnly === true };
  }
  const elements = bindings.elements.filter((element) => !element.isTypeOnly);
  const names = elements.map((element) => (element.propertyName ?? element.name).text);
  return { names, typeOnly: clause?.isTypeOnly === true || names.length === 0 };
}

/** The room of a relative import. */
function roomOf(source: Source, specifier: string): string {
  return posix.join(posix.dirname(source.file), specifier).split('/')[0] ?? '';
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function offences(find: (source: Source, imported: Imported) => boolean): string[] {
  return sources.flatMap((source) =>
    source.imports
      .filter((imported) => find(source, imported))
      .map(({ specifier }) => `${source.file} imports ${specifier}`),
  );
}

/** Ways that lead from a file back to it; one for each last step. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const finished = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file]);
    else if (!finished.has(file)) {
      for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
      finished.add(file);
    }
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
}

const isRelative = (specifier: string): boolean => specifier.startsWith('.');
const isNode = (specifier: string): boolean => specifier.startsWith('node:');

describe('the import rules', () => {
  it('are read from sources that import something, and know every room', () => {
    expect(sources.filter(({ imports }) => imports.length > 0).length).toBeGreaterThan(50);
    expect(sources.map(({ room }) => room).filter((room) => allowed[room] === undefined)).toEqual([]);
  });

  it('see every form of import, and the globals that count', () => {
    const text = `
      import type { A } from './a.ts';
      import { type B, rmSync as remove } from 'node:fs';
      import * as c from '../c/c.ts';
      export { d } from './d.ts';
      const e = await import('./e.ts');
      type F = import('./f.ts').F;
      process.exit(console.log());`;
    const { room, imports, globals } = parse('cli/x.ts', text);
    expect(room).toBe('cli');
    expect(imports).toEqual([
      { specifier: './a.ts', names: ['A'], typeOnly: true },
      { specifier: 'node:fs', names: ['rmSync'], typeOnly: false },
      { specifier: '../c/c.ts', names: ['*'], typeOnly: false },
      { specifier: './d.ts', names: ['*'], typeOnly: false },
      { specifier: './e.ts', names: ['*'], typeOnly: false },
      { specifier: './f.ts', names: ['*'], typeOnly: true },
    ]);
    expect(globals).toEqual(['process.exit', 'console.log']);
  });

  it('let rooms import only the rooms before them', () => {
    expect(
      offences((source, { specifier }) => {
        if (!isRelative(specifier)) return false;
        const room = roomOf(source, specifier);
        return room !== source.room && allowed[source.room]?.includes(room) !== true;
      }),
    ).toEqual([]);
  });

  it('let no file import itself by way of others, types included', () => {
    const imports = new Map(
      sources.map((source) => [
        source.file,
        source.imports
          .filter(({ specifier }) => isRelative(specifier))
          .map(({ specifier }) => posix.join(posix.dirname(source.file), specifier)),
      ]),
    );
    expect(circles(imports)).toEqual([]);
    expect(
      circles(
        new Map([
          ['a', ['b']],
          ['b', ['c', 'd']],
          ['c', ['a']],
          ['d', ['d']],
        ]),
      ),
    ).toEqual([
      ['a', 'b', 'c', 'a'],
      ['d', 'd'],
    ]);
  });

  it('want relative imports with their ending, and Node.js by its prefix', () => {
    expect(offences((_, { specifier }) => isRelative(specifier) && !/\.(ts|json)$/.test(specifier))).toEqual([]);
    expect(
      offences((_, { specifier }) => /^(fs|path|os|url|util|crypto|module|child_process)(\/|$)/.test(specifier)),
    ).toEqual([]);
  });

  it('let one room alone know certain packages', () => {
    expect(
      offences((source, { specifier }) => {
        const owners = isRelative(specifier) ? undefined : owned[packageOf(specifier)];
        return owners !== undefined && !owners.includes(source.room);
      }),
    ).toEqual([]);
  });

  it('let the toolchain reach the runtime by the name of its package only, from testing and the command line', () => {
    const byName = (specifier: string): boolean => packageOf(specifier) === 'operator-runtime';
    expect(offences((source, { specifier }) => byName(specifier) && !runtimeUsers.includes(source.room))).toEqual([]);
    expect(
      offences(
        (source, { specifier }) =>
          source.room !== 'runtime' && isRelative(specifier) && roomOf(source, specifier) === 'runtime',
      ),
    ).toEqual([]);
  });

  it('keep the markers of the runtime free of imports', () => {
    const markers = sources.filter(({ file }) => file.startsWith('runtime/markers/'));
    expect(markers.length).toBeGreaterThan(0);
    expect(
      markers.flatMap(({ file, imports }) =>
        imports
          .filter(
            ({ specifier, typeOnly }) =>
              !typeOnly && !posix.join(posix.dirname(file), specifier).startsWith('runtime/markers/'),
          )
          .map(({ specifier }) => `${file} imports ${specifier}`),
      ),
    ).toEqual([]);
  });

  it('keep pure rooms pure: of Node.js they know what computes', () => {
    expect(
      offences(
        (source, { specifier, typeOnly }) =>
          pure.includes(source.room) && isNode(specifier) && !typeOnly && !computing.has(specifier),
      ),
    ).toEqual([]);
  });

  it('let only output and scaffold write to the disk', () => {
    const disk = /^node:fs(\/promises)?$/;
    expect(
      offences((source, { specifier, names, typeOnly }) => {
        if (!disk.test(specifier) || typeOnly || writers.includes(source.room) || servers.includes(source.room))
          return false;
        return !readers.includes(source.room) || names.some((name) => !reading.test(name));
      }),
    ).toEqual([]);
  });

  it('let only the command line print and end the process', () => {
    const forbidden = /^console\.|^process\.(exit|exitCode|stdout|stderr|abort)$/;
    const found = sources
      .filter(({ room }) => room !== 'cli' && room !== 'runtime')
      .flatMap(({ file, globals }) => globals.filter((name) => forbidden.test(name)).map((name) => `${file}: ${name}`));
    expect(found).toEqual([]);
    const ends = sources.flatMap(({ file, globals }) =>
      globals.filter((name) => name === 'process.exit').map((name) => `${file}: ${name}`),
    );
    expect(ends).toEqual([]);
  });
});
