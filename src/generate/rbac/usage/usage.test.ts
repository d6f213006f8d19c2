import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallReport, PermissionUse, UnresolvedCall } from '../../../model/index.ts';
import { at, rule } from '../../testing/model.ts';
import { rolesOf } from '../rules.ts';
import { compareUsage, derivedRules } from './index.ts';
import { coverage, type Grant } from './grants.ts';

const position = at(10, 3, 'src/controllers/widget-controller.ts');
const use = (verb: string, parts: Partial<PermissionUse> = {}): PermissionUse => ({
  group: 'example.com',
  resource: 'widgets',
  verb,
  reason: `client.${verb}(Widget)`,
  position,
  ...parts,
});
const grant = (parts: Partial<Grant> = {}): Grant => ({
  groups: ['example.com'],
  resources: ['widgets'],
  resourceNames: [],
  verbs: ['get'],
  ...parts,
});
const report = (uses: readonly PermissionUse[], unresolved: readonly UnresolvedCall[] = []): CallReport => ({
  uses,
  optional: [],
  unresolved,
  places: [],
  makesManager: true,
  namespacedCache: false,
});

describe('coverage', () => {
  it.each<[string, Partial<Grant>, Partial<PermissionUse>, string]>([
    ['the same', {}, {}, 'granted'],
    ['another verb', { verbs: ['list'] }, {}, 'not'],
    ['all verbs', { verbs: ['*'] }, {}, 'granted'],
    ['another group', { groups: ['other.com'] }, {}, 'not'],
    ['all groups', { groups: ['*'] }, {}, 'granted'],
    ['all resources', { resources: ['*'] }, { resource: 'widgets/status' }, 'granted'],
    ['the main resource for a subresource', {}, { resource: 'widgets/status' }, 'not'],
    ['a subresource for the main resource', { resources: ['widgets/status'] }, {}, 'not'],
    ['a subresource of all', { resources: ['*/status'] }, { resource: 'widgets/status' }, 'granted'],
    ['another subresource of all', { resources: ['*/scale'] }, { resource: 'widgets/status' }, 'not'],
    ['all subresources, which RBAC does not know', { resources: ['widgets/*'] }, { resource: 'widgets/status' }, 'not'],
    ['the name', { resourceNames: ['a', 'b'] }, { name: 'b' }, 'granted'],
    ['another name', { resourceNames: ['a'] }, { name: 'b' }, 'not'],
    ['a name, and it is not known which', { resourceNames: ['a'] }, {}, 'partly'],
    ['a name for a list', { resourceNames: ['a'], verbs: ['list'] }, { verb: 'list' }, 'not'],
    ['a name for a list of one', { resourceNames: ['a'], verbs: ['list'] }, { verb: 'list', name: 'a' }, 'granted'],
    ['a name for a create', { resourceNames: ['a'], verbs: ['create'] }, { verb: 'create' }, 'not'],
    ['the namespace', { namespace: 'n' }, { namespace: 'n' }, 'granted'],
    ['another namespace', { namespace: 'n' }, { namespace: 'm' }, 'not'],
    ['a namespace, and it is not known which', { namespace: 'n' }, {}, 'not'],
    ['a namespace for the own one', { namespace: 'n' }, { ownNamespace: true }, 'granted'],
    ['a namespace for what has none', { namespace: 'n' }, { clusterScoped: true, ownNamespace: true }, 'not'],
  ])('%s', (_title, granted, used, expected) => {
    expect(coverage([grant(granted)], use(used.verb ?? 'get', used), false)).toBe(expected);
  });

  it('takes any namespace where the manager may watch single ones', () => {
    expect(coverage([grant({ namespace: 'n' })], use('get'), true)).toBe('granted');
  });
});

describe('compareUsage', () => {
  const marker = rule({ groups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list'] });
  const compare = (calls: CallReport, rules = [marker], others: readonly Grant[] = []) =>
    compareUsage({ calls, policyRules: rules, roleName: 'manager-role', others });

  it('is silent when all is used and granted', () => {
    const usage = compare(report([use('get'), use('list')]));
    expect(usage.diagnostics).toEqual([]);
    expect(usage.missing).toEqual([]);
  });

  it('refuses what is used and not granted, once for each call and resource', () => {
    const usage = compare(
      report([use('get'), use('list'), use('watch', { reason: 'a' }), use('patch', { reason: 'a' })]),
    );
    expect(usage.missing.map(({ verb }) => verb)).toEqual(['watch', 'patch']);
    expect(usage.diagnostics).toEqual([
      {
        code: 'CO2120',
        severity: 'error',
        message: 'a needs watch, patch on widgets.example.com, which is not granted',
        position,
        remedy:
          "write @Rbac({ groups: ['example.com'], resources: ['widgets'], verbs: ['watch', 'patch'] }), or run create-operator rbac --write",
      },
    ]);
  });

  it('neither asks for what is optional nor says that it is not used', () => {
    const calls = { ...report([use('get')]), optional: [use('list'), use('watch')] };
    const usage = compare(calls);
    expect(usage.diagnostics).toEqual([]);
    expect(usage.missing).toEqual([]);
    expect(usage.resources[0]?.verbs.map(({ verb, state, needed }) => [verb, state, needed])).toEqual([
      ['get', 'granted', true],
      ['list', 'granted', false],
      ['watch', 'not', false],
    ]);
  });

  it('says where it is granted when that is elsewhere', () => {
    const usage = compare(report([use('get'), use('list')]), [{ ...marker, namespace: 'zoo' }]);
    expect(usage.diagnostics[0]?.message).toContain('which is granted in zoo only');
  });

  it('warns of what is granted and not used, at its marker', () => {
    const usage = compare(report([use('get')]));
    expect(usage.diagnostics).toEqual([
      {
        code: 'CO2121',
        severity: 'warning',
        message: 'list on widgets.example.com: granted and not used',
        position: marker.position,
      },
    ]);
  });

  it('says nothing of urls, of verbs that no call can need, and of roles of others', () => {
    const rules = [
      rule({ urls: ['/metrics'], verbs: ['get'] }),
      rule({ groups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['bind', 'escalate'] }),
      rule({ groups: ['example.com'], resources: ['widgets'], verbs: ['get'], role: 'widget-viewer' }),
    ];
    expect(compare(report([]), rules).diagnostics).toEqual([]);
  });

  it('does not count the roles of others as granted', () => {
    const usage = compare(report([use('get')]), [{ ...marker, verbs: ['get'], role: 'widget-viewer' }]);
    expect(usage.missing).toHaveLength(1);
  });

  it('counts what bound roles grant', () => {
    expect(compare(report([use('get')]), [], [grant()]).diagnostics).toEqual([]);
  });

  it('lists unresolved calls, and does not swear by what seems unused then', () => {
    const call = { call: 'client.delete(kind)', problem: 'kind is a parameter', verbs: ['delete'], position };
    const usage = compare(report([use('get')], [call]));
    expect(usage.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['CO2121', 'list on widgets.example.com: granted and not used by any call that could be resolved'],
      ['CO2122', 'it is not known on which resource it needs delete for client.delete(kind): kind is a parameter'],
    ]);
  });

  it('warns where only some names are granted and the name is not known', () => {
    const usage = compare(report([use('get')]), [{ ...marker, verbs: ['get'], resourceNames: ['a'] }]);
    expect(usage.diagnostics).toEqual([expect.objectContaining({ code: 'CO2123', severity: 'warning', position })]);
  });

  it('reports verbs in their usual order, with reasons and markers', () => {
    const [usage] = compare(report([use('watch'), use('get')])).resources;
    expect(
      usage?.verbs.map(({ verb, state, reasons, grantedBy }) => [verb, state, reasons.length, grantedBy.length]),
    ).toEqual([
      ['get', 'granted', 1, 1],
      ['list', 'granted', 0, 1],
      ['watch', 'not', 1, 0],
    ]);
  });
});

describe('derivedRules', () => {
  // Of one namespace beside none: any Role counts for the operator's own.
  const anyUse = (namespace: string): fc.Arbitrary<PermissionUse> =>
    fc
      .record({
        group: fc.constantFrom('', 'a.com'),
        resource: fc.constantFrom('x', 'y', 'x/status'),
        verb: fc.constantFrom('get', 'list', 'patch'),
        name: fc.constantFrom(undefined, 'n', 'm'),
        place: fc.constantFrom(undefined, namespace),
      })
      .map(({ name, place, ...rest }): PermissionUse => ({
        ...rest,
        ...(name === undefined || rest.verb === 'list' ? {} : { name }),
        ...(place === undefined ? {} : place === 'own' ? { ownNamespace: true } : { namespace: place }),
        reason: 'r',
        position,
      }));

  it('grants all that is used, and nothing is left over when any one permission is taken away', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('ns', 'own').chain((namespace) => fc.array(anyUse(namespace), { maxLength: 8 })),
        (uses) => {
          const rules = derivedRules(uses, 'own-system');
          const calls = report(uses);
          const missing = (policyRules: typeof rules): number =>
            compareUsage({ calls, policyRules, roleName: 'r', others: [] }).diagnostics.filter(
              ({ code }) => code === 'CO2120' || code === 'CO2123',
            ).length;
          expect(missing(rules)).toBe(0);
          for (const role of rolesOf(rules, 'r')) {
            for (const merged of role.rules) {
              for (const group of merged.groups) {
                for (const resource of merged.resources) {
                  for (const verb of merged.verbs) {
                    for (const name of merged.resourceNames.length === 0 ? [undefined] : merged.resourceNames) {
                      const without = rules.filter(
                        (each) =>
                          !(
                            each.groups.includes(group) &&
                            each.resources.includes(resource) &&
                            each.verbs.includes(verb) &&
                            each.namespace === role.namespace &&
                            each.resourceNames[0] === name
                          ),
                      );
                      expect(missing(without)).toBeGreaterThan(0);
                    }
                  }
                }
              }
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
