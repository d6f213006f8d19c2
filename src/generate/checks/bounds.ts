import { type Diagnostic, Float, type Json, type Schema, type Version } from '../../model/index.ts';
import { keywordPosition, type Place, problemsOf, rootPlace } from './visit.ts';

/** Keywords that contradict each other such that no value can be right. The API server lets them pass. */
export function checkBounds(version: Version): Diagnostic[] {
  return problemsOf(rootPlace(version), clean, (place) => [...checkPairs(place), ...checkEnum(place)]);
}

const clean = new WeakSet<Schema>();

const pairs = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function checkPairs(place: Place): Diagnostic[] {
  const { schema } = place;
  const found: Diagnostic[] = [];
  for (const [lower, upper] of pairs) {
    const [low, high] = [schema[lower], schema[upper]];
    if (low === undefined || high === undefined || low < high) continue;
    const exclusive = lower === 'minimum' && (schema.exclusiveMinimum === true || schema.exclusiveMaximum === true);
    if (low === high && !exclusive) continue;
    const relation = low === high ? `equals ${upper}, and one of them is excluded` : `is greater than ${upper} ${high}`;
    found.push(problem('CO2001', `no value can be right: ${lower} ${low} ${relation}`, place, [lower, upper]));
  }
  return found;
}

function checkEnum(place: Place): Diagnostic[] {
  const { schema } = place;
  if (schema.enum === undefined) return [];
  const diagnostics: Diagnostic[] = [];
  if (schema.enum.length === 0)
    diagnostics.push(problem('CO2002', 'no value can be right: the enum is empty', place, ['enum']));
  for (const member of schema.enum) {
    if (member !== null && !fits(member, schema)) {
      const type = schema['x-kubernetes-int-or-string'] === true ? 'an integer or a string' : `of type ${schema.type}`;
      diagnostics.push(problem('CO2003', `${print(member)} in the enum is not ${type}`, place, ['enum']));
    }
  }
  if (schema.nullable === true || schema.enum.includes(null)) {
    diagnostics.push(
      problem(
        'CO2004',
        'null never passes an enum: the API server checks the enum first',
        place,
        ['nullable', 'enum'],
        'leave the member out instead of setting it to null',
      ),
    );
  }
  return diagnostics;
}

function fits(value: Json, schema: Schema): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || isInteger(value);
  switch (schema.type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return isInteger(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Float);
    default:
      return true;
  }
}

function isInteger(value: Json): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value) || value instanceof Float;
}

function print(value: Json): string {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

function problem(
  code: string,
  message: string,
  place: Place,
  keywords: readonly string[],
  remedy?: string,
): Diagnostic {
  return {
    code,
    severity: 'error',
    message,
    path: place.path,
    position: keywordPosition(place, ...keywords),
    ...(remedy === undefined ? {} : { remedy }),
  };
}
