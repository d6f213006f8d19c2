// create-operator import: every file that it writes compiles, whatever the definitions are called and say.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { recordingIo } from '../../src/cli/testing/io.ts';
import { root } from '../../tools/repository.ts';
import { fixtures } from '../fixtures.ts';
import { TestProject } from '../generate/project.ts';
import { clientEntry, clientFolders } from '../support/client-runtime.ts';
import { anySchema, definitionOf } from './schemas.ts';

const definitions = join(fixtures, 'import');
const shared = join(root, '../shared');

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function importProject(): TestProject {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    isolatedDeclarations: true,
    declaration: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  };
  const project = new TestProject({
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['src/**/*.ts'] }),
  });
  projects.push(project);
  for (const part of clientFolders) {
    cpSync(join(root, 'src/runtime', part), project.path(`node_modules/operator-runtime/${part}`), { recursive: true });
  }
  const manifest = { name: 'operator-runtime', type: 'module', exports: { '.': './index.ts' } };
  project.put('node_modules/operator-runtime/package.json', JSON.stringify(manifest));
  project.put('node_modules/operator-runtime/index.ts', clientEntry());
  return project;
}

function compile(project: TestProject): string {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '-p', project.root], { encoding: 'utf8' }).stdout;
}

describe('create-operator import', () => {
  it('writes files that compile for every definition of fixtures/import', async () => {
    const project = importProject();
    const run = await project.run('import', definitions, '--out', 'src/imports');
    expect(run).toEqual({ code: 0, stdout: '20 kinds, 21 files (21 written)\n', stderr: '' });
    expect(compile(project)).toBe('');
  });

  it('keeps the names of the wire and the meaning of the types', async () => {
    const project = importProject();
    await project.run('import', join(definitions, 'texts.yaml'), join(definitions, 'shapes.yaml'), '--out', 'src');
    project.put(
      'src/use.ts',
      `import { Text } from './g.test_v1_text.js';
import { Shape, type ShapeSpec } from './g.test_v1_shape.js';
import type { OnlyName } from './g.test_v1_onlyname.js';
const spec: ShapeSpec = { port: 'http', withDefault: 'a', nullableList: [null], open: { known: 'a', other: 1 } };
export const shape: Shape = { apiVersion: 'g.test/v1', kind: 'Shape', metadata: { name: 'a' }, spec };
export const plural: string = Shape.plural;
export const text: Text = {
  apiVersion: 'g.test/v1', kind: 'Text', metadata: {},
  spec: { 'of.dots': '', constructor: '', toString: '', hasOwnProperty: '', operator: '!~', '$ref': '', 'a-b': { 'c/d': '' } },
};
export const only: OnlyName = { apiVersion: 'g.test/v1', kind: 'OnlyName', metadata: { name: 'only', labels: { a: 'b' } } };
// @ts-expect-error another name
only.metadata.name = 'other';
// @ts-expect-error no value of the enum
text.spec = { 'of.dots': '', constructor: '', toString: '', hasOwnProperty: '', operator: '~' };
// @ts-expect-error no member of the object
spec.exactlyOne = { z: '' };
`,
    );
    expect(compile(project)).toBe('');
  });

  it('adds to what other imports have written, and writes again what is its own', async () => {
    const project = importProject();
    await project.run('import', join(definitions, 'versions.yaml'), '--out', 'src');
    const second = await project.run('import', join(definitions, 'release.yaml'), '--out', 'src');
    expect(second).toMatchObject({ code: 0, stdout: '2 kinds, 2 files (2 written)\n' });
    expect(Object.keys(project.tree('src'))).toHaveLength(4);
    const third = await project.run('import', join(definitions, 'release.yaml'), '--out', 'src');
    expect(third.stdout).toBe('2 kinds, 2 files (0 written, 2 unchanged)\n');
  });

  it('reads the standard input, and folders', async () => {
    const project = importProject();
    const { io, printed } = recordingIo(project.root, {
      input: readFileSync(join(definitions, 'release.yaml'), 'utf8'),
    });
    expect(await main(['import', '-', '--out', 'src'], io)).toBe(0);
    expect(printed.stdout).toBe('2 kinds, 2 files (2 written)\n');
    expect((await project.run('import', definitions, '--out', 'src')).stdout).toContain('2 unchanged');
  });

  it('refuses one path twice, and writes nothing', async () => {
    const project = importProject();
    const file = join(definitions, 'versions.yaml');
    const { code, stderr } = await project.run('import', file, file, '--out', 'src');
    expect(code).toBe(1);
    expect(stderr).toContain('CO2604: two definitions would be written to src/g.test_v1_versioned.ts');
    expect(existsSync(project.path('src'))).toBe(false);
  });

  it('does not replace a file that it has not written', async () => {
    const project = importProject();
    project.put('src/g.test_v1_versioned.ts', 'mine');
    const { code, stderr } = await project.run('import', join(definitions, 'versions.yaml'), '--out', 'src');
    expect({ code, kept: project.read('src/g.test_v1_versioned.ts') }).toEqual({ code: 2, kept: 'mine' });
    expect(stderr).toContain('was not generated');
  });

  it('says that it looks into no folders of a folder', async () => {
    const project = importProject();
    project.put('crds/deep/a.yaml', '');
    const { code, stderr } = await project.run('import', 'crds', '--out', 'x');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: there is no YAML and no JSON in the folder crds\n' +
        '  help: name the files, or the folders that they lie in: folders below are not searched\n',
    });
  });

  it.each<[string[], string]>([
    [['import', '--out', 'x'], "missing required argument 'sources'"],
    [['import', 'a.yaml'], "required option '--out <dir>' not specified"],
    [['import', 'a.yaml', '--out', ''], '--out names no folder'],
    [['import', 'a.yaml', '--out', 'x'], 'there is no file a.yaml'],
    [['import', 'http://a.test/b', '--out', 'x'], 'http://a.test/b is not https'],
    [['import', 'file:///a', '--out', 'x'], 'file:///a is not https'],
  ])('refuses %j', async (argv, problem) => {
    const { code, stderr } = await importProject().run(...argv);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});

describe('create-operator import of definitions at random', () => {
  it('writes files that compile', async () => {
    const project = importProject();
    const schemas = fc.array(anySchema, { minLength: 20, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(schemas, { minLength: 8, maxLength: 8 }), async (kinds) => {
        const text = kinds.map((each, index) => definitionOf(each, `Thing${index}`)).join('---\n');
        project.put('crds.yaml', text);
        const { code, stderr } = await project.run('import', 'crds.yaml', '--out', 'src');
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(compile(project)).toBe('');
      }),
      { numRuns: 2, endOnFailure: true },
    );
  }, 60_000);
});

const files = ['golden/*/crds*/*.yaml', 'crds/*/*.yaml', 'crds/*/crds/*.yaml'].flatMap((pattern) =>
  globSync(pattern, { cwd: shared }).sort(),
);

describe.skipIf(files.length === 0)('create-operator import of real definitions (needs ../shared)', () => {
  it('writes files that compile', async () => {
    const project = importProject();
    for (const file of files) {
      // Several folders of golden hold one kind.
      const { code, stderr } = await project.run(
        'import',
        join(shared, file),
        '--out',
        `src/${file.replace(/\W/g, '_')}`,
      );
      expect({ file, code, stderr }).toEqual({ file, code: 0, stderr: '' });
    }
    expect(compile(project)).toBe('');
  }, 60_000);
});
