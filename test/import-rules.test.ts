// Data flows one way: source -> reader -> model -> generate -> output. This holds the rooms of src/ to it.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ts } from 'ts-morph';
import { describe, expect, it } from 'vitest';
import { readPackageJson, root } from '../tools/repository.ts';

interface Room {
  /** Other rooms that it may import. */
  readonly rooms: readonly string[];
  /** Packages that it may import. */
  readonly packages: readonly string[];
  /** Modules of Node.js that it may import: `node:path` for all, `node:fs` where files are read. */
  readonly node: readonly string[] | 'any';
}

const rooms: Readonly<Record<string, Room>> = {
  model: { rooms: [], packages: [], node: [] },
  schema: { rooms: ['model'], packages: ['re2js'], node: [] },
  markers: { rooms: ['model'], packages: [], node: [] },
  reader: { rooms: ['markers', 'model'], packages: ['ts-morph'], node: 'any' },
  generate: { rooms: ['markers', 'model', 'schema'], packages: ['yaml'], node: [] },
  output: { rooms: ['model'], packages: ['diff'], node: 'any' },
  project: { rooms: ['model'], packages: [], node: 'any' },
  scaffold: {
    rooms: ['model', 'output', 'project'],
    packages: ['handlebars', 'yaml', 'yeoman-environment', 'yeoman-generator'],
    node: 'any',
  },
  apiserver: {
    rooms: ['model', 'schema'],
    packages: ['@peculiar/x509', 'reflect-metadata', 'rfc6902', 'yaml'],
    node: 'any',
  },
  testing: { rooms: ['apiserver', 'model', 'output', 'project'], packages: ['operator-runtime'], node: 'any' },
  import: { rooms: ['generate', 'model', 'schema'], packages: ['yaml'], node: [] },
  cli: {
    rooms: [
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
    packages: ['@clack/prompts', 'commander', 'operator-runtime', 'yaml'],
    node: 'any',
  },
  runtime: {
    rooms: [],
    packages: Object.keys(readPackageJson(join(root, 'src', 'runtime')).dependencies ?? {}),
    node: 'any',
  },
};

interface SourceFile {
  /** Relative to `src/`. */
  readonly file: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources: SourceFile[] = globSync('*/**/*.ts', { cwd: join(root, 'src') })
  .map((file) => file.replaceAll('\\', '/'))
  .filter(
    (file) =>
      !/(^|\/)(dist|node_modules|testing)\/|\.test\.ts$|\.test-d\.ts$/.test(file) || file.startsWith('testing/'),
  )
  .sort()
  .map((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    return { file, room: file.split('/')[0] ?? '', text, imports: importsOf(text) };
  });

/** What a module names in `import`, `export ... from`, `import()` and import types. */
function importsOf(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
            ? node.arguments[0]
            : undefined;
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) found.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest));
  return found;
}

/** What is wrong with one import; undefined when nothing is. */
function fault({ file, room }: SourceFile, specifier: string): string | undefined {
  const rule = rooms[room];
  if (rule === undefined) return `the room ${room} has no rule`;
  if (specifier.startsWith('.')) {
    const target = relative(join(root, 'src'), join(root, 'src', dirname(file), specifier)).split(/[\\/]/)[0] ?? '';
    return target === room || rule.rooms.includes(target) ? undefined : `${room} may not import ${target}`;
  }
  if (specifier.startsWith('node:')) {
    const allowed = rule.node === 'any' || specifier === 'node:path' || rule.node.includes(specifier);
    return allowed ? undefined : `${room} may not import ${specifier}`;
  }
  const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  return rule.packages.includes(name) ? undefined : `${room} may not import ${name}`;
}

const written =
  /\b(writeFile|writeFileSync|appendFile|appendFileSync|mkdir|mkdirSync|rm|rmSync|unlink|unlinkSync|rename|renameSync|cp|cpSync)\b/;

describe('rooms import only what they may', () => {
  it.each(Object.keys(rooms).filter((room) => sources.some((source) => source.room === room)))('%s', (room) => {
    const faults = sources
      .filter((source) => source.room === room)
      .flatMap((source) => source.imports.map((specifier) => ({ source, specifier })))
      .map(({ source, specifier }) => ({ file: source.file, fault: fault(source, specifier) }))
      .filter((found) => found.fault !== undefined);
    expect(faults).toEqual([]);
  });

  it('each room has a rule', () => {
    expect(sources.map(({ room }) => room).filter((room) => rooms[room] === undefined)).toEqual([]);
  });
});

it('only output, scaffold and testing write files', () => {
  const imports = sources.filter(
    ({ text, room }) =>
      !['output', 'scaffold', 'testing'].includes(room) &&
      [...text.matchAll(/^import \{([^}]*)\} from 'node:fs(\/promises)?'/gm)].some(([, names]) =>
        written.test(names ?? ''),
      ),
  );
  expect(imports.map(({ file }) => file)).toEqual([]);
});

it('only cli prints, exits and reads its arguments', () => {
  const pattern = /\bconsole\.\w+\(|\bprocess\.(exit|exitCode|stdout|stderr|argv)\b/;
  const outside = sources.filter(({ room, text }) => room !== 'cli' && pattern.test(text)).map(({ file }) => file);
  // An operator's logger writes where its operator does.
  expect(outside.filter((file) => file !== 'runtime/logging/logger.ts')).toEqual([]);
});

it('the toolchain reaches the runtime only by its name', () => {
  const outside = sources.filter(
    ({ room, imports }) => room !== 'runtime' && imports.some((specifier) => /^\.\.?\/.*\bruntime\//.test(specifier)),
  );
  expect(outside.map(({ file }) => file)).toEqual([]);
});
