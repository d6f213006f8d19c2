import type { TableColumn } from '../data/index.ts';
import { at, fromPlain, jsonObject, object, type Json, type JsonObject } from '../json.ts';
import { stringify, stringifyStored } from '../json-text.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import { badRequest } from '../status.ts';

/** What stands in a table's rows beside the cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '' || value === 'Metadata') return 'Metadata';
  if (value === 'None' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: "${value}": must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** The object with nothing but its metadata. */
export function partialMetadata(value: JsonObject): JsonObject {
  return jsonObject([
    ['kind', 'PartialObjectMetadata'],
    ['apiVersion', 'meta.k8s.io/v1'],
    ['metadata', object(value, 'metadata')],
  ]);
}

const withoutKinds = new WeakMap<JsonObject, JsonObject>();

/** An item of a list: those of built-in lists do not name their kind. */
export function listItem(resource: Resource, value: JsonObject): JsonObject {
  if (resource.custom) return value;
  let item = withoutKinds.get(value);
  if (item === undefined) {
    item = jsonObject(Object.entries(value).filter(([name]) => name !== 'kind' && name !== 'apiVersion'));
    withoutKinds.set(value, item);
  }
  return item;
}

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

/** The text of a list; the texts of its items are made once as long as they do not change. */
export function listText(
  kind: string,
  apiVersion: string,
  metadata: ListMetadata,
  items: readonly JsonObject[],
): string {
  const head = stringify(fromPlain({ kind, apiVersion, metadata }));
  return `${head.slice(0, -1)},"items":[${items.map(stringifyStored).join(',')}]}`;
}

export function listObject(resource: Resource, metadata: ListMetadata, items: readonly JsonObject[]): JsonObject {
  return jsonObject([
    ['kind', resource.listKind],
    ['apiVersion', apiVersionOf(resource)],
    ['metadata', fromPlain(metadata)],
    ['items', items.map((item) => listItem(resource, item))],
  ]);
}

export function tableRow(resource: Resource, value: JsonObject, include: IncludeObject, now: number): JsonObject {
  const shown = include === 'None' ? null : include === 'Object' ? value : partialMetadata(value);
  return jsonObject([
    ['cells', resource.strategy.cells(value, now)],
    ['object', shown],
  ]);
}

export function table(
  resource: Resource,
  metadata: Json,
  values: readonly JsonObject[],
  include: IncludeObject,
  now: number,
  withColumns = true,
): JsonObject {
  return jsonObject([
    ['kind', 'Table'],
    ['apiVersion', 'meta.k8s.io/v1'],
    ['metadata', metadata],
    ['columnDefinitions', withColumns ? resource.strategy.columns.map(columnDefinition) : []],
    ['rows', values.map((value) => tableRow(resource, value, include, now))],
  ]);
}

function columnDefinition(column: TableColumn): JsonObject {
  return jsonObject([
    ['name', column.name],
    ['type', column.type],
    ['format', column.format],
    ['description', column.description ?? ''],
    ['priority', column.priority],
  ]);
}

/** The metadata of a table of one object. */
export function singleMetadata(value: JsonObject): Json {
  return jsonObject([['resourceVersion', at(value, 'metadata', 'resourceVersion') ?? '']]);
}
