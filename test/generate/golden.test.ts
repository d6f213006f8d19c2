// The types of fixtures/ beside what controller-gen wrote for the same types in Go. The outputs that they must give stand in
// fixtures/NAME/expected; where those differ from controller-gen's, fixtures/golden-differences.json says so and why.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../../tools/repository.ts';
import { fixtures } from '../fixtures.ts';
import { type Difference, differencesOf } from './golden-differences.ts';
import { fixtureProject, yamlBelow } from './fixture-project.ts';
import type { TestProject } from './project.ts';

/** The sets of `../shared/golden` with definitions that stand here in one notation, and how many definitions each has. */
const sets = [
  { set: 'cluster', count: 20 },
  { set: 'composition', count: 4 },
  { set: 'topology', count: 1 },
  { set: 'validation', count: 2 },
  { set: 'versions', count: 2 },
  { set: 'workload', count: 1 },
] as const;

const golden = join(root, '../shared/golden');

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function open(source: string): TestProject {
  const project = fixtureProject(source);
  projects.push(project);
  return project;
}

/** What only TypeScript has stands beside them. */
const all = [...sets, { set: 'forms', count: 1 }];

describe.each(all)('fixtures/$set', ({ set, count }) => {
  it('gives what is expected, byte for byte, and nothing that --check would change', async () => {
    const expected = yamlBelow(join(fixtures, set, 'expected'));
    expect(Object.keys(expected).filter((path) => path.startsWith('crd/'))).toHaveLength(count);
    const project = open(join(set, 'jsdoc'));
    const roles = Object.keys(expected).some((path) => path.startsWith('rbac/')) ? ['--rbac-dir', 'rbac'] : [];
    const flags = ['generate', '--source', 'src/**/*.types.ts', '--crd-dir', 'crd', ...roles];
    const { code, stderr } = await project.run(...flags);
    expect(stderr).not.toContain('error');
    expect(code).toBe(0);
    expect({ ...project.tree('crd'), ...(roles.length > 0 ? project.tree('rbac') : {}) }).toEqual(expected);
    expect((await project.run(...flags, '--check')).code).toBe(0);
  });
});

describe('fixtures/rbac', () => {
  it('gives the roles that are expected, byte for byte', async () => {
    const project = open('rbac/sources');
    const { code } = await project.run('generate', '--source', 'src/*.ts', '--rbac-dir', 'rbac');
    expect(code).toBe(0);
    expect(project.tree('rbac')).toEqual(yamlBelow(join(fixtures, 'rbac/expected')));
  });
});

interface KnownDifferences {
  /** Where the descriptions that controller-gen writes are those of Kubernetes' own types: file, and prefixes of pointers. */
  readonly foreignDescriptions: Readonly<Record<string, readonly string[]>>;
  readonly differences: readonly (Difference & { readonly file: string; readonly reason: string })[];
}

describe.skipIf(!existsSync(golden))('fixtures/*/expected beside controller-gen (needs ../shared/golden)', () => {
  const known = JSON.parse(readFileSync(join(fixtures, 'golden-differences.json'), 'utf8')) as KnownDifferences;
  const written = sets.flatMap(({ set }) =>
    globSync(`${set}/crds*/*.yaml`, { cwd: golden })
      .sort()
      .map((file) => ({ set, file })),
  );

  it('compares all definitions of these sets', () => {
    // Two of validation's and workload's folders hold the same kinds with other options.
    expect(written).toHaveLength(31);
    const files = new Set(written.map(({ file }) => basename(file)));
    expect(known.differences.filter(({ file }) => !files.has(file))).toEqual([]);
  });

  it.each(written)('defines what $file defines, but for the differences that are listed', ({ set, file }) => {
    const name = basename(file);
    const read = (path: string): unknown => parse(readFileSync(path, 'utf8'), { version: '1.1' });
    const ours = read(join(fixtures, set, 'expected/crd', name));
    const theirs = read(join(golden, file)) as { metadata: { annotations?: Record<string, string> } };
    const { 'controller-gen.kubebuilder.io/version': _, ...annotations } = theirs.metadata.annotations ?? {};
    theirs.metadata.annotations = annotations;
    if (Object.keys(annotations).length === 0) delete theirs.metadata.annotations;

    const withoutDescriptions = file.includes('/crds-nodesc/');
    const foreign = known.foreignDescriptions[name] ?? [];
    const found = differencesOf(ours, theirs).filter((difference) => {
      if (!difference.at.endsWith('/description')) return true;
      if (withoutDescriptions) return difference.theirs !== undefined;
      return difference.ours !== undefined || !foreign.some((prefix) => difference.at.startsWith(prefix));
    });
    const listed = known.differences
      .filter((difference) => difference.file === name)
      .map(({ file: _file, reason, ...difference }) => {
        expect(reason.length).toBeGreaterThan(20);
        return difference;
      });
    expect(found).toEqual(listed);
  });

  it.each(['rbac', 'workload'])('grants what the roles of %s grant', (set) => {
    const read = (path: string): Role[] =>
      parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Role);
    const ours = read(join(fixtures, set, 'expected/rbac/role.yaml'));
    const theirs = read(join(golden, set, 'rbac/role.yaml'));
    const names = (roles: readonly Role[]): unknown => roles.map(({ kind, metadata }) => ({ kind, metadata }));
    expect(names(ours)).toEqual(names(theirs));
    expect(ours.map(permissions)).toEqual(theirs.map(permissions));
  });
});

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** The single permissions of a role: what, which name or any, and which verb. */
function permissions({ rules }: Role): string[] {
  const single = rules.flatMap(
    ({ apiGroups = [], resources = [], resourceNames = [''], nonResourceURLs = [], verbs }) => {
      const objects = apiGroups.flatMap((group) =>
        resources.flatMap((resource) => resourceNames.map((name) => `${group}/${resource}/${name}`)),
      );
      return [...objects, ...nonResourceURLs].flatMap((object) => verbs.map((verb) => `${object} ${verb}`));
    },
  );
  return [...new Set(single)].sort();
}
