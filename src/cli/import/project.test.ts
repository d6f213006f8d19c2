import { describe, expect, it } from 'vitest';
import { scaffoldedFolder } from '../../../test/support/scaffolded-folder.ts';

const project = scaffoldedFolder();
const { json, put, read, run, tree } = project;

function definition(kind: string, group: string, plural: string, scope = 'Namespaced', ...versions: string[]): string {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  });
}

const manifest = [
  definition('Grid', 'db.example.com', 'gridlings', 'Cluster', 'v1', 'v1beta1'),
  definition('Record', 'db.example.com', 'records', 'Namespaced', 'v1'),
].join('\n---\n');
const types = ['import', 'crds.yaml', '--types', '--out', 'src/api'];

describe('import --types into the folder of declarations of a project', () => {
  it('registers the kinds with their plural and scope, once', async () => {
    put('crds.yaml', manifest);
    const { code, stdout } = await run(types);
    expect(code).toBe(0);
    expect(stdout).toContain('create    src/api/v1beta1/grid.types.ts\n');
    expect(json('operator.json')['resources']).toMatchObject([
      { version: 'v1', kind: 'Grid', plural: 'gridlings', scope: 'Cluster', controller: false, adopted: true },
      { version: 'v1beta1', kind: 'Grid', plural: 'gridlings' },
      { version: 'v1', kind: 'Record', plural: 'records', scope: 'Namespaced' },
    ]);
    expect(read('config/crd/kustomization.yaml').match(/- bases\/.*/g)).toEqual([
      '- bases/db.example.com_gridlings.yaml',
      '- bases/db.example.com_records.yaml',
    ]);
    expect(read('config/rbac/kustomization.yaml')).toContain('grid_viewer_role.yaml');
    const before = tree();
    expect((await run(types)).stdout).toBe('The project has the 2 kinds already; nothing was changed\n');
    expect(tree()).toEqual(before);
  });

  it('writes a folder for each API group where the project has them', async () => {
    put('crds.yaml', manifest + '\n---\n' + definition('Grid', 'other.example.com', 'grids', 'Namespaced', 'v1'));
    const single = await run(types);
    expect(single).toMatchObject({ code: 2, stderr: expect.stringContaining('create-operator edit --multigroup') });
    expect((await run(['edit', '--multigroup'])).code).toBe(0);
    expect((await run(types)).code).toBe(0);
    expect(read('src/api/other.example.com/v1/grid.types.ts')).toContain("group: 'other.example.com'");
    expect(read('src/api/db.example.com/v1/record.types.ts')).toContain('class Record');
  });

  it('lists types that are there already and differ, and changes nothing', async () => {
    put('crds.yaml', manifest);
    put('src/api/v1/grid.types.ts', '// mine\n');
    const before = tree();
    const { code, stderr } = await run(types);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: a file stands in the way:\n {2}src\/api\/v1\/grid\.types\.ts\n {2}help: /);
    expect(tree()).toEqual(before);
  });

  it('says where types belong that are written elsewhere in a project', async () => {
    put('crds.yaml', manifest);
    const { stdout } = await run(['import', 'crds.yaml', '--types', '--out', 'src/imported']);
    expect(stdout).toContain('generate reads types below src/api only');
    expect(json('operator.json')['resources']).toEqual([]);
  });

  it('keeps the reconciler of a kind that is imported again', async () => {
    put('crds.yaml', manifest);
    await run(types);
    const kind = ['--group', 'db.example.com', '--version', 'v1', '--kind', 'Grid'];
    expect((await run(['api', ...kind, '--controller'])).code).toBe(0);
    expect((await run(types)).stdout).toContain('nothing was changed');
    expect(json('operator.json')['resources']).toMatchObject([{ controller: true }, {}, {}]);
  });
});
