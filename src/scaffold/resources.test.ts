import { describe, expect, it } from 'vitest';
import type { OperatorFile, ProjectResource } from '../project/operator-file.ts';
import { ResourceError, type WantedResource, withChoices, withoutResource, withResource } from './resources.ts';

const widget: ProjectResource = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  controller: true,
};
const wanted: WantedResource = { ...widget, scope: undefined, controller: undefined };
const project = (resources: readonly ProjectResource[] = [], choices: Partial<OperatorFile> = {}): OperatorFile => ({
  projectName: 'op',
  ...choices,
  resources,
});

describe('withResource', () => {
  it('adds a kind, by default namespaced and with a reconciler', () => {
    expect(withResource(project(), wanted)).toEqual({ project: project([widget]), resource: widget, isNew: true });
  });

  it('gives the same project when the kind is there, and takes what is not said from it', () => {
    const cluster = { ...widget, scope: 'Cluster' as const, controller: false, mine: 1 };
    const { project: same, isNew } = withResource(project([cluster]), wanted);
    expect(same).toEqual(project([cluster]));
    expect(isNew).toBe(false);
  });

  it('adds a version with the scope of the others and without a second reconciler', () => {
    const first = { ...widget, scope: 'Cluster' as const };
    expect(withResource(project([first]), { ...wanted, version: 'v2' }).resource).toEqual({
      ...first,
      version: 'v2',
      controller: false,
      storage: false,
    });
    const { resource } = withResource(project([{ ...first, controller: false }]), { ...wanted, version: 'v2' });
    expect(resource.controller).toBe(true);
  });

  it('gives a kind a reconciler, or takes it, when that is said', () => {
    const plain = { ...widget, controller: false };
    expect(withResource(project([plain]), { ...wanted, controller: true }).project).toEqual(project([widget]));
    expect(withResource(project([widget]), { ...wanted, controller: false }).project).toEqual(project([plain]));
  });

  it('takes kinds of one name in several groups where each has its folder', () => {
    const other = { ...wanted, group: 'other.io' };
    expect(withResource(project([widget], { multigroup: true }), other).project.resources).toHaveLength(2);
  });

  it.each<[string, OperatorFile, Partial<WantedResource>, RegExp]>([
    ['another scope', project([widget]), { scope: 'Cluster' }, /Widget is Namespaced/],
    ['another scope in another version', project([widget]), { version: 'v2', scope: 'Cluster' }, /one scope for good/],
    ['another case', project([widget], { multigroup: true }), { kind: 'WIDGET' }, /has the kind Widget already/],
    ['the name of another group', project([widget]), { group: 'other.io' }, /would stand in the same files/],
    ['a second reconciler', project([widget]), { version: 'v2', controller: true }, /reconciler for v1 already/],
    [
      'a cluster-scoped kind in a namespaced project',
      project([], { namespaced: true }),
      { scope: 'Cluster' },
      /single namespaces/,
    ],
    ['nothing of a kind of others', project(), { types: 'core', controller: false }, /nothing is left/],
  ])('refuses %s', (_what, file, parts, message) => {
    expect(() => withResource(file, { ...wanted, ...parts })).toThrow(ResourceError);
    expect(() => withResource(file, { ...wanted, ...parts })).toThrow(message);
  });
});

describe('withoutResource', () => {
  it('takes one version', () => {
    const second = { ...widget, version: 'v2' };
    expect(withoutResource(project([widget, second]), widget)).toEqual({
      project: project([second]),
      resource: widget,
    });
  });

  it('names what there is where there is no such kind', () => {
    for (const [file, hint] of [
      [project([widget]), 'it has Widget (example.com/v1)'],
      [project(), 'it has no kinds'],
    ] as const) {
      try {
        withoutResource(file, { ...widget, version: 'v3' });
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ message: 'the project has no kind Widget of example.com/v3', hint });
      }
    }
  });
});

describe('withChoices', () => {
  it('changes choices and keeps all else', () => {
    const file = project([widget], { allowedTags: ['x'], helm: true });
    expect(withChoices(file, { helm: false, namespaced: true })).toEqual({ ...file, helm: false, namespaced: true });
  });

  const cluster = { ...widget, scope: 'Cluster' as const };
  const twin = { ...widget, group: 'other.io' };
  it.each<[string, OperatorFile, Partial<OperatorFile>, RegExp]>([
    [
      'single namespaces for cluster-scoped kinds',
      project([cluster]),
      { namespaced: true },
      /Widget is cluster-scoped/,
    ],
    [
      'one folder for kinds of one name',
      project([widget, twin], { multigroup: true }),
      { multigroup: false },
      /example\.com and other\.io/,
    ],
  ])('refuses %s', (_what, file, choices, message) => {
    expect(() => withChoices(file, choices as object)).toThrow(ResourceError);
    expect(() => withChoices(file, choices as object)).toThrow(message);
  });

  it('lets cluster-scoped types without a reconciler be', () => {
    expect(withChoices(project([{ ...cluster, controller: false }]), { namespaced: true }).namespaced).toBe(true);
  });
});
