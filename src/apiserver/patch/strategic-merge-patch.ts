import {
  clone,
  equal,
  isArray,
  isObject,
  type Json,
  jsonObject,
  type JsonObject,
  list,
  member,
  type MutableObject,
} from '../json.ts';
import { goText, goType } from '../typed/mismatch.ts';
import type { TypedNode, TypedProperty } from '../typed/types.ts';
import { PatchError, PatchFormError } from './json-patch.ts';

const patchDirective = '$patch';
const retainKeys = '$retainKeys';
const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch: like a merge patch, but lists whose type says so are merged by their key, and directives in the
 * patch (`$patch`, `$retainKeys`, `$setElementOrder/...`, `$deleteFromPrimitiveList/...`) steer it. The document is not changed.
 *
 * @throws PatchError for directives and elements that make no sense
 */
export function applyStrategicMergePatch(document: JsonObject, patch: JsonObject, type: TypedNode): JsonObject {
  return mergeObject(document, patch, type);
}

function propertyOf(type: TypedNode, name: string): TypedProperty | undefined {
  if (type.kind === 'object') return type.properties.get(name);
  if (type.kind === 'map')
    return { node: type.values, absent: undefined, patchStrategies: [], patchMergeKey: undefined };
  return undefined;
}

const untyped: TypedNode = { kind: 'any' };

function mergeObject(document: JsonObject, patch: JsonObject, type: TypedNode): JsonObject {
  const directive = member(patch, patchDirective);
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return jsonObject();
  if (directive !== undefined)
    throw new PatchError(`unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);
  const result: MutableObject = jsonObject(Object.entries(document));
  const retained = retainedNames(patch);
  if (retained !== undefined) for (const name of Object.keys(result)) if (!retained.includes(name)) delete result[name];
  // Elements are deleted before others are added.
  for (const name of Object.keys(patch)) {
    if (!name.startsWith(deletePrefix)) continue;
    const target = name.slice(deletePrefix.length);
    const doomed = list(patch, name);
    result[target] = list(result, target).filter((item) => !doomed.some((other) => equal(item, other)));
  }
  for (const [name, value] of Object.entries(patch)) {
    if (name === patchDirective || name === retainKeys || name.startsWith(deletePrefix) || name.startsWith(orderPrefix))
      continue;
    if (value === null) {
      delete result[name];
      continue;
    }
    const property = propertyOf(type, name);
    const node = property?.node ?? untyped;
    const present = result[name];
    if (isObject(value)) {
      const replace = property?.patchStrategies.includes('replace') === true && node.kind === 'object';
      // A directive for what is not there adds nothing.
      if (present === undefined && member(value, patchDirective) !== undefined) continue;
      result[name] =
        isObject(present) && !replace ? mergeObject(present, value, node) : mergeObject(jsonObject(), value, node);
    } else if (isArray(value)) {
      const order = orderOf(patch, `${orderPrefix}${name}`);
      result[name] = mergeList(isArray(present) ? present : undefined, value, property, order);
    } else result[name] = clone(value);
  }
  // An order may stand alone, when nothing but the order changes.
  for (const name of Object.keys(patch)) {
    if (!name.startsWith(orderPrefix)) continue;
    const order = orderOf(patch, name) ?? [];
    const target = name.slice(orderPrefix.length);
    const property = propertyOf(type, target);
    const present = result[target];
    if (isArray(present) && patch[target] === undefined)
      result[target] = ordered(present, present, order, property?.patchMergeKey);
  }
  return result;
}

/** The members that a patch keeps: all others go. Nothing when the patch does not say. */
function retainedNames(patch: JsonObject): readonly Json[] | undefined {
  const retained = member(patch, retainKeys);
  if (retained === undefined) return undefined;
  const kept = (name: string): boolean =>
    patch[name] === null || name.startsWith(deletePrefix) || name.startsWith(orderPrefix);
  if (
    !isArray(retained) ||
    Object.keys(patch).some((name) => name !== retainKeys && !kept(name) && !retained.includes(name))
  )
    throw new PatchFormError('invalid patch format of retainKeys');
  return retained;
}

function orderOf(patch: JsonObject, name: string): readonly Json[] | undefined {
  const order = member(patch, name);
  if (order === undefined || isArray(order)) return order;
  throw new PatchError(`expected a []interface {}, but received a ${goType(order)}`);
}

function mergeList(
  present: readonly Json[] | undefined,
  patch: readonly Json[],
  property: TypedProperty | undefined,
  order: readonly Json[] | undefined,
): Json {
  const merges = property?.patchStrategies.includes('merge') === true;
  const items = property?.node.kind === 'list' ? property.node.items : untyped;
  if (!merges)
    return patch.filter((item) => !isDirective(item)).map((item) => (isObject(item) ? withoutDirectives(item) : item));
  checkSameType([...(present ?? []), ...patch], [present ?? [], patch]);
  const key = property.patchMergeKey;
  if (key === undefined || patch.some((item) => !isObject(item))) {
    const merged = [...(present ?? [])];
    for (const item of patch) if (!merged.some((other) => equal(other, item))) merged.push(item);
    return ordered(merged, present ?? [], order ?? patch, undefined);
  }
  let result = [...(present ?? [])];
  if (patch.some((item) => member(item, patchDirective) === 'replace')) {
    return patch.filter((item) => !isDirective(item)).map((item) => withoutDirectives(item as JsonObject));
  }
  const deleted = patch.filter((item) => member(item, patchDirective) === 'delete');
  for (const item of deleted) {
    const value = member(item, key);
    if (value === undefined) throw new PatchError(`map: ${goText(item)} does not contain declared merge key: ${key}`);
    result = result.filter((other) => !equal(member(other, key), value));
  }
  for (const item of patch) {
    if (deleted.includes(item) || !isObject(item)) continue;
    const directive = member(item, patchDirective);
    if (directive === 'merge') throw new PatchError('merging lists cannot yet be specified in the patch');
    if (directive !== undefined)
      throw new PatchError(`unknown patch type: ${goText(directive)} in map: ${goText(item)}`);
    const value = member(item, key);
    if (value === undefined) throw new PatchError(`map: ${goText(item)} does not contain declared merge key: ${key}`);
    const at = result.findIndex((other) => equal(member(other, key), value));
    const other = result[at];
    if (at >= 0 && isObject(other)) result[at] = mergeObject(other, item, items);
    else result.push(mergeObject(jsonObject(), item, items));
  }
  return ordered(result, present ?? [], order ?? patch, key);
}

function checkSameType(items: readonly Json[], lists: readonly Json[]): void {
  const [first, ...others] = items;
  if (first === undefined) return;
  if (others.some((item) => goType(item) !== goType(first)))
    throw new PatchError(`list element types are not identical: ${goText(lists)}`);
}

/**
 * Puts a list into order: what the patch names in the order of its directive (or its own), merged with what only the server has.
 * Of two elements that the server has, the server's order counts; otherwise those of the patch come first.
 */
function ordered(
  merged: readonly Json[],
  present: readonly Json[],
  order: readonly Json[],
  key: string | undefined,
): readonly Json[] {
  const identity = (item: Json): Json | undefined => (key === undefined ? item : member(item, key));
  const indexIn = (items: readonly Json[], item: Json): number =>
    items.findIndex((other) => equal(identity(other), identity(item)));
  const named = merged
    .filter((item) => indexIn(order, item) >= 0)
    .sort((left, right) => indexIn(order, left) - indexIn(order, right));
  const others = merged.filter((item) => indexIn(order, item) < 0);
  const result: Json[] = [];
  let next = 0;
  for (const item of named) {
    for (let other = others[next]; other !== undefined; other = others[next]) {
      const left = indexIn(present, other);
      const right = indexIn(present, item);
      if (left < 0 || right < 0 || left >= right) break;
      result.push(other);
      next++;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function isDirective(item: Json): boolean {
  const names = isObject(item) ? Object.keys(item) : [];
  return names.length === 1 && names[0] === patchDirective;
}

/** What a patch adds where nothing was before: the values without the directives. */
function withoutDirectives(value: JsonObject): JsonObject {
  const result = jsonObject();
  for (const [name, inner] of Object.entries(value)) {
    if (name === patchDirective || name === retainKeys || name.startsWith(orderPrefix) || name.startsWith(deletePrefix))
      continue;
    if (inner === null) continue;
    result[name] = isObject(inner)
      ? withoutDirectives(inner)
      : isArray(inner)
        ? inner.map((item) => (isObject(item) ? withoutDirectives(item) : item))
        : inner;
  }
  return result;
}
