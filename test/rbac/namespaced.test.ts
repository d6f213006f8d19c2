// create-operator rbac in a project whose operator works in its own namespace.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WidgetProject } from './widget-project.ts';

const controller = 'src/controllers/widget-controller.ts';

let project: WidgetProject;
beforeAll(async () => {
  project = await WidgetProject.create('--namespaced');
}, 120_000);
afterAll(() => project?.remove());

describe('create-operator rbac in a namespaced project', () => {
  it('finds all granted by Roles', async () => {
    expect(await project.run('generate')).toMatchObject({ code: 0 });
    expect(await project.run('rbac', '--check')).toMatchObject({ code: 0, stderr: '' });
    expect(await project.run('generate', '--check')).toMatchObject({ code: 0, stderr: '' });
  });

  it('derives a Role, and inserts markers for it', async () => {
    const { stdout } = await project.run('rbac', '--format', 'yaml');
    expect(stdout).toContain('kind: Role\nmetadata:\n  name: manager-role\n  namespace: my-operator-system\n');
    expect(stdout).not.toContain('ClusterRole');
    const before = project.read(controller);
    project.edit(controller, (text) => text.replace(/^@Rbac.*\n/gm, ''));
    const check = await project.run('rbac', '--check');
    expect(check.code).toBe(1);
    expect(check.stderr).toContain("verbs: ['patch'], namespace: 'my-operator-system' })");
    expect(await project.run('rbac', '--write')).toMatchObject({ code: 0 });
    const markers = (text: string): string[] =>
      text.match(/^@Rbac[^]*?\}\)$/gm)?.map((each) => each.replaceAll(/,?\s+/g, '')) ?? [];
    expect(markers(project.read(controller))).toEqual(markers(before));
  });
});
