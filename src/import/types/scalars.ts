import type { Json, JsonObject } from '../../model/index.ts';
import { stringLiteral } from '../../generate/client/identifiers.ts';
import { equalJson } from '../../schema/index.ts';
import { listMember, member, textMember } from '../json.ts';
import type { Family } from './keywords.ts';
import { call, type MarkerCall } from './marker-call.ts';

/** How a scalar is written: its type, the markers that its type needs, and the keywords that both say. */
export interface Scalar {
  readonly type: string;
  /** The alias of operator-runtime that the type is. */
  readonly alias?: string;
  readonly markers: readonly MarkerCall[];
  readonly handled: readonly string[];
}

const numberAliases: Readonly<Record<string, string>> = {
  'integer ': 'integer',
  'integer int32': 'int32',
  'integer int64': 'int64',
  'number float': 'float',
  'number double': 'double',
  'string date-time': 'Time',
};

/** A text, number or boolean; `undefined` where its enum has no notation. */
export function scalarOf(schema: JsonObject, family: Family): Scalar | undefined {
  const values = listMember(schema, 'enum');
  if (values.length > 0) return enumOf(schema, family, values);
  const format = textMember(schema, 'format');
  const handled = ['type', 'format', 'enum'];
  const alias = numberAliases[`${family} ${format ?? ''}`];
  if (alias !== undefined) return { type: alias, alias, markers: [], handled };
  const base = numberAliases[`${family} `] ?? family;
  const markers = format === undefined ? [] : [call('Format', format)];
  return { type: base, ...(base === family && family !== 'integer' ? {} : { alias: base }), markers, handled };
}

function enumOf(schema: JsonObject, family: Family, values: readonly Json[]): Scalar | undefined {
  const format = textMember(schema, 'format');
  const formats = format === undefined ? [] : [call('Format', format)];
  const handled = ['type', 'format', 'enum'];
  if (new Set(values).size < values.length) return undefined;
  const literals = values.map((value) => (typeof value === 'string' ? stringLiteral(value) : JSON.stringify(value)));
  const union = { type: literals.join(' | '), markers: formats, handled };
  if (family === 'string') return values.every((value) => typeof value === 'string') ? union : undefined;
  if (family === 'integer') return values.every((value) => Number.isSafeInteger(value)) ? union : undefined;
  if (family === 'number') {
    if (!values.every((value) => typeof value === 'number')) return undefined;
    // Whole numbers alone would be integers.
    if (!values.every((value) => Number.isInteger(value))) return union;
    return { type: 'number', markers: [...formats, call('Enum', ...values)], handled };
  }
  if (family !== 'boolean' || !values.every((value) => typeof value === 'boolean')) return undefined;
  if (values.length === 1) return union;
  return { type: 'boolean', markers: [...formats, call('Enum', ...values)], handled };
}

const either: Json = [{ type: 'integer' }, { type: 'string' }];
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** An integer or a text as controller-gen writes it, or a quantity; `undefined` for any other form. */
export function intOrStringOf(schema: JsonObject): Scalar | undefined {
  const anyOf = member(schema, 'anyOf');
  if (anyOf === undefined || !equalJson(anyOf, either)) return undefined;
  const quantity = textMember(schema, 'pattern') === quantityPattern;
  const alias = quantity ? 'Quantity' : 'IntOrString';
  const handled = ['x-kubernetes-int-or-string', 'anyOf', ...(quantity ? ['pattern'] : [])];
  return { type: alias, alias, markers: [], handled };
}
