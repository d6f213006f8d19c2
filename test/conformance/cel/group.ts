import type { Json, JsonObject } from '../../../src/model/index.ts';
import { isObject } from '../../../src/schema/json.ts';

/** One group of the corpus: a schema, rules at places in it, and objects. */
export interface Group {
  readonly id: string;
  /** The schema with its rules. */
  readonly schema: JsonObject;
  readonly objects: readonly { readonly value: Json; readonly old: Json | undefined }[];
}

type Mutable = { [name: string]: Json };

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** Reads a group as the oracle does: rules are put into the schema, types and metadata into the objects. */
export function readGroup(json: JsonObject): Group {
  const isRoot = json['root'] !== false;
  const given = structuredCopy(json['schema'] ?? {});
  const schema: Mutable = isRoot ? given : { type: 'object', properties: { node: given } };
  for (const rule of list(json['rules']).filter(isObject)) {
    const at = text(rule['at']);
    const place = isRoot ? at : at === '' || at.startsWith('[') || at.startsWith('{') ? `node${at}` : `node.${at}`;
    const node = nodeAt(schema, place);
    const { at: _at, ...validation } = rule;
    node['x-kubernetes-validations'] = [...list(node['x-kubernetes-validations']), validation];
  }
  const load = (value: Json | undefined): Json | undefined => {
    if (value === undefined || value === null) return undefined;
    const object = isRoot ? value : { node: value };
    if (!isObject(object)) return object;
    return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'thing' }, ...object };
  };
  const objects = list(json['objects'])
    .filter(isObject)
    .map((object) => ({ value: load(object['value']) ?? null, old: load(object['old']) }));
  return { id: text(json['id']), schema, objects };
}

function structuredCopy(json: Json): Mutable {
  return isObject(json) ? Object.fromEntries(Object.entries(json).map(([name, value]) => [name, copy(value)])) : {};
}

function copy(json: Json): Json {
  if (isObject(json)) return structuredCopy(json);
  return Array.isArray(json) ? (json as readonly Json[]).map(copy) : json;
}

/** The schema at a path such as `spec.items[].map{}`. */
function nodeAt(schema: Mutable, path: string): Mutable {
  let node = schema;
  let rest = path;
  while (rest !== '') {
    const match = /^(?:\[\]|\{\}|`([^`]*)`|([^.[{]+))\.?/.exec(rest);
    if (match === null) throw new Error(`no path: ${path}`);
    const [whole] = match;
    const name = match[1] ?? match[2];
    const below =
      name === undefined
        ? node[whole.startsWith('[') ? 'items' : 'additionalProperties']
        : (node['properties'] as Mutable)[name];
    if (!isObject(below)) throw new Error(`no schema at ${path}`);
    node = below;
    rest = rest.slice(whole.length);
  }
  return node;
}
