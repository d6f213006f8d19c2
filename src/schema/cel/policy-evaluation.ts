import type { Json } from '../../model/index.ts';
import { evaluationCostLimit } from './evaluator.ts';
import { RootFrame } from './frame.ts';
import {
  type AuthorizationQuestion,
  AuthorizerValue,
  type PolicyAuthorizer,
  ResourceCheck,
} from './library/authorizer-values.ts';
import { MapValue } from './maps.ts';
import { plainValue } from './plain-values.ts';
import type { PolicyExpression } from './policy.ts';
import { CostLimitExceeded, CostTracker } from './tracker.ts';
import { CelError, EvaluationFault, isError, noSuchOverload, type Value } from './values.ts';

/** What the expressions of a policy may cost for one request, and those of its match conditions. */
export const policyCostBudget = 10_000_000;
export const matchConditionsCostBudget = 2_500_000;

/** What the expressions of one evaluation see. */
export interface PolicyInput {
  /** Absent on a deletion. */
  readonly object: Json | undefined;
  /** Absent on a creation. */
  readonly oldObject: Json | undefined;
  readonly request: Json;
  readonly params: Json | undefined;
  /** Absent for what is in no namespace. */
  readonly namespaceObject: Json | undefined;
  readonly authorizer?: PolicyAuthorizer;
  /** What `authorizer.requestResource` asks about. */
  readonly requestResource?: Omit<AuthorizationQuestion, 'path' | 'verb'>;
}

/** The budget is used up: nothing more is evaluated. */
export class PolicyBudgetError extends Error {
  override readonly name = 'PolicyBudgetError';

  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

export type PolicyResult = { readonly value: Value } | { readonly problem: string };

/**
 * Evaluates expressions against one input; variables are computed once, when the first expression asks for them. Absent
 * expressions give absent results.
 *
 * @throws PolicyBudgetError
 */
export function evaluatePolicy(
  expressions: readonly (PolicyExpression | undefined)[],
  variables: ReadonlyMap<string, PolicyExpression>,
  input: PolicyInput,
  budget: number,
): { readonly results: readonly (PolicyResult | undefined)[]; readonly remaining: number } {
  const values = new Map<string, Value>();
  const lazy = new LazyVariables(variables, values);
  for (const name of ['object', 'oldObject', 'request', 'params', 'namespaceObject'] as const)
    values.set(name, plainValue(input[name] ?? null));
  if (input.authorizer !== undefined) {
    values.set('authorizer', new AuthorizerValue(input.authorizer));
    if (input.requestResource !== undefined)
      values.set('authorizer.requestResource', new ResourceCheck(input.authorizer, input.requestResource));
  }
  values.set('variables', lazy);
  let remaining = budget;
  const results = expressions.map((expression): PolicyResult | undefined => {
    if (expression === undefined) return undefined;
    const { program, problem, text } = expression;
    if (program === undefined) return { problem: `compilation error: ${problem ?? ''}` };
    const { value, cost } = run(program, values);
    remaining -= cost + lazy.takeCost();
    if (remaining < 0) throw new PolicyBudgetError();
    return isError(value) ? { problem: `expression '${text}' resulted in error: ${value.message}` } : { value };
  });
  return { results, remaining };
}

function run(
  program: NonNullable<PolicyExpression['program']>,
  values: ReadonlyMap<string, Value>,
): { value: Value; cost: number } {
  const tracker = new CostTracker(evaluationCostLimit);
  try {
    const value = program.exec(new RootFrame(tracker, values));
    return { value, cost: tracker.cost };
  } catch (error) {
    if (error instanceof EvaluationFault)
      return { value: new CelError(`internal error: ${error.message}`), cost: tracker.cost };
    if (error instanceof CostLimitExceeded) return { value: new CelError(error.message), cost: tracker.cost };
    throw error;
  }
}

/** `variables`: each is evaluated when it is first used, at its own cost. */
class LazyVariables extends MapValue {
  readonly #expressions: ReadonlyMap<string, PolicyExpression>;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #known = new Map<string, Value>();
  #cost = 0;

  constructor(expressions: ReadonlyMap<string, PolicyExpression>, values: ReadonlyMap<string, Value>) {
    super();
    this.#expressions = expressions;
    this.#values = values;
  }

  /** What evaluations cost since this was last asked. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  override get size(): number {
    return this.#expressions.size;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload(key);
    const expression = this.#expressions.get(key);
    if (expression === undefined) return undefined;
    let value = this.#known.get(key);
    if (value === undefined) {
      value = this.#evaluate(key, expression);
      this.#known.set(key, value);
    }
    return value;
  }

  override keys(): Iterable<Value> {
    return this.#expressions.keys();
  }

  override equal(other: Value): Value {
    return this === other;
  }

  #evaluate(name: string, { program, problem }: PolicyExpression): Value {
    if (program === undefined) return new CelError(`composited variable "${name}" fails to compile: ${problem ?? ''}`);
    const { value, cost } = run(program, this.#values);
    this.#cost += cost;
    return isError(value) ? new CelError(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }
}
