import type { Schema } from '../../model/index.ts';
import { stringLiteral } from './identifiers.ts';

/** What counts of a schema here: where its lists are maps. */
export interface KeyedSchema {
  /** Of a list that is a map. */
  readonly keys: readonly string[];
  readonly hasDefault: boolean;
  readonly items: KeyedSchema | undefined;
  readonly properties: Iterable<readonly [string, KeyedSchema]>;
  readonly values: KeyedSchema | undefined;
}

/** A schema of the model as one in which keys are looked for. */
export function keyedSchema(schema: Schema): KeyedSchema {
  const { items, properties = new Map<string, Schema>(), additionalProperties: values } = schema;
  return {
    keys: schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [],
    hasDefault: schema.default !== undefined,
    items: items && keyedSchema(items),
    properties: [...properties].map(([name, property]) => [name, keyedSchema(property)] as const),
    values: typeof values === 'object' ? keyedSchema(values) : undefined,
  };
}

/** Members that `ApplyConfiguration` has types of its own for. */
const ownMembers = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The body of the interface that says which keys items of lists must have in server-side apply: members that have such lists below them,
 * lists as `[keys, the same of the items]`. Keys with a default may be left out. `undefined` where there is no such list.
 */
export function listKeys(schema: KeyedSchema): string | undefined {
  const members = [...schema.properties].filter(([name]) => !ownMembers.has(name));
  return membersText(members, undefined, '');
}

type Members = readonly (readonly [string, KeyedSchema])[];

function membersText(properties: Members, values: KeyedSchema | undefined, indent: string): string | undefined {
  const inner = `${indent}  `;
  const lines = properties.flatMap(([name, property]) => {
    const text = typeText(property, inner);
    return text === undefined ? [] : [`${inner}${propertyName(name)}: ${text};\n`];
  });
  const ofValues = values && typeText(values, inner);
  if (ofValues !== undefined && properties.length === 0) lines.push(`${inner}[name: string]: ${ofValues};\n`);
  return lines.length === 0 ? undefined : `{\n${lines.join('')}${indent}}`;
}

function typeText(schema: KeyedSchema, indent: string): string | undefined {
  const { items } = schema;
  if (items === undefined) return membersText([...schema.properties], schema.values, indent);
  const defaulted = new Set([...items.properties].flatMap(([name, { hasDefault }]) => (hasDefault ? [name] : [])));
  const keys = schema.keys.filter((key) => !defaulted.has(key));
  const inner = typeText(items, `${indent}  `);
  if (keys.length === 0 && inner === undefined) return undefined;
  const names = keys.length === 0 ? 'never' : keys.map((key) => stringLiteral(key)).join(' | ');
  return inner === undefined ? `[${names}]` : `[\n${indent}  ${names},\n${indent}  ${inner},\n${indent}]`;
}

function propertyName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : stringLiteral(name);
}
