import type { PermissionUse } from '../../model/index.ts';

/** The verbs of writes that guards watch. */
const writes = new Set(['create', 'update', 'patch']);

/**
 * What guards ask for when they trip: they tell of it by an event about the object, and read what was written to say who else writes it.
 * Left out where the operator needs the same for something else. `controllers` are the calls of `for`.
 */
export function optionalUses(uses: readonly PermissionUse[], controllers: readonly PermissionUse[]): PermissionUse[] {
  const [controller] = controllers;
  if (controller === undefined) return [];
  const { position } = controller;
  const isNeeded = (group: string, resource: string, verb: string): boolean =>
    uses.some((use) => use.group === group && use.resource === resource && use.verb === verb);
  const found = new Map<string, PermissionUse>();
  const add = (use: PermissionUse): void => {
    const key = JSON.stringify([use.group, use.resource, use.verb]);
    if (!isNeeded(use.group, use.resource, use.verb) && !found.has(key)) found.set(key, use);
  };
  for (const verb of ['create', 'patch']) {
    add({
      group: 'events.k8s.io',
      resource: 'events',
      verb,
      clusterScoped: false,
      reason: 'guards: the event of one that trips',
      position,
    });
  }
  for (const { group, resource, verb, clusterScoped, position: place } of uses) {
    const [main = '', ...subresource] = resource.split('/');
    if (!writes.has(verb) || !['', 'status'].includes(subresource.join('/')) || group === 'coordination.k8s.io')
      continue;
    if (group === 'events.k8s.io' || group.startsWith('auth')) continue;
    add({
      group,
      resource: main,
      verb: 'get',
      ...(clusterScoped === undefined ? {} : { clusterScoped }),
      reason: 'guards: who else writes it, where one trips',
      position: place,
    });
  }
  return [...found.values()];
}
