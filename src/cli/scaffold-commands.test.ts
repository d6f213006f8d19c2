import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { basePath, formatBase, parseBase } from '../scaffold/base.ts';
import { ownVersion } from '../project/index.ts';
import { main } from './main.ts';
import { recordingIo } from './testing/io.ts';

let folder: string;
let root: string;
/** A new project, made once: what `init` writes is also waited for on the disk. */
let fresh: string;
beforeAll(async () => {
  fresh = realpathSync(mkdtempSync(join(tmpdir(), 'scaffold-fresh-')));
  expect((await run(['my-op', '--skip-install'], fresh)).code).toBe(0);
});
afterAll(() => rmSync(fresh, { recursive: true, force: true }));
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'scaffold-commands-')));
  root = join(folder, 'my-op');
  cpSync(join(fresh, 'my-op'), root, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(argv: readonly string[], where = root, environment = {}) {
  const { io, printed } = recordingIo(where, { environment: { PATH: '', ...environment } });
  const code = await main(argv, io);
  return { code, ...printed };
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const json = (path: string): Record<string, unknown> => JSON.parse(read(path)) as Record<string, unknown>;

function put(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function edit(path: string, from: string, to: string): void {
  expect(read(path)).toContain(from);
  put(path, read(path).replace(from, to));
}

/** All files by path. */
function tree(): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();
  return Object.fromEntries(paths.map((path) => [path, read(path)]));
}

const kind = (name: string, ...more: string[]): string[] => [
  '--group',
  'example.com',
  '--version',
  'v1',
  '--kind',
  name,
  ...more,
];
const api = (name: string, ...more: string[]): string[] => ['api', ...kind(name, ...more)];

describe('create-operator init', () => {
  it('remembers every choice', async () => {
    const choices = [
      '--namespaced',
      '--multigroup',
      '--no-helm',
      '--package-manager',
      'pnpm',
      '--kubernetes-version',
      '1.35',
    ];
    await run(['other', '--skip-install', ...choices], folder);
    expect(JSON.parse(readFileSync(join(folder, 'other/operator.json'), 'utf8'))).toEqual({
      $schema: './node_modules/create-operator/schemas/operator.schema.json',
      projectName: 'other',
      cliVersion: ownVersion(),
      kubernetesVersion: '1.35',
      packageManager: 'pnpm',
      namespaced: true,
      multigroup: true,
      helm: false,
      resources: [],
    });
  });

  it('prints its plan and writes nothing with --dry-run', async () => {
    const { code, stdout } = await run(['other', '--dry-run'], folder);
    expect(code).toBe(0);
    expect(stdout).toContain('create    src/main.ts\n');
    expect(existsSync(join(folder, 'other'))).toBe(false);
  });

  it('overwrites what is in the way with --force only, and lists it', async () => {
    mkdirSync(join(folder, 'full'));
    writeFileSync(join(folder, 'full/README.md'), 'mine\n');
    writeFileSync(join(folder, 'full/notes.txt'), 'mine\n');
    expect(await run(['full', '--skip-install'], folder)).toMatchObject({ code: 2, stdout: '' });
    const { code, stdout } = await run(['full', '--skip-install', '--force'], folder);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}overwrite README\.md\nCreated full/);
    expect(readFileSync(join(folder, 'full/notes.txt'), 'utf8')).toBe('mine\n');
  });

  it.each(['npm', 'pnpm', 'yarn', 'bun'])('speaks in the commands of %s', async (manager) => {
    const { stdout } = await run(['other', '--skip-install', '--package-manager', manager], folder);
    expect(stdout).toContain(`  ${manager} install\n`);
    const others = ['npm', 'pnpm', 'yarn', 'bun'].filter((name) => name !== manager);
    const spoken = new RegExp(`(^|[\\s\`"'])(${others.join('|')}) (run|install|test|ci)\\b`, 'm');
    for (const entry of readdirSync(join(folder, 'other'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      // Bun and its like are themselves installed with npm.
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8').replaceAll('npm install --global', '');
      expect(spoken.exec(text)?.[0], `${entry.parentPath}/${entry.name}`).toBeUndefined();
    }
    const settings: Record<string, string> = { pnpm: 'pnpm-workspace.yaml', yarn: '.yarnrc.yml' };
    for (const [name, file] of Object.entries(settings)) {
      expect(existsSync(join(folder, 'other', file)), file).toBe(name === manager);
    }
  });

  it('takes the package manager that runs it, and leaves its settings to a workspace', async () => {
    await run(['other', '--skip-install'], folder, { npm_config_user_agent: 'yarn/4.18.1 npm/?' });
    expect(JSON.parse(readFileSync(join(folder, 'other/operator.json'), 'utf8'))).toMatchObject({
      packageManager: 'yarn',
    });
    writeFileSync(join(folder, 'pnpm-workspace.yaml'), 'packages: [all/*]\n');
    await run(['all/one', '--skip-install'], folder);
    expect(JSON.parse(readFileSync(join(folder, 'all/one/operator.json'), 'utf8'))).toMatchObject({
      packageManager: 'pnpm',
      workspace: true,
    });
    expect(existsSync(join(folder, 'all/one/pnpm-workspace.yaml'))).toBe(false);
  });

  it.skipIf(process.getuid?.() === 0)('says what cannot be written, and leaves nothing (not as root)', async () => {
    mkdirSync(join(folder, 'closed'));
    chmodSync(join(folder, 'closed'), 0o500);
    const { code, stderr } = await run(['closed/op', '--skip-install'], folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: cannot write .*permission denied\n {2}help: nothing has been changed\n$/);
    expect(readdirSync(join(folder, 'closed'))).toEqual([]);
  });
});

describe('create-operator api', () => {
  it('adds a second version, which the first stays the storage version of', async () => {
    await run(api('Widget'));
    const { code } = await run(['api', '--group', 'example.com', '--version', 'v2', '--kind', 'Widget']);
    expect(code).toBe(0);
    expect(read('src/api/v1/widget.types.ts')).toContain("version: 'v1', storage: true }");
    expect(read('src/api/v2/widget.types.ts')).toContain("version: 'v2' }");
    expect(read('src/generated/registry.ts').match(/registerWidgetController\(manager\)/g)).toHaveLength(1);
    expect(read('config/crd/kustomization.yaml').match(/example\.com_widgets/g)).toHaveLength(1);
  });

  it('adds a reconciler for a kind of Kubernetes, without types, sample and definition', async () => {
    const { code, stdout } = await run(['api', '--group', 'apps', '--version', 'v1', '--kind', 'Deployment']);
    expect(code).toBe(0);
    expect(stdout).toContain('create    src/controllers/deployment-controller.ts');
    expect(read('src/kinds/apps_v1_deployment.ts')).toContain("Kind<Deployment, 'Namespaced', 'status' | 'scale'>");
    expect(read('src/controllers/deployment-controller.ts')).toContain("groups: ['apps'], resources: ['deployments']");
    expect(read('config/crd/kustomization.yaml')).toContain('resources: []');
    expect(read('config/samples/kustomization.yaml')).toContain('resources: []');
    const core = await run(['api', '--group', 'core', '--version', 'v1', '--kind', 'Node', '--no-resource']);
    expect(core.code).toBe(0);
    expect(read('src/kinds/core_v1_node.ts')).toContain("group: '',");
    expect(json('operator.json')).toMatchObject({ resources: [{ types: 'core' }, { group: '', scope: 'Cluster' }] });
  });

  const certificate = ['api', '--group', 'cert-manager.io', '--version', 'v1', '--kind', 'Certificate'];
  const imported = [
    'export const Certificate = /* @__PURE__ */ defineKind({',
    "  group: 'cert-manager.io',",
    "  version: 'v1',",
    "  kind: 'Certificate',",
    "  plural: 'certificates',",
    "  scope: 'Namespaced',",
    "  subresources: ['status'],",
    '});',
    '',
  ].join('\n');

  it('adds a reconciler for an imported kind, which it finds', async () => {
    put('src/imported/cert-manager.io_v1_certificate.ts', imported);
    expect((await run(certificate)).code).toBe(0);
    expect(read('src/controllers/certificate-controller.ts')).toContain(
      "from '../imported/cert-manager.io_v1_certificate.js'",
    );
    put('src/copy/cert-manager.io_v1_certificate.ts', imported);
    const twice = await run([
      'api',
      '--group',
      'cert-manager.io',
      '--version',
      'v1',
      '--kind',
      'Certificate',
      '--force',
    ]);
    expect(twice.stderr).toContain('imported 2 times');
    const chosen = [...certificate, '--force', '--external-api-path', 'src/copy/cert-manager.io_v1_certificate.ts'];
    expect((await run(chosen)).code).toBe(0);
    expect(read('src/controllers/certificate-controller.ts')).toContain("from '../copy/");
  });

  it.each<[string, string[], RegExp]>([
    [
      'a misspelt kind of Kubernetes',
      ['api', '--group', 'core', '--version', 'v1', '--kind', 'Pods'],
      /did you mean Pod\?/,
    ],
    [
      'a version that Kubernetes has not',
      ['api', '--group', 'apps', '--version', 'v2', '--kind', 'Deployment'],
      /it has v1/,
    ],
    [
      'own types for a kind of Kubernetes',
      ['api', '--group', 'apps', '--version', 'v1', '--kind', 'Deployment', '--resource'],
      /defined by Kubernetes/,
    ],
    [
      'a kind that cannot be watched',
      ['api', '--group', 'core', '--version', 'v1', '--kind', 'Binding'],
      /cannot be watched/,
    ],
    ['a group without a domain', ['api', '--group', 'apps2', '--version', 'v1', '--kind', 'A'], /needs a domain/],
    ['what nobody has imported', [...certificate, '--no-resource'], /import it first/],
    ['a module that is not there', [...certificate, '--external-api-path', 'src/x.ts'], /no file src\/x\.ts/],
    ['a module that defines no kind', [...certificate, '--external-api-path', 'src/main.ts'], /defines no kind/],
    ['a module outside', [...certificate, '--external-api-path', '../x.ts'], /outside of the project/],
    ['the kind Record', api('Record'), /"Record" cannot be a kind/],
    ['a kind that begins small', api('default'), /reserved word/],
  ])('refuses %s and changes nothing', async (_what, argv, message) => {
    const before = tree();
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(tree()).toEqual(before);
  });

  it('writes the files of a kind anew with --force, registers it once, and keeps its choices', async () => {
    await run(api('Widget', '--scope', 'Cluster'));
    put('src/controllers/widget-controller.ts', '// mine\n');
    rmSync(join(root, 'src/controllers/widget-external.ts'));
    const { code, stdout } = await run(api('Widget', '--force'));
    expect(code).toBe(0);
    expect(stdout).toContain('overwrite src/controllers/widget-controller.ts\n');
    expect(stdout).toContain('create    src/controllers/widget-external.ts\n');
    expect(read('src/controllers/widget-controller.ts')).toContain('class WidgetReconciler');
    expect(read('src/api/v1/widget.types.ts')).toContain("scope: 'Cluster'");
    expect(read('src/generated/registry.ts').match(/registerWidgetController\(manager\)/g)).toHaveLength(1);
  });

  it('lists all files that are in the way', async () => {
    put('src/controllers/widget-controller.ts', '// mine\n');
    put('test/widget.test.ts', '// mine\n');
    const before = tree();
    const { code, stderr } = await run(api('Widget'));
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: 2 files stand in the way:\n  src/controllers/widget-controller.ts exists already\n  test/widget.test.ts exists already\n' +
        '  help: to give up what is yours in them: --force; nothing has been changed\n',
    );
    expect(tree()).toEqual(before);
  });

  it('prints its plan and writes nothing with --dry-run', async () => {
    const before = tree();
    const { code, stdout } = await run(api('Widget', '--dry-run'));
    expect(code).toBe(0);
    expect(stdout).toContain('create    src/api/v1/widget.types.ts\n');
    expect(stdout).toMatch(/Nothing was written\.\n$/);
    expect(tree()).toEqual(before);
  });

  it('works on after the user has moved main.ts', async () => {
    put('src/cmd/start.ts', read('src/main.ts'));
    rmSync(join(root, 'src/main.ts'));
    expect((await run(api('Widget'))).code).toBe(0);
    expect(existsSync(join(root, 'src/main.ts'))).toBe(false);
  });

  it('gives a namespaced project Roles and objects in its own namespace', async () => {
    await run(['edit', '--namespaced']);
    await run(api('Widget'));
    expect(read('src/controllers/widget-controller.ts').match(/namespace: 'my-op-system' \}\)/g)).toHaveLength(2);
    expect(read('test/widget.test.ts')).toContain("cache: { namespaces: ['my-op-system'] }");
    expect(read('config/samples/example.com_v1_widget.yaml')).toContain('  namespace: my-op-system\n');
    expect((await run(api('Policy', '--scope', 'Cluster'))).stderr).toContain('single namespaces');
  });
});

describe('create-operator delete api', () => {
  it('takes back all that api wrote, and what was generated from it', async () => {
    const before = tree();
    await run(api('Widget'));
    put('src/api/v1/widget.ts', '// Code generated by create-operator. DO NOT EDIT.\n');
    put('config/crd/bases/example.com_widgets.yaml', '# Code generated by create-operator. DO NOT EDIT.\n');
    const { code, stdout } = await run(['delete', 'api', ...kind('Widget')]);
    expect(code).toBe(0);
    expect(stdout).toContain('delete    src/controllers/widget-controller.ts\n');
    expect(tree()).toEqual(before);
    expect(existsSync(join(root, 'src/controllers'))).toBe(false);
  });

  it('leaves other kinds and versions alone', async () => {
    await run(api('Widget'));
    const before = tree();
    await run(api('Other'));
    await run(['api', '--group', 'example.com', '--version', 'v2', '--kind', 'Widget']);
    await run(['delete', 'api', ...kind('Other')]);
    await run(['delete', 'api', '--group', 'example.com', '--version', 'v2', '--kind', 'Widget']);
    expect(tree()).toEqual(before);
  });

  it('refuses where the user changed files, and lists them; --force takes these, too', async () => {
    await run(api('Widget'));
    edit('src/api/v1/widget.types.ts', 'message?: string;', 'text?: string;');
    edit('test/widget.test.ts', 'size: 3', 'size: 4');
    const before = tree();
    const { code, stderr } = await run(['delete', 'api', ...kind('Widget')]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /2 files stand in the way:\n {2}src\/api\/v1\/widget\.types\.ts: .*\n {2}test\/widget\.test\.ts: /,
    );
    expect(tree()).toEqual(before);
    const forced = await run(['delete', 'api', ...kind('Widget'), '--force']);
    expect(forced.stdout).toContain('delete    src/api/v1/widget.types.ts');
    expect(existsSync(join(root, 'src/api/v1/widget.types.ts'))).toBe(false);
  });

  it.each<[string, string[], RegExp]>([
    [
      'a kind that is not there',
      ['delete', 'api', ...kind('Gone')],
      /the project has no kind Gone of example\.com\/v1/,
    ],
    ['a flag that is missing', ['delete', 'api', '--kind', 'Widget'], /--group/],
    ['nothing to delete', ['delete'], /help|delete/],
  ])('refuses %s', async (_what, argv, message) => {
    const before = tree();
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(tree()).toEqual(before);
  });
});

describe('create-operator edit', () => {
  it.each([
    ['--namespaced', '--no-namespaced'],
    ['--multigroup', '--no-multigroup'],
    ['--no-helm', '--helm'],
  ])('%s and %s take each other back', async (there, back) => {
    await run(api('Widget'));
    const before = tree();
    expect((await run(['edit', there])).code).toBe(0);
    const changed = tree();
    expect(changed).not.toEqual(before);
    expect((await run(['edit', there])).stdout).toContain('nothing was changed');
    expect(tree()).toEqual(changed);
    expect((await run(['edit', back])).code).toBe(0);
    expect(tree()).toEqual(before);
  });

  it('moves what the user changed into the folders of groups, with its imports', async () => {
    await run(api('Widget'));
    edit('src/controllers/widget-controller.ts', "requeueAfter('10m')", "requeueAfter('1h')");
    edit('src/api/v1/widget.types.ts', 'message?: string;', 'text?: string;');
    const { code, stdout } = await run(['edit', '--multigroup']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'merge     src/controllers/example.com/widget-controller.ts (was src/controllers/widget-controller.ts)',
    );
    const controller = read('src/controllers/example.com/widget-controller.ts');
    expect(controller).toContain("requeueAfter('1h')");
    expect(controller).toContain("from '../../api/example.com/v1/widget.js'");
    expect(read('src/api/example.com/v1/widget.types.ts')).toContain('text?: string;');
    expect(existsSync(join(root, 'src/controllers/widget-controller.ts'))).toBe(false);
    expect(read('src/generated/registry.ts')).toContain("from '../controllers/example.com/widget-controller.js'");
  });

  it('keeps changes of files that it changes itself', async () => {
    edit('config/manager/manager.yaml', 'replicas: 1', 'replicas: 3');
    const { stdout } = await run(['edit', '--namespaced']);
    expect(stdout).toContain('merge     config/manager/manager.yaml');
    expect(read('config/manager/manager.yaml')).toContain('replicas: 3');
    expect(read('config/manager/manager.yaml')).toContain('WATCH_NAMESPACE');
  });

  it('changes the package manager in all texts', async () => {
    expect((await run(['edit', '--package-manager', 'pnpm'])).code).toBe(0);
    expect(read('README.md')).toContain('pnpm run generate');
    expect(existsSync(join(root, 'pnpm-workspace.yaml'))).toBe(true);
  });

  it('refuses to overwrite, and does so with --force', async () => {
    put('README.md', 'all mine\n');
    const before = tree();
    const { code, stderr } = await run(['edit', '--package-manager', 'bun']);
    expect(code).toBe(2);
    expect(stderr).toContain('README.md: you changed the same lines');
    expect(tree()).toEqual(before);
    const forced = await run(['edit', '--package-manager', 'bun', '--force']);
    expect(forced.stdout).toContain('overwrite README.md\n');
  });

  it('refuses to change nothing', async () => {
    expect(await run(['edit'])).toMatchObject({ code: 2, stderr: expect.stringContaining('no choice is named') });
  });
});

describe('create-operator upgrade', () => {
  /** Makes it look as if an older version, with other templates, had made the project. */
  function age(change: (files: Map<string, string>) => void): void {
    const files = parseBase(read(basePath));
    const before = new Map(files);
    change(files);
    put(basePath, formatBase(files));
    for (const [path, content] of files) if (before.get(path) !== content) put(path, content);
    for (const path of before.keys()) if (!files.has(path)) rmSync(join(root, path));
    put('operator.json', read('operator.json').replace(`"cliVersion": "${ownVersion()}"`, '"cliVersion": "0.0.1"'));
  }
  const older = (files: Map<string, string>): void => {
    const main = files.get('src/main.ts') ?? '';
    files.set('src/main.ts', main.replace('const manager = createManager', 'const runtime = createManager'));
    files.set('hack/old.sh', 'old\n');
    files.delete('Dockerfile');
    files.set('README.md', `${files.get('README.md') ?? ''}old\n`);
    files.set('Makefile', (files.get('Makefile') ?? '').replace('CONTAINER_TOOL ?= docker', 'CONTAINER_TOOL ?= moby'));
  };

  it('has nothing to do after init and api', async () => {
    await run(api('Widget'));
    const before = tree();
    expect(await run(['upgrade'])).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was changed') });
    expect(tree()).toEqual(before);
  });

  it('brings what is new, takes what is gone, and keeps what the user changed and deleted', async () => {
    await run(api('Widget'));
    const wanted = tree();
    age(older);
    edit('src/main.ts', 'return 2;', 'return 3;');
    edit('src/api/v1/widget.types.ts', 'message?: string;', 'text?: string;');
    edit('package.json', '"test": "vitest run",', '"test": "vitest run",\n    "mine": "echo",');
    rmSync(join(root, 'README.md'));
    const before = tree();
    const dry = await run(['upgrade', '--dry-run']);
    expect(dry.stdout).toContain('Nothing was written.');
    expect(tree()).toEqual(before);

    const { code, stdout, stderr } = await run(['upgrade']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const line of [
      'Upgraded from 0.0.1 to',
      'create    Dockerfile\n',
      'delete    hack/old.sh\n',
      'update    Makefile\n',
      'merge     src/main.ts\n',
      'keep      README.md (you deleted it)\n',
    ]) {
      expect(stdout).toContain(line);
    }
    const { 'README.md': _, ...rest } = wanted;
    expect(tree()).toEqual({
      ...rest,
      'src/main.ts': (wanted['src/main.ts'] ?? '').replace('return 2;', 'return 3;'),
      'src/api/v1/widget.types.ts': (wanted['src/api/v1/widget.types.ts'] ?? '').replace('message?: ', 'text?: '),
      'package.json': (wanted['package.json'] ?? '').replace('"vitest run",', '"vitest run",\n    "mine": "echo",'),
    });
    expect((await run(['upgrade'])).stdout).toContain('nothing was changed');
  });

  it('marks conflicts as git does, lists them, and exits 1 until they are mended', async () => {
    age(older);
    edit('Makefile', 'CONTAINER_TOOL ?= moby', 'CONTAINER_TOOL ?= podman');
    edit('hack/old.sh', 'old', 'mine');
    const { code, stderr } = await run(['upgrade']);
    expect(code).toBe(1);
    expect(stderr).toContain('CONFLICT Makefile: you changed the same lines\n');
    expect(stderr).toContain('CONFLICT hack/old.sh: you changed it, and it is no part of the scaffold any more\n');
    expect(read('Makefile')).toContain(
      `<<<<<<< yours\nCONTAINER_TOOL ?= podman\n=======\nCONTAINER_TOOL ?= docker\n>>>>>>> create-operator ${ownVersion()}\n`,
    );
    expect(read('hack/old.sh')).toBe('mine\n');
    expect(await run(['upgrade'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CONFLICT Makefile: it still has the conflict markers'),
    });
    put('Makefile', read('Makefile').replace(/<{7}[^]*>{7}.*\n/, 'CONTAINER_TOOL ?= podman\n'));
    expect((await run(['upgrade'])).code).toBe(0);
  });

  it('follows choices that were made in operator.json', async () => {
    put('operator.json', read('operator.json').replace('"packageManager": "npm"', '"packageManager": "bun"'));
    expect((await run(['upgrade'])).code).toBe(0);
    expect(read('README.md')).toContain('bun run generate');
  });

  it('refuses to go back to an older version, and to guess what the scaffold was', async () => {
    put('operator.json', read('operator.json').replace(/"cliVersion": ".*"/, '"cliVersion": "99.0.0"'));
    expect(await run(['upgrade'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npx create-operator@99.0.0'),
    });
    age(() => {});
    put('operator.json', read('operator.json').replace(/"cliVersion": ".*"/, '"cliVersion": "0.0.1"'));
    rmSync(join(root, basePath));
    expect(await run(['upgrade'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${basePath} is missing`),
    });
    put(basePath, '{');
    expect(await run(['upgrade'])).toMatchObject({ code: 2, stderr: expect.stringContaining('version control') });
  });
});

describe.each([['api'], ['edit'], ['delete', 'api'], ['upgrade']])('%s %s', (...command) => {
  it('is for projects only', async () => {
    const flags = command[0] === 'edit' ? ['--helm'] : command[0] === 'upgrade' ? [] : kind('Widget');
    const { code, stderr } = await run([...command, ...flags], folder);
    expect(code).toBe(2);
    expect(stderr).toContain('this is no project');
  });
});
