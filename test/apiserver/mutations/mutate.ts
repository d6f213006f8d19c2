/** Systematic changes of valid objects: what people get wrong, one thing at a time. */

type Plain = Record<string, unknown>;

/** A changed object, and what was done to it. */
export interface Mutation {
  /** `spec.replicas = -1`, `spec.selector removed`. */
  readonly name: string;
  readonly object: unknown;
}

/** The part of an OpenAPI document that mutations read. */
export interface Schemas {
  readonly [name: string]: Schema;
}

export interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands in place of a value. */
function replacements(value: unknown): readonly unknown[] {
  if (typeof value === 'string')
    return [
      '',
      'Bad_Value!',
      '-1',
      'a'.repeat(64),
      'a'.repeat(254),
      5,
      ...(/^\d/.test(value) ? ['0', '1.5', '1e3'] : []),
    ];
  if (typeof value === 'number') return [0, -1, 101, 70_000, 2_147_483_648, 1.5, 'text', '5%'];
  if (typeof value === 'boolean') return [!value, 'yes'];
  if (Array.isArray(value)) return [[], [...value, value[0]], [null], 'text', {}];
  return [{}, [], 'text', { ...(value as Plain), unknownField: 1 }, { ...(value as Plain), 'Bad_Value!': '1' }];
}

/** A first value of a field that the object does not have. */
function sample(schema: Schema, schemas: Schemas): readonly unknown[] {
  const resolved = resolve(schema, schemas);
  switch (resolved.type) {
    case 'string':
      return ['x'];
    case 'integer':
    case 'number':
      return [1, -1];
    case 'boolean':
      return [true];
    case 'array':
      return [[], [sample(resolved.items ?? {}, schemas)[0]]];
    default:
      return [{}];
  }
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference === undefined ? schema : (schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {});
}

/**
 * All mutations of an object below its kind.
 *
 * @param schemas the schemas of its group and version, by name
 * @param schema the name of its own
 */
export function mutationsOf(object: Plain, schemas: Schemas, schema: Schema): readonly Mutation[] {
  const found: Mutation[] = [];
  const seen = new Set<string>();
  const add = (
    path: readonly (string | number)[],
    what: string,
    change: (parent: Plain, key: string | number) => void,
  ) => {
    const copy = structuredClone(object);
    let parent: Plain = copy;
    for (const key of path.slice(0, -1)) parent = parent[key] as Plain;
    change(parent, path.at(-1) ?? '');
    const key = JSON.stringify(copy);
    if (seen.has(key)) return;
    seen.add(key);
    found.push({ name: `${printPath(path)} ${what}`, object: copy });
  };
  const set = (path: readonly (string | number)[], value: unknown): void => {
    const shown = JSON.stringify(value);
    add(path, `= ${shown.length > 40 ? `${shown.slice(0, 30)}... (${shown.length})` : shown}`, (parent, key) => {
      parent[key] = value;
    });
  };
  const walk = (value: unknown, path: readonly (string | number)[], schema: Schema): void => {
    const resolved = resolve(schema, schemas);
    if (path.length > 0) {
      if (typeof path.at(-1) === 'string') {
        add(path, 'removed', (parent, key) => {
          delete parent[key];
        });
        set(path, null);
      }
      for (const other of replacements(value)) set(path, other);
    }
    if (Array.isArray(value)) value.forEach((item, index) => walk(item, [...path, index], resolved.items ?? {}));
    if (!isObject(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      if (path.length === 0 && (name === 'apiVersion' || name === 'kind' || name === 'status')) continue;
      if (path.length === 1 && path[0] === 'metadata' && (name === 'namespace' || name === 'labels')) continue;
      walk(inner, [...path, name], resolved.properties?.[name] ?? resolved.additionalProperties ?? {});
    }
    if (path[0] === 'metadata') return;
    for (const [name, inner] of Object.entries(resolved.properties ?? {})) {
      if (Object.hasOwn(value, name) || (path.length === 0 && name === 'status')) continue;
      for (const first of sample(inner, schemas)) set([...path, name], first);
    }
  };
  walk(object, [], schema);
  return found;
}

function printPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  );
}
