import { Float, type Json, type JsonObject } from '../../model/index.ts';
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  key,
  type Path,
  required,
} from '../field-error.ts';
import { type CompiledRule, compileNodeRules } from './compile.ts';
import { type DeclaredType, declareType } from './declared-type.ts';
import type { Environment } from './environment.ts';
import { escapeName } from './escaping.ts';
import { resolveFieldPath } from './field-paths.ts';
import { RootFrame } from './frame.ts';
import { trimSpace } from './library/strings.ts';
import type { PlannedNode } from './planned-node.ts';
import { Optional, optionalNone } from './optional.ts';
import { utf8Length } from './source.ts';
import {
  isJsonObject,
  type StructuralSchema,
  type ValidationRule,
  valuesSchema,
  withTypeAndObjectMeta,
} from './structural.ts';
import { CostLimitExceeded, CostTracker } from './tracker.ts';
import { typedValue } from './unstructured.ts';
import { CelError, EvaluationFault, isError, noSuchOverloadMessage, type Value } from './values.ts';

/** What one evaluation of a rule may cost. */
export const evaluationCostLimit = 1_000_000;
/** What all evaluations for one object may cost together. */
export const objectCostBudget = 10_000_000;

const maximumMessageBytes = 5 * 1024;

/** The compiled rules of a schema node and of those below it. */
export interface RuleTree {
  readonly schema: StructuralSchema;
  readonly isResourceRoot: boolean;
  readonly rules: readonly CompiledRule[];
  /** Set where the schema is none that rules can be compiled for. */
  readonly problem: string | undefined;
  readonly usesOldSelf: boolean;
  readonly items: RuleTree | undefined;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly values: RuleTree | undefined;
  readonly allOf: readonly RuleTree[];
}

/** Compiles the rules of a stored schema; undefined when it has none. */
export function compileTree(
  schema: StructuralSchema,
  environment: Environment,
  isResourceRoot: boolean,
): RuleTree | undefined {
  return buildTree(schema, schema, isResourceRoot, declareType(schema, isResourceRoot), environment);
}

/** `rules` is the schema that holds the rules, `node` the one whose values they are for: they differ inside `allOf`. */
function buildTree(
  rules: StructuralSchema,
  node: StructuralSchema,
  isResourceRoot: boolean,
  declaration: DeclaredType | undefined,
  environment: Environment,
): RuleTree | undefined {
  const compiled = declaration === undefined ? [] : compileNodeRules(rules.rules, declaration, environment);
  const problem =
    declaration === undefined && rules.rules.length > 0
      ? 'failed to convert to declType for CEL validation rules'
      : undefined;
  const element = declaration?.element;
  const items =
    rules.items === undefined || node.items === undefined
      ? undefined
      : buildTree(rules.items, node.items, node.items.embeddedResource, element, environment);
  const properties = new Map<string, RuleTree>();
  for (const [name, schema] of rules.properties ?? []) {
    const nodeProperty = node.properties?.get(name);
    if (nodeProperty === undefined) continue;
    const escaped = escapeName(name);
    const field =
      escaped === undefined
        ? declareType(nodeProperty, nodeProperty.embeddedResource)
        : declaration?.fields?.get(escaped);
    if (field === undefined) continue;
    const tree = buildTree(schema, nodeProperty, nodeProperty.embeddedResource, field, environment);
    if (tree !== undefined) properties.set(name, tree);
  }
  const [ruleValues, nodeValues] = [valuesSchema(rules), valuesSchema(node)];
  const values =
    ruleValues === undefined || nodeValues === undefined
      ? undefined
      : buildTree(ruleValues, nodeValues, nodeValues.embeddedResource, element, environment);
  const allOf = rules.allOf
    .map((part) => buildTree(part, node, isResourceRoot, declaration, environment))
    .filter((tree) => tree !== undefined);
  if (
    compiled.length === 0 &&
    problem === undefined &&
    items === undefined &&
    values === undefined &&
    properties.size === 0 &&
    allOf.length === 0
  ) {
    return undefined;
  }
  const usesOldSelf = compiled.some((rule) => rule.usesOldSelf);
  return { schema: node, isResourceRoot, rules: compiled, problem, usesOldSelf, items, properties, values, allOf };
}

/** Decides whether an error of a rule without `oldSelf` is left out because the value at the path did not change. */
export type Ratchet = (path: Path) => boolean;

export interface Evaluation {
  readonly errors: readonly FieldError[];
  /** What the evaluation cost; -1 when it ran out of its budget. */
  readonly cost: number;
}

export interface EvaluationContext {
  /** What all rules together may cost. */
  readonly budget: number;
  /** Where the value stands; undefined for the root of an object. */
  readonly path: Path;
  readonly ratchet: Ratchet | undefined;
}

/** Evaluates the rules of a tree for a value, or for its change from an old one. */
export function evaluateTree(
  tree: RuleTree,
  value: Json,
  old: Json | undefined,
  context: EvaluationContext,
): Evaluation {
  const evaluator = new Evaluator(context.budget, context.ratchet);
  evaluator.validate(tree, context.path, value, old ?? null);
  const { errors, remaining } = evaluator;
  return { errors, cost: remaining < 0 ? -1 : context.budget - remaining };
}

class Evaluator {
  readonly errors: FieldError[] = [];
  remaining: number;
  readonly #ratchet: Ratchet | undefined;

  constructor(budget: number, ratchet: Ratchet | undefined) {
    this.remaining = budget;
    this.#ratchet = ratchet;
  }

  validate(tree: RuleTree, path: Path, value: Json, old: Json): void {
    if (value === null) return;
    this.#validateRules(tree, path, value, old);
    for (const part of tree.allOf) {
      if (this.remaining < 0) return;
      this.validate(part, path, value, old);
    }
    if (this.remaining < 0) return;
    if (Array.isArray(value)) this.#validateItems(tree, path, value as readonly Json[], old);
    else if (isJsonObject(value)) this.#validateMembers(tree, path, value, old);
  }

  #validateItems(tree: RuleTree, path: Path, value: readonly Json[], old: Json): void {
    if (tree.items === undefined) return;
    const oldItem = correlate(tree.schema, Array.isArray(old) ? (old as readonly Json[]) : []);
    for (const [position, item] of value.entries()) {
      this.validate(tree.items, index(path, position), item, oldItem(item));
      if (this.remaining < 0) return;
    }
  }

  #validateMembers(tree: RuleTree, path: Path, value: JsonObject, old: Json): void {
    const { mapType } = tree.schema;
    const correlates = mapType === undefined || mapType === 'granular' || mapType === 'atomic';
    const oldMember = (name: string): Json =>
      correlates && isJsonObject(old) && Object.hasOwn(old, name) ? (old[name] ?? null) : null;
    for (const [name, member] of Object.entries(value)) {
      if (tree.values !== undefined) this.validate(tree.values, key(path, name), member, oldMember(name));
      if (this.remaining < 0) return;
    }
    for (const [name, member] of Object.entries(value)) {
      const property = tree.properties.get(name);
      if (property !== undefined) this.validate(property, child(path, name), member, oldMember(name));
      if (this.remaining < 0) return;
    }
  }

  #validateRules(tree: RuleTree, path: Path, value: Json, old: Json): void {
    const { type } = tree.schema;
    if (tree.problem !== undefined) {
      this.errors.push(invalid(path, type, `rule compiler initialization error: ${tree.problem}`));
      return;
    }
    if (tree.rules.length === 0) return;
    if (this.remaining <= 0) {
      this.#stop(
        invalid(
          path,
          type,
          'validation failed due to running out of cost budget, no further validation rules will be run',
        ),
      );
      return;
    }
    const schema = tree.isResourceRoot ? withTypeAndObjectMeta(tree.schema) : tree.schema;
    const variables = new Map<string, Value>([['self', typedValue(value, schema)]]);
    const optionalVariables = new Map(variables);
    if (tree.usesOldSelf) {
      const oldSelf = old === null ? undefined : typedValue(old, schema);
      if (oldSelf !== undefined) variables.set('oldSelf', oldSelf);
      optionalVariables.set('oldSelf', oldSelf === undefined ? optionalNone : new Optional(oldSelf));
    }
    for (const compiled of tree.rules) {
      if (compiled.error !== undefined) {
        this.errors.push(invalid(path, type, `rule compile error: ${compiled.error.detail}`));
        continue;
      }
      const optional = compiled.rule.optionalOldSelf === true;
      if (compiled.program === undefined || (compiled.usesOldSelf && old === null && !optional)) continue;
      const holds = this.#holds(compiled.program, compiled.rule, path, type, optional ? optionalVariables : variables);
      if (this.remaining < 0) return;
      if (!holds) this.#fail(compiled, schema, path, value, variables);
      if (this.remaining < 0) return;
    }
  }

  /** Ends the whole validation with an error. */
  #stop(error: FieldError): void {
    this.errors.push(error);
    this.remaining = -1;
  }

  /** Whether a rule holds. One that cannot be evaluated has its error reported here. */
  #holds(
    program: PlannedNode,
    rule: ValidationRule,
    path: Path,
    type: string,
    variables: ReadonlyMap<string, Value>,
  ): boolean {
    const { value, cost, exceeded } = run(program, variables);
    if (cost > this.remaining) {
      this.#stop(
        invalid(
          path,
          type,
          'validation failed due to running out of cost budget, no further validation rules will be run',
        ),
      );
      return true;
    }
    this.remaining -= cost;
    const name = ruleName(rule);
    if (exceeded !== undefined) {
      this.#stop(
        invalid(
          path,
          type,
          `'${exceeded}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`,
        ),
      );
      return true;
    }
    if (isError(value)) {
      const detail = value.message.startsWith(noSuchOverloadMessage)
        ? `'${value.message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
        : `${value.message} evaluating rule: ${name}`;
      this.errors.push(invalid(path, type, detail));
      return true;
    }
    return value === true;
  }

  #fail(
    compiled: CompiledRule,
    schema: StructuralSchema,
    path: Path,
    value: Json,
    variables: ReadonlyMap<string, Value>,
  ): void {
    const { rule } = compiled;
    const normalized = rule.fieldPath === '' ? undefined : resolveFieldPath(rule.fieldPath, schema);
    const place = normalized === undefined ? path : child(path, normalized);
    if (!compiled.usesOldSelf && this.#ratchet?.(path) === true) return;
    let detail: string | undefined;
    if (compiled.message !== undefined) {
      const { value: text, cost, exceeded } = run(compiled.message, variables);
      const stopped =
        cost > this.remaining
          ? 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
          : exceeded === undefined
            ? undefined
            : `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`;
      if (stopped !== undefined) {
        this.#stop(invalid(place, schema.type, stopped));
        return;
      }
      this.remaining -= cost;
      detail = usableMessage(text);
    }
    detail ??= rule.message === '' ? `failed rule: ${ruleName(rule)}` : trimSpace(rule.message);
    this.errors.push(failure(rule.reason, schema.type, place, value, detail));
  }
}

function run(
  program: PlannedNode,
  variables: ReadonlyMap<string, Value>,
): { value: Value; cost: number; exceeded: string | undefined } {
  const tracker = new CostTracker(evaluationCostLimit);
  try {
    const value = program.exec(new RootFrame(tracker, variables));
    return { value, cost: tracker.cost, exceeded: undefined };
  } catch (error) {
    if (error instanceof EvaluationFault) {
      return { value: new CelError(`internal error: ${error.message}`), cost: tracker.cost, exceeded: undefined };
    }
    if (!(error instanceof CostLimitExceeded)) throw error;
    return { value: null, cost: tracker.cost, exceeded: error.message };
  }
}

/** The result of a messageExpression that can be shown. */
function usableMessage(text: Value): string | undefined {
  if (typeof text !== 'string') return undefined;
  const trimmed = trimSpace(text);
  return trimmed === '' || trimmed.includes('\n') || utf8Length(trimmed) > maximumMessageBytes ? undefined : trimmed;
}

function ruleName(rule: ValidationRule): string {
  return trimSpace(rule.message === '' ? rule.rule : rule.message);
}

function failure(reason: string | undefined, type: string, path: Path, value: Json, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, value);
    default:
      break;
  }
  if (type !== 'object' && type !== 'array') return invalid(path, value, detail);
  return omitted('FieldValueInvalid', path, detail);
}

/** An error that does not show the value: objects and arrays may be large. */
function omitted(type: 'FieldValueInvalid', path: Path, detail: string): FieldError {
  const field = path ?? '<nil>';
  return { type, field, detail, message: `${field}: Invalid value: ${detail}` };
}

/** Finds the old item with the keys of a new one; only list maps have such. */
function correlate(schema: StructuralSchema, old: readonly Json[]): (item: Json) => Json {
  if (schema.type !== 'array' || schema.listType !== 'map' || schema.listMapKeys.length === 0) return () => null;
  const items = new Map<string, Json>();
  for (const item of old) {
    const itemKey = listMapKey(schema, item);
    if (itemKey !== undefined && !items.has(itemKey)) items.set(itemKey, item);
  }
  return (item) => {
    const itemKey = listMapKey(schema, item);
    return itemKey === undefined ? null : (items.get(itemKey) ?? null);
  };
}

function listMapKey(schema: StructuralSchema, item: Json): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const parts: string[] = [];
  for (const name of schema.listMapKeys) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (value instanceof Float) parts.push(`float:${value.value}`);
    else if (value === undefined || typeof value === 'object') return undefined;
    else parts.push(`${typeof value}:${String(value)}`);
  }
  return JSON.stringify(parts);
}
