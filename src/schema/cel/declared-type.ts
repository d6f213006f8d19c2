import { utf8Length } from './source.ts';
import { escapeName } from './escaping.ts';
import type { ObjectFields } from './object-types.ts';
import { type StructuralSchema, valuesSchema, withTypeAndObjectMeta } from './structural.ts';
import {
  boolType,
  bytesType,
  CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  timestampType,
} from './types.ts';

/** The largest request that the server accepts, in bytes; sizes without a bound of their own are bounded by it. */
export const maximumRequestBytes = 3 * 1024 * 1024;

/** What a schema is in CEL, with the bounds that cost estimates use. */
export interface DeclaredType {
  readonly kind: 'scalar' | 'list' | 'map' | 'object';
  /** The type; objects get theirs, with a name, from {@link nameTypes}. */
  readonly type: CelType;
  /** The most code points, elements or entries. */
  readonly maxElements: number;
  /** The fewest bytes in JSON. */
  readonly minSerializedSize: number;
  readonly key: DeclaredType | undefined;
  readonly element: DeclaredType | undefined;
  /** By escaped name. */
  readonly fields: ReadonlyMap<string, DeclaredType> | undefined;
}

function scalar(type: CelType, minSerializedSize: number, maxElements = 0): DeclaredType {
  return {
    kind: 'scalar',
    type,
    maxElements,
    minSerializedSize,
    key: undefined,
    element: undefined,
    fields: undefined,
  };
}

const boolDeclaration = scalar(boolType, 4);
const doubleDeclaration = scalar(doubleType, 1);
const intDeclaration = scalar(intType, 1);
const stringDeclaration = scalar(stringType, 2);
const unnamedObject = new CelType('struct', 'object');

/** The CEL type of a schema; undefined when rules cannot see it. */
export function declareType(schema: StructuralSchema, isResourceRoot: boolean): DeclaredType | undefined {
  if (schema.intOrString) {
    return scalar(dynType, 1, schema.maxLength === undefined ? maximumRequestBytes - 2 : bytesFor(schema.maxLength));
  }
  const s = isResourceRoot ? withTypeAndObjectMeta(schema) : schema;
  switch (s.type) {
    case 'array':
      return declareList(s);
    case 'object':
      return valuesSchema(s) === undefined ? declareObject(s) : declareMap(s);
    case 'string':
      return declareString(s);
    case 'boolean':
      return boolDeclaration;
    case 'number':
      return doubleDeclaration;
    case 'integer':
      return intDeclaration;
    default:
      return undefined;
  }
}

/** `maxLength` counts code points, of which each may take four bytes. */
function bytesFor(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}

function declareList(schema: StructuralSchema): DeclaredType | undefined {
  const element = schema.items === undefined ? undefined : declareType(schema.items, schema.items.embeddedResource);
  if (element === undefined) return undefined;
  const estimated = Math.floor((maximumRequestBytes - 2) / (element.minSerializedSize + 1));
  return listDeclaration(element, schema.maxItems === undefined ? estimated : Math.max(0, schema.maxItems));
}

function listDeclaration(element: DeclaredType, maxElements: number): DeclaredType {
  return {
    kind: 'list',
    type: listOf(element.type),
    maxElements,
    minSerializedSize: 2,
    key: undefined,
    element,
    fields: undefined,
  };
}

function declareMap(schema: StructuralSchema): DeclaredType | undefined {
  const values = valuesSchema(schema);
  const element = values === undefined ? undefined : declareType(values, values.embeddedResource);
  if (element === undefined) return undefined;
  const estimated = Math.floor((maximumRequestBytes - 2) / (element.minSerializedSize + 6));
  return mapDeclaration(element, schema.maxProperties === undefined ? estimated : Math.max(0, schema.maxProperties));
}

function mapDeclaration(element: DeclaredType, maxElements: number): DeclaredType {
  const type = mapOf(stringType, element.type);
  return { kind: 'map', type, maxElements, minSerializedSize: 2, key: stringDeclaration, element, fields: undefined };
}

function declareObject(schema: StructuralSchema): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let minSerializedSize = 2;
  for (const [name, property] of schema.properties ?? []) {
    const field = declareType(property, property.embeddedResource);
    if (field === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, field);
    if (schema.required.has(name) && !property.hasDefault)
      minSerializedSize += utf8Length(name) + field.minSerializedSize + 4;
  }
  return {
    kind: 'object',
    type: unnamedObject,
    maxElements: 0,
    minSerializedSize,
    key: undefined,
    element: undefined,
    fields,
  };
}

function declareString(schema: StructuralSchema): DeclaredType {
  switch (schema.format) {
    case 'byte':
      return scalar(
        bytesType,
        2,
        schema.maxLength === undefined ? maximumRequestBytes - 2 : Math.max(0, schema.maxLength),
      );
    case 'duration':
      return scalar(durationType, 3, 32);
    case 'date':
      return scalar(timestampType, 12, 12);
    case 'date-time':
      return scalar(timestampType, 21, 32);
    default:
      break;
  }
  if (schema.maxLength !== undefined) return scalar(stringType, 2, bytesFor(schema.maxLength));
  if (schema.enum.length === 0) return scalar(stringType, 2, maximumRequestBytes - 2);
  return scalar(
    stringType,
    2,
    Math.max(0, ...schema.enum.map((value) => (typeof value === 'string' ? utf8Length(value) : 0))),
  );
}

/** A declared type whose objects have names, and the fields of these objects. */
export interface NamedType {
  readonly type: CelType;
  readonly objects: ObjectFields;
}

/**
 * Names the object types of a declaration by their place (`selfType.spec.items.@idx`): two objects are of one type only where
 * they are at one place.
 */
export function nameTypes(declaration: DeclaredType, name: string): NamedType {
  const objects = new Map<string, ReadonlyMap<string, CelType>>();
  const type = nameType(declaration, name, objects);
  return { type, objects };
}

function nameType(
  declaration: DeclaredType,
  name: string,
  objects: Map<string, ReadonlyMap<string, CelType>>,
): CelType {
  const { element, fields } = declaration;
  if (fields !== undefined) {
    const types = new Map<string, CelType>();
    for (const [field, type] of fields) types.set(field, nameType(type, `${name}.${field}`, objects));
    objects.set(name, types);
    return new CelType('struct', name);
  }
  if (element === undefined) return declaration.type;
  return declaration.kind === 'map'
    ? mapOf(stringType, nameType(element, `${name}.@elem`, objects))
    : listOf(nameType(element, `${name}.@idx`, objects));
}

/** How often a value of this type may stand in one request at most. */
export function maximumCardinality(declaration: DeclaredType): bigint {
  return BigInt(Math.floor(maximumRequestBytes / (declaration.minSerializedSize + 1)));
}
