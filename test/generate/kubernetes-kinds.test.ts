// The kinds of Kubernetes as values: what `for`, `owns` and the client take without a definition of one's own.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Deployment as DeploymentObject } from 'operator-runtime/apis/apps/v1';
import { Deployment } from 'operator-runtime/apis/apps/v1';
import { ConfigMap, Namespace } from 'operator-runtime/apis/core/v1';
import type { Kind } from 'operator-runtime';
import { discovery } from '../../src/apiserver/data/index.ts';
import { root } from '../../tools/repository.ts';

const folder = join(root, 'src/runtime/apis');
const modules = globSync('*/v*.ts', { cwd: folder }).filter(
  (file) => !file.includes('generated') && !file.includes('test'),
);

/** All kinds of all modules. */
async function kinds(): Promise<Kind[]> {
  const found = await Promise.all(
    modules.map(async (file) => Object.values((await import(join(folder, file))) as Record<string, unknown>)),
  );
  return found.flat() as Kind[];
}

it('are those that an API server serves, under the names that it has for them', async () => {
  const served = (await discovery()).flatMap(({ name, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map(({ resource, responseKind, scope, subresources = [] }) => ({
        name: `${name}/${version} ${responseKind.kind}`,
        value: {
          plural: resource,
          scope,
          subresources: ['status', 'scale'].filter((each) =>
            subresources.some(({ subresource }) => subresource === each),
          ),
        },
      })),
    ),
  );
  const byName = new Map(served.map(({ name, value }) => [name, value]));
  const all = await kinds();
  expect(all.length).toBeGreaterThan(60);
  for (const { group, version, kind, plural, scope, subresources, apiVersion } of all) {
    expect({ plural, scope, subresources }, kind).toEqual(byName.get(`${group}/${version} ${kind}`));
    expect(apiVersion).toBe(group === '' ? version : `${group}/${version}`);
  }
});

it('are values and types of one name', () => {
  const object: DeploymentObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { selector: {}, template: {} },
  };
  const kind: Kind<Deployment, 'Namespaced', 'status' | 'scale'> = Deployment;
  expect(object.kind).toBe(kind.kind);
  expect(kind).toEqual({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    plural: 'deployments',
    scope: 'Namespaced',
    subresources: ['status', 'scale'],
    apiVersion: 'apps/v1',
  });
  expect([ConfigMap.subresources, ConfigMap.scope, Namespace.scope]).toEqual([[], 'Namespaced', 'Cluster']);
});
