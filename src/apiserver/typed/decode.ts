import { Quantity, QuantityError } from '../../schema/quantity.ts';
import { Float, isArray, isObject, jsonObject, plain, type Json } from '../json.ts';
import { notSupported, type FieldError } from '../field-error.ts';
import { converterProblem, decoderProblem, type Reader } from './mismatch.ts';
import type { TypedNode, TypedProperty } from './types.ts';

/** A document that has not the form of its kind: the text that Go's decoder gives. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

export interface DecodeResult {
  readonly value: Json;
  /** Paths of members that the kind does not have (`spec.foo`), sorted. */
  readonly unknown: readonly string[];
}

/**
 * Brings a document into the form of a built-in kind: members that the kind does not have are dropped and told, nulls are dropped
 * as Go's zero values, and what Go always prints is filled in.
 *
 * @throws DecodeError when a value has the wrong type
 */
export function decodeTyped(node: TypedNode, document: Json, root: string, reader: Reader = 'decoder'): DecodeResult {
  const decoder = new Decoder(root, reader);
  const value = decoder.decode(node, document, '') ?? jsonObject();
  return { value, unknown: decoder.unknown.sort() };
}

class Decoder {
  readonly unknown: string[] = [];
  readonly #root: string;
  readonly #reader: Reader;

  constructor(root: string, reader: Reader) {
    this.#root = root;
    this.#reader = reader;
  }

  /** Messages name the innermost struct, and the whole path below the document. */
  #struct = '';

  /**
   * @param path as warnings about unknown members have it
   * @param place the type of the member in messages, and its path there: without indices, with embedded structs
   */
  decode(node: TypedNode, value: Json, path: string, place: Place = root): Json | undefined {
    if (value === null) return undefined;
    switch (node.kind) {
      case 'any':
      case 'raw':
        return value;
      case 'object': {
        if (!isObject(value)) throw this.#mismatch(node, value, place);
        const result = jsonObject();
        const outer = this.#struct;
        const own = path === '' ? this.#root : (node.name.split('.').at(-1) ?? '');
        this.#struct = own;
        for (const name of Object.keys(value)) {
          const property = node.properties.get(name);
          const inner = path === '' ? name : `${path}.${name}`;
          if (property === undefined) {
            this.unknown.push(inner);
            continue;
          }
          const decoded = this.decode(property.node, value[name] ?? null, inner, memberPlace(place, name, property));
          this.#struct = own;
          if (decoded !== undefined && (this.#keepsEmpty(inner) || !isOmitted(property, decoded))) {
            result[name] = decoded;
          }
        }
        for (const [name, property] of node.properties) {
          if (property.absent === undefined || Object.hasOwn(result, name)) continue;
          const filled = property.absent === null ? null : this.decode(property.node, property.absent, path);
          if (filled !== undefined) result[name] = filled;
        }
        this.#struct = outer;
        return result;
      }
      case 'map': {
        if (!isObject(value)) throw this.#mismatch(node, value, place);
        const result = jsonObject();
        for (const name of Object.keys(value)) {
          const inner = value[name] ?? null;
          // Maps of quantities are lists of resources, which have a coarser grain.
          result[name] =
            node.values.kind === 'quantity' && inner !== null
              ? quantity(inner).roundUpToMilli().toString()
              : (this.decode(node.values, inner, path, elementPlace(place)) ?? this.#zero(node.values));
        }
        return result;
      }
      case 'list':
        if (!isArray(value)) throw this.#mismatch(node, value, place);
        return value.map(
          (item, index) =>
            this.decode(node.items, item, `${path}[${index}]`, elementPlace(place)) ?? this.#zero(node.items),
        );
      case 'string':
        if (typeof value !== 'string') throw this.#mismatch(node, value, place);
        if (
          node.bytes &&
          !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value.replaceAll(/[\r\n]/g, ''))
        ) {
          const prefix = this.#reader === 'converter' ? 'error decoding from json: ' : '';
          throw new DecodeError(`${prefix}illegal base64 data at input byte ${illegalByte(value)}`);
        }
        return value;
      case 'integer':
        return this.#integer(node, value, place);
      case 'number':
        if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float) return value;
        throw this.#mismatch(node, value, place);
      case 'boolean':
        if (typeof value !== 'boolean') throw this.#mismatch(node, value, place);
        return value;
      case 'time':
      case 'microTime':
        if (typeof value !== 'string') throw this.#mismatch(node, value, place);
        return time(value, node.kind === 'microTime');
      case 'quantity':
        return quantity(value).toString();
      case 'intOrString':
        if (typeof value === 'string') return value;
        if (this.#reader === 'decoder') return this.#integer({ kind: 'integer', bits: 32 }, value, place);
        if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return value;
        throw this.#mismatch(node, value, place);
      default:
        throw new Error('a type of no kind');
    }
  }

  #keepsEmpty(path: string): boolean {
    // Jobs give labels to their templates.
    if (keptWhenEmpty.has(path)) return !(this.#root === 'Job' && path === 'spec.template.metadata.labels');
    if (this.#root === 'Pod' && path === 'spec.nodeSelector') return true;
    if (this.#root === 'NetworkPolicy') return /\.match(Expressions|Labels)$/.test(path);
    // What claims of pods may not say is told even when it is empty.
    return /\.ephemeral\.volumeClaimTemplate\.metadata\.(finalizers|managedFields|ownerReferences)$/.test(path);
  }

  #integer(node: TypedNode & { readonly kind: 'integer' }, value: Json, place: Place): Json {
    const { bits } = node;
    const problem = (shown: number | bigint): DecodeError =>
      new DecodeError(
        `json: cannot unmarshal number ${shown} into Go struct field ${this.#struct}.${place.path} of type int${bits}`,
      );
    const converts = this.#reader === 'converter';
    if (value instanceof Float || (typeof value === 'number' && !Number.isInteger(value))) {
      const shown = value instanceof Float ? value.value : value;
      if (!converts) throw problem(shown);
      if (!Number.isInteger(shown)) throw this.#mismatch(node, value, place);
      return asInteger(BigInt.asIntN(bits, BigInt(shown)));
    }
    if (typeof value !== 'number' && typeof value !== 'bigint') throw this.#mismatch(node, value, place);
    const limit = bits === 32 ? 2n ** 31n : 2n ** 63n;
    const exact = BigInt(value);
    if (exact < limit && exact >= -limit) return value;
    if (!converts) throw problem(exact);
    // The converter takes what fits of the bits.
    return asInteger(BigInt.asIntN(bits, exact));
  }

  #zero(node: TypedNode): Json {
    if (node.kind === 'object') return this.decode(node, jsonObject(), '') ?? jsonObject();
    return zero(node);
  }

  #mismatch(node: TypedNode, value: Json, { path, type }: Place): DecodeError {
    return new DecodeError(
      this.#reader === 'converter'
        ? converterProblem(node, value)
        : decoderProblem(value, path === '' ? '' : `${this.#struct}.${path}`, type ?? goType(node)),
    );
  }
}

function asInteger(exact: bigint): Json {
  return exact > Number.MAX_SAFE_INTEGER || exact < Number.MIN_SAFE_INTEGER ? exact : Number(exact);
}

/** A quantity in any of the forms in which it may be given; numbers count as their text. */
function quantity(value: Json): Quantity {
  try {
    return Quantity.parse(typeof value === 'string' ? value.trim() : plain(value));
  } catch (error) {
    throw error instanceof QuantityError ? new DecodeError(error.message) : error;
  }
}

/**
 * What is empty and means something: forget all managers; a definition without versions and a template without labels, which checks show
 * as they were sent; policies that are not given by default; an overhead that no runtime has.
 */
const keptWhenEmpty = new Set([
  'metadata.managedFields',
  'spec.versions',
  'spec.behavior.scaleUp.policies',
  'spec.behavior.scaleDown.policies',
  'spec.overhead',
  'spec.template.metadata.labels',
]);

/** Go leaves out empty maps and lists, and what has the zero value of its type and is no pointer. */
function isOmitted({ node, omitsZero = false }: TypedProperty, value: Json): boolean {
  if (!omitsZero) return false;
  if (isArray(value)) return value.length === 0;
  if (isObject(value)) return node.kind === 'map' && Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}

/** Where a value stands, as messages have it. */
interface Place {
  readonly path: string;
  /** What its type is called, where that has a name of its own. */
  readonly type: string | undefined;
}

const root: Place = { path: '', type: undefined };

function memberPlace({ path }: Place, name: string, { goType: type, embedded }: TypedProperty): Place {
  const parts = [path, embedded ?? '', name].filter((part) => part !== '');
  return { path: parts.join('.'), type };
}

function elementPlace({ path, type }: Place): Place {
  return { path, type: type === undefined ? undefined : /^(?:\[\]|map\[string\])(.+)$/.exec(type)?.[1] };
}

function goType(node: TypedNode): string {
  switch (node.kind) {
    case 'object':
      return node.name;
    case 'map':
      return `map[string]${goType(node.values)}`;
    case 'list':
      return `[]${goType(node.items)}`;
    case 'string':
      return node.bytes ? '[]uint8' : 'string';
    case 'integer':
      return `int${node.bits}`;
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float64';
    case 'time':
    case 'microTime':
      return 'string';
    case 'intOrString':
      return 'int32';
    default:
      return node.kind;
  }
}

function zero(node: TypedNode): Json {
  switch (node.kind) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'boolean':
      return false;
    case 'object':
    case 'map':
      return jsonObject();
    default:
      return null;
  }
}

function illegalByte(value: string): number {
  const found = /[^A-Za-z0-9+/\r\n]/.exec(value);
  return found === null ? Math.floor(value.length / 4) * 4 : found.index;
}

/** Times are kept in UTC: in whole seconds, or with six digits behind the point. */
function time(value: string, micro: boolean): string {
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,](\d+))?(?:Z|[+-]\d\d:\d\d)$/.exec(value);
  const moment = match === null ? Number.NaN : Date.parse(value.replace(',', '.'));
  if (Number.isNaN(moment)) {
    const layout = micro ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
    throw new DecodeError(`parsing time "${value}" as "${layout}": cannot parse "${value}" as "2006"`);
  }
  const seconds = new Date(Math.floor(moment / 1000) * 1000).toISOString().slice(0, 19);
  return micro ? `${seconds}.${(match?.[1] ?? '').padEnd(6, '0').slice(0, 6)}Z` : `${seconds}Z`;
}

/** Values that are none of those which their member knows, as far as the documents list them. */
export function checkEnums(node: TypedNode, value: Json | undefined, path: string, errors: FieldError[]): void {
  if (value === undefined || value === null) return;
  if (
    node.kind === 'string' &&
    node.values !== undefined &&
    typeof value === 'string' &&
    value !== '' &&
    !node.values.includes(value)
  ) {
    errors.push(notSupported(path, value, [...node.values].sort()));
  } else if (node.kind === 'object' && isObject(value)) {
    for (const name of Object.keys(value)) {
      const property = node.properties.get(name);
      if (property !== undefined)
        checkEnums(property.node, value[name], path === '' ? name : `${path}.${name}`, errors);
    }
  } else if (node.kind === 'list' && isArray(value)) {
    value.forEach((item, index) => checkEnums(node.items, item, `${path}[${index}]`, errors));
  } else if (node.kind === 'map' && isObject(value)) {
    for (const name of Object.keys(value)) checkEnums(node.values, value[name], `${path}[${name}]`, errors);
  }
}
