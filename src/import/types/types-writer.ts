import type { JsonObject } from '../../model/index.ts';
import { equalJson } from '../../schema/index.ts';
import { docComment } from '../doc-comment.ts';
import { isObject, listMember, member, objectMember, textMember, textsMember, without } from '../json.ts';
import { classMemberName, pascalCase, type TypeNames } from '../names.ts';
import { isWritable, trimmedDescription } from './description.ts';
import { type Family, markersOf } from './keywords.ts';
import { call, type MarkerCall, writeCall } from './marker-call.ts';
import { intOrStringOf, scalarOf } from './scalars.ts';
import { bareSchema } from './bare-schema.ts';
import { deeplyKnown, type Lose, memberPath, withoutUnknown } from './known-keywords.ts';

/** Where a schema stands: its path for people, what its type is called where it needs a name, and whether a member has it. */
export interface SchemaPlace {
  readonly path: string;
  readonly name: string;
  readonly isMember: boolean;
}

/** How a schema is written: a type, markers for the member that has it, and a description that is still to be written. */
interface Written {
  readonly type: string;
  readonly markers: readonly MarkerCall[];
  readonly description: string | undefined;
}

/** Markers that stand on a class; the others of an item or value stand inside `Items` and `Values`. */
const classMarkers = new Set([
  'Title',
  'ExternalDocs',
  'MapType',
  'MinProperties',
  'MaxProperties',
  'Validation',
  'PreserveUnknownFields',
]);

/** Names by which a file imports what it needs of operator-runtime. */
export interface Imports {
  marker(name: string): string;
  scalar(name: string): string;
  /** Whether the language's `Record` can be used. */
  readonly hasRecord: boolean;
}

/**
 * Writes schemas as marked TypeScript. What the types and markers cannot say of a schema goes, with all of it, into a `Schema`
 * marker; what not even that can say is lost and reported with its path.
 */
export class TypesWriter {
  /** Classes and aliases, each before those that use it. */
  readonly declarations: string[] = [];
  /** Where descriptions have blanks that no comment keeps. */
  readonly untidy: string[] = [];
  readonly #names: TypeNames;
  readonly #imports: Imports;
  readonly #lose: Lose;
  /** Classes by what they say: equal ones are written once. */
  readonly #classes = new Map<string, string>();

  constructor(names: TypeNames, imports: Imports, lose: Lose) {
    this.#names = names;
    this.#imports = imports;
    this.#lose = lose;
  }

  /** The members of a class, each with its comment and its markers. */
  members(schema: JsonObject, place: SchemaPlace, skip: ReadonlySet<string> = new Set()): string {
    const required = new Set(textsMember(schema, 'required'));
    const members = Object.entries(objectMember(schema, 'properties') ?? {}).filter(([name]) => !skip.has(name));
    for (const name of required) {
      const declared = Object.hasOwn(objectMember(schema, 'properties') ?? {}, name);
      if (!declared && !skip.has(name)) this.#lose(place.path, `required: ${name}, which is not declared`);
    }
    return members
      .map(([name, value]) => this.#member(name, isObject(value) ? value : {}, required.has(name), place))
      .join('\n');
  }

  #member(name: string, schema: JsonObject, required: boolean, outer: SchemaPlace): string {
    const path = memberPath(outer.path, name);
    const written = this.#schema(schema, { path, name: `${outer.name}${pascalCase(name)}`, isMember: true });
    const comment = docComment(written.description ?? '', '  ');
    if (name === 'constructor' && written.markers.length > 0) {
      this.#lose(path, 'the markers of a member called constructor');
      return `${comment}  ${classMemberName(name)}${required ? '!' : '?'}: ${written.type};\n`;
    }
    const markers = written.markers.map((marker) => `  @${this.#call(marker, '  ')}\n`).join('');
    return `${comment}${markers}  ${classMemberName(name)}${required ? '!' : '?'}: ${written.type};\n`;
  }

  /** The markers of a kind's own class that come from its schema. */
  kindMarkers(schema: JsonObject): readonly string[] {
    const handled = new Set(['type', 'properties', 'required', 'description', preserve]);
    const known = Object.entries(schema).filter(([keyword, value]) => {
      const one = markersOf({ [keyword]: value }, 'class', handled);
      if (one?.every(({ name }) => classMarkers.has(name)) === true) return true;
      this.#lose('', keyword);
      return false;
    });
    const calls = markersOf(Object.fromEntries(known), 'class', handled) ?? [];
    const open = member(schema, preserve) === true ? [call('PreserveUnknownFields')] : [];
    return [...open, ...calls].map((marker) => `@${this.#call(marker, '')}\n`);
  }

  #call(marker: MarkerCall, indent: string): string {
    return writeCall(marker, indent, (name) => this.#imports.marker(name));
  }

  #schema(schema: JsonObject, place: SchemaPlace): Written {
    const named = this.#known(schema, place);
    const description = textMember(named, 'description');
    const writable = description === undefined || description === '' || isWritable(description);
    return (writable ? this.#natural(named, place) : undefined) ?? this.#replaced(named, place, writable);
  }

  /** Leaves out what has no notation at all. */
  #known(schema: JsonObject, place: SchemaPlace): JsonObject {
    const known = this.#trimmed(withoutUnknown(schema, place.path, this.#lose), place);
    // The server lets no null through an enum.
    const values = listMember(known, 'enum');
    if (member(known, 'nullable') !== true || values.length === 0 || values.includes(null)) return known;
    this.#lose(place.path, 'nullable beside an enum, through which the API server lets no null');
    return without(known, ['nullable']);
  }

  #trimmed(schema: JsonObject, place: SchemaPlace): JsonObject {
    const description = textMember(schema, 'description');
    const trimmed = description === undefined ? undefined : trimmedDescription(description);
    if (trimmed === undefined || trimmed === description) return schema;
    this.untidy.push(place.path);
    return { ...schema, description: trimmed };
  }

  /** As types and markers; `undefined` where these cannot say all of it. */
  #natural(schema: JsonObject, place: SchemaPlace): Written | undefined {
    const family = familyOf(schema);
    if (family === undefined) return undefined;
    if (!place.isMember && (member(schema, 'default') ?? member(schema, 'example')) !== undefined) return undefined;
    switch (family) {
      case 'array':
        return this.#list(schema, place);
      case 'map':
        return this.#map(schema, place);
      case 'class':
        return this.#class(schema, place);
      case 'object':
      case 'unknown':
        return this.#open(schema, family, place);
      default:
        return this.#scalar(schema, family, place);
    }
  }

  #scalar(schema: JsonObject, family: Family, place: SchemaPlace): Written | undefined {
    const scalar = family === 'intOrString' ? intOrStringOf(schema) : scalarOf(schema, family);
    if (scalar === undefined) return undefined;
    const markers = markersOf(schema, family, new Set([...handledAlways, ...scalar.handled]));
    if (markers === undefined) return undefined;
    const type = scalar.alias === undefined ? scalar.type : this.#imports.scalar(scalar.alias);
    return this.#written(schema, type, [...scalar.markers, ...markers], place);
  }

  #list(schema: JsonObject, place: SchemaPlace): Written | undefined {
    const markers = markersOf(schema, 'array', new Set([...handledAlways, 'type', 'items']));
    const items = objectMember(schema, 'items');
    if (markers === undefined || items === undefined) return undefined;
    const inner = this.#schema(items, { path: `${place.path}[*]`, name: place.name, isMember: false });
    const type = /[|&]/.test(inner.type) ? `(${inner.type})[]` : `${inner.type}[]`;
    return this.#written(schema, type, [...markers, ...nested('Items', inner)], place);
  }

  #map(schema: JsonObject, place: SchemaPlace): Written | undefined {
    const markers = markersOf(schema, 'map', new Set([...handledAlways, 'type', 'additionalProperties']));
    const values = objectMember(schema, 'additionalProperties');
    if (markers === undefined || values === undefined) return undefined;
    const inner = this.#schema(values, { path: `${place.path}.*`, name: place.name, isMember: false });
    const type = this.#imports.hasRecord ? `Record<string, ${inner.type}>` : `{ [name: string]: ${inner.type} }`;
    return this.#written(schema, type, [...markers, ...nested('Values', inner)], place);
  }

  #class(schema: JsonObject, place: SchemaPlace): Written | undefined {
    const handled = new Set([...handledAlways, 'type', 'properties', 'required', preserve, embedded]);
    const markers = markersOf(schema, 'class', handled);
    const properties = objectMember(schema, 'properties') ?? {};
    const undeclared = textsMember(schema, 'required').some((name) => !Object.hasOwn(properties, name));
    // `EmbeddedResource` keeps unknown members, too.
    const strict = member(schema, embedded) === true && member(schema, preserve) !== true;
    if (markers === undefined || undeclared || strict || hasMarkedConstructor(properties)) return undefined;
    const open = [
      ...(member(schema, embedded) === true ? [call('EmbeddedResource')] : []),
      ...(member(schema, preserve) === true && member(schema, embedded) !== true
        ? [call('PreserveUnknownFields')]
        : []),
    ];
    const calls = [...open, ...markers];
    if (place.isMember) {
      const type = this.#declareClass(schema, place, [], undefined);
      return this.#written(schema, type, calls, place);
    }
    const own = calls.filter(({ name }) => classMarkers.has(name));
    const type = this.#declareClass(schema, place, own, textMember(schema, 'description'));
    const others = calls.filter(({ name }) => !classMarkers.has(name));
    return { ...this.#written(schema, type, others, { ...place, isMember: true }), description: undefined };
  }

  #declareClass(
    schema: JsonObject,
    place: SchemaPlace,
    markers: readonly MarkerCall[],
    description: string | undefined,
  ): string {
    const shape = [description, markers, member(schema, 'properties') ?? {}, listMember(schema, 'required')];
    const key = JSON.stringify(shape, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const name = this.#names.allocate(place.name);
    this.#classes.set(key, name);
    const members = this.members(schema, { ...place, name });
    const calls = markers.map((marker) => `@${this.#call(marker, '')}\n`).join('');
    this.declarations.push(`${docComment(description ?? '')}${calls}export class ${name} {\n${members}}\n`);
    return name;
  }

  /** An object of which nothing is known, or any JSON value. */
  #open(schema: JsonObject, family: 'object' | 'unknown', place: SchemaPlace): Written | undefined {
    const markers = markersOf(schema, family, new Set([...handledAlways, 'type', preserve, embedded]));
    if (markers === undefined || member(schema, preserve) !== true) return undefined;
    const open = member(schema, embedded) === true ? [call('EmbeddedResource')] : [];
    return this.#written(schema, family, [...open, ...markers], place);
  }

  #written(schema: JsonObject, type: string, markers: readonly MarkerCall[], place: SchemaPlace): Written {
    const description = textMember(schema, 'description') || undefined;
    const named = place.isMember || description === undefined ? type : this.#alias(type, description, place);
    const written = member(schema, 'nullable') === true && type !== 'unknown' ? `${named} | null` : named;
    if (member(schema, 'nullable') === true && type === 'unknown') {
      return {
        type: written,
        markers: [call('Nullable'), ...markers],
        description: place.isMember ? description : undefined,
      };
    }
    return { type: written, markers, description: place.isMember ? description : undefined };
  }

  /** Only a declaration can have a description: that of items and values needs a name. */
  #alias(type: string, description: string, place: SchemaPlace): string {
    const key = JSON.stringify(['alias', type, description]);
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const name = this.#names.allocate(place.name);
    this.#classes.set(key, name);
    this.declarations.push(`${docComment(description)}export type ${name} = ${type};\n`);
    return name;
  }

  /** As a `Schema` marker, on a type for those who write the operator. */
  #replaced(schema: JsonObject, place: SchemaPlace, writable: boolean): Written {
    const description = place.isMember && writable ? textMember(schema, 'description') || undefined : undefined;
    const said = description === undefined ? schema : without(schema, ['description']);
    const json = deeplyKnown(said, place.path, this.#lose);
    const { type } = this.#natural(bareSchema(schema), place) ?? { type: 'unknown' };
    return { type, markers: [call('Schema', json)], description };
  }
}

const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';
const handledAlways = ['description', 'nullable'];

/** TypeScript allows no decorator on a member of this name, which stands in brackets. */
function hasMarkedConstructor(properties: JsonObject): boolean {
  const schema = objectMember(properties, 'constructor');
  if (schema === undefined) return false;
  const rest = without(schema, ['description']);
  return !equalJson(rest, bareSchema(rest));
}

function nested(name: 'Items' | 'Values', { markers }: Written): readonly MarkerCall[] {
  return markers.length === 0 ? [] : [call(name, ...markers)];
}

/** What a schema is to a TypeScript author; `undefined` for what has no type of its own. */
function familyOf(schema: JsonObject): Family | undefined {
  if (member(schema, 'x-kubernetes-int-or-string') === true) return 'intOrString';
  const type = textMember(schema, 'type');
  switch (type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'array':
      return type;
    case 'object': {
      const properties = Object.keys(objectMember(schema, 'properties') ?? {});
      const values = member(schema, 'additionalProperties');
      if (properties.length > 0) return values === undefined ? 'class' : undefined;
      if (isObject(values)) return 'map';
      return values === undefined ? 'object' : undefined;
    }
    case undefined:
      return 'unknown';
    default:
      return undefined;
  }
}
