import type { RuleEvaluator } from '../../schema/index.ts';
import { engine } from '../engine.ts';
import { fieldErrorOf } from '../field-error.ts';
import { at, isObject, list, type JsonObject } from '../json.ts';
import type { Verdict } from '../resources/resource.ts';

/** All rules of the server for a CustomResourceDefinition: structure, names, versions, defaults, and the types and costs of CEL rules. */
export function checkDefinition(definition: JsonObject, old: JsonObject | undefined): Verdict {
  const { errors, warnings } = engine().validateDefinition(definition, {
    ...(old !== undefined && { old }),
    evaluateRules: rulesOfDefault,
    checkRules(_schema, path, { isUnchanged }) {
      const source = schemaAt(definition, path);
      if (source === undefined) return [];
      const found = engine().checkRules(source, { path }).errors;
      // Rules that were there before may cost more than new ones.
      return isUnchanged ? found.filter(({ detail }) => !/cost (total|exceeds)|rule cost/.test(detail)) : found;
    },
  });
  return { errors: errors.map(fieldErrorOf), warnings };
}

/** A default must be fit as a value that stays, and as one that is new. */
const rulesOfDefault: RuleEvaluator = (schema, value, path, isResourceRoot) => {
  const rules = engine().compileRules(schema, { isResourceRoot });
  if (!rules.hasRules) return [];
  const kept = rules.evaluate(value, value, { path }).errors;
  return kept.length > 0 ? kept : rules.evaluate(value, undefined, { path }).errors;
};

/** The schema at a path of the checks: `spec.validation...` stands for the one schema of all versions. */
function schemaAt(definition: JsonObject, path: string): JsonObject | undefined {
  const index = /^spec\.versions\[(\d+)\]/.exec(path)?.[1];
  const found = at(list(definition, 'spec', 'versions')[Number(index ?? 0)], 'schema', 'openAPIV3Schema');
  return isObject(found) ? found : undefined;
}
