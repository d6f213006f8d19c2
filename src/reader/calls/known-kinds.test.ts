import { expect, it } from 'vitest';
import { discovery } from '../../apiserver/data/index.ts';
import { pluralOfKind } from '../../markers/index.ts';

it('all kinds of Kubernetes have a regular plural, so that objects by type alone can be named', async () => {
  const groups = await discovery();
  const resources = groups.flatMap(({ versions }) => versions.flatMap((version) => version.resources));
  expect(resources.length).toBeGreaterThan(50);
  const irregular = resources.filter(({ responseKind, resource }) => pluralOfKind(responseKind.kind) !== resource);
  expect(irregular.map(({ resource }) => resource)).toEqual([]);
});
