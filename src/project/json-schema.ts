/** What we use of JSON Schema (draft 2020-12). */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'string' | 'boolean' | 'object' | 'array';
  readonly enum?: readonly (string | boolean)[];
  readonly default?: unknown;
  /** Matched anywhere, as JSON Schema has it: `^` and `$` stand in it. */
  readonly pattern?: string;
  readonly minLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly uniqueItems?: boolean;
  /** An example of a right value, for the remedy. */
  readonly examples?: readonly unknown[];
}

/** Where a value does not fit: `path` as `resources[0].kind`, `message` says what it is instead. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
  /** A right value in JSON. */
  readonly example: string | undefined;
}

/** All places where a JSON value does not fit a schema, in the order of the schema. */
export function checkJson(value: unknown, schema: JsonSchema, path = ''): SchemaProblem[] {
  const problem = (message: string): SchemaProblem[] => [
    { path, message, example: schema.examples === undefined ? undefined : JSON.stringify(schema.examples[0]) },
  ];
  if (schema.enum !== undefined && !schema.enum.some((one) => one === value)) {
    return problem(`is none of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`);
  }
  if (schema.type !== undefined && typeOf(value) !== schema.type) return problem(`is no ${nouns[schema.type]}`);
  if (typeof value === 'string') {
    // Nothing but 1 is asked for, so that it does not matter how characters count.
    if (schema.minLength !== undefined && value.length < schema.minLength) return problem('is empty');
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
      return problem(`is ${JSON.stringify(value)}, which does not match ${schema.pattern}`);
    }
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (schema.uniqueItems === true) {
      const texts = items.map((item) => JSON.stringify(item));
      const twice = texts.find((text, index) => texts.indexOf(text) !== index);
      if (twice !== undefined) return problem(`holds ${twice} twice`);
    }
    const { items: itemSchema } = schema;
    if (itemSchema === undefined) return [];
    return items.flatMap((item, index) => checkJson(item, itemSchema, `${path}[${index}]`));
  }
  if (typeOf(value) !== 'object') return [];
  const members = value as Readonly<Record<string, unknown>>;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(members, name));
  return [
    ...missing.map((name) => ({
      path: at(name),
      message: 'is missing',
      example: JSON.stringify(schema.properties?.[name]?.examples?.[0]),
    })),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      Object.hasOwn(members, name) ? checkJson(members[name], member, at(name)) : [],
    ),
  ];
}

const nouns: Readonly<Record<NonNullable<JsonSchema['type']>, string>> = {
  string: 'text',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
