import type { JSONSchema4 } from 'json-schema';
import type { Json, JsonObject } from '../model/index.ts';
import { isObject, listMember, member, objectMember, textMember, textsMember } from './json.ts';
import { pascalCase, propertyName, type TypeNames } from './names.ts';

/** The texts of a file that json-schema-to-typescript does not see, by the placeholders that stand for them. */
export interface Texts {
  /** Names of types: `T0_`. */
  readonly types: string[];
  /** Names of members as they stand in an interface: `P0_`. */
  readonly properties: string[];
  /** Descriptions: `D0_`. */
  readonly descriptions: string[];
}

/** What stands in a generated file for `metadata.ownerReferences` and the like inside of a value: a whole object of any kind. */
const objectMeta = 'ObjectMeta';
const anyMembers = '[name: string]: unknown';

/**
 * Makes a schema of a definition one that json-schema-to-typescript gives the right type for: keywords that only validate go (with
 * them all of allOf, anyOf, oneOf and not, which may not have types of their own in a structural schema), extensions of Kubernetes
 * become types, and every text (names, descriptions) becomes a placeholder, so that none can be taken for something else.
 */
export class JsonSchemaWriter {
  readonly texts: Texts = { types: [], properties: [], descriptions: [] };
  readonly #names: TypeNames;
  /** Whether a type of operator-runtime is used that must be imported. */
  usesObjectMeta = false;

  constructor(names: TypeNames) {
    this.#names = names;
  }

  /** The interface of a kind; its own members are written apart. */
  root(schema: JsonObject, name: string, without: ReadonlySet<string>): JSONSchema4 {
    this.texts.types.push(name);
    const properties = Object.entries(objectMember(schema, 'properties') ?? {}).filter(([each]) => !without.has(each));
    return this.#members({ $id: 'T0_', type: 'object' }, schema, properties, name);
  }

  /** `name` is what the type is called where it needs a name. */
  #schema(schema: JsonObject, name: string, described: boolean): JSONSchema4 {
    const typed = this.#typed(schema, name);
    const text = described ? textMember(schema, 'description') : undefined;
    const nullable = member(schema, 'nullable') === true ? { anyOf: [typed, { type: 'null' as const }] } : typed;
    if (text === undefined || text.trim() === '') return nullable;
    this.texts.descriptions.push(text);
    return { ...nullable, description: `D${this.texts.descriptions.length - 1}_` };
  }

  #typed(schema: JsonObject, name: string): JSONSchema4 {
    if (member(schema, 'x-kubernetes-int-or-string') === true) return { tsType: '(number | string)' };
    if (member(schema, 'x-kubernetes-embedded-resource') === true) return this.#embedded(schema, name);
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
        return { type: 'array', items: isObject(items) ? this.#schema(items, name, false) : unknownValue };
      }
      case 'object':
        return this.#object(schema, name);
      default:
        return unknownValue;
    }
  }

  #object(schema: JsonObject, name: string): JSONSchema4 {
    const properties = Object.entries(objectMember(schema, 'properties') ?? {});
    if (properties.length > 0) {
      const $id = this.#typeName(name);
      return this.#members({ $id, type: 'object' }, schema, properties, this.texts.types.at(-1) ?? name);
    }
    const values = member(schema, 'additionalProperties');
    if (isObject(values)) return { type: 'object', additionalProperties: this.#schema(values, name, false) };
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
      this.texts.properties.push(propertyName(property));
      members[placeholder] = this.#schema(isObject(value) ? value : {}, `${name}${pascalCase(property)}`, true);
      if (required.has(property)) needed.push(placeholder);
    }
    const values = member(schema, 'additionalProperties');
    const open = values === true || member(schema, 'x-kubernetes-preserve-unknown-fields') === true;
    const additionalProperties = isObject(values) && !open ? this.#schema(values, `${name}Value`, false) : open;
    return { ...base, properties: members, required: needed, additionalProperties };
  }

  /** A whole Kubernetes object inside of another: what it says of itself, and whatever else. */
  #embedded(schema: JsonObject, name: string): JSONSchema4 {
    this.usesObjectMeta = true;
    const own = new Set(['apiVersion', 'kind', 'metadata']);
    const properties = Object.entries(objectMember(schema, 'properties') ?? {}).filter(([each]) => !own.has(each));
    const head = `apiVersion: string; kind: string; metadata?: ${objectMeta}`;
    if (properties.length === 0) return { tsType: `{ ${head}; ${anyMembers} }` };
    const members = this.#object({ ...schema, properties: Object.fromEntries(properties) }, name);
    return { allOf: [{ tsType: `{ ${head} }` }, members] };
  }

  #typeName(name: string): string {
    this.texts.types.push(this.#names.allocate(name));
    return `T${this.texts.types.length - 1}_`;
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
