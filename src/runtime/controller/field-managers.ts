import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { isRecord } from '../client/json.ts';

/**
 * Who owns one of the fields (JSON pointers), by the object's `managedFields`. Elements of lists have no names there that a pointer
 * could give, so that below a list the owners of any element count.
 */
export function managersOf(object: Cached<KubernetesObject>, fields: readonly string[]): readonly string[] {
  const managers = object.metadata.managedFields ?? [];
  const owners = managers.filter(({ fieldsV1 }) => fields.some((field) => owns(fieldsV1, names(field))));
  return [...new Set(owners.map(({ manager = '' }) => manager))].filter((manager) => manager !== '');
}

function names(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function owns(fields: unknown, [name, ...rest]: readonly string[]): boolean {
  if (!isRecord(fields)) {
    return false;
  }
  if (name === undefined) {
    return true;
  }
  const members = Object.keys(fields);
  if (Object.hasOwn(fields, `f:${name}`)) {
    return owns(fields[`f:${name}`], rest);
  }
  // A list by its keys or values, or a field that is owned as a whole.
  return members.length === 0 || members.some((member) => member.startsWith('k:') || member.startsWith('v:'));
}
