import { compileSchema, type CompiledSchema } from '../../schema/compiled-schema.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { fieldErrorOf } from '../field-error.ts';
import type { Verdict } from '../resources/resource.ts';
import { DecodeError } from '../typed/decode.ts';

/** The schema of a custom kind's version, compiled. */
export interface CustomSchema {
  /** Defaults, prunes and decodes the metadata of a document that a client sent; throws DecodeError. */
  decode(value: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] };
  /** Brings a stored object in line: an older schema may have let through more, and known less. */
  complete(value: JsonObject): JsonObject;
  validate(value: JsonObject, old: JsonObject | undefined): Verdict;
}

const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Compiles the schema of a definition that was found valid, when it is first needed. */
export function compileCustomSchema(schema: Json): CustomSchema {
  let compiled: CompiledSchema | undefined;
  const get = (): CompiledSchema => (compiled ??= compileSchema(isObject(schema) ? schema : anything));
  return {
    decode(value) {
      const decoded = get().decode(value);
      if ('problem' in decoded) throw new DecodeError(decoded.problem);
      if ('error' in decoded && decoded.error !== undefined) throw new DecodeError(decoded.error.message);
      return { object: decoded.object, unknown: decoded.unknownFields };
    },
    complete: (value) => get().dropNulls(get().prune(get().applyDefaults(value)).value),
    validate(value, old) {
      const errors = get().validate(value, old === undefined ? {} : { old });
      return { errors: errors.map(fieldErrorOf), warnings: [] };
    },
  };
}
