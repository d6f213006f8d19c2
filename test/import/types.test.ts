// create-operator import --types: the types that it writes give the definitions again.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { root } from '../../tools/repository.ts';
import { clientEntry, clientFolders } from '../support/client-runtime.ts';
import { fixtures } from '../fixtures.ts';
import { TestProject } from '../generate/project.ts';
import { differences, roundTrip } from './round-trip.ts';
import { withoutNotation } from './without-notation.ts';

const shared = join(root, '../shared');

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function typesProject(): TestProject {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    experimentalDecorators: true,
    useDefineForClassFields: false,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  const project = new TestProject({
    'package.json': '{ "type": "module" }',
    'operator.json': '{ "kubernetesVersion": "1.37" }',
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['src/**/*.ts'] }),
  });
  projects.push(project);
  for (const part of [...clientFolders, 'markers']) {
    cpSync(join(root, 'src/runtime', part), project.path(`node_modules/operator-runtime/${part}`), { recursive: true });
  }
  const exports = { '.': './index.ts', './markers': './markers/index.ts', './apis/*': './apis/*.ts' };
  project.put(
    'node_modules/operator-runtime/package.json',
    JSON.stringify({ name: 'operator-runtime', type: 'module', exports }),
  );
  project.put('node_modules/operator-runtime/index.ts', clientEntry(['./scalars/scalars.ts']));
  return project;
}

describe('create-operator import --types', () => {
  it('writes types that compile, and of which generate makes definitions and clients', async () => {
    const project = typesProject();
    const imported = await project.run('import', join(fixtures, 'import/types'), '--types', '--out', 'src/api');
    expect(imported).toEqual({ code: 0, stdout: '10 kinds, 12 files (12 written)\n', stderr: '' });
    const generated = await project.run('generate');
    expect(generated.stderr).not.toContain(' error ');
    expect(generated.code).toBe(0);
    expect((await project.run('generate', '--check')).code).toBe(0);
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    for (const flags of [[], ['--experimentalDecorators', 'false', '--useDefineForClassFields', 'true']]) {
      const compiled = spawnSync(process.execPath, [compiler, '-p', project.root, ...flags], { encoding: 'utf8' });
      expect(compiled.stdout).toBe('');
    }
  });

  it('does not replace what has been written by hand since', async () => {
    const project = typesProject();
    const argv = ['import', join(fixtures, 'import/versions.yaml'), '--types', '--out', 'src/api'] as const;
    await project.run(...argv);
    expect((await project.run(...argv)).stdout).toContain('2 unchanged');
    project.put('src/api/v1/versioned.types.ts', 'mine');
    expect((await project.run(...argv)).code).toBe(2);
    expect(project.read('src/api/v1/versioned.types.ts')).toBe('mine');
  });

  it('says what has no notation, with its path', async () => {
    const project = typesProject();
    const run = await project.run('import', join(fixtures, 'import/shapes.yaml'), '--types', '--out', 'src/api');
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('warning CO2610: Shape v1: there is no notation for nullable beside an enum');
    expect(run.stderr).toContain('(spec.nullableEnum)');
    expect(run.stderr).toContain('warning CO2610: OnlyName v1: there is no notation for properties (metadata)');
  });

  it('puts kinds of one name in two groups under their groups', async () => {
    const project = typesProject();
    await project.run('import', join(fixtures, 'import/release.yaml'), '--types', '--out', 'src/api');
    expect(Object.keys(project.tree('src'))).toEqual([
      'src/api/g.test/v1/listed.types.ts',
      'src/api/h.test/v1/listed.types.ts',
    ]);
  });
});

describe('definitions and types', () => {
  it.each(['import/types/everything.yaml', ...globSync('compute/expected/crd/*.yaml', { cwd: fixtures }).sort()])(
    'of fixtures/%s come back equal',
    (file) => {
      const { before, after, lost, errors } = roundTrip(readFileSync(join(fixtures, file), 'utf8'));
      expect({ lost, errors }).toEqual({ lost: [], errors: [] });
      expect(after).toEqual(before);
    },
  );
});

const files = ['golden/*/crds*/*.yaml', 'crds/*/*.yaml', 'crds/*/crds/*.yaml'].flatMap((pattern) =>
  globSync(pattern, { cwd: shared }).sort(),
);

describe.skipIf(files.length === 0)('real definitions and types (needs ../shared)', () => {
  it.each(files)('of %s come back equal but for what has no notation', (file) => {
    const { before, after, lost, errors } = roundTrip(readFileSync(join(shared, file), 'utf8'));
    expect(errors).toEqual([]);
    const expected = withoutNotation[file] ?? [];
    expect(differences(before, after).map((path) => path.replace(/^.*?\.yaml\.spec\./, ''))).toEqual(
      expected.map(([where]) => where),
    );
    expect(lost.map((line) => line.replace(/^.*?: (?=\w+ v)/, ''))).toEqual(expected.map(([, what]) => what));
  });
});
