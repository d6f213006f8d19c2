import { type Json, type JsonObject, jsonObject } from '../model/index.ts';
import { applyDefaults, dropNulls } from './defaulting.ts';
import { pruneDefaults } from './default-pruning.ts';
import { coerceEmbedded, validateEmbedded } from './embedded-resources.ts';
import type { FieldError } from './field-error.ts';
import { DecodeError } from './go-decoder.ts';
import { compareNames } from './go-format.ts';
import { isObject, member } from './json.ts';
import { validateListTypes } from './list-types.ts';
import { decodeObjectMeta } from './object-meta.ts';
import { prune, type Pruned } from './pruning.ts';
import { decodeSchema } from './schema-decoder.ts';
import type { SchemaNode } from './schema-node.ts';
import { compileValueSchema, type ValueSchema } from './value-schema.ts';
import { validateValue } from './value-validator.ts';

/** An object that cannot be stored at all (the server answers 400): metadata of a wrong type, or an error of embedded metadata. */
export type AdmittedObject =
  | { readonly object: JsonObject; readonly unknownFields: readonly string[]; readonly errors: readonly FieldError[] }
  /** The message of the error that stopped the decoding of the object's own metadata. */
  | { readonly problem: string };

/** The schema of one version of a custom resource, prepared for many objects. Objects are never changed in place. */
export interface CompiledSchema {
  /** The structural tree, with pruned defaults; rules of CEL are in `xValidations`. */
  readonly structural: SchemaNode;
  applyDefaults(object: JsonObject): JsonObject;
  prune(object: JsonObject): Pruned<JsonObject>;
  dropNulls(object: JsonObject): JsonObject;
  /**
   * All checks but CEL: values, embedded metadata, sets and list maps. With `old`, errors of values that did not change are left
   * out, and those of list types when the old object had some, as on update.
   */
  validate(object: JsonObject, options?: { readonly old?: JsonObject }): FieldError[];
  /** What decoding a request does: defaults, pruning, dropped nulls, decoded metadata of the object and of embedded resources. */
  decode(object: JsonObject): DecodedObject;
  /** The whole path of a create request: {@link CompiledSchema.decode} and {@link CompiledSchema.validate}. */
  admit(object: JsonObject): AdmittedObject;
}

export type DecodedObject =
  | { readonly object: JsonObject; readonly unknownFields: readonly string[]; readonly error?: FieldError }
  | { readonly problem: string };

/** Prepares the schema of a definition that was found valid. Throws a {@link DecodeError} where a keyword has the wrong type. */
export function compileSchema(openAPIV3Schema: JsonObject): CompiledSchema {
  return new Compiled(decodeSchema(openAPIV3Schema));
}

class Compiled implements CompiledSchema {
  readonly structural: SchemaNode;
  readonly #values: ValueSchema;

  constructor(schema: SchemaNode) {
    this.structural = pruneDefaults(schema);
    this.#values = compileValueSchema(schema);
  }

  applyDefaults(object: JsonObject): JsonObject {
    return applyDefaults(object, this.structural);
  }

  prune(object: JsonObject): Pruned<JsonObject> {
    return prune(object, this.structural, true);
  }

  dropNulls(object: JsonObject): JsonObject {
    return dropNulls(object, this.structural);
  }

  validate(object: JsonObject, options: { readonly old?: JsonObject } = {}): FieldError[] {
    const { old } = options;
    const errors = validateValue(object, this.#values, undefined, old);
    errors.push(...validateEmbedded(object, this.structural, undefined, false));
    if (old === undefined || validateListTypes(old, this.structural).length === 0) {
      errors.push(...validateListTypes(object, this.structural));
    }
    return errors;
  }

  decode(object: JsonObject): DecodedObject {
    // The decoder fills in defaults before it prunes.
    const defaulted = this.applyDefaults(object);
    const metadata = member(defaulted, 'metadata');
    const unknownFields: string[] = [];
    let decoded: Json | undefined;
    if (metadata !== undefined) {
      try {
        const meta = decodeObjectMeta(metadata);
        decoded = meta.metadata;
        unknownFields.push(...meta.unknownFields.map((name) => `metadata.${name}`));
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        return { problem: error.message };
      }
    }
    const pruned = this.prune(defaulted);
    const coerced = coerceEmbedded(this.dropNulls(pruned.value), this.structural, undefined, {
      isResourceRoot: false,
      dropInvalid: false,
    });
    unknownFields.push(...pruned.unknownFields, ...coerced.unknownFields);
    unknownFields.sort(compareNames);
    if (coerced.error !== undefined) return { object: coerced.value, unknownFields, error: coerced.error };
    const result = decoded === undefined ? coerced.value : withMetadata(coerced.value, decoded);
    return { object: result, unknownFields };
  }

  admit(object: JsonObject): AdmittedObject {
    const decoded = this.decode(object);
    if ('problem' in decoded) return decoded;
    const { object: result, unknownFields } = decoded;
    return {
      object: result,
      unknownFields,
      errors: decoded.error === undefined ? this.validate(result) : [decoded.error],
    };
  }
}

function withMetadata(object: JsonObject, metadata: Json): JsonObject {
  const copy = jsonObject(Object.entries(object));
  copy['metadata'] = isObject(metadata) ? metadata : jsonObject();
  return copy;
}
