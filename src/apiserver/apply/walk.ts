import { equal, Float, isArray, isObject, jsonObject, member, type Json, type JsonObject } from '../json.ts';
import { FieldSet, printPath } from './field-set.ts';
import { deduced, type ApplyType } from './types.ts';

/** A document that does not fit its type, so that nobody could own its fields. */
export class TypedError extends Error {
  override readonly name = 'TypedError';
}

type Shape =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'map'; readonly type: Extract<ApplyType, { kind: 'map' }> | undefined; readonly value: JsonObject }
  | { readonly kind: 'list'; readonly type: Extract<ApplyType, { kind: 'list' }>; readonly value: readonly Json[] };

const leaf: Shape = { kind: 'leaf' };

/** How a value is walked: member by member, item by item, or as one piece. */
function shapeOf(value: Json | undefined, type: ApplyType): Shape {
  if (isObject(value)) {
    if (type.kind === 'map') return type.atomic ? leaf : { kind: 'map', type, value };
    return type.kind === 'deduced' ? { kind: 'map', type: undefined, value } : leaf;
  }
  if (isArray(value) && type.kind === 'list' && type.listType !== 'atomic') return { kind: 'list', type, value };
  return leaf;
}

function memberType(type: Extract<ApplyType, { kind: 'map' }> | undefined, name: string): ApplyType {
  return type === undefined ? deduced : (type.field(name) ?? type.values ?? deduced);
}

function isDeclared(type: Extract<ApplyType, { kind: 'map' }> | undefined, name: string): boolean {
  return type?.field(name) !== undefined;
}

/** The path element of a list's item: its keys, or its value. */
export function itemElement(type: Extract<ApplyType, { kind: 'list' }>, item: Json): string {
  if (type.listType === 'set') return `v:${scalarText(item)}`;
  const keys = [...type.keys].sort().flatMap((key) => {
    const value = member(item, key) ?? type.keyDefault(key);
    return value === undefined ? [] : [`${JSON.stringify(key)}:${scalarText(value)}`];
  });
  return `k:{${keys.join(',')}}`;
}

function scalarText(value: Json): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value instanceof Float ? value.value : value);
}

/** Items by their element; several with one element (which is legal only in stored objects) are kept together. */
function indexItems(shape: Extract<Shape, { kind: 'list' }> | undefined): Map<string, Json> {
  const result = new Map<string, Json>();
  for (const item of shape?.value ?? []) {
    const element = itemElement(shape?.type as Extract<ApplyType, { kind: 'list' }>, item);
    if (!result.has(element)) result.set(element, item);
  }
  return result;
}

/**
 * Checks that a document has only what its type declares, and no item twice.
 *
 * @throws TypedError with the path
 */
export function checkTyped(value: Json, type: ApplyType, path: readonly string[] = []): void {
  if (value === null) return;
  const fail = (problem: string): never => {
    throw new TypedError(`${printPath(path) === '' ? '' : `${printPath(path)}: `}${problem}`);
  };
  if (type.kind === 'scalar' && (isObject(value) || isArray(value)))
    fail(`expected scalar (got ${isArray(value) ? 'list' : 'map'})`);
  if (type.kind === 'map') {
    if (!isObject(value)) return fail(`expected map, got &{${scalarText(value)}}`);
    for (const [name, inner] of Object.entries(value)) {
      const declared = type.field(name) ?? type.values;
      const own = [...path, `f:${name}`];
      if (declared === undefined) throw new TypedError(`${printPath(own)}: field not declared in schema`);
      checkTyped(inner, declared, own);
    }
  }
  if (type.kind === 'list') {
    if (!isArray(value)) return fail(`expected list, got &{${scalarText(value)}}`);
    const seen = new Set<string>();
    value.forEach((item, index) => {
      if (type.listType === 'atomic') {
        checkTyped(item, type.items, [...path, `i:${index}`]);
        return;
      }
      const element = itemElement(type, item);
      if (type.listType === 'map') {
        const missing = type.keys.find((key) => member(item, key) === undefined && type.keyDefault(key) === undefined);
        if (missing !== undefined && itemElement(type, item) === 'k:{}')
          fail(
            `element ${index}: associative list with keys has an element that omits key field ${JSON.stringify(missing)} (and doesn't have default value)`,
          );
      }
      if (seen.has(element)) fail(`duplicate entries for key ${printPath([element])}`);
      seen.add(element);
      checkTyped(item, type.items, [...path, element]);
    });
  }
}

/** The fields that a document sets. */
export function fieldSetOf(value: Json, type: ApplyType): FieldSet {
  const set = new FieldSet();
  collect(value, type, [], set);
  return set;
}

function collect(value: Json, type: ApplyType, path: readonly string[], set: FieldSet): void {
  const shape = shapeOf(value, type);
  switch (shape.kind) {
    case 'leaf':
      set.insert(path);
      return;
    case 'map':
      for (const [name, inner] of Object.entries(shape.value)) {
        const own = [...path, `f:${name}`];
        collect(inner, memberType(shape.type, name), own, set);
        if (inner === null || (isObject(inner) && Object.keys(inner).length === 0) || !isDeclared(shape.type, name))
          set.insert(own);
      }
      return;
    case 'list': {
      const elements = shape.value.map((item) => itemElement(shape.type, item));
      elements.forEach((element, index) => {
        const own = [...path, element];
        // Several items with one element are owned as one piece.
        if (elements.indexOf(element) === elements.lastIndexOf(element))
          collect(shape.value[index] ?? null, shape.type.items, own, set);
        set.insert(own);
      });
    }
  }
}

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** What differs between two documents. */
export function compare(left: Json, right: Json, type: ApplyType): Comparison {
  const result: Comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareAt(left, right, type, [], result);
  return result;
}

/** Null takes the shape of what it is compared with: a container with nothing in it. */
function shapeBeside(value: Json, other: Json | undefined, type: ApplyType): Shape {
  const shape = value === null && other !== undefined ? shapeOf(other, type) : shapeOf(value, type);
  if (value !== null || shape.kind === 'leaf') return shape;
  return shape.kind === 'map' ? { ...shape, value: jsonObject() } : { ...shape, value: [] };
}

function isEmptyContainer(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    (isArray(value) && value.length === 0) ||
    (isObject(value) && Object.keys(value).length === 0)
  );
}

function compareAt(
  left: Json | undefined,
  right: Json | undefined,
  type: ApplyType,
  path: readonly string[],
  result: Comparison,
): void {
  if (left === undefined && right === undefined) return;
  const one = left === undefined ? undefined : shapeBeside(left, right, type);
  const other = right === undefined ? undefined : shapeBeside(right, left, type);
  const bothEmpty = isEmptyContainer(left) && isEmptyContainer(right);
  const kind = one?.kind ?? other?.kind ?? 'leaf';
  if (bothEmpty || kind === 'leaf' || (one !== undefined && other !== undefined && one.kind !== other.kind)) {
    if (left === undefined) result.added.insert(path);
    else if (right === undefined) result.removed.insert(path);
    else if (!equal(left, right)) {
      if (one?.kind === other?.kind || bothEmpty) result.modified.insert(path);
      else {
        // What was one thing and is another now is gone and new.
        compareAt(left, undefined, type, path, result);
        compareAt(undefined, right, type, path, result);
      }
    }
    return;
  }
  if (kind === 'map') {
    const leftMap = one?.kind === 'map' ? one.value : undefined;
    const rightMap = other?.kind === 'map' ? other.value : undefined;
    const mapType = one?.kind === 'map' ? one.type : other?.kind === 'map' ? other.type : undefined;
    for (const name of new Set([...Object.keys(leftMap ?? {}), ...Object.keys(rightMap ?? {})])) {
      compareAt(
        member(leftMap, name),
        member(rightMap, name),
        memberType(mapType, name),
        [...path, `f:${name}`],
        result,
      );
    }
  } else {
    const leftItems = indexItems(one?.kind === 'list' ? one : undefined);
    const rightItems = indexItems(other?.kind === 'list' ? other : undefined);
    const items = type.kind === 'list' ? type.items : deduced;
    const pieces = new Set([...repeatedElements(one), ...repeatedElements(other)]);
    for (const element of new Set([...leftItems.keys(), ...rightItems.keys()])) {
      if (element === 'k:{}') throw new TypedError(`${printPath(path)}: an item without keys`);
      if (pieces.has(element)) {
        compareWhole(leftItems.get(element), rightItems.get(element), [...path, element], result);
        continue;
      }
      compareAt(leftItems.get(element), rightItems.get(element), items, [...path, element], result);
    }
  }
  if (left === undefined) result.added.insert(path);
  else if (right === undefined) result.removed.insert(path);
}

/** The elements that several items of a list have: they are owned as one piece. */
function repeatedElements(shape: Shape | undefined): readonly string[] {
  if (shape?.kind !== 'list') return [];
  const elements = shape.value.map((item) => itemElement(shape.type, item));
  return elements.filter((element, index) => elements.indexOf(element) !== index);
}

function compareWhole(
  left: Json | undefined,
  right: Json | undefined,
  path: readonly string[],
  result: Comparison,
): void {
  if (left === undefined) result.added.insert(path);
  else if (right === undefined) result.removed.insert(path);
  else if (!equal(left, right)) result.modified.insert(path);
}

/** The live object with what a configuration sets. */
export function merge(live: Json | undefined, configuration: Json | undefined, type: ApplyType): Json {
  if (configuration === undefined) return live ?? null;
  if (live === undefined) return configuration;
  const one = shapeOf(live, type);
  const other = shapeOf(configuration, type);
  if (one.kind === 'map' && other.kind === 'map') {
    const result = jsonObject(Object.entries(one.value));
    for (const [name, inner] of Object.entries(other.value))
      result[name] = merge(member(one.value, name), inner, memberType(other.type, name));
    return result;
  }
  if (one.kind === 'list' && other.kind === 'list') return mergeLists(one, other);
  return configuration;
}

/** Items keep the live order; what only the configuration has stands where it stands relative to its neighbours there. */
function mergeLists(live: Extract<Shape, { kind: 'list' }>, configuration: Extract<Shape, { kind: 'list' }>): Json {
  const { type } = configuration;
  const left = indexItems(live);
  const right = indexItems(configuration);
  const leftOrder = [...left.keys()];
  const rightOrder = [...right.keys()];
  const shared = rightOrder.filter((element) => left.has(element));
  const result: Json[] = [];
  let nextShared = 0;
  let leftAt = 0;
  let rightAt = 0;
  const take = (element: string): void => void result.push(merge(left.get(element), right.get(element), type.items));
  while (leftAt < leftOrder.length || rightAt < rightOrder.length) {
    const one = leftOrder[leftAt];
    const other = rightOrder[rightAt];
    if (one !== undefined && other !== undefined) {
      if (one === other) {
        take(one);
        leftAt++;
        rightAt++;
        nextShared++;
        continue;
      }
      if (right.has(one) && shared[nextShared] !== undefined && shared[nextShared] !== one) {
        // It comes when the configuration names it.
        leftAt++;
        continue;
      }
    }
    if (one !== undefined && !right.has(one)) {
      take(one);
      leftAt++;
      continue;
    }
    if (other !== undefined) {
      take(other);
      rightAt++;
      if (shared[nextShared] === other) nextShared++;
      continue;
    }
    leftAt++;
  }
  return result;
}

/** The document without the fields of a set. */
export function removeItems(value: Json, set: FieldSet, type: ApplyType): Json {
  const shape = shapeOf(value, type);
  if (shape.kind === 'map') {
    const result = jsonObject();
    for (const [name, inner] of Object.entries(shape.value)) {
      const below = set.children.get(`f:${name}`);
      if (below?.isMember === true) continue;
      const kept = below === undefined ? inner : removeItems(inner, below, memberType(shape.type, name));
      // A container that loses all of its members is left as null.
      result[name] = below !== undefined && isEmptyContainer(kept) && !isEmptyContainer(inner) ? null : kept;
    }
    return result;
  }
  if (shape.kind === 'list') {
    const { type: listType } = shape;
    return shape.value.flatMap((item) => {
      const below = set.children.get(itemElement(listType, item));
      if (below?.isMember === true) return [];
      return [below === undefined ? item : removeItems(item, below, listType.items)];
    });
  }
  return value;
}
