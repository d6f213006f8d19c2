import type { KubernetesObject } from '../apis/meta/v1.ts';
import { mutable, type Cached } from './cached.ts';
import { InvalidCallError } from './errors.ts';
import { isRecord } from './json.ts';
import type { Change } from './types.ts';
import type { JsonPatchOperation, JsonPointer } from './patch-types.ts';

/**
 * The JSON patch that makes of `object` what `change` made of a copy of it; empty when nothing was changed. What was not touched is not
 * named, so that fields unknown to the type and integers that JavaScript cannot hold exactly stay as they are on the server.
 */
export function draftPatch<T>(object: Cached<T>, change: Change<T>): readonly JsonPatchOperation[] {
  const draft = mutable(object) as T;
  applyChange(draft, change);
  return difference(object, draft);
}

/** Lets a function change a draft. Throws an `InvalidCallError` when it is not done when it returns. */
export function applyChange<T>(draft: T, change: Change<T>): void {
  const result: unknown = change(draft);
  if (typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function') {
    // If it fails, too, nobody else waits for it: that would end the process.
    void Promise.resolve(result).catch(() => undefined);
    throw new InvalidCallError(
      'the function that changes a draft returned a promise: what it does later would be lost',
    );
  }
}

/** What stays as it is in every draft: it says which object, and which state of it, is meant. */
const identity: readonly string[] = [
  '/apiVersion',
  '/kind',
  '/metadata/name',
  '/metadata/namespace',
  '/metadata/uid',
  '/metadata/resourceVersion',
];

/** Refuses changes to what names the object. */
export function checkIdentity(operations: readonly JsonPatchOperation[]): void {
  for (const { path } of operations) {
    if (path === '' || path === '/metadata' || identity.includes(path)) {
      throw new InvalidCallError(`${path === '' ? 'the whole object' : path} cannot be changed`);
    }
  }
}

/**
 * The patch with the condition that the server still has the version that was read. A `replace` and not a `test` of the version: the
 * server answers a mismatch with 409 Conflict then (a failed test would be 422).
 */
export function guardedPatch(
  object: Cached<KubernetesObject>,
  operations: readonly JsonPatchOperation[],
): readonly JsonPatchOperation[] {
  const { resourceVersion } = object.metadata;
  if (!resourceVersion)
    throw new InvalidCallError('the object has no resourceVersion: it was not read from the server');
  return [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }, ...operations];
}

/** The operations that make `to` of `from`, both plain JSON; members that are `undefined` count as absent. */
export function difference(from: unknown, to: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(from, to, '', operations);
  refuseLostIntegers(from, operations);
  return operations;
}

function compare(from: unknown, to: unknown, path: JsonPointer, operations: JsonPatchOperation[]): void {
  if (equal(from, to)) return;
  if (Array.isArray(from) && Array.isArray(to)) compareArrays(from, to, path, operations);
  else if (isRecord(from) && isRecord(to)) compareObjects(from, to, path, operations);
  else operations.push({ op: 'replace', path, value: to });
}

function compareObjects(
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  path: JsonPointer,
  operations: JsonPatchOperation[],
): void {
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && (!Object.hasOwn(to, key) || to[key] === undefined)) {
      operations.push({ op: 'remove', path: below(path, key) });
    }
  }
  for (const key of Object.keys(to)) {
    if (to[key] === undefined) continue;
    if (!Object.hasOwn(from, key) || from[key] === undefined)
      operations.push({ op: 'add', path: below(path, key), value: to[key] });
    else compare(from[key], to[key], below(path, key), operations);
  }
}

/** What is equal at both ends stays; in between elements are compared by position, then removed from the end or added. */
function compareArrays(
  from: readonly unknown[],
  to: readonly unknown[],
  path: JsonPointer,
  operations: JsonPatchOperation[],
): void {
  let start = 0;
  while (start < from.length && start < to.length && equal(from[start], to[start])) start++;
  let fromEnd = from.length;
  let toEnd = to.length;
  while (fromEnd > start && toEnd > start && equal(from[fromEnd - 1], to[toEnd - 1])) {
    fromEnd--;
    toEnd--;
  }
  const common = Math.min(fromEnd, toEnd);
  for (let index = start; index < common; index++) compare(from[index], to[index], below(path, index), operations);
  for (let index = fromEnd - 1; index >= common; index--) operations.push({ op: 'remove', path: below(path, index) });
  for (let index = common; index < toEnd; index++) {
    operations.push({ op: 'add', path: below(path, index), value: to[index] ?? null });
  }
}

function below(path: JsonPointer, key: string | number): JsonPointer {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Equality of plain JSON; members that are `undefined` count as absent. */
export function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((element, index) => equal(element, other[index]))
    );
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one).filter((key) => one[key] !== undefined);
  if (keys.length !== Object.keys(other).filter((key) => other[key] !== undefined).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key]));
}

/**
 * An integer beyond 2^53 was rounded when the object was parsed. Moving it would write the rounded value, so that is refused; one that
 * did not stand in the object before was put there on purpose.
 */
function refuseLostIntegers(from: unknown, operations: readonly JsonPatchOperation[]): void {
  const sent = new Map<number, JsonPointer>();
  for (const operation of operations) {
    if ('value' in operation) collectUnsafe(operation.value, (value) => sent.set(value, operation.path));
  }
  if (sent.size === 0) return;
  collectUnsafe(from, (value) => {
    const path = sent.get(value);
    if (path === undefined) return;
    throw new InvalidCallError(
      `${path}: the integer ${value} was read inexactly (beyond 2^53) and cannot be written elsewhere`,
    );
  });
}

function collectUnsafe(value: unknown, found: (value: number) => void): void {
  if (typeof value === 'number') {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) found(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectUnsafe(member, found);
  }
}
