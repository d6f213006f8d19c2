/** The kinds of CEL types that the checker tells apart. */
export type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'typeParam'
  | 'uint'
  | 'unknown';

/** A CEL type. It is also a value of the language: `type(1) == int`. */
export class CelType {
  readonly kind: TypeKind;
  /** The name at run time: `int`, `google.protobuf.Duration`, `kubernetes.Quantity`, ... */
  readonly name: string;
  readonly parameters: readonly CelType[];

  constructor(kind: TypeKind, name: string, parameters: readonly CelType[] = []) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
  }
}

export const boolType = new CelType('bool', 'bool');
export const bytesType = new CelType('bytes', 'bytes');
export const doubleType = new CelType('double', 'double');
export const durationType = new CelType('duration', 'google.protobuf.Duration');
export const dynType = new CelType('dyn', 'dyn');
export const errorType = new CelType('error', 'error');
export const intType = new CelType('int', 'int');
export const nullType = new CelType('null', 'null_type');
export const stringType = new CelType('string', 'string');
export const timestampType = new CelType('timestamp', 'google.protobuf.Timestamp');
export const typeType = new CelType('type', 'type');
export const uintType = new CelType('uint', 'uint');
export const unknownType = new CelType('unknown', 'unknown');
export const listOfDynType = listOf(dynType);
export const mapOfDynType = mapOf(dynType, dynType);
export const optionalOfDynType = optionalOf(dynType);
export const ipType = new CelType('opaque', 'net.IP');
export const cidrType = new CelType('opaque', 'net.CIDR');
export const quantityType = new CelType('struct', 'kubernetes.Quantity');
export const urlType = new CelType('struct', 'kubernetes.URL');
export const semverType = new CelType('struct', 'kubernetes.Semver');
export const formatType = new CelType('struct', 'kubernetes.NamedFormat');

export function listOf(element: CelType): CelType {
  return new CelType('list', 'list', [element]);
}

export function mapOf(key: CelType, value: CelType): CelType {
  return new CelType('map', 'map', [key, value]);
}

export function optionalOf(value: CelType): CelType {
  return new CelType('opaque', 'optional_type', [value]);
}

export function typeOfType(parameter: CelType): CelType {
  return new CelType('type', 'type', [parameter]);
}

export function typeParameter(name: string): CelType {
  return new CelType('typeParam', name);
}

/** A parameter of a type; a type that lacks it is a mistake of the caller. */
export function parameterOf(type: CelType, index: number): CelType {
  const parameter = type.parameters[index];
  if (parameter === undefined) throw new TypeError(`type ${type.name} has no parameter ${index}`);
  return parameter;
}

export function isOptionalType(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** Whether two types are the same in kind, name and parameters. */
export function isExactType(a: CelType, b: CelType): boolean {
  return sameType(a, b, true);
}

/** As {@link isExactType}, but any two type parameters are the same. */
export function isEquivalentType(a: CelType, b: CelType): boolean {
  return sameType(a, b, false);
}

function sameType(a: CelType, b: CelType, parameterNames: boolean): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false;
  if ((parameterNames || a.kind !== 'typeParam') && a.name !== b.name) return false;
  return a.parameters.every((parameter, index) => sameType(parameter, parameterOf(b, index), parameterNames));
}

/** A type as compile errors print it: `list(int)`, `timestamp`, `map(string, dyn)`. */
export function printType(type: CelType): string {
  switch (type.kind) {
    case 'duration':
      return 'duration';
    case 'error':
      return '!error!';
    case 'null':
      return 'null';
    case 'timestamp':
      return 'timestamp';
    default:
      if (type.parameters.length === 0) return type.name;
      return `${type.name}(${type.parameters.map(printType).join(', ')})`;
  }
}
