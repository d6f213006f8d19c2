import { applyDefaults, dropNulls } from '../../schema/defaulting.ts';
import { prune } from '../../schema/pruning.ts';
import { decodeSchema } from '../../schema/schema-decoder.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Verdict } from '../resources/resource.ts';

/** The schema of a custom kind's version, compiled. */
export interface CustomSchema {
  /** Takes away what the schema does not know; apiVersion, kind and metadata stay. */
  prune(value: JsonObject): { readonly value: JsonObject; readonly unknown: readonly string[] };
  /** Sets defaults and drops nulls that may not be. */
  fill(value: JsonObject): JsonObject;
  validate(value: JsonObject, old: JsonObject | undefined, subresource: string): Verdict;
}

export function compileCustomSchema(schema: Json, _kind: string): CustomSchema {
  const node = decodeSchema(schema);
  return {
    prune(value) {
      const { value: pruned, unknownFields } = prune(value, node, true);
      return { value: pruned, unknown: unknownFields };
    },
    fill: (value) => dropNulls(applyDefaults(value, node), node),
    validate: () => ({ errors: [], warnings: [] }),
  };
}
