import type { Json, JsonObject } from '../../model/index.ts';
import { checkRules, compileRules, type RuleFacts } from './index.ts';

/** A schema with members of many kinds, for tests. */
export const testSchema: JsonObject = {
  type: 'object',
  properties: {
    i: { type: 'integer' },
    n: { type: 'number' },
    s: { type: 'string', maxLength: 10 },
    t: { type: 'string' },
    l: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    m: { type: 'object', additionalProperties: { type: 'integer' } },
    o: { type: 'object', properties: { x: { type: 'integer' }, 'a-b': { type: 'string' } } },
    d: { type: 'string', format: 'duration' },
    ts: { type: 'string', format: 'date-time' },
    p: { 'x-kubernetes-int-or-string': true },
  },
};

/** A schema with the rules at its member `node`. */
export function withRules(rules: readonly (string | JsonObject)[], schema: JsonObject = testSchema): JsonObject {
  const validations = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { type: 'object', properties: { node: { ...schema, 'x-kubernetes-validations': validations } } };
}

/** What the errors of an object say whose member `node` is `self`. */
export function violations(rule: string | JsonObject, self: Json = {}, old?: Json): string[] {
  const { errors } = compileRules(withRules([rule])).evaluate(
    { node: self },
    old === undefined ? undefined : { node: old },
  );
  return errors.map((error) => error.detail);
}

/** What the compiler knows of one rule. */
export function factsOf(rule: string | JsonObject, kubernetesVersion = '1.37'): RuleFacts {
  const [facts] = checkRules(withRules([rule]), { kubernetesVersion }).rules;
  if (facts === undefined) throw new Error('the rule was not compiled');
  return facts;
}
