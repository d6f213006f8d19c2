import type { JSONSchema4 } from 'json-schema';
import type { Json, JsonObject } from '../model/index.ts';
import { isObject, listMember, member, objectMember, textMember, textsMember, without } from './json.ts';
import { pascalCase, propertyName, type TypeNames } from './names.ts';

/** A name in a file, and the comment in front of it. */
export interface NamedText {
  readonly name: string;
  readonly description: string;
}

/** The texts of a file that json-schema-to-typescript does not see, by the placeholders that stand for them. */
export interface Texts {
  /** Types: `T0_`. */
  readonly types: NamedText[];
  /** Members, named as they stand in an interface: `P0_`. */
  readonly properties: NamedText[];
}

/** What stands in a generated file for `metadata.ownerReferences` and the like inside of a value: a whole object of any kind. */
const objectMeta = 'ObjectMeta';
const anyMembers = '[name: string]: unknown';

/**
 * Makes a schema of a definition one that json-schema-to-typescript gives the right type for: keywords that only validate go (with
 * them all of allOf, anyOf, oneOf and not, which may not have types of their own in a structural schema), extensions of Kubernetes
 * become types, and names become placeholders, so that none can be taken for something else. Equal types are one.
 */
export class JsonSchemaWriter {
  readonly texts: Texts = { types: [], properties: [] };
  readonly #names: TypeNames;
  readonly #objects = new Map<string, JSONSchema4>();
  /** Whether a type of operator-runtime is used that must be imported. */
  usesObjectMeta = false;

  constructor(names: TypeNames) {
    this.#names = names;
  }

  /** The interface of a kind; its own members are written apart. */
  root(schema: JsonObject, name: string, without: ReadonlySet<string>): JSONSchema4 {
    this.texts.types.push({ name, description: '' });
    const properties = Object.entries(objectMember(schema, 'properties') ?? {}).filter(([each]) => !without.has(each));
    return this.#members({ $id: 'T0_', type: 'object' }, schema, properties, name);
  }

  /**
   * @param name what the type is called where it needs a name
   * @param description what the type says of itself; that of a member stands with the member
   */
  #schema(schema: JsonObject, name: string, description = ''): JSONSchema4 {
    const typed = this.#typed(schema, name, description);
    return member(schema, 'nullable') === true ? { anyOf: [typed, { type: 'null' }] } : typed;
  }

  #typed(schema: JsonObject, name: string, description: string): JSONSchema4 {
    if (member(schema, 'x-kubernetes-int-or-string') === true) return { tsType: '(number | string)' };
    if (member(schema, 'x-kubernetes-embedded-resource') === true) return this.#embedded(schema, name, description);
    const values = member(schema, 'enum');
    if (Array.isArray(values) && values.length > 0) return enumOf(values as readonly Json[]);
    switch (typeOf(schema)) {
      case 'string':
      case 'boolean':
      case 'integer':
      case 'number':
        return { type: typeOf(schema) as 'string' };
      case 'array': {
        const items = member(schema, 'items');
        return { type: 'array', items: isObject(items) ? this.#item(items, name) : unknownValue };
      }
      case 'object':
        return this.#object(schema, name, description);
      default:
        return unknownValue;
    }
  }

  #item(schema: JsonObject, name: string): JSONSchema4 {
    return this.#schema(schema, name, textMember(schema, 'description'));
  }

  #object(schema: JsonObject, name: string, description: string): JSONSchema4 {
    const properties = Object.entries(objectMember(schema, 'properties') ?? {});
    if (properties.length > 0) {
      const shape = { ...without(schema, ['description', 'nullable', 'default', 'example']), description };
      const key = JSON.stringify(shape, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
      const known = this.#objects.get(key);
      if (known !== undefined) return known;
      const $id = `T${this.texts.types.length}_`;
      const allocated = this.#names.allocate(name);
      this.texts.types.push({ name: allocated, description });
      const made = this.#members({ $id, type: 'object' }, schema, properties, allocated);
      this.#objects.set(key, made);
      return made;
    }
    const values = member(schema, 'additionalProperties');
    if (isObject(values)) return { type: 'object', additionalProperties: this.#item(values, name) };
    const open = values === true || member(schema, 'x-kubernetes-preserve-unknown-fields') === true;
    // The server drops every member of an object of which nothing is said.
    return { tsType: open ? `{ ${anyMembers} }` : '{ [name: string]: never }' };
  }

  #members(
    base: JSONSchema4,
    schema: JsonObject,
    properties: readonly (readonly [string, Json])[],
    name: string,
  ): JSONSchema4 {
    const required = new Set(textsMember(schema, 'required'));
    const members: Record<string, JSONSchema4> = {};
    const needed: string[] = [];
    for (const [property, value] of properties) {
      const placeholder = `P${this.texts.properties.length}_`;
      const inner = isObject(value) ? value : {};
      this.texts.properties.push({
        name: propertyName(property),
        description: textMember(inner, 'description') ?? '',
      });
      members[placeholder] = this.#schema(inner, `${name}${pascalCase(property)}`);
      if (required.has(property)) needed.push(placeholder);
    }
    const values = member(schema, 'additionalProperties');
    const open = values === true || member(schema, 'x-kubernetes-preserve-unknown-fields') === true;
    const additionalProperties = isObject(values) && !open ? this.#item(values, `${name}Value`) : open;
    return { ...base, properties: members, required: needed, additionalProperties };
  }

  /** A whole Kubernetes object inside of another: what it says of itself, and whatever else. */
  #embedded(schema: JsonObject, name: string, description: string): JSONSchema4 {
    this.usesObjectMeta = true;
    const own = new Set(['apiVersion', 'kind', 'metadata']);
    const properties = Object.entries(objectMember(schema, 'properties') ?? {}).filter(([each]) => !own.has(each));
    const head = `apiVersion: string; kind: string; metadata?: ${objectMeta}`;
    if (properties.length === 0) return { tsType: `{ ${head}; ${anyMembers} }` };
    const members = this.#object({ ...schema, properties: Object.fromEntries(properties) }, name, description);
    return { allOf: [{ tsType: `{ ${head} }` }, members] };
  }
}

const unknownValue: JSONSchema4 = { tsType: 'unknown' };

function typeOf(schema: JsonObject): string | undefined {
  const type = textMember(schema, 'type');
  if (type !== undefined) return type;
  if (objectMember(schema, 'properties') !== undefined) return 'object';
  return isObject(member(schema, 'items')) ? 'array' : undefined;
}

/** A union of literals. Other values than texts, numbers, booleans and null have no literal type. */
function enumOf(values: readonly Json[]): JSONSchema4 {
  const literals = [...new Set(values)].filter(
    (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value),
  );
  return literals.length < new Set(values).size ? unknownValue : { enum: literals as (string | number | boolean)[] };
}

/** The type of `metadata` where a definition restricts the names of its objects: that of the standard one, and more. */
export function restrictedMetadata(schema: JsonObject, literal: (value: string) => string): string | undefined {
  const metadata = objectMember(objectMember(schema, 'properties'), 'metadata');
  const members = ['name', 'generateName'].flatMap((name) => {
    const values = listMember(objectMember(objectMember(metadata, 'properties'), name), 'enum');
    const texts = values.filter((value) => typeof value === 'string');
    return texts.length === 0 ? [] : [`${name}?: ${texts.map(literal).join(' | ')}`];
  });
  return members.length === 0 ? undefined : `${objectMeta} & { ${members.join('; ')} }`;
}
