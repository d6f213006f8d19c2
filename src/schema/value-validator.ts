import type { Json, JsonObject } from '../model/index.ts';
import { Correlation } from './correlation.ts';
import type { FieldError, Path } from './field-error.ts';
import { isStringFormat, matchesFormat } from './formats.ts';
import { goInt64, goNumber, type GoNumber, goQuote, goValue } from './go-format.ts';
import { equalJson, isList, isObject, member } from './json.ts';
import { checkNumber, isWholeFloat } from './number-checks.ts';
import { compilePattern } from './re2.ts';
import { type ValueError, ValueResult } from './value-result.ts';
import type { ValueSchema } from './value-schema.ts';

/**
 * Validates a value by a schema as kube-openapi does, with its paths and messages. With `old`, errors of parts that did not change
 * are dropped (ratcheting); parts are matched by name, and by key in list maps.
 */
export function validateValue(value: Json, schema: ValueSchema, path: Path, old?: Json): FieldError[] {
  const correlation = old === undefined ? undefined : new Correlation(value, old, schema);
  return validateNode(value, schema, '', correlation).toFieldErrors(path);
}

/** Validates a value; with a correlation its errors are dropped when it did not change. */
function validateNode(value: Json, schema: ValueSchema, path: string, correlation?: Correlation): ValueResult {
  const result = checkNode(value, schema, path, correlation);
  if (result.isValid || correlation?.isUnchanged() !== true) return result;
  const ratcheted = new ValueResult();
  ratcheted.matchCount = result.matchCount;
  return ratcheted;
}

function checkNode(value: Json, schema: ValueSchema, path: string, correlation: Correlation | undefined): ValueResult {
  const result = new ValueResult();
  const number = goNumber(value);
  if (value === null) {
    result.merge(checkType(value, number, schema, path));
    result.add(...enumErrors(value, number, schema, path));
    return result;
  }
  if (schema.types.length > 0 || schema.format !== '') {
    result.merge(checkType(value, number, schema, path));
    result.matchCount++;
  }
  result.merge(checkJunctors(value, schema, path));
  result.matchCount++;
  if (typeof value === 'string') {
    result.add(...stringErrors(value, schema, path));
    result.matchCount++;
    if (isStringFormat(schema.format)) {
      if (!matchesFormat(schema.format, value)) result.add(typeError(path, schema.format, value));
      result.matchCount++;
    }
  }
  if (number !== undefined) {
    result.merge(checkNumber(schema, value, number, path));
    result.matchCount++;
  }
  if (isList(value)) {
    result.merge(checkList(value, schema, path, correlation));
    result.matchCount++;
  }
  result.add(...enumErrors(value, number, schema, path));
  result.matchCount++;
  if (isObject(value)) {
    result.merge(checkObject(value, schema, path, correlation));
    result.matchCount++;
  }
  result.matchCount++;
  return result;
}

function typeError(path: string, type: string, actual: string): ValueError {
  return {
    kind: 'type',
    name: path,
    value: actual,
    message: `${path} in body must be of type ${type}: ${goQuote(actual)}`,
  };
}

/** The type of a value by JSON Schema, and the format that Go's type has. */
function describe(value: Json, number: GoNumber | undefined): [type: string, format: string] {
  if (number !== undefined) return number.kind === 'int64' ? ['integer', 'int64'] : ['number', 'float64'];
  if (typeof value === 'boolean') return ['boolean', ''];
  if (typeof value === 'string') return ['string', ''];
  return [isList(value) ? 'array' : 'object', ''];
}

function checkType(value: Json, number: GoNumber | undefined, schema: ValueSchema, path: string): ValueResult {
  const result = new ValueResult();
  const { types, format } = schema;
  if (value === null) {
    const isRefused = types.length > 0 && !types.includes('null') && !schema.node.nullable;
    if (isRefused) result.add(typeError(path, types.join(','), 'null'));
    else result.matchCount++;
    return result;
  }
  const [type, ownFormat] = describe(value, number);
  const isTextOrList = type === 'string' || type === 'array';
  const isWhole = number?.kind === 'float64' && isWholeFloat(number.value) && types.includes('integer');
  const fits = types.includes(type) || isWhole || (type === 'integer' && types.includes('number'));
  if (!isTextOrList && format !== '' && !fits && ownFormat !== format) {
    result.add(typeError(path, format, ownFormat));
  } else if (isTextOrList && format !== '' && !types.includes('number') && !types.includes('integer')) {
    // A list is accepted for a text with a format.
    result.matchCount++;
  } else if (fits) {
    result.matchCount++;
  } else {
    result.add(typeError(path, types.join(','), type));
  }
  return result;
}

/** Clauses see nothing of the old value. */
function checkJunctors(value: Json, schema: ValueSchema, path: string): ValueResult {
  const result = new ValueResult();
  const { anyOf, oneOf, allOf, not } = schema;
  const fail = (message: string) => result.add({ kind: 'plain', message: `${goQuote(path)} ${message}` });
  if (anyOf.length > 0) {
    let best: ValueResult | undefined;
    for (const clause of anyOf) {
      const attempt = validateNode(value, clause, path);
      if (attempt.isValid || best === undefined || attempt.matchCount > best.matchCount) best = attempt;
      if (attempt.isValid) break;
    }
    if (best?.isValid !== true) fail('must validate at least one schema (anyOf)');
    if (best !== undefined) result.merge(best);
  }
  if (oneOf.length > 0) {
    let best: ValueResult | undefined;
    let first: ValueResult | undefined;
    let valid = 0;
    for (const clause of oneOf) {
      const attempt = validateNode(value, clause, path);
      if (attempt.isValid) {
        valid++;
        first ??= attempt;
      } else if (valid === 0 && (best === undefined || attempt.matchCount > best.matchCount)) {
        best = attempt;
      }
    }
    if (valid === 1 && first !== undefined) {
      result.merge(first);
    } else {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      fail(`must validate one and only one schema (oneOf). ${found}`);
      if (valid === 0 && best !== undefined) result.merge(best);
    }
  }
  if (allOf.length > 0) {
    const attempts = allOf.map((clause) => validateNode(value, clause, path));
    for (const attempt of attempts) result.merge(attempt);
    const valid = attempts.filter((attempt) => attempt.isValid).length;
    if (valid < attempts.length) fail(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not !== undefined && validateNode(value, not, path).isValid) fail('must not validate the schema (not)');
  result.matchCount++;
  return result;
}

/** The first thing that is wrong with a text. Lengths count code points. */
function stringErrors(value: string, schema: ValueSchema, path: string): ValueError[] {
  const { maxLength, minLength, pattern } = schema.node;
  if (maxLength !== undefined || minLength !== undefined) {
    const length = BigInt(countCodePoints(value));
    if (maxLength !== undefined && length > maxLength) {
      const message = `${path} in body should be at most ${maxLength} chars long`;
      return [{ kind: 'tooLong', name: path, value, limit: maxLength, message }];
    }
    if (minLength !== undefined && length < minLength) {
      return [
        { kind: 'invalid', name: path, value, message: `${path} in body should be at least ${minLength} chars long` },
      ];
    }
  }
  if (pattern !== '' && !compilePattern(pattern).matches(value)) {
    return [{ kind: 'invalid', name: path, value, message: `${path} in body should match '${pattern}'` }];
  }
  return [];
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

function checkList(
  value: readonly Json[],
  schema: ValueSchema,
  path: string,
  correlation: Correlation | undefined,
): ValueResult {
  const result = new ValueResult();
  const { items } = schema;
  const { minItems, maxItems, uniqueItems } = schema.node;
  if (items !== undefined) {
    for (const [position, item] of value.entries()) {
      result.merge(validateNode(item, items, `${path}[${position}]`, correlation?.item(position)));
    }
  }
  const size = value.length;
  if (minItems !== undefined && size < minItems) {
    result.add({
      kind: 'invalid',
      name: path,
      value: size,
      message: `${path} in body should have at least ${minItems} items`,
    });
  }
  if (maxItems !== undefined && size > maxItems) {
    const message = `${path} in body should have at most ${maxItems} items`;
    result.add({ kind: 'tooMany', name: path, actual: size, limit: maxItems, message });
  }
  if (uniqueItems && value.some((item, position) => value.slice(0, position).some((other) => equalJson(item, other)))) {
    result.add({ kind: 'invalid', name: path, message: `${path} in body shouldn't contain duplicates` });
  }
  result.matchCount++;
  return result;
}

function checkObject(
  value: JsonObject,
  schema: ValueSchema,
  path: string,
  correlation: Correlation | undefined,
): ValueResult {
  const result = new ValueResult();
  const { minProperties, maxProperties, required } = schema.node;
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties) {
    const message = `${path} in body should have at least ${minProperties} properties`;
    result.add({ kind: 'invalid', name: path, value: names.length, message });
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    const message = `${path} in body should have at most ${maxProperties} properties`;
    result.add({ kind: 'tooMany', name: path, actual: names.length, limit: maxProperties, message });
  }
  const { additional, properties } = schema;
  for (const name of names) {
    if (additional === undefined || properties.has(name)) continue;
    if (!additional.allows) {
      const message = `${path}.${name} in body is a forbidden property`;
      result.add({ kind: 'invalid', name: path, value: name, message });
    } else if (additional.schema !== undefined) {
      result.merge(
        validateNode(value[name] ?? null, additional.schema, `${path}.${name}`, correlate(correlation, name, path)),
      );
    }
  }
  for (const [name, property] of properties) {
    const below = member(value, name);
    if (below === undefined) continue;
    result.merge(
      validateNode(below, property, path === '' ? name : `${path}.${name}`, correlate(correlation, name, path)),
    );
  }
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    result.add({ kind: 'required', name: `${path}.${name}`, message: `${path}.${name} in body is required` });
  }
  return result;
}

/** apiVersion and kind of the root are not matched: old and new were converted to the same version. */
function correlate(correlation: Correlation | undefined, name: string, path: string): Correlation | undefined {
  return path === '' && (name === 'kind' || name === 'apiVersion') ? undefined : correlation?.member(name);
}

function enumErrors(value: Json, number: GoNumber | undefined, schema: ValueSchema, path: string): ValueError[] {
  const supported = schema.node.enum;
  if (supported === undefined || supported.length === 0) return [];
  if (value !== null && supported.some((candidate) => matchesEnum(value, number, candidate))) return [];
  return [
    { kind: 'enum', name: path, value, supported, message: `${path} in body should be one of ${goValue(supported)}` },
  ];
}

/** Equal after Go's conversion to the type of the candidate: 3.7 is 3 as an integer, and 97 is "a" as a string. */
function matchesEnum(value: Json, number: GoNumber | undefined, candidate: Json): boolean {
  const wanted = goNumber(candidate);
  if (number === undefined) return wanted === undefined && equalJson(value, candidate);
  if (wanted !== undefined) {
    if (wanted.kind === 'float64') return Number(number.value) === wanted.value;
    return (number.kind === 'int64' ? number.value : goInt64(number.value)) === wanted.value;
  }
  return typeof candidate === 'string' && number.kind === 'int64' && characterOf(number.value) === candidate;
}

function characterOf(code: bigint): string {
  const isScalar = (code >= 0n && code < 0xd800n) || (code >= 0xe000n && code <= 0x10ffffn);
  return isScalar ? String.fromCodePoint(Number(code)) : '\ufffd';
}
