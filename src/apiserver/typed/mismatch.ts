import { Float, isArray, isObject, plain, type Json } from '../json.ts';
import type { TypedNode } from './types.ts';

/**
 * Which part of the real server turns a document into a Go value: its JSON decoder, or, after strategic merge patches, the converter of
 * `runtime.DefaultUnstructuredConverter`, which has texts of its own and names no fields.
 */
export type Reader = 'decoder' | 'converter';

/** What the JSON decoder says of a value of a wrong type; `where` is a struct's name and the path in it, `''` for the whole document. */
export function decoderProblem(value: Json, where: string, type: string): string {
  const target = where === '' ? `Go value of type ${type}` : `Go struct field ${where} of type ${type}`;
  return `json: cannot unmarshal ${jsonType(value)} into ${target}`;
}

/** What the converter says of a value that is not of a node's type. */
export function converterProblem(node: TypedNode, value: Json): string {
  const kind = goKind(value);
  switch (node.kind) {
    case 'object':
      return `cannot restore struct from: ${kind}`;
    case 'map':
      return `cannot restore map from ${kind}`;
    case 'list':
      return `cannot restore slice from ${kind}`;
    case 'string':
      if (node.bytes) return `cannot restore slice from ${kind}`;
      // In Go every whole number converts to a string: the converter tries, and then thinks better of it.
      return kind === 'int64' ? 'cannot convert int64 to string' : 'unrecognized type: string';
    case 'integer':
      return kind === 'float64' ? `cannot convert float64 to int${node.bits}` : `unrecognized type: int${node.bits}`;
    case 'number':
      return 'unrecognized type: float64';
    case 'boolean':
      return 'unrecognized type: bool';
    case 'intOrString':
      return `json: cannot unmarshal ${jsonType(value)}${kind === 'float64' ? ` ${plain(value)}` : ''} into Go value of type int32`;
    default:
      // These decode themselves, out of JSON.
      return `json: cannot unmarshal ${jsonType(value)} into Go value of type string`;
  }
}

export function jsonType(value: Json): string {
  if (isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'number';
}

/** The type of a value of a decoded document in Go. */
export function goType(value: Json): string {
  if (isArray(value)) return '[]interface {}';
  return isObject(value) ? 'map[string]interface {}' : goKind(value);
}

/** The kind of that type. */
function goKind(value: Json): string {
  if (isArray(value)) return 'slice';
  if (isObject(value)) return 'map';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return value instanceof Float || (typeof value === 'number' && !Number.isInteger(value)) ? 'float64' : 'int64';
}

/** A value as Go prints it with `%+v`: `map[a:1 b:[c d]]`. */
export function goText(value: Json): string {
  if (value === null) return '<nil>';
  if (isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return plain(value);
  return `map[${Object.keys(value)
    .sort()
    .map((name) => `${name}:${goText(value[name] ?? null)}`)
    .join(' ')}]`;
}
