import type { Json, Schema, ValidationRule } from '../../model/index.ts';

/** One marker as both notations write it. */
interface Use {
  readonly name: string;
  /** Constant expressions. */
  readonly values: readonly string[];
  readonly nested?: readonly Use[];
}

export type Notation = 'decorators' | 'tags';

/** TypeScript for an object schema. */
export interface SchemaSource {
  /** The members of a class or an interface. */
  readonly members: string;
  /** What stands beside it: types and aliases that carry markers. */
  readonly declarations: string;
}

/** TypeScript that the reader reads back as the same schema. */
export function sourceOfSchema(schema: Schema, notation: Notation): SchemaSource {
  const writer = new SourceWriter();
  const members = writer.members(schema, notation);
  return { members, declarations: writer.declarations.join('\n') };
}

/** `@Validation` does not say these: they come with markers of their own. */
export const immutable: ValidationRule = { rule: 'self == oldSelf', message: 'field is immutable' };

const groups = new Map([
  ['exactly one', 'ExactlyOneOf'],
  ['at most one', 'AtMostOneOf'],
  ['at least one', 'AtLeastOneOf'],
]);

class SourceWriter {
  readonly declarations: string[] = [];
  #names = 0;

  members(schema: Schema, notation: Notation): string {
    return [...(schema.properties ?? [])]
      .map(([name, member]) => this.#member(name, member, schema.required?.includes(name) === true, notation))
      .join('\n');
  }

  #member(name: string, member: Schema, required: boolean, notation: Notation): string {
    const uses = this.#usesOf(member);
    // Every third scalar has its markers on an alias.
    const alias = uses.length > 0 && isScalar(member) && this.#names++ % 3 === 0;
    const type = alias ? this.#alias(member, uses) : this.#typeOf(member);
    const own = alias ? [] : uses;
    const declared = `${JSON.stringify(name)}${required ? (notation === 'decorators' ? '!' : '') : '?'}: ${type};`;
    if (notation === 'tags') return `${comment(member.description, own.map(tag))}${declared}`;
    const decorators = own.map((use) => `@${call(use, 'decorators')}`).join(' ');
    return `${comment(member.description, [])}${decorators} ${declared}`;
  }

  #alias(schema: Schema, uses: readonly Use[]): string {
    const name = `Alias${this.declarations.length}`;
    const { nullable, ...bare } = schema;
    this.declarations.push(`${comment(undefined, uses.map(tag))}type ${name} = ${this.#typeOf(bare)};`);
    return nullable === true ? `${name} | null` : name;
  }

  /** The type without its markers; `null` stands for nullable. */
  #typeOf(schema: Schema): string {
    const bare = this.#bareType(schema);
    return schema.nullable === true ? `${bare} | null` : bare;
  }

  #bareType(schema: Schema): string {
    if (schema['x-kubernetes-int-or-string'] === true) return 'IntOrString';
    if (schema.not !== undefined) return 'unknown';
    switch (schema.type) {
      case 'string':
        if (schema.allOf !== undefined) return this.#twoPatterns(schema.allOf);
        return schema.enum === undefined ? 'string' : schema.enum.map(expression).join(' | ');
      case 'boolean':
        return schema.enum === undefined ? 'boolean' : schema.enum.map(expression).join(' | ');
      case 'integer':
        return schema.format ?? 'integer';
      case 'number':
        return schema.format ?? 'number';
      case 'array':
        return `Array<${schema.items === undefined ? 'unknown' : this.#typeOf(schema.items)}>`;
      case 'object':
        return this.#object(schema);
      default:
        return 'unknown';
    }
  }

  #object(schema: Schema): string {
    if (typeof schema.additionalProperties === 'object')
      return `Record<string, ${this.#typeOf(schema.additionalProperties)}>`;
    if (schema.properties === undefined) return 'object';
    if (schema.oneOf !== undefined) return this.#union(schema, schema.oneOf);
    const rules = (schema['x-kubernetes-validations'] ?? []).filter(({ message }) => groupOf(message) !== undefined);
    if (rules.length === 0) return `{\n${this.members(schema, 'tags')}\n}`;
    const name = `Type${this.declarations.length}`;
    const tags = rules.map(({ message = '' }) => {
      const names = /\[(.*)\]/.exec(message)?.[1]?.split(' ') ?? [];
      return tag({ name: groupOf(message) ?? '', values: names.map(expression) });
    });
    this.declarations.push('');
    const members = this.members(schema, 'tags');
    this.declarations.push(`${comment(undefined, tags)}interface ${name} {\n${members}\n}`);
    return name;
  }

  /** A union of types that are told apart by a literal, each with members of its own. */
  #union(schema: Schema, branches: readonly Schema[]): string {
    const types = branches.map((branch) => {
      const foreign = new Set([branch.not, ...(branch.not?.anyOf ?? [])].flatMap((each) => each?.required ?? []));
      const own = [...(schema.properties ?? [])].filter(([name]) => !foreign.has(name));
      const literal = ([name, member]: readonly [string, Schema]): [string, Schema] => [
        name,
        { ...member, ...branch.properties?.get(name) },
      ];
      const inner: Schema = { type: 'object', properties: new Map(own.map(literal)), required: branch.required ?? [] };
      return `{\n${this.members(inner, 'tags')}\n}`;
    });
    return `(${types.join(' | ')})`;
  }

  /** An alias with the first pattern, around one with the second. */
  #twoPatterns([first, second]: readonly Schema[]): string {
    const name = `Pattern${this.declarations.length}`;
    const tags = [first, second].map((each) => tag({ name: 'Pattern', values: [expression(each?.pattern ?? '')] }));
    this.declarations.push(`${comment(undefined, tags.slice(0, 1))}type ${name} = string;`);
    this.declarations.push(`${comment(undefined, tags.slice(1))}type ${name}Both = ${name};`);
    return `${name}Both`;
  }

  #usesOf(schema: Schema): Use[] {
    const uses: Use[] = [];
    const add = (name: string, ...values: readonly string[]): void => void uses.push({ name, values });
    if (schema.not !== undefined) add('Schema', expression(bareSchema(schema)));
    else {
      for (const [name, value] of keywordUses(schema)) add(name, ...value);
      if (schema.properties !== undefined && schema['x-kubernetes-preserve-unknown-fields'] === true)
        add('PreserveUnknownFields');
      if (schema['x-kubernetes-embedded-resource'] === true) add('EmbeddedResource');
      if (schema.type === undefined && Object.keys(bareSchema(schema)).length === 0) add('Schemaless');
      if (schema.items !== undefined) uses.push(...this.#nested('Items', schema.items));
      if (typeof schema.additionalProperties === 'object')
        uses.push(...this.#nested('Values', schema.additionalProperties));
    }
    if (schema.title !== undefined) add('Title', expression(schema.title));
    const { externalDocs } = schema;
    if (externalDocs !== undefined) add('ExternalDocs', expression({ ...externalDocs }));
    for (const rule of schema['x-kubernetes-validations'] ?? []) {
      if (rule === immutable) add('Immutable');
      else if (schema.properties === undefined) add('Validation', expression({ ...rule }));
    }
    return uses;
  }

  #nested(name: string, inner: Schema): Use[] {
    const nested = this.#usesOf(inner);
    return nested.length === 0 ? [] : [{ name, values: [], nested }];
  }
}

function groupOf(message: string | undefined): string | undefined {
  return groups.get(/^(.*) of the fields in/.exec(message ?? '')?.[1] ?? '');
}

function isScalar(schema: Schema): boolean {
  return ['string', 'integer', 'number', 'boolean'].includes(schema.type ?? '') && schema.not === undefined;
}

/** A schema without what markers say beside `Schema` and `Schemaless`. */
function bareSchema(schema: Schema): { [keyword: string]: Json } {
  const beside = new Set(['title', 'description', 'externalDocs', 'nullable', 'x-kubernetes-validations']);
  const members = Object.entries(schema).filter(([keyword]) => !beside.has(keyword));
  return Object.fromEntries<Json>(members as [string, Json][]);
}

function comment(description: string | undefined, tags: readonly string[]): string {
  const lines = [...(description?.split('\n') ?? []), ...tags];
  return lines.length === 0 ? '' : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}

function tag({ name, values, nested }: Use): string {
  const inner = nested?.map((use) => call(use, 'tags')) ?? values;
  // A comment ends at the first star with a slash.
  return `@${tagName(name)} ${inner.join(', ')}`.trimEnd().replaceAll('*/', '*\\/');
}

function call({ name, values, nested }: Use, notation: Notation): string {
  const inner = nested?.map((use) => call(use, notation)) ?? values;
  return `${notation === 'tags' ? tagName(name) : `m.${name}`}(${inner.join(', ')})`;
}

function tagName(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

const numbers = {
  multipleOf: 'MultipleOf',
  minLength: 'MinLength',
  maxLength: 'MaxLength',
  minItems: 'MinItems',
  maxItems: 'MaxItems',
  minProperties: 'MinProperties',
  maxProperties: 'MaxProperties',
} as const satisfies Partial<Record<keyof Schema, string>>;

/** The markers that set single keywords, with their values. */
function keywordUses(schema: Schema): [name: string, values: readonly string[]][] {
  const uses: [string, readonly string[]][] = [];
  const add = (name: string, ...values: readonly Json[]): void => void uses.push([name, values.map(expression)]);
  if (schema.minimum !== undefined)
    add(schema.exclusiveMinimum === true ? 'ExclusiveMinimum' : 'Minimum', schema.minimum);
  if (schema.maximum !== undefined)
    add(schema.exclusiveMaximum === true ? 'ExclusiveMaximum' : 'Maximum', schema.maximum);
  for (const [keyword, name] of Object.entries(numbers) as [keyof typeof numbers, string][]) {
    const value = schema[keyword];
    if (value !== undefined) add(name, value);
  }
  if (schema.pattern !== undefined) add('Pattern', schema.pattern);
  if (schema.type === 'string' && schema.format !== undefined) add('Format', schema.format);
  if (schema.enum !== undefined && schema.type !== 'string' && schema.type !== 'boolean') add('Enum', ...schema.enum);
  if (schema.default !== undefined) add('Default', schema.default);
  if (schema.example !== undefined) add('Example', schema.example);
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== undefined) add('ListType', listType, ...(schema['x-kubernetes-list-map-keys'] ?? []));
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined) add('MapType', mapType);
  return uses;
}

function expression(value: Json): string {
  return JSON.stringify(value);
}
