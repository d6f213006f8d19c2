import type { CompiledRules } from '../../schema/cel/index.ts';
import type { CompiledSchema } from '../../schema/compiled-schema.ts';
import { engine } from '../engine.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { fieldErrorOf, printFieldError, type FieldError, type FieldErrorType } from '../field-error.ts';
import type { Verdict } from '../resources/resource.ts';
import { DecodeError } from '../typed/decode.ts';
import { byText } from '../storage/store.ts';
import { isUnchanged } from './ratchet.ts';

/** The schema of a custom kind's version, compiled. */
export interface CustomSchema {
  /** Defaults, prunes and decodes the metadata of a document that a client sent; throws DecodeError. */
  decode(value: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] };
  /** Brings a stored object in line: an older schema may have let through more, and known less. */
  complete(value: JsonObject): JsonObject;
  /** `extra` are errors of the object's form that are found elsewhere; they stand before those of rules. */
  validate(value: JsonObject, old: JsonObject | undefined, extra: readonly FieldError[]): Verdict;
}

const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Errors after which rules are not evaluated: they could not be trusted. */
const blocking: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const notChecked: FieldError = {
  type: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Compiles the schema of a definition that was found valid, when it is first needed. */
export function compileCustomSchema(schema: Json): CustomSchema {
  const source = isObject(schema) ? schema : anything;
  let compiled: { readonly schema: CompiledSchema; readonly rules: CompiledRules } | undefined;
  const get = (): { readonly schema: CompiledSchema; readonly rules: CompiledRules } =>
    (compiled ??= { schema: engine().compileSchema(source), rules: engine().compileRules(source) });
  return {
    decode(value) {
      const decoded = get().schema.decode(value);
      if ('problem' in decoded) throw new DecodeError(decoded.problem);
      if (decoded.error !== undefined) throw new DecodeError(decoded.error.message);
      return { object: decoded.object, unknown: decoded.unknownFields };
    },
    complete(value) {
      const { schema: own } = get();
      return own.dropNulls(own.prune(own.applyDefaults(value)).value);
    },
    validate(value, old, extra) {
      const { schema: own, rules } = get();
      const found = own.validate(value, old === undefined ? {} : { old }).map(fieldErrorOf);
      // By field, and otherwise as they were found.
      found.sort((left, right) => byText(left.field, right.field));
      const errors = [...found, ...extra];
      if (!rules.hasRules) return { errors, warnings: [] };
      if (errors.some(({ type }) => blocking.has(type))) return { errors: [...errors, notChecked], warnings: [] };
      const all = rules.evaluate(value, old).errors.map(fieldErrorOf);
      if (old === undefined || all.length === 0) return { errors: [...errors, ...all], warnings: [] };
      // What was wrong before and did not change is only warned of.
      const ratchet = (path: string | undefined): boolean => isUnchanged(value, old, source, path ?? '');
      const counted = rules.evaluate(value, old, { ratchet }).errors.map(fieldErrorOf);
      const printed = new Set(counted.map(printFieldError));
      return {
        errors: [...errors, ...counted],
        warnings: all.map(printFieldError).filter((text) => !printed.has(text)),
      };
    },
  };
}
