import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { api, kindFlags, scaffoldedFolder } from '../../../test/support/scaffolded-folder.ts';

const project = scaffoldedFolder();
const { json, put, read, run, tree } = project;

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
    expect(read('src/controllers/deployment-controller.ts')).toContain(
      "import { Deployment } from 'operator-runtime/apis/apps/v1';",
    );
    expect(read('src/controllers/deployment-controller.ts')).toContain("groups: ['apps'], resources: ['deployments']");
    expect(read('config/crd/kustomization.yaml')).toContain('resources: []');
    expect(read('config/samples/kustomization.yaml')).toContain('resources: []');
    const core = await run(['api', '--group', 'core', '--version', 'v1', '--kind', 'Node', '--no-resource']);
    expect(core.code).toBe(0);
    expect(read('src/controllers/node-controller.ts')).toContain("groups: [''], resources: ['nodes']");
    expect(read('src/controllers/node-controller.test.ts')).toContain("from 'operator-runtime/apis/core/v1'");
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
      /cannot be watched.*\n {2}help: /,
    ],
    [
      'a misspelt group of Kubernetes',
      ['api', '--group', 'app', '--version', 'v1', '--kind', 'A'],
      /did you mean apps\?/,
    ],
    ['a group without a domain', ['api', '--group', 'something', '--version', 'v1', '--kind', 'A'], /needs a domain/],
    ['what nobody has imported', [...certificate, '--no-resource'], /import it first/],
    ['a module that is not there', [...certificate, '--external-api-path', 'src/x.ts'], /no file src\/x\.ts/],
    ['a module that defines no kind', [...certificate, '--external-api-path', 'src/main.ts'], /defines no kind/],
    ['a module outside', [...certificate, '--external-api-path', '../x.ts'], /outside of the project/],
    [
      'a plural that is no name',
      api('Widget', '--plural', 'Wid gets'),
      /"Wid gets" is no plural.*\n {2}help: .*--plural widgets/,
    ],
    ['the kind Record', api('Record'), /"Record" cannot be a kind/],
    ['a kind that begins small', api('default'), /reserved word/],
  ])('refuses %s and changes nothing', async (_what, argv, message) => {
    const before = tree();
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(tree()).toEqual(before);
  });

  it.each([
    ['the plural of another kind', api('Gadget', '--plural', 'widgets'), 'give Gadget another: --plural'],
    [
      'another plural for a second version',
      ['api', '--group', 'example.com', '--version', 'v2', '--kind', 'Widget', '--plural', 'widgetten'],
      'leave out --plural: a definition has one for good',
    ],
  ])('refuses %s', async (_what, argv, help) => {
    await run(api('Widget'));
    const before = tree();
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toBe(`error: the plural of Widget (example.com/v1) is widgets\n  help: ${help}\n`);
    expect(tree()).toEqual(before);
  });

  it('writes the files of a kind anew with --force, registers it once, and keeps its choices', async () => {
    await run(api('Widget', '--scope', 'Cluster'));
    put('src/controllers/widget-controller.ts', '// mine\n');
    rmSync(join(project.root, 'src/controllers/widget-external.ts'));
    const { code, stdout } = await run(api('Widget', '--force'));
    expect(code).toBe(0);
    expect(stdout).toContain('overwrite src/controllers/widget-controller.ts\n');
    expect(stdout).toContain('create    src/controllers/widget-external.ts\n');
    expect(read('src/controllers/widget-controller.ts')).toContain('class WidgetReconciler');
    expect(read('src/api/v1/widget.types.ts')).toContain("scope: 'Cluster'");
    expect(read('src/generated/registry.ts').match(/registerWidgetController\(manager\)/g)).toHaveLength(1);
  });

  describe('with types that are there already, as import writes them', () => {
    const types =
      "@Resource({ group: 'example.com', version: 'v1', plural: 'widgetry', scope: 'Cluster' })\nexport class Widget {\n  spec!: object;\n}\n";
    beforeEach(() => put('src/api/v1/widget.types.ts', types));

    it('keeps them, and takes plural and scope from them', async () => {
      expect((await run(api('Widget', '--no-controller'))).code).toBe(0);
      expect(read('src/api/v1/widget.types.ts')).toBe(types);
      expect(read('config/crd/kustomization.yaml')).toContain('bases/example.com_widgetry.yaml');
      expect(read('config/samples/kustomization.yaml')).toContain('resources: []');
      expect(json('operator.json')['resources']).toEqual([
        expect.objectContaining({ plural: 'widgetry', scope: 'Cluster', controller: false, adopted: true }),
      ]);
      const before = tree();
      expect((await run(api('Widget', '--no-controller'))).stdout).toContain('nothing was changed');
      expect((await run(['upgrade'])).code).toBe(0);
      expect(tree()).toEqual(before);
    });

    it('adds a reconciler that knows nothing of their members, at once or later', async () => {
      expect((await run(api('Widget', '--no-controller'))).code).toBe(0);
      expect((await run(api('Widget', '--controller'))).code).toBe(0);
      const later = tree();
      const reconciler = read('src/controllers/widget-controller.ts');
      expect(reconciler).toContain("import { Widget } from '../api/v1/widget.js';");
      expect(reconciler).toContain("resources: ['widgetry']");
      expect(reconciler).not.toContain('others define');
      expect((await run(['delete', 'api', ...kindFlags('Widget'), '--force'])).code).toBe(0);
      put('src/api/v1/widget.types.ts', types);
      expect((await run(api('Widget'))).code).toBe(0);
      expect(tree()).toEqual(later);
    });

    it('moves them with the layout, and deletes them only by force', async () => {
      expect((await run(api('Widget'))).code).toBe(0);
      expect((await run(['edit', '--multigroup'])).stdout).toContain(
        'move      src/api/example.com/v1/widget.types.ts',
      );
      expect(read('src/api/example.com/v1/widget.types.ts')).toBe(types);
      const before = tree();
      const { code, stderr } = await run(['delete', 'api', ...kindFlags('Widget')]);
      expect(code).toBe(2);
      expect(stderr).toContain('src/api/example.com/v1/widget.types.ts was there before');
      expect(tree()).toEqual(before);
      expect((await run(['delete', 'api', ...kindFlags('Widget'), '--force'])).code).toBe(0);
      expect(Object.keys(tree()).filter((path) => path.includes('widget'))).toEqual([]);
    });

    it('writes its own in their place with --force', async () => {
      expect((await run(api('Widget', '--force'))).stdout).toContain('overwrite src/api/v1/widget.types.ts');
      expect(json('operator.json')['resources']).toEqual([expect.not.objectContaining({ adopted: true })]);
    });

    it.each([
      [
        'another plural',
        api('Widget', '--plural', 'widgets'),
        'its types are there already, and its plural is widgetry',
      ],
      ['another scope', api('Widget', '--scope', 'Namespaced'), 'its types are there already, and it is Cluster'],
      [
        'another group',
        ['api', '--group', 'other.com', '--version', 'v1', '--kind', 'Widget'],
        'src/api/v1/widget.types.ts declares Widget of example.com/v1, not of other.com/v1',
      ],
    ])('refuses %s', async (_what, argv, message) => {
      const before = tree();
      const { code, stderr } = await run(argv);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
      expect(tree()).toEqual(before);
    });
  });

  it.each([
    ['Apple', 'edit src/api/v1/apple.types.ts: what an Apple is'],
    ['Widget', 'edit src/api/v1/widget.types.ts: what a Widget is'],
  ])('says what comes next for %s', async (kind, step) => {
    expect((await run(api(kind, '--no-controller'))).stdout).toContain(step);
  });

  it('does not take any file of that name for the types of a kind', async () => {
    put('src/api/v1/widget.types.ts', '// mine\n');
    const before = tree();
    const { code, stderr } = await run(api('Widget', '--no-controller'));
    expect(code).toBe(2);
    expect(stderr).toContain('src/api/v1/widget.types.ts exists already');
    expect(tree()).toEqual(before);
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

  it.each([['api', ...kindFlags('Widget')], ['generate'], ['edit', '--helm']])(
    "refuses a project that yarn has installed by Plug'n'Play: %s",
    async (...argv) => {
      put('.pnp.cjs', '');
      const before = tree();
      const { code, stderr } = await run(argv);
      expect(code).toBe(2);
      expect(stderr).toContain("installed with Yarn Plug'n'Play");
      expect(stderr).toContain('"nodeLinker: node-modules"');
      expect(tree()).toEqual(before);
    },
  );

  it.each([
    ['api', ...kindFlags('Gadget')],
    ['delete', 'api', ...kindFlags('Widget')],
    ['edit', '--multigroup'],
  ])('says of nothing that it was done where it could not be written: %s', async (...argv) => {
    await run(api('Widget'));
    rmSync(join(project.root, 'src/generated'), { recursive: true });
    put('src/generated', 'a file');
    const before = tree();
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*src\/generated.*\n {2}help: nothing has been changed\n$/);
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

  it('forgets nothing when two run at once: the slower one is told to run again', async () => {
    const kinds = ['One', 'Two'];
    const results = await Promise.all(kinds.map((name) => run(api(name))));
    expect(results.map(({ code }) => code)).toContain(0);
    for (const [index, name] of kinds.entries()) {
      if (results[index]?.code === 0) continue;
      expect(results[index]?.stderr).toContain('another program has changed it meanwhile; run the command again');
      expect((await run(api(name))).code).toBe(0);
    }
    for (const name of kinds) expect(read('src/generated/registry.ts')).toContain(`register${name}Controller(manager)`);
    expect(json('operator.json')['resources']).toHaveLength(2);
  });

  it('works on after the user has moved main.ts', async () => {
    put('src/cmd/start.ts', read('src/main.ts'));
    rmSync(join(project.root, 'src/main.ts'));
    expect((await run(api('Widget'))).code).toBe(0);
    expect(existsSync(join(project.root, 'src/main.ts'))).toBe(false);
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
