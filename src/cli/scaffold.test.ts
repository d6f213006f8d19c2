import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from './main.ts';
import { recordingIo } from './testing/io.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-operator-')));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function run(argv: readonly string[], where = folder) {
  const { io, printed } = recordingIo(where, { environment: { PATH: '' } });
  const code = await main(argv, io);
  return { code, ...printed };
}

/** One value for a whole tree: paths and contents. */
function treeHash(root: string): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }).sort((a, b) =>
    join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
  )) {
    const path = join(entry.parentPath, entry.name);
    hash.update(path);
    if (entry.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

const widget = ['api', '--group', 'example.com', '--version', 'v1', '--kind', 'Widget'];

describe('create-operator init', () => {
  it('writes a project and says what comes next', async () => {
    const { code, stdout, stderr } = await run(['my-op', '--skip-install']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('cd my-op\n  npm install\n  npx create-operator api');
    const files = readdirSync(join(folder, 'my-op'));
    expect(files).toEqual(
      expect.arrayContaining(['.gitignore', '.dockerignore', '.gitattributes', '.github', 'operator.json', 'Makefile']),
    );
    expect(JSON.parse(readFileSync(join(folder, 'my-op/package.json'), 'utf8'))).toMatchObject({
      name: 'my-op',
      type: 'module',
    });
    expect(readFileSync(join(folder, 'my-op/.github/workflows/test.yml'), 'utf8')).toContain('make check');
  });

  it('is what happens with the command init, too, and in the folder itself', async () => {
    mkdirSync(join(folder, 'here'));
    expect((await run(['init', '.', '--skip-install'], join(folder, 'here'))).code).toBe(0);
    expect(readFileSync(join(folder, 'here/operator.json'), 'utf8')).toContain('"projectName": "here"');
  });

  it.each([
    ['no folder and no terminal', [], /no folder is named/],
    ['a name that is no package name', ['My_Op', '--skip-install'], /no project name/],
    ['a name by flag that is none', ['ok', '--name', '@a/b', '--skip-install'], /no project name/],
    ['a misspelt command', ['genrate'], /did you mean "generate"/],
    ['a version that is none', ['ok', '--kubernetes-version', 'new', '--skip-install'], /no version of Kubernetes/],
    ['no npm', ['ok'], /npm was not found/],
    ['an unknown flag', ['ok', '--skip-instal'], /unknown option/],
  ])('refuses %s with one line, a hint and no files', async (_what, argv, message) => {
    const { code, stdout, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a folder that is not empty, naming what is in it, and one that is a file', async () => {
    mkdirSync(join(folder, 'full'));
    writeFileSync(join(folder, 'full/notes.txt'), 'mine');
    writeFileSync(join(folder, 'file'), '');
    const before = treeHash(folder);
    expect((await run(['full', '--skip-install'])).stderr).toContain('it has notes.txt');
    expect((await run(['file', '--skip-install'])).stderr).toContain('is a file');
    expect(treeHash(folder)).toBe(before);
  });

  it('refuses to nest a project in another', async () => {
    await run(['outer', '--skip-install']);
    const { code, stderr } = await run(['inner', '--skip-install'], join(folder, 'outer'));
    expect(code).toBe(2);
    expect(stderr).toContain('lies in a project already');
  });
});

describe('create-operator api', () => {
  const project = (): string => join(folder, 'my-op');
  beforeEach(async () => {
    await run(['my-op', '--skip-install']);
  });

  it('adds types, reconciler, tests, sample and registration', async () => {
    const { code, stdout, stderr } = await run(widget, project());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('src/api/v1/widget.types.ts');
    expect(readFileSync(join(project(), 'config/crd/kustomization.yaml'), 'utf8')).toContain(
      '  - bases/example.com_widgets.yaml\n',
    );
    expect(readFileSync(join(project(), 'src/generated/registry.ts'), 'utf8')).toContain(
      'registerWidgetController(manager);',
    );
    const roles = ['role', 'role_binding', 'widget_admin_role', 'widget_editor_role', 'widget_viewer_role'];
    expect(readFileSync(join(project(), 'config/rbac/kustomization.yaml'), 'utf8')).toContain(
      roles.map((role) => `  - ${role}.yaml\n`).join(''),
    );
    expect(JSON.parse(readFileSync(join(project(), 'operator.json'), 'utf8'))).toMatchObject({
      resources: [
        {
          group: 'example.com',
          version: 'v1',
          kind: 'Widget',
          plural: 'widgets',
          scope: 'Namespaced',
          controller: true,
        },
      ],
    });
  });

  it('registers every kind once, in order', async () => {
    await run(widget, project());
    await run(
      ['api', '--group', 'example.com', '--version', 'v1', '--kind', 'Policy', '--scope', 'Cluster'],
      project(),
    );
    await run(
      ['api', '--group', 'other.example.com', '--version', 'v1beta1', '--kind', 'Plain', '--no-controller'],
      project(),
    );
    const registry = readFileSync(join(project(), 'src/generated/registry.ts'), 'utf8');
    expect(registry.match(/register\w+Controller\(manager\)/g)).toEqual([
      'registerWidgetController(manager)',
      'registerPolicyController(manager)',
    ]);
    expect(readFileSync(join(project(), 'src/api/v1/policy.types.ts'), 'utf8')).toContain("scope: 'Cluster'");
    expect(readFileSync(join(project(), 'config/crd/kustomization.yaml'), 'utf8')).toContain(
      'other.example.com_plains.yaml',
    );
  });

  it.each([
    ['outside of a project', widget, '.', /no project/],
    ['a kind that differs in case only', [...widget.slice(0, -1), 'WIDGET'], 'my-op', /has the kind Widget already/],
    ['a reserved word', [...widget.slice(0, -1), 'class'], 'my-op', /reserved word/],
    [
      'a group of Kubernetes',
      ['api', '--group', 'apps.k8s.io', '--version', 'v1', '--kind', 'A'],
      'my-op',
      /belongs to Kubernetes/,
    ],
    ['a version that is none', ['api', '--group', 'a.io', '--version', '1', '--kind', 'A'], 'my-op', /no API version/],
    ['a missing flag without a terminal', ['api', '--group', 'a.io', '--version', 'v1'], 'my-op', /--kind is missing/],
  ])('refuses %s and changes nothing', async (_what, argv, where, message) => {
    await run(widget, project());
    const before = treeHash(folder);
    const { code, stderr } = await run(argv, join(folder, where));
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
    expect(treeHash(folder)).toBe(before);
  });

  it('changes nothing when it runs again, whatever the user made of the files', async () => {
    await run(widget, project());
    writeFileSync(join(project(), 'src/api/v1/widget.types.ts'), '// mine\n');
    rmSync(join(project(), 'src/controllers/widget-external.ts'));
    const before = treeHash(folder);
    const { code, stdout } = await run(widget, project());
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Widget (example.com/v1) is in the project already; nothing was changed\n',
    });
    expect(treeHash(folder)).toBe(before);
  });

  it('never overwrites a file of the user', async () => {
    mkdirSync(join(project(), 'src/controllers'), { recursive: true });
    writeFileSync(join(project(), 'src/controllers/widget-external.ts'), '// mine\n');
    const before = treeHash(folder);
    const { code, stderr } = await run(widget, project());
    expect(code).toBe(2);
    expect(stderr).toContain('src/controllers/widget-external.ts exists already');
    expect(treeHash(folder)).toBe(before);
  });

  it.each([
    ['operator.json', '{', /operator\.json/],
    ['config/crd/kustomization.yaml', 'resources: yes\n', /config\/crd\/kustomization\.yaml/],
  ])('says what is wrong with a broken %s and changes nothing', async (file, text, message) => {
    writeFileSync(join(project(), file), text);
    const before = treeHash(folder);
    const { code, stderr } = await run(widget, project());
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(treeHash(folder)).toBe(before);
  });
});
