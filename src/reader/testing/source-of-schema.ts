import type { Json, Schema, ValidationRule } from '../../model/index.ts';

/** One marker as both notations write it. */
interface Use {
  readonly name: string;
  /** Constant expressions. */
  readonly values: readonly string[];
  readonly nested?: readonly Use[];
}

export type Notation = 'decorators' | 'tags';

/** TypeScript for an object schema: the members of a class or an interface that the reader reads back as the same schema. */
export function membersOfSchema(schema: Schema, notation: Notation): string {
  return [...(schema.properties ?? [])]
    .map(([name, member]) => {
      const optional = schema.required?.includes(name) === true ? '' : '?';
      const uses = usesOf(member);
      const declared = `${JSON.stringify(name)}${optional === '' && notation === 'decorators' ? '!' : optional}: ${typeOf(member)};`;
      if (notation === 'tags') return `${comment(member.description, uses.map(tag))}${declared}`;
      const decorators = uses.map((use) => `@${call(use, 'decorators')}`).join(' ');
      return `${comment(member.description, [])}${decorators} ${declared}`;
    })
    .join('\n');
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

/** The type without its markers; `null` stands for nullable. */
function typeOf(schema: Schema): string {
  const bare = bareType(schema);
  return schema.nullable === true ? `${bare} | null` : bare;
}

function bareType(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'IntOrString';
  switch (schema.type) {
    case 'string':
      return schema.enum === undefined ? 'string' : schema.enum.map(expression).join(' | ');
    case 'boolean':
      return 'boolean';
    case 'integer':
      return schema.format ?? 'integer';
    case 'number':
      return schema.format ?? 'number';
    case 'array':
      return `Array<${schema.items === undefined ? 'unknown' : typeOf(schema.items)}>`;
    case 'object':
      if (typeof schema.additionalProperties === 'object')
        return `Record<string, ${typeOf(schema.additionalProperties)}>`;
      if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'object';
      return `{\n${membersOfSchema(schema, 'tags')}\n}`;
    default:
      return 'unknown';
  }
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

function usesOf(schema: Schema): Use[] {
  const uses: Use[] = [];
  const add = (name: string, ...values: readonly string[]): void => void uses.push({ name, values });
  if (schema.minimum !== undefined)
    add(schema.exclusiveMinimum === true ? 'ExclusiveMinimum' : 'Minimum', expression(schema.minimum));
  if (schema.maximum !== undefined)
    add(schema.exclusiveMaximum === true ? 'ExclusiveMaximum' : 'Maximum', expression(schema.maximum));
  for (const [keyword, name] of Object.entries(numbers) as [keyof typeof numbers, string][]) {
    const value = schema[keyword];
    if (value !== undefined) add(name, expression(value));
  }
  if (schema.pattern !== undefined) add('Pattern', expression(schema.pattern));
  if (schema.type === 'string' && schema.format !== undefined) add('Format', expression(schema.format));
  if (schema.enum !== undefined && schema.type !== 'string') add('Enum', ...schema.enum.map(expression));
  if (schema.title !== undefined) add('Title', expression(schema.title));
  if (schema.default !== undefined) add('Default', expression(schema.default));
  if (schema.example !== undefined) add('Example', expression(schema.example));
  const { externalDocs } = schema;
  if (externalDocs !== undefined) add('ExternalDocs', expression({ ...externalDocs }));
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== undefined)
    add('ListType', ...[listType, ...(schema['x-kubernetes-list-map-keys'] ?? [])].map(expression));
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined) add('MapType', expression(mapType));
  for (const rule of schema['x-kubernetes-validations'] ?? []) add('Validation', ruleExpression(rule));
  if (schema.items !== undefined) uses.push(...nestedUse('Items', schema.items));
  if (typeof schema.additionalProperties === 'object') uses.push(...nestedUse('Values', schema.additionalProperties));
  return uses;
}

function nestedUse(name: string, inner: Schema): Use[] {
  const nested = usesOf(inner);
  return nested.length === 0 ? [] : [{ name, values: [], nested }];
}

function ruleExpression(rule: ValidationRule): string {
  return expression({ ...rule });
}

function expression(value: Json): string {
  return JSON.stringify(value);
}
