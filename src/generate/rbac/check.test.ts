import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../model/index.ts';
import { kind, model, rule } from '../testing/model.ts';
import { builtInResources } from './built-in-resources.ts';
import { checkRules } from './check.ts';

const core = { groups: [''], verbs: ['get'] };

describe('checkRules', () => {
  it.each<[string, Partial<PolicyRule>]>([
    ['core resources', { groups: ['', 'core'], resources: ['pods', 'pods/log', '*', '*/scale', 'secrets/finalizers'] }],
    ['own kinds', { groups: ['example.com'], resources: ['widgets', 'widgets/status', 'widgets/finalizers'] }],
    ['unknown groups', { groups: ['acme.io'], resources: ['anything', 'anything/else'] }],
    ['any group', { groups: ['*'], resources: ['pods'] }],
    ['a resource of one of several groups', { groups: ['apps', 'batch'], resources: ['deployments', 'jobs'] }],
    [
      'an old group beside a known one',
      { groups: ['extensions', 'networking.k8s.io'], resources: ['ingresses', 'daemonsets'] },
    ],
    [
      'authorizer resources',
      {
        groups: ['', 'certificates.k8s.io'],
        resources: ['nodes/metrics', 'users', 'signers'],
        verbs: ['impersonate', 'sign'],
      },
    ],
    [
      'constrained impersonation',
      {
        groups: ['authentication.k8s.io'],
        resources: ['users', 'userextras/scopes'],
        verbs: ['impersonate:user-info'],
      },
    ],
    ['names', { ...core, resources: ['secrets'], resourceNames: ['a'], verbs: ['get', 'update', 'list', 'watch'] }],
    ['create by name on a subresource', { ...core, resources: ['pods/exec'], resourceNames: ['a'], verbs: ['create'] }],
    ['urls', { urls: ['/metrics', '/debug/*', '*'], verbs: ['get', 'post'] }],
    ['a role in a namespace', { ...core, resources: ['pods'], namespace: 'ns-1', role: 'a:b' }],
  ])('passes %s', (_name, parts) => {
    expect(checkRules(model([kind()], [rule(parts)]))).toEqual([]);
  });

  it.each<[string, Partial<PolicyRule>, string, string]>([
    ['no verbs', { ...core, resources: ['pods'], verbs: [] }, 'CO2100', 'no verbs'],
    ['urls and resources', { ...core, resources: ['pods'], urls: ['/metrics'] }, 'CO2101', 'urls and resources'],
    ['urls in a namespace', { urls: ['/metrics'], namespace: 'a' }, 'CO2102', 'in a namespace'],
    ['a url without its slash', { urls: ['metrics'] }, 'CO2103', 'never matches'],
    ['a url with a wildcard within', { urls: ['/a/*/b'] }, 'CO2103', 'only at its end'],
    ['nothing to grant', {}, 'CO2104', 'neither resources nor urls'],
    ['resources without groups', { resources: ['pods'] }, 'CO2104', 'no groups'],
    ['a group with a version', { groups: ['apps/v1'], resources: ['deployments'] }, 'CO2105', 'no version'],
    ['a role name', { ...core, resources: ['pods'], role: 'a/b' }, 'CO2108', 'no name of a role'],
    ['a namespace', { ...core, resources: ['pods'], namespace: 'A_b' }, 'CO2109', 'no name of a namespace'],
    ['all subresources of all', { groups: ['*'], resources: ['*/*'] }, 'CO2112', 'never matches'],
    ['a wildcard within a resource', { groups: ['acme.io'], resources: ['thing*'] }, 'CO2112', 'never matches'],
    ['a wildcard within a group', { groups: ['*.acme.io'], resources: ['things'] }, 'CO2112', 'only by itself'],
  ])('refuses %s', (_name, parts, code, message) => {
    expect(checkRules(model([kind()], [rule(parts)]))).toEqual([
      expect.objectContaining({
        code,
        severity: 'error',
        message: expect.stringContaining(message),
        position: rule().position,
      }),
    ]);
  });

  it.each<[Partial<PolicyRule>, string]>([
    [{ groups: ['apps'], resources: ['deployment'] }, 'deployments'],
    [{ groups: ['core'], resources: ['Pods'] }, 'pods'],
    [{ groups: ['apps'], resources: ['deployments/statuss'] }, 'deployments/status'],
    [{ groups: ['apps'], resources: ['deployment/status'] }, 'deployments/status'],
    [{ groups: [''], resources: ['pods/exce'] }, 'pods/exec'],
    [{ groups: ['apps'], resources: ['deployments/scales'] }, 'deployments/scale'],
    [{ groups: ['example.com'], resources: ['widget'] }, 'widgets'],
    [{ groups: ['apps', 'batch'], resources: ['cronjob'] }, 'cronjobs'],
  ])('suggests a resource for %j', (parts, suggestion) => {
    const [diagnostic, ...others] = checkRules(model([kind()], [rule(parts)]));
    expect(others).toEqual([]);
    expect(diagnostic).toMatchObject({ code: 'CO2106', severity: 'error', remedy: `did you mean "${suggestion}"?` });
  });

  it.each([
    ['app', 'apps'],
    ['Apps', 'apps'],
    ['bacth', 'batch'],
    ['networking', 'networking.k8s.io'],
    ['rbac', 'rbac.authorization.k8s.io'],
    ['coordination.k8s.oi', 'coordination.k8s.io'],
    ['event.k8s.io', 'events.k8s.io'],
  ])('refuses the group %s and suggests %s', (group, suggestion) => {
    expect(checkRules(model([kind()], [rule({ groups: [group], resources: ['anything'] })]))).toEqual([
      expect.objectContaining({ code: 'CO2111', severity: 'error', remedy: `did you mean "${suggestion}"?` }),
    ]);
  });

  it.each([
    'metrics.k8s.io',
    'gateway.networking.k8s.io',
    'snapshot.storage.k8s.io',
    'autoscaling.k8s.io',
    'app.k8s.io',
    'apps.kruise.io',
    'cluster.x-k8s.io',
    'extensions',
    'monitoring.coreos.com',
    'g1',
  ])('passes the group %s of others', (group) => {
    expect(checkRules(model([kind()], [rule({ groups: [group], resources: ['anything'] })]))).toEqual([]);
  });

  it.each([
    [{ groups: [''], resources: ['configmaps/status'] }],
    [{ groups: ['apps'], resources: ['daemonsets/scale'] }],
    [{ groups: ['example.com'], resources: ['widgets/log'] }],
  ])('refuses the subresource of %j, which is nowhere', (parts) => {
    expect(checkRules(model([kind()], [rule(parts)]))).toEqual([
      expect.objectContaining({ code: 'CO2106', severity: 'error' }),
    ]);
  });

  it('warns of a wildcard for subresources, and names those that are meant', () => {
    expect(checkRules(model([], [rule({ groups: ['batch'], resources: ['jobs/*'] })]))).toEqual([
      expect.objectContaining({
        code: 'CO2112',
        severity: 'warning',
        remedy: 'name the subresources: "jobs/status"',
      }),
    ]);
  });

  it('only warns of a group that resembles one of the project', () => {
    expect(checkRules(model([kind()], [rule({ groups: ['exmaple.com'], resources: ['widgets'] })]))).toEqual([
      expect.objectContaining({ code: 'CO2111', severity: 'warning', remedy: 'did you mean "example.com"?' }),
    ]);
  });

  it.each([
    [{ ...core, resources: ['pods'], verbs: ['gett'] }, 'CO2107', 'did you mean "get"?'],
    [{ ...core, resources: ['pods'], verbs: ['GET'] }, 'CO2107', 'did you mean "get"?'],
    [{ urls: ['/metrics'], verbs: ['list'] }, 'CO2107', undefined],
    [
      { ...core, resources: ['secrets'], resourceNames: ['a'], verbs: ['create', 'get'] },
      'CO2110',
      'grant it by a marker without resourceNames',
    ],
    [
      { ...core, resources: ['secrets'], resourceNames: ['*'], verbs: ['get'] },
      'CO2113',
      'leave out resourceNames to grant all objects',
    ],
    [
      { groups: ['example.com'], resources: ['widgets/scale'], verbs: ['get'] },
      'CO2114',
      'add the marker ScaleSubresource to the kind, or leave this out',
    ],
  ])('warns of %j', (parts, code, remedy) => {
    const diagnostics = checkRules(model([kind()], [rule(parts)]));
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ code, severity: 'warning' });
    expect(diagnostics[0]?.remedy).toBe(remedy);
  });
});

const discovery = new URL('../../../../shared/kubernetes/discovery/', import.meta.url);

describe.skipIf(!existsSync(discovery))('the catalogue of built-in resources (needs ../shared/kubernetes)', () => {
  it('has what a real API server lists', () => {
    interface Group {
      metadata: { name?: string };
      versions: { resources: { resource: string; subresources?: { subresource: string }[] }[] }[];
    }
    const listed: Record<string, Record<string, string[]>> = {};
    for (const file of ['api.json', 'apis.json']) {
      const groups = (JSON.parse(readFileSync(new URL(file, discovery), 'utf8')) as { items: Group[] }).items;
      for (const group of groups) {
        const resources = (listed[group.metadata.name ?? ''] ??= {});
        for (const { resource, subresources = [] } of group.versions.flatMap((version) => version.resources)) {
          const names = subresources.map(({ subresource }) => subresource);
          resources[resource] = [...new Set([...(resources[resource] ?? []), ...names])].sort();
        }
      }
    }
    expect(builtInResources).toEqual(listed);
  });
});
