// Parts B and D of the public bug reports that the product must not repeat, as far as they concern generate. One test a case, by its
// number; B26 stands in determinism.test.ts, too.
import { chmodSync, mkdirSync, statSync, utimesSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { ts } from 'ts-morph';
import { parseAllDocuments } from 'yaml';
import { read } from '../../src/reader/read.ts';
import { optionsFor, runtimePackage } from '../../src/reader/testing/read-sources.ts';
import { TestProject, type Run, widget } from './project.ts';

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

const types = 'src/api/v1/widget.types.ts';
const outputs = ['--crd-dir', 'crd', '--rbac-dir', 'rbac', '--client-dir', 'gen'];
const flags = ['--source', 'src/**/*.ts', ...outputs];

function open(files: Readonly<Record<string, string>> = { [types]: widget() }): TestProject {
  const project = new TestProject(files);
  projects.push(project);
  return project;
}

const generate = (project: TestProject, ...more: string[]): Promise<Run> => project.run('generate', ...flags, ...more);

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

function roles(project: TestProject): Role[] {
  return parseAllDocuments(project.read('rbac/role.yaml')).map((document) => document.toJS() as Role);
}

const reconciler = (...markers: string[]): string =>
  `/**\n${markers.map((marker) => ` * @rbac ${marker}\n`).join('')} */\nexport class Reconciler {}\n`;

describe('cases of part B', () => {
  it('B20: main resources and subresources stand in rules of their own, and roles are told apart by namespace', async () => {
    const rule = (rest: string): string => `{ groups: ['example.com'], ${rest} }`;
    const project = open({
      [types]: widget(),
      'src/reconciler.ts': reconciler(
        rule("resources: ['widgets'], verbs: ['get', 'list', 'watch', 'update']"),
        rule("resources: ['widgets/status'], verbs: ['get', 'update', 'patch']"),
        rule("resources: ['widgets/finalizers'], verbs: ['update']"),
        "{ groups: ['core'], resources: ['secrets'], verbs: ['get'], namespace: 'ns1' }",
        "{ groups: [''], resources: ['secrets'], verbs: ['get'], namespace: 'ns2' }",
      ),
    });
    expect((await generate(project)).code).toBe(0);
    const found = roles(project);
    expect(found.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
      ['ClusterRole', undefined, 'manager-role'],
      ['Role', 'ns1', 'manager-role'],
      ['Role', 'ns2', 'manager-role'],
    ]);
    expect(found[0]?.rules).toEqual([
      { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list', 'update', 'watch'] },
      { apiGroups: ['example.com'], resources: ['widgets/finalizers'], verbs: ['update'] },
      { apiGroups: ['example.com'], resources: ['widgets/status'], verbs: ['get', 'patch', 'update'] },
    ]);
  });

  it.each([
    ['urls and resources', "{ groups: ['apps'], resources: ['deployments'], urls: ['/metrics'], verbs: ['get'] }"],
    ['urls and a namespace', "{ urls: ['/metrics'], namespace: 'ns1', verbs: ['get'] }"],
  ])('B20: a marker with %s is an error with its position', async (_, marker) => {
    const project = open({ 'src/reconciler.ts': reconciler(marker) });
    const { code, stderr } = await generate(project);
    expect(code).toBe(1);
    expect(stderr).toMatch(/src\/reconciler\.ts:2:4 - error CO21\d\d: .*urls/);
    expect(Object.keys(project.tree())).toEqual(['src/reconciler.ts']);
  });
});

describe('cases of part D', () => {
  it('B26: the folder equals what is expected: what is stale goes, what others wrote stays, and checks say so', async () => {
    const project = open();
    await generate(project);
    project.put('crd/other.yaml', 'kind: CustomResourceDefinition\n');
    project.put(types, widget('Basket'));
    const check = await generate(project, '--check');
    expect(check.code).toBe(1);
    for (const path of ['crd/example.com_widgets.yaml', 'crd/example.com_baskets.yaml', 'gen/v1/basket.ts']) {
      expect(check.stdout).toContain(path);
    }
    expect(Object.keys(project.tree('crd'))).toEqual(['crd/example.com_widgets.yaml', 'crd/other.yaml']);
    expect((await generate(project)).code).toBe(0);
    expect(Object.keys(project.tree('crd'))).toEqual(['crd/example.com_baskets.yaml', 'crd/other.yaml']);
    expect(project.read('crd/other.yaml')).toBe('kind: CustomResourceDefinition\n');
    expect((await generate(project, '--check')).code).toBe(0);
  });

  it('B26: a second run touches no file, and no output holds a version of the tool', async () => {
    const project = open();
    await generate(project);
    const written = Object.keys(project.tree()).filter((path) => path !== types);
    const past = new Date('2020-01-01T00:00:00Z');
    for (const path of written) utimesSync(project.path(path), past, past);
    await generate(project);
    for (const path of written) {
      expect(statSync(project.path(path)).mtime, path).toEqual(past);
      expect(project.read(path)).not.toMatch(/create-operator[ @/]v?\d|\d+\.\d+\.\d+/);
    }
  });

  it('B26: a check refuses to compare with another version of the tool than the project has', async () => {
    const project = open();
    await generate(project);
    const manifest = { name: 'create-operator', version: '0.0.1', bin: { 'create-operator': 'x.js' } };
    project.put('package.json', JSON.stringify({ devDependencies: { 'create-operator': '0.0.1' } }));
    project.put('node_modules/create-operator/package.json', JSON.stringify(manifest));
    const { code, stderr } = await generate(project, '--check');
    expect(code).toBe(2);
    expect(stderr).toContain('0.0.1');
  });

  it('B28: slashes of both styles and blanks in paths give the same bytes, with slashes in what is written', async () => {
    const project = open({ 'my op/api/v1/widget.types.ts': widget() });
    expect(
      (await project.run('generate', '--source', 'my op/api/**/*.ts', '--crd-dir', 'a', '--client-dir', 'b')).code,
    ).toBe(0);
    const windows = ['--source', 'my op\\api\\**\\*.ts', '--crd-dir', 'c\\d', '--client-dir', '.\\e\\f'];
    expect((await project.run('generate', ...windows)).code).toBe(0);
    const tree = project.tree();
    expect(tree['c/d/example.com_widgets.yaml']).toBe(tree['a/example.com_widgets.yaml']);
    expect(tree['b/v1/widget.ts']).toContain("'../../my op/api/v1/widget.types.js'");
    expect(tree['e/f/v1/widget.ts']).toContain("'../../../my op/api/v1/widget.types.js'");
    expect(JSON.stringify(tree['e/f/v1/widget.ts'])).not.toContain('\\\\');
  });

  it.each([
    ['.ts', 'module', 'nodenext'],
    ['.ts', 'commonjs', 'nodenext'],
    ['.ts', 'module', 'node16'],
    ['.ts', 'module', 'bundler'],
    ['.mts', 'commonjs', 'nodenext'],
    ['.mts', 'module', 'bundler'],
    ['.cts', 'module', 'nodenext'],
  ])('B31: what is generated from %s in a package of type %s is found with %s', async (end, type, moduleResolution) => {
    const source = `src/api/v1/widget.types${end}`;
    const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution;
    const compilerOptions = { strict: true, module, moduleResolution, types: [] };
    const project = open({
      [source]: widget(),
      'package.json': JSON.stringify({ type }),
      'tsconfig.json': JSON.stringify({ compilerOptions }),
    });
    const run = await project.run('generate', '--source', `src/**/*${end}`, '--client-dir', 'gen');
    expect(run).toMatchObject({ code: 0 });
    const [path = '', text = ''] = Object.entries(project.tree('gen'))[0] ?? [];
    const specifier = /from '(\..*)';/.exec(text)?.[1] ?? '';
    const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, project.root);
    const from = project.path(path);
    const mode = ts.getImpliedNodeFormatForFile(from, undefined, ts.sys, options);
    const found = ts.resolveModuleName(specifier, from, options, ts.sys, undefined, undefined, mode);
    expect(found.resolvedModule?.resolvedFileName).toBe(project.path(source));
  });

  it('B32: markers and types of a second copy of operator-runtime count like those of the first', () => {
    const declaration = `
      import type { int32 } from 'operator-runtime';
      import type { SecretKeySelector } from 'operator-runtime/apis/core/v1';
      import { Minimum } from 'operator-runtime/markers';
      export class Size { @Minimum(2) value!: int32; secret?: SecretKeySelector }`;
    const sources = {
      'packages/api/size.ts': declaration,
      'thing.ts': `
        import { Resource } from 'operator-runtime/markers';
        import type { Size } from './packages/api/size.js';
        @Resource({ group: 'a.example.com', version: 'v1' }) export class Thing { spec!: Size }`,
    };
    const options = optionsFor(sources);
    const copy = runtimePackage('/project/packages/api/node_modules/operator-runtime');
    const alone = read(options);
    const both = read({ ...options, fileSystem: new Map([...(options.fileSystem ?? []), ...copy]) });
    expect(alone.diagnostics).toEqual([]);
    expect(alone.model.kinds).toHaveLength(1);
    expect(both.inputs.some((path) => path.startsWith('/project/packages/api/node_modules/'))).toBe(true);
    expect({ ...both, inputs: [] }).toEqual({ ...alone, inputs: [] });
  });

  it('B33: a pattern that matches nothing is an error that names it and the folder', async () => {
    const project = open();
    const { code, stderr } = await project.run('generate', '--source', 'apis/**/*.ts', '--crd-dir', 'crd');
    expect(code).toBe(1);
    expect(stderr).toContain('apis/**/*.ts');
    expect(stderr).toContain(project.root);
    expect(Object.keys(project.tree())).toEqual([types]);
  });

  it('B33: sources in which nothing is declared are an error, too, though a class is called like a kind', async () => {
    const project = open({ [types]: 'export class Widget { spec: object = {} }\n' });
    const { code, stderr } = await generate(project);
    expect(code).toBe(1);
    expect(stderr).toContain('no kind, no permission and no webhook is declared');
  });

  it('B33: a tsconfig that excludes the API folder still serves as its settings', async () => {
    const tsconfig = { compilerOptions: { strict: true, module: 'nodenext', types: [] }, exclude: ['src/api'] };
    const project = open({ [types]: widget(), 'tsconfig.json': JSON.stringify(tsconfig) });
    expect((await generate(project)).stdout).toBe('1 kind, 1 role, 3 files (3 written)\n');
  });

  it('B33: type errors in API files stop the run and keep the old files, and the last line counts', async () => {
    const project = open();
    expect((await generate(project)).stdout).toBe('1 kind, 1 role, 3 files (3 written)\n');
    const before = project.tree();
    project.put(types, widget('Basket', 'broken?: Missing;'));
    const { code, stderr } = await generate(project);
    expect(code).toBe(1);
    expect(stderr).toMatch(/widget\.types\.ts:\d+:\d+ - error CO1005: Cannot find name 'Missing'/);
    expect(project.tree()).toEqual({ ...before, [types]: project.read(types) });
  });

  it.skipIf(process.getuid?.() === 0)(
    'B34: a folder that cannot be written leaves all as it was (not as root)',
    async () => {
      const project = open();
      await generate(project);
      project.put(types, widget('Widget', 'more?: string;'));
      const before = project.tree();
      chmodSync(project.path('gen/v1'), 0o555);
      const { code, stderr } = await generate(project);
      chmodSync(project.path('gen/v1'), 0o755);
      expect(code).not.toBe(0);
      expect(stderr).not.toBe('');
      expect(project.tree()).toEqual(before);
    },
  );

  it('B34: a failure while writing leaves no half of the outputs behind', async () => {
    const project = open();
    await generate(project);
    const before = project.tree();
    // The client of another version comes last, and something stands in its way.
    project.put(types, widget('Widget', 'more?: string;'));
    project.put('src/api/v2/widget.types.ts', widget('Gadget').replace("version: 'v1'", "version: 'v2'"));
    mkdirSync(project.path('gen/v2/gadget.ts'), { recursive: true });
    const { code, stderr } = await generate(project);
    expect(code).not.toBe(0);
    expect(stderr).toContain('gen/v2/gadget.ts');
    const sources = { [types]: project.read(types), 'src/api/v2/widget.types.ts': expect.any(String) as string };
    expect(project.tree()).toEqual({ ...before, ...sources });
  });

  it('B34: two runs at once end with a whole tree', async () => {
    const project = open();
    const runs = await Promise.all([generate(project), generate(project), generate(project)]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect((await generate(project, '--check')).code).toBe(0);
    expect(Object.keys(project.tree())).toHaveLength(4);
  });
});
