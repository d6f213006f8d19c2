import { isRecord } from '../client/json.ts';
import type { JsonPatchOperation } from '../client/patch-types.ts';
import type { Change } from '../client/types.ts';
import { changedPaths } from './changed-paths.ts';

/** The JSON pointers of the members that a merge patch or an apply configuration sets; a list counts as a whole. */
export function fieldsOfPatch(patch: unknown, path = ''): string[] {
  if (!isRecord(patch) || Object.keys(patch).length === 0) {
    return [path];
  }
  return Object.entries(patch)
    .filter(([name]) => path !== '' || (name !== 'apiVersion' && name !== 'kind'))
    .filter(([name]) => path !== '/metadata' || !['name', 'namespace', 'uid', 'resourceVersion'].includes(name))
    .flatMap(([name, value]) =>
      isRecord(patch) && path === '' && name === 'metadata' && isRecord(value)
        ? fieldsOfPatch(value, '/metadata').filter((field) => field !== '/metadata')
        : fieldsOfPatch(value, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
}

/** The JSON pointers that the operations of a JSON patch change. */
export function fieldsOfOperations(operations: readonly JsonPatchOperation[]): string[] {
  return operations
    .filter(({ op, path }) => op !== 'test' && path !== '/metadata/resourceVersion')
    .map(({ path }) => path);
}

/** A change of a draft that remembers what it did. */
export interface WatchedChange<T> {
  readonly change: Change<T>;
  /** The JSON pointers that it changed of an object; none when it was not called. */
  readonly fields: (before: unknown) => string[];
}

export function watchChange<T>(change: Change<T>): WatchedChange<T> {
  let changed: { readonly draft: T } | undefined;
  return {
    change: (draft) => {
      changed = { draft };
      return change(draft);
    },
    fields: (before) => (changed === undefined ? [] : changedPaths(before, changed.draft)),
  };
}
