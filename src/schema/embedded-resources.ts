import { type Json, type JsonObject, jsonObject } from '../model/index.ts';
import { child, type FieldError, index, invalid, key, type Path, required } from './field-error.ts';
import { DecodeError } from './go-decoder.ts';
import { isList, isObject, member } from './json.ts';
import { checkDns1035Label, checkPathSegment } from './names.ts';
import { decodeObjectMeta, decodeValidFields } from './object-meta.ts';
import { textOf, validateObjectMeta } from './metadata-validation.ts';
import { mapList, mapMembers } from './pruning.ts';
import type { SchemaNode } from './schema-node.ts';

/** A value whose embedded metadata is decoded, or the first error of it. */
export interface Coerced<T> {
  readonly value: T;
  readonly unknownFields: readonly string[];
  readonly error?: FieldError;
}

/**
 * Checks the types of apiVersion, kind and metadata of embedded resources and removes unknown fields of the metadata
 * (`objectmeta.Coerce`). Stops at the first error; with `dropInvalid` fields of wrong types are left out instead.
 */
export function coerceEmbedded<T extends Json>(
  value: T,
  schema: SchemaNode | undefined,
  path: Path,
  options: { readonly isResourceRoot: boolean; readonly dropInvalid: boolean },
): Coerced<T> {
  const unknownFields: string[] = [];
  if (schema === undefined && !options.isResourceRoot) return { value, unknownFields };
  try {
    const coerced = coerce(value, schema, path, options.isResourceRoot, {
      dropInvalid: options.dropInvalid,
      unknownFields,
    });
    return { value: coerced as T, unknownFields };
  } catch (error) {
    if (!(error instanceof CoerceError)) throw error;
    return { value, unknownFields, error: error.fieldError };
  }
}

class CoerceError extends Error {
  readonly fieldError: FieldError;

  constructor(fieldError: FieldError) {
    super(fieldError.message);
    this.fieldError = fieldError;
  }
}

interface CoerceState {
  readonly dropInvalid: boolean;
  readonly unknownFields: string[];
}

function coerce(value: Json, schema: SchemaNode | undefined, path: Path, isRoot: boolean, state: CoerceState): Json {
  if (!isRoot && schema?.hasEmbeddedResources !== true) return value;
  if (isList(value)) return mapList(value, (item, i) => coerce(item, schema?.items, index(path, i), false, state));
  if (!isObject(value)) return value;
  const isResource = isRoot || schema?.xEmbeddedResource === true;
  return mapMembers(value, (name, original) => {
    let current: Json = original;
    if (isResource && (name === 'apiVersion' || name === 'kind') && typeof current !== 'string') {
      if (!state.dropInvalid) throw new CoerceError(invalid(child(path, name), current, 'must be a string'));
      return undefined;
    }
    if (isResource && name === 'metadata') current = coerceMetadata(current, child(path, 'metadata'), state);
    const property = schema?.properties.get(name);
    if (property !== undefined) return coerce(current, property, child(path, name), false, state);
    return coerce(current, schema?.additionalProperties?.schema, key(path, name), false, state);
  });
}

function coerceMetadata(value: Json, path: string, state: CoerceState): Json {
  try {
    const { metadata, unknownFields } = decodeObjectMeta(value);
    state.unknownFields.push(...unknownFields.map((name) => `${path}.${name}`));
    return metadata;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (!state.dropInvalid) throw new CoerceError(invalid(path, value, error.message));
    return isObject(value) ? decodeValidFields(value) : value;
  }
}

/** Validates apiVersion, kind and metadata of embedded resources, and of the root with `isResourceRoot` (`objectmeta.Validate`). */
export function validateEmbedded(
  value: Json,
  schema: SchemaNode | undefined,
  path: Path,
  isResourceRoot: boolean,
): FieldError[] {
  if (!isResourceRoot && schema?.hasEmbeddedResources !== true) return [];
  if (isList(value)) return value.flatMap((item, i) => validateEmbedded(item, schema?.items, index(path, i), false));
  if (!isObject(value)) return [];
  const errors = isResourceRoot || schema?.xEmbeddedResource === true ? validateResource(value, path) : [];
  for (const [name, below] of Object.entries(value)) {
    const property = schema?.properties.get(name);
    if (property !== undefined) errors.push(...validateEmbedded(below, property, child(path, name), false));
    else errors.push(...validateEmbedded(below, schema?.additionalProperties?.schema, key(path, name), false));
  }
  return errors;
}

function validateResource(object: JsonObject, path: Path): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['apiVersion', 'kind']) {
    const value = member(object, name);
    const at = child(path, name);
    if (value === undefined) errors.push(required(at));
    else if (typeof value !== 'string') errors.push(invalid(at, value, 'must be a string'));
    else if (value === '') errors.push(invalid(at, '', 'must not be empty'));
    else if (name === 'apiVersion') {
      if (value.split('/').length > 2) errors.push(invalid(at, value, `unexpected GroupVersion string: ${value}`));
    } else {
      const problems = checkDns1035Label(value.toLowerCase());
      if (problems.length > 0)
        errors.push(invalid(at, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`));
    }
  }
  const metadata = member(object, 'metadata');
  if (metadata === undefined) return errors;
  const at = child(path, 'metadata');
  try {
    const decoded = decodeObjectMeta(metadata).metadata;
    const name = textOf(decoded, 'name');
    // A name is not required here.
    const named = name === '' ? jsonObject([...Object.entries(decoded), ['name', 'fakename']]) : decoded;
    errors.push(...validateObjectMeta(named, textOf(decoded, 'namespace') !== '', checkPathSegment, at));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    errors.push(invalid(at, metadata, error.message));
  }
  return errors;
}
