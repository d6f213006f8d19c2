import { existsSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { PolicyRule } from '../../model/index.ts';
import { rule } from '../testing/model.ts';
import { emitRoles } from './role.ts';
import { type MergedRule, mergeRules, rolesOf } from './rules.ts';

const list = (text: string | undefined): string[] =>
  text === undefined ? [] : text.split(';').map((item) => item.replaceAll('"', ''));

/** Reads the arguments of a `+kubebuilder:rbac:` marker. */
function marker(line: string): PolicyRule {
  const values = new Map(line.split(',').map((part) => part.split('=') as [string, string]));
  const namespace = values.get('namespace');
  const role = values.get('roleName');
  return rule({
    groups: list(values.get('groups')),
    resources: list(values.get('resources')),
    resourceNames: list(values.get('resourceNames')),
    urls: list(values.get('urls')),
    verbs: list(values.get('verbs')),
    ...(namespace === undefined ? {} : { namespace }),
    ...(role === undefined ? {} : { role }),
  });
}

type Grant = Pick<MergedRule, 'groups' | 'resources' | 'resourceNames' | 'urls' | 'verbs'>;

/** All single permissions of rules; a `*` among verbs takes in the others of the same object. */
function permissions(rules: readonly Grant[]): Set<string> {
  const all = rules.flatMap((each) => {
    const names = each.resourceNames.length === 0 ? [null] : each.resourceNames;
    const targets = [
      ...each.urls.map((url) => ['url', url]),
      ...each.groups.flatMap((group) =>
        each.resources.flatMap((resource) => names.map((name) => [group === 'core' ? '' : group, resource, name])),
      ),
    ];
    return targets.flatMap((target) => each.verbs.map((verb) => ({ target: JSON.stringify(target), verb })));
  });
  const stars = new Set(all.filter(({ verb }) => verb === '*').map(({ target }) => target));
  return new Set(
    all.filter(({ target, verb }) => verb === '*' || !stars.has(target)).map(({ target, verb }) => `${target} ${verb}`),
  );
}

describe('mergeRules', () => {
  it('does not lose the rule that controller-gen loses', () => {
    const merged = mergeRules([
      marker('groups=g1,resources=x,verbs=get'),
      marker('groups=g2,resources=x,verbs=get'),
      marker('groups=g1;g2,resources=x,verbs=list'),
    ]);
    expect(merged.map(({ groups, verbs }) => ({ groups, verbs }))).toEqual([
      { groups: ['g1', 'g2'], verbs: ['get'] },
      { groups: ['g1', 'g2'], verbs: ['list'] },
    ]);
  });

  it('does not lose urls either', () => {
    const markers = [marker('urls=/a,verbs=get'), marker('urls=/b,verbs=get'), marker('urls=/a;/b,verbs=post')];
    expect(permissions(mergeRules(markers))).toEqual(permissions(markers));
  });

  it('keeps main resources and subresources apart though all else is equal', () => {
    const merged = mergeRules([
      marker('groups=apps,resources=daemonsets;daemonsets/status;replicasets/*;replicasets,verbs=get'),
    ]);
    expect(merged.map(({ resources }) => resources)).toEqual([
      ['daemonsets', 'replicasets'],
      ['daemonsets/status', 'replicasets/*'],
    ]);
  });

  const lists = (items: readonly string[], minLength: number): fc.Arbitrary<string[]> =>
    fc.array(fc.constantFrom(...items), { minLength, maxLength: 3 });
  const verbs = lists(['get', 'list', 'create', '*'], 1);
  const anyRule = fc.oneof(
    fc
      .record({
        groups: lists(['', 'core', 'g1', 'g2', '*'], 1),
        resources: lists(['x', 'y', 'x/status', 'y/status', '*', '*/scale'], 1),
        resourceNames: lists(['n1', 'n2'], 0),
        verbs,
      })
      .map((parts) => rule(parts)),
    fc.record({ urls: lists(['/a', '/b', '/c/*'], 1), verbs }).map((parts) => rule(parts)),
  );

  it('neither gains nor loses a permission, and the order of markers does not count', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (rules, random) => {
        const merged = mergeRules(rules);
        expect(permissions(merged)).toEqual(permissions(rules));
        for (const each of merged) {
          expect(new Set(each.resources.map((resource) => resource.includes('/'))).size).toBeLessThan(2);
          expect(each.urls.length > 0).toBe(each.resources.length === 0);
          for (const members of Object.values(each) as string[][])
            expect(members).toEqual([...new Set(members)].sort());
        }
        const shuffled = rules
          .map((each) => ({ each, key: random.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ each }) => each);
        expect(mergeRules(shuffled)).toEqual(merged);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps every permission in the role and the namespace of its marker', () => {
    const placed = fc
      .tuple(anyRule, fc.constantFrom(undefined, 'ns1', 'ns2'), fc.constantFrom(undefined, 'main', 'other'))
      .map(([parts, namespace, role]) => ({
        ...parts,
        ...(namespace === undefined ? {} : { namespace }),
        ...(role === undefined ? {} : { role }),
      }));
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 12 }), (markers) => {
        const roles = rolesOf(markers, 'main');
        const keys = roles.map(({ namespace, name }) => `${namespace ?? ''}/${name}`);
        // Roles without a namespace first, then by namespace and name, each once.
        expect(keys).toEqual([...new Set(keys)].sort());
        for (const marker of markers) expect(keys).toContain(`${marker.namespace ?? ''}/${marker.role ?? 'main'}`);
        for (const { namespace, name, rules } of roles) {
          const own = markers.filter((each) => each.namespace === namespace && (each.role ?? 'main') === name);
          expect(permissions(rules)).toEqual(permissions(own));
        }
      }),
      { numRuns: 300 },
    );
  });
});

const golden = new URL('../../../../shared/golden/rbac/', import.meta.url);

describe.skipIf(!existsSync(golden))('emitRoles beside controller-gen (needs ../shared/golden)', () => {
  interface Role {
    kind: string;
    metadata: { name: string; namespace?: string };
    rules: {
      apiGroups?: string[];
      resources?: string[];
      resourceNames?: string[];
      nonResourceURLs?: string[];
      verbs: string[];
    }[];
  }
  const read = (text: string): Role[] => parseAllDocuments(text).map((document) => document.toJS() as Role);
  const grants = (role: Role): Set<string> =>
    permissions(
      role.rules.map((each) => ({
        groups: each.apiGroups ?? [],
        resources: each.resources ?? [],
        resourceNames: each.resourceNames ?? [],
        urls: each.nonResourceURLs ?? [],
        verbs: each.verbs,
      })),
    );

  it('gives the same roles, in the same order, with the same permissions', () => {
    const source = readFileSync(new URL('input.go', golden), 'utf8');
    const markers = [...source.matchAll(/^\/\/ \+kubebuilder:rbac:(.*)$/gm)].map((match) => marker(match[1] ?? ''));
    const ours = read(emitRoles(rolesOf(markers, 'manager-role')));
    const theirs = read(readFileSync(new URL('rbac/role.yaml', golden), 'utf8'));
    expect(ours.map(({ kind, metadata }) => ({ kind, metadata }))).toEqual(
      theirs.map(({ kind, metadata }) => ({ kind, metadata })),
    );
    expect(ours.map(grants)).toEqual(theirs.map(grants));
    // Beside the one rule that names main resources and subresources, the rules are the same, too.
    const mixed =
      theirs[0]?.rules.filter(({ resources = [] }) => new Set(resources.map((name) => name.includes('/'))).size > 1) ??
      [];
    expect(mixed).toHaveLength(1);
    expect(ours[0]?.rules).toHaveLength((theirs[0]?.rules.length ?? 0) + 1);
  });
});
