import type { Json, JsonObject } from '../../model/index.ts';
import { checkDefinition, type DefinitionResult } from './definition.ts';
import { compileTree, type Evaluation, evaluateTree, objectCostBudget, type Ratchet } from './evaluator.ts';
import { definitionEnvironment, minorVersion, storedEnvironment } from './kubernetes.ts';
import { readSchema } from './structural.ts';

export type { ExpressionError } from './compile.ts';
export { type DefinitionResult, ruleCostLimit, type RuleFacts, schemaCostLimit } from './definition.ts';
export { type Evaluation, evaluationCostLimit, objectCostBudget, type Ratchet } from './evaluator.ts';
export { KubernetesVersionError } from './kubernetes.ts';
export { PolicyCompiler, type PolicyExpression, type PolicyScope, type PolicyUse } from './policy.ts';
export { PolicyTypeChecker, type PolicySchemas } from './policy-type-checker.ts';
export type { AuthorizationAnswer, AuthorizationQuestion, PolicyAuthorizer } from './library/authorizer-values.ts';
export {
  evaluatePolicy,
  matchConditionsCostBudget,
  PolicyBudgetError,
  policyCostBudget,
  type PolicyInput,
  type PolicyResult,
} from './policy-evaluation.ts';
export { JsonConversionError, jsonOfValue, patchOperationValues, structNameProblems } from './struct-values.ts';
export type { CompileIssue, RulePosition } from './source.ts';
export type { Value } from './values.ts';

export interface RuleOptions {
  /** The Kubernetes version, `1.34` to `1.37` (the default). What came later is refused. */
  readonly kubernetesVersion?: string;
}

export interface CheckOptions extends RuleOptions {
  /** Where the schema stands, such as `spec.versions[0].schema.openAPIV3Schema`; the paths of errors begin with it. */
  readonly path?: string;
  /** False for a schema that is not structural: then expressions give facts but no errors, as on the server. */
  readonly structural?: boolean;
}

/**
 * Judges the rules of a version's schema as kube-apiserver does when a definition is created: texts, typing, costs and their
 * limits. New rules may use only what the Kubernetes version before the given one understands, too.
 * Throws a {@link KubernetesVersionError} for a version that is not known.
 */
export function checkRules(openAPIV3Schema: JsonObject, options: CheckOptions = {}): DefinitionResult {
  const environment = definitionEnvironment(minorVersion(options.kubernetesVersion));
  return checkDefinition(openAPIV3Schema, environment, options.path ?? 'openAPIV3Schema', options.structural ?? true);
}

export interface EvaluateOptions {
  /** What all rules together may cost; 10,000,000 as on the server. */
  readonly budget?: number;
  /** Where the value stands, such as the path of a default; errors without it are at the root of an object (`<nil>`). */
  readonly path?: string;
  /** Says of a path whether errors of rules without `oldSelf` are left out there because the value did not change. */
  readonly ratchet?: Ratchet;
}

/** The compiled rules of a schema. */
export interface CompiledRules {
  /** False when there is nothing to evaluate. */
  readonly hasRules: boolean;
  /** Evaluates all rules for a new object, or for the change of an old one into it. Never throws for what objects hold. */
  evaluate(object: Json, old?: Json, options?: EvaluateOptions): Evaluation;
}

export interface CompileOptions extends RuleOptions {
  /** False for a schema inside of an object, which has no type and metadata of its own; true is the default. */
  readonly isResourceRoot?: boolean;
}

/** Compiles the rules of a stored definition's schema; a rule that does not compile shows as an error of every object. */
export function compileRules(openAPIV3Schema: JsonObject, options: CompileOptions = {}): CompiledRules {
  const environment = storedEnvironment(minorVersion(options.kubernetesVersion));
  const tree = compileTree(readSchema(openAPIV3Schema), environment, options.isResourceRoot ?? true);
  return {
    hasRules: tree !== undefined,
    evaluate(object, old, { budget = objectCostBudget, path, ratchet } = {}) {
      return tree === undefined ? { errors: [], cost: 0 } : evaluateTree(tree, object, old, { budget, path, ratchet });
    },
  };
}
