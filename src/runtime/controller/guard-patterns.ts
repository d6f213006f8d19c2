import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { ObjectKey } from '../client/types.ts';
import type { Kind } from '../kind/kind.ts';
import { compareResourceVersions } from '../kind/resource-version.ts';
import { changedPaths } from './changed-paths.ts';
import type { Cause } from './reconcile.ts';

/** What a run wrote. */
export interface Write {
  /** The kind's name. */
  readonly kind: string;
  /** Absent for a creation. */
  readonly of?: Kind;
  readonly how: 'create' | 'patch' | 'apply';
  /** Which representation of the object was written, `scale` for one; default: the object itself. */
  readonly subresource?: string;
  /** Whether the server was asked to make up the name. */
  readonly generatedName?: boolean;
  /** As it was read before. */
  readonly before: Cached<KubernetesObject> | undefined;
  readonly after: Cached<KubernetesObject>;
  /** What the run meant to write, as JSON pointers; asked for when a guard trips. */
  readonly fields?: () => readonly string[];
}

/** `Widget ns/name`. */
export function nameOf(kind: string, { namespace = '', name = '' }: Partial<ObjectKey>): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/** Whether a run was asked for by an earlier result of the reconciler itself. */
export function isTimed({ event }: Cause): boolean {
  return event === 'requeue' || event === 'retry';
}

/** As the versions of own writes are remembered. */
export function versionOfCause({ kind, namespace, name, resourceVersion = '' }: Cause): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`} ${resourceVersion}`;
}

/** The server answers a write that changes nothing with the version that was there. */
export function isNoOp({ before, after }: Write, last: Cached<KubernetesObject> | undefined): boolean {
  const version = after.metadata.resourceVersion;
  return (
    version !== undefined &&
    (before?.metadata.resourceVersion === version || last?.metadata.resourceVersion === version)
  );
}

/** Whether `read` is an earlier version than the one that the last own write gave. */
export function isOlder(
  read: Cached<KubernetesObject> | undefined,
  own: Cached<KubernetesObject> | undefined,
): boolean {
  const order = compareResourceVersions(read?.metadata.resourceVersion ?? '', own?.metadata.resourceVersion ?? '');
  return order !== undefined && order < 0;
}

/** Members that differ between any two versions. */
const everChanging = new Set(['/metadata/resourceVersion', '/metadata/generation', '/metadata/managedFields']);

/** The fields that a write changed since the one before. */
export function changedFields(from: Cached<KubernetesObject> | undefined, to: Cached<KubernetesObject>): string[] {
  return from === undefined ? [] : paths(from, to);
}

function paths(from: unknown, to: unknown): string[] {
  return changedPaths(from, to).filter((path) => !everChanging.has(path));
}

/** Fields that this key had written, somebody changed, and this write makes what they were: A, B, A. */
export function foughtFields(own: Cached<KubernetesObject> | undefined, { before, after }: Write): string[] {
  if (own === undefined || before === undefined || !isOlder(own, before) || own.metadata.uid !== after.metadata.uid) {
    return [];
  }
  const undone = new Set(paths(own, before));
  const redone = undone.size === 0 ? [] : paths(before, after).filter((path) => undone.has(path));
  const different = redone.length === 0 ? [] : paths(own, after);
  return redone.filter((path) => !different.some((other) => isWithin(other, path) || isWithin(path, other)));
}

/** Whether a field is another one, or a part of it. */
export function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`);
}

/**
 * The fields of a spec, or of what stands in place of one, that differ between two versions of an object: anything but the status and
 * the metadata, and the beginning of a deletion. For two different objects of one name it is the whole object.
 */
export function specChanges(
  from: Cached<KubernetesObject> | undefined,
  to: Cached<KubernetesObject> | undefined,
): readonly string[] {
  if (from === undefined || to === undefined || from.metadata.uid !== to.metadata.uid) {
    return from === to ? [] : [''];
  }
  return changedPaths(from, to).filter(
    (path) => path === '/metadata/deletionTimestamp' || !/^\/(metadata|status)(\/|$)/.test(path),
  );
}
