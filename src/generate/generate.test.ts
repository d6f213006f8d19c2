import { describe, expect, it } from 'vitest';
import type { Kind } from '../model/index.ts';
import { generate, type Outputs } from './generate.ts';
import { kind, model, rule, version } from './testing/model.ts';

const outputs: Outputs = {
  root: '/work',
  kubernetesVersion: { major: 1, minor: 34 },
  roleName: 'manager-role',
  kindRoles: false,
};
const all: Outputs = { ...outputs, crdDir: 'crd', rbacDir: 'rbac', clientDir: 'gen' };
const paths = (kinds: readonly Kind[], parts: Partial<Outputs> = {}): string[] =>
  generate(model(kinds, [rule({ groups: [''], resources: ['pods'] })]), { ...all, ...parts }).files.map(
    ({ path }) => path,
  );

describe('generate', () => {
  it('lets the roles of the cluster take in those of a kind on request', () => {
    const labels = (aggregateKindRoles: boolean): (string | undefined)[] =>
      generate(model([kind()]), { ...all, kindRoles: true, aggregateKindRoles })
        .files.filter(({ path }) => path.endsWith('_role.yaml'))
        .map(({ content }) => /aggregate-to-\w+: "true"/.exec(content)?.[0]);
    expect(labels(true)).toEqual(['admin', 'edit', 'view'].map((role) => `aggregate-to-${role}: "true"`));
    expect(labels(false)).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, Partial<Kind>, Partial<Outputs>, string]>([
    ['Roles', {}, {}, 'kind: Role\nmetadata:\n  name: widget-viewer-role\n  namespace: p-system\n'],
    [
      'ClusterRoles for kinds in no namespace',
      { scope: 'Cluster' },
      {},
      'kind: ClusterRole\nmetadata:\n  name: widget',
    ],
    [
      'ClusterRoles where these are taken in',
      {},
      { aggregateKindRoles: true },
      'kind: ClusterRole\nmetadata:\n  labels',
    ],
  ])('gives people %s in a project of single namespaces', (_, overrides, outputs, expected) => {
    const options = { ...all, kindRoles: true, kindRoleNamespace: 'p-system', ...outputs };
    const { files } = generate(model([kind(overrides)]), options);
    expect(files.find(({ path }) => path.includes('viewer'))?.content).toContain(expected);
  });

  it('writes each output into its folder, in the order of paths', () => {
    expect(paths([kind()])).toEqual(['crd/example.com_widgets.yaml', 'gen/v1/widget.ts', 'rbac/role.yaml']);
  });

  it('leaves out the outputs that have no folder', () => {
    const kinds = model([kind()], [rule({ groups: [''], resources: ['pods'] })]);
    expect(generate(kinds, outputs).files).toEqual([]);
    expect(generate(kinds, { ...outputs, crdDir: '.' }).files.map(({ path }) => path)).toEqual([
      'example.com_widgets.yaml',
    ]);
  });

  it('writes no role.yaml without permissions', () => {
    expect(generate(model([kind()]), all)).toMatchObject({ roles: 0 });
    expect(generate(model([kind()]), all).files.map(({ path }) => path)).not.toContain('rbac/role.yaml');
  });

  it('counts roles, and those of kinds', () => {
    const rules = [
      rule({ groups: [''], resources: ['pods'] }),
      rule({ groups: [''], resources: ['pods'], namespace: 'a' }),
    ];
    expect(generate(model([kind()], rules), { ...all, kindRoles: true }).roles).toBe(5);
  });

  it('tells the roles of kinds of one name in two groups apart', () => {
    const twice = [kind(), kind({ group: 'other.com' })];
    expect(paths(twice, { kindRoles: true }).filter((path) => path.includes('viewer'))).toEqual([
      'rbac/example.com_widget_viewer_role.yaml',
      'rbac/other.com_widget_viewer_role.yaml',
    ]);
    const { files } = generate(model(twice), { ...all, kindRoles: true });
    expect(files.find(({ path }) => path.endsWith('other.com_widget_viewer_role.yaml'))?.content).toContain(
      'name: other.com-widget-viewer-role\n',
    );
  });

  it('refuses to write one path twice', () => {
    const twice = generate(model([kind(), kind()]), { ...outputs, crdDir: 'crd' });
    expect(twice.diagnostics).toMatchObject([{ code: 'CO2300', severity: 'error' }]);
  });

  it('gives no files when anything is wrong, and all that is wrong in the order of places', () => {
    const broken = kind({
      versions: [
        version({ printerColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.none', position: rule().position }] }),
      ],
    });
    const generated = generate(model([broken], [rule({ groups: ['apps'], resources: ['pods'] })]), all);
    expect(generated.files).toEqual([]);
    expect(generated.diagnostics.map(({ code }) => code)).toEqual(['CO2011', 'CO2106']);
  });

  it('gives the same for the same model', () => {
    expect(generate(model([kind()]), all)).toEqual(generate(model([kind()]), all));
  });
});
