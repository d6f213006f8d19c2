// `create-operator generate` on whole projects: what is written, kept, pruned and refused.
import { chmodSync, statSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { TestProject, widget } from './project.ts';

const outputs = ['--crd-dir', 'crd', '--rbac-dir', 'rbac', '--client-dir', 'gen'];
const flags = ['--source', 'src/**/*.ts', ...outputs];
const file = { crd: 'crd/example.com_widgets.yaml', role: 'rbac/role.yaml', client: 'gen/v1/widget.ts' };

let project: TestProject;
beforeEach(() => {
  project = new TestProject({ 'src/api/v1/widget.types.ts': widget() });
});
afterEach(() => project.remove());

/** What a run printed, and that it ended with this code. */
async function generate(code: number, ...more: string[]): Promise<{ stdout: string; stderr: string }> {
  const run = await project.run('generate', ...flags, ...more);
  expect(run.code, run.stderr).toBe(code);
  return run;
}

describe('generate', () => {
  it('writes a definition, a role and a client, and says how many', async () => {
    const { stdout, stderr } = await generate(0);
    expect(stderr).toBe('');
    expect(stdout).toBe('1 kind, 1 role, 3 files (3 written)\n');
    expect(Object.keys(project.tree())).toEqual([...Object.values(file), 'src/api/v1/widget.types.ts'].sort());
    expect(parse(project.read(file.crd))).toMatchObject({
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: { names: { kind: 'Widget', plural: 'widgets' }, versions: [{ name: 'v1', subresources: { status: {} } }] },
    });
    expect(parse(project.read(file.role))).toMatchObject({
      kind: 'ClusterRole',
      metadata: { name: 'manager-role' },
      rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list'] }],
    });
    expect(project.read(file.client)).toContain(
      "import type { Widget as Declaration } from '../../src/api/v1/widget.types.js';",
    );
  });

  it('touches nothing when nothing has changed', async () => {
    await generate(0);
    const past = new Date('2020-01-01T00:00:00Z');
    for (const path of Object.values(file)) utimesSync(project.path(path), past, past);
    expect((await generate(0)).stdout).toBe('1 kind, 1 role, 3 files (3 unchanged)\n');
    for (const path of Object.values(file)) expect(statSync(project.path(path)).mtime).toEqual(past);
  });

  it('removes the outputs of a kind that was renamed, and no file of anybody else', async () => {
    await generate(0);
    project.put('crd/other.yaml', 'kind: CustomResourceDefinition\n');
    project.put('rbac/leader_election_role.yaml', 'kind: Role\n');
    project.put('gen/v1/helper.ts', 'export {};\n');
    project.put('src/api/v1/widget.types.ts', widget('Basket'));
    expect((await generate(0)).stdout).toBe('1 kind, 1 role, 3 files (3 written, 2 removed)\n');
    expect(Object.keys(project.tree())).toEqual([
      'crd/example.com_baskets.yaml',
      'crd/other.yaml',
      'gen/v1/basket.ts',
      'gen/v1/helper.ts',
      'rbac/leader_election_role.yaml',
      'rbac/role.yaml',
      'src/api/v1/widget.types.ts',
    ]);
  });

  it('prunes only what the outputs that were asked for own, though they share a folder', async () => {
    const all = ['--crd-dir', 'out', '--rbac-dir', 'out', '--client-dir', 'out', '--kind-roles'];
    expect((await project.run('generate', '--source', 'src', ...all)).code).toBe(0);
    const before = project.tree('out');
    expect(Object.keys(before)).toHaveLength(6);
    expect((await project.run('generate', '--source', 'src', '--crd-dir', 'out')).stdout).toContain('(1 unchanged)');
    expect((await project.run('generate', '--source', 'src', '--client-dir', 'out')).stdout).toContain('(1 unchanged)');
    expect(project.tree('out')).toEqual(before);
    const fewer = await project.run('generate', '--source', 'src', '--rbac-dir', 'out');
    expect(fewer.stdout).toContain('(1 unchanged, 3 removed)');
  });

  it('writes the roles of a kind on demand', async () => {
    await generate(0, '--kind-roles', '--role-name', 'boss');
    const roles = ['admin', 'editor', 'viewer'].map(
      (role) => parse(project.read(`rbac/widget_${role}_role.yaml`)) as object,
    );
    expect(roles).toMatchObject([
      {
        metadata: { name: 'widget-admin-role' },
        rules: [
          { resources: ['widgets'], verbs: ['*'] },
          { resources: ['widgets/status'], verbs: ['get'] },
        ],
      },
      { metadata: { name: 'widget-editor-role' } },
      { metadata: { name: 'widget-viewer-role' }, rules: [{ verbs: ['get', 'list', 'watch'] }, { verbs: ['get'] }] },
    ]);
    expect(parse(project.read(file.role))).toMatchObject({ metadata: { name: 'boss' } });
  });

  it('takes globs in both slash styles, folders and files', async () => {
    for (const source of ['src\\api\\v1\\*.ts', 'src/api', 'src/api/v1/widget.types.ts', './src/**/*.ts']) {
      const { code, stdout } = await project.run('generate', '--source', source, '--stdout');
      expect(code).toBe(0);
      expect(stdout).toContain('name: widgets.example.com');
    }
  });

  it('takes folders and tsconfig in both slash styles', async () => {
    project.put('base/tsconfig.json', '{ "compilerOptions": { "strict": true } }');
    const folders = ['--crd-dir', 'config\\crd', '--tsconfig', 'base\\tsconfig.json'];
    const { code, stderr } = await project.run('generate', '--source', 'src', ...folders);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Object.keys(project.tree('config'))).toEqual(['config/crd/example.com_widgets.yaml']);
  });

  it('does not read its own clients again', async () => {
    const inSources = ['--source', 'src/**/*.ts', '--client-dir', 'src/api'];
    expect((await project.run('generate', ...inSources)).code).toBe(0);
    expect(project.read('src/api/v1/widget.ts')).toContain("from './widget.types.js'");
    project.put('src/api/v1/widget.types.ts', widget('Basket'));
    // The old client names a type that is gone.
    expect(await project.run('generate', ...inSources)).toMatchObject({ code: 0, stderr: '' });
    expect(Object.keys(project.tree('src'))).toEqual(['src/api/v1/basket.ts', 'src/api/v1/widget.types.ts']);
  });

  it('never replaces a declaration by its client', async () => {
    project.put('src/api/v1/gadget.ts', widget('Gadget'));
    const before = project.tree();
    const { code, stderr } = await project.run('generate', '--source', 'src/**/*.ts', '--client-dir', 'src/api');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^src\/api\/v1\/gadget\.ts:\d+:\d+ - error CO2200: /);
    expect(project.tree()).toEqual(before);
  });

  it.each([['crd'], ['gen']])('never replaces a source that stands where a client would, in %s', async (folder) => {
    project.put(`${folder}/v1/widget.ts`, 'export const mine = 1;\n');
    const before = project.tree();
    const shared = ['--source', 'src', '--crd-dir', folder, '--rbac-dir', folder, '--client-dir', folder];
    const { code, stderr } = await project.run('generate', ...shared);
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot write ${folder}/v1/widget.ts: stands in the way`);
    expect(project.tree()).toEqual(before);
  });

  it('works on a kind that is not namespaced, in several versions', async () => {
    const version = (name: string, storage: boolean): string =>
      widget().replace("version: 'v1' }", `version: '${name}', scope: 'Cluster', storage: ${storage} }`);
    project.put('src/api/v1/widget.types.ts', version('v1', true));
    project.put('src/api/v1beta1/widget.types.ts', version('v1beta1', false));
    await generate(0);
    const { spec } = parse(project.read(file.crd)) as {
      spec: { scope: string; versions: { name: string; storage: boolean }[] };
    };
    expect(spec.scope).toBe('Cluster');
    expect(spec.versions.map(({ name, storage }) => [name, storage])).toEqual([
      ['v1', true],
      ['v1beta1', false],
    ]);
    expect(project.read('gen/v1beta1/widget.ts')).toContain("Kind<Widget, 'Cluster', 'status'>");
  });
});

describe('generate --stdout', () => {
  it('prints and writes nothing, whatever else is given', async () => {
    const { stdout, stderr } = await generate(0, '--stdout', '--check');
    expect(stderr).toBe('');
    expect(Object.keys(project.tree())).toEqual(['src/api/v1/widget.types.ts']);
    expect(stdout).toContain('export const Widget');
    await generate(0);
    expect(stdout).toBe(
      Object.values(project.tree('crd')).join('') + project.read(file.client) + project.read(file.role),
    );
  });

  it('prints what can be applied when no output is named', async () => {
    const { stdout } = await project.run('generate', '--source', 'src', '--stdout');
    expect(parseAllDocuments(stdout).map((document) => (document.toJS() as { kind: string }).kind)).toEqual([
      'CustomResourceDefinition',
      'ClusterRole',
    ]);
  });

  it('gives contents as JSON', async () => {
    const { stdout } = await generate(0, '--stdout', '--format', 'json');
    const { files } = JSON.parse(stdout) as { files: { path: string; state: string; content: string }[] };
    expect(files.map(({ path, state }) => [path, state])).toEqual(
      Object.values(file)
        .sort()
        .map((path) => [path, 'printed']),
    );
  });
});

describe('generate --check', () => {
  it('passes when all is as it would be written, also in a CRLF checkout', async () => {
    await generate(0);
    for (const path of Object.values(file)) project.put(path, project.read(path).replaceAll('\n', '\r\n'));
    expect(await generate(0, '--check')).toMatchObject({
      stdout: '1 kind, 1 role, 3 files (3 unchanged)\n',
      stderr: '',
    });
  });

  it('shows each missing, changed and stale file, writes nothing and exits 1', async () => {
    project.put('src/api/v1/old.types.ts', widget('Old'));
    await generate(0);
    project.put('src/api/v1/old.types.ts', 'export {};\n');
    project.put('src/api/v1/widget.types.ts', widget().replace('@minimum 1', '@minimum 2'));
    project.put(file.role, '');
    const before = project.tree();
    const { stdout } = await generate(1, '--check');
    expect(project.tree()).toEqual(before);
    expect(stdout).toMatch(/^stale crd\/example\.com_olds\.yaml$/m);
    expect(stdout).toMatch(/^changed crd\/example\.com_widgets\.yaml$/m);
    expect(stdout).toMatch(/^-                minimum: 1\n\+                minimum: 2$/m);
    expect(stdout).toMatch(/^stale gen\/v1\/old\.ts$/m);
    expect(stdout).toMatch(/^changed rbac\/role\.yaml$/m);
    expect(stdout).toMatch(/\(2 changed, 2 stale, 1 unchanged\); run create-operator generate\n$/);
  });

  it('tells machines the same', async () => {
    const { stdout } = await generate(1, '--check', '--format', 'json');
    const report = JSON.parse(stdout) as { files: { path: string; state: string; diff: string }[] };
    expect(report.files.map(({ path, state }) => [path, state])).toEqual(
      Object.values(file)
        .sort()
        .map((path) => [path, 'missing']),
    );
    expect(report.files[0]?.diff).toMatch(/^--- \/dev\/null\n\+\+\+ b\/crd/);
  });
});

describe('generate with problems', () => {
  it('reports all of them with their places, writes nothing and keeps what is there', async () => {
    await generate(0);
    const before = project.tree();
    project.put(
      'src/api/v1/widget.types.ts',
      widget('Widget', '/** @minLength 3, @maxLength */ bad: any;').replace('@minimum 1', '@minimun 1'),
    );
    const { stdout, stderr } = await generate(1);
    expect(stdout).toBe('');
    const lines = stderr.split('\n').filter((line) => / - error CO\d{4}: /.test(line));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(/^src\/api\/v1\/widget\.types\.ts:\d+:\d+ - error CO\d{4}: /);
    expect(stderr).toMatch(/\d+ errors; nothing was written\n$/);
    for (const path of Object.values(file)) expect(project.read(path)).toBe(before[path]);
  });

  it('reports what the reader and what the checks find together, and nothing that only follows', async () => {
    project.put(
      'src/api/v1/gadget.types.ts',
      `/**
 * @resource { group: 'example.com', version: 'v1' }
 * @printerColumn { name: 'Pair', type: 'string', jsonPath: '.spec.pair' }
 * @rbac { groups: ['apps'], resources: ['deployment'], verbs: ['get'] }
 */
export interface Gadget {
  spec: {
    pair: [string, number];
    /** @minimun 1 */
    size?: number;
    /** @maxLength 2
     * @default 'abc' */
    short?: string;
  };
}
`,
    );
    const { stderr } = await generate(1);
    const found = stderr.split('\n').flatMap((line) => / - error (CO\d{4}): /.exec(line)?.[1] ?? []);
    expect(found).toEqual(['CO2106', 'CO1202', 'CO1103', 'CO2052']);
  });

  it('keeps the old files when a source has type errors', async () => {
    await generate(0);
    const before = project.read(file.crd);
    project.put('src/api/v1/widget.types.ts', widget('Widget', 'next: Missing;'));
    expect((await generate(1)).stderr).toContain("Cannot find name 'Missing'");
    expect(project.read(file.crd)).toBe(before);
  });

  it('reports what only the whole shows: a column that leads nowhere, an unknown resource', async () => {
    project.put(
      'src/api/v1/widget.types.ts',
      widget()
        .replace('.spec.size', '.spec.sise')
        .replace(
          "@rbac { verbs: ['get', 'list'] }",
          "@rbac { groups: ['apps'], resources: ['deployment'], verbs: ['get'] }",
        ),
    );
    const { stderr } = await generate(1);
    expect(stderr).toContain('error CO2011:');
    expect(stderr).toContain('did you mean size?');
    expect(stderr).toContain('error CO2106:');
    expect(stderr).toContain('did you mean "deployments"?');
    expect(stderr).toContain('2 errors; nothing was written');
  });

  it('does not take sources without any kind for the end of all kinds', async () => {
    await generate(0);
    const before = project.read(file.crd);
    project.put('src/api/v1/widget.types.ts', 'export interface Widget {}\n');
    expect((await generate(1)).stderr).toContain('error CO2401: no kind, no permission and no webhook is declared');
    expect(project.read(file.crd)).toBe(before);
  });

  it('warns and goes on', async () => {
    project.put('src/api/v1/widget.types.ts', widget().replace("verbs: ['get', 'list']", "verbs: ['get', 'lst']"));
    expect((await generate(0)).stderr).toMatch(/ - warning CO\d{4}: .*"?lst/);
  });

  it('exits 2 when a folder is a file, and changes nothing', async () => {
    project.put('rbac', 'a file');
    const before = project.tree();
    expect((await generate(2)).stderr).toMatch(/^error: cannot write rbac.*\n {2}help: nothing has been changed\n$/);
    expect(project.tree()).toEqual(before);
  });

  it.skipIf(process.getuid?.() === 0)('exits 2 when a folder cannot be written (not as root)', async () => {
    await generate(0);
    const before = project.tree();
    project.put('src/api/v1/gadget.types.ts', widget('Gadget'));
    chmodSync(project.path('crd'), 0o555);
    expect((await generate(2)).stderr).toContain('permission denied');
    chmodSync(project.path('crd'), 0o755);
    expect(project.tree('crd')).toEqual(
      Object.fromEntries(Object.entries(before).filter(([path]) => path.startsWith('crd/'))),
    );
  });
});
