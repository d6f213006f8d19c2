import type { Json, JsonObject } from '../../model/index.ts';
import { child, type FieldError, forbidden, index, invalid, key } from '../field-error.ts';
import { compareNames } from '../go-format.ts';
import { type CompiledRule, compileNodeRules, type ExpressionError } from './compile.ts';
import { type DeclaredType, declareType } from './declared-type.ts';
import type { Environment } from './environment.ts';
import { checkTexts, costMessage, internalError, invalidRule } from './definition-errors.ts';
import { escapeName } from './escaping.ts';
import { saturatingAdd, saturatingMultiply } from './estimates.ts';
import { isJsonObject, readSchema, type StructuralSchema, type ValidationRule, valuesSchema } from './structural.ts';

/** The most that one rule may cost (its own cost times how often it may stand in a request). */
export const ruleCostLimit = 10_000_000n;
/** The most that all rules of a version's schema may cost. */
export const schemaCostLimit = 100_000_000n;

/** What is known of one rule of a definition. Costs are uint64; 2^64-1 stands for "no bound". */
export interface RuleFacts {
  /** The schema node, such as `spec.validation.openAPIV3Schema.properties[spec].items`. */
  readonly path: string;
  /** The rule's place in `x-kubernetes-validations`. */
  readonly index: number;
  readonly rule: string;
  /** Why it does not compile. */
  readonly error?: ExpressionError;
  /** What one evaluation may cost. */
  readonly maxCost: bigint;
  /** How often it may be evaluated for one object. */
  readonly cardinality: bigint;
  /** The product of the two, which must not exceed {@link ruleCostLimit}. */
  readonly cost: bigint;
  readonly usesOldSelf: boolean;
  readonly messageExpressionError?: ExpressionError;
  readonly messageExpressionCost?: bigint;
}

export interface DefinitionResult {
  readonly errors: readonly FieldError[];
  readonly rules: readonly RuleFacts[];
}

interface TypeInfo {
  readonly schema: StructuralSchema;
  readonly declaration: DeclaredType;
}

/** What rules at a node are compiled against, as it is handed down from the root. */
interface Context {
  readonly json: JsonObject;
  readonly schema: StructuralSchema;
  /** Whether the node or one above it has rules. */
  readonly inScope: boolean;
  readonly cardinality: bigint | undefined;
  readonly typeInfo: TypeInfo | undefined;
}

interface Errors {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/**
 * Judges the rules of a version's schema as the API server does when a definition is created. `path` is where the schema stands;
 * with `judges: false` (for schemas that are not structural) only the texts beside the expressions give errors.
 */
export function checkDefinition(
  json: JsonObject,
  environment: Environment,
  path: string,
  judges: boolean,
): DefinitionResult {
  return new DefinitionChecker(environment, judges).run(json, path);
}

class DefinitionChecker {
  readonly #environment: Environment;
  readonly #judges: boolean;
  readonly #facts: RuleFacts[] = [];
  #totalCost = 0n;
  #expensive: { readonly path: string; readonly cost: bigint }[] = [];

  constructor(environment: Environment, judges: boolean) {
    this.#environment = environment;
    this.#judges = judges;
  }

  run(json: JsonObject, path: string): DefinitionResult {
    const schema = readSchema(json);
    const inScope = schema.rules.length > 0;
    const context = this.#context(json, schema, inScope, 1n, undefined, true);
    const found = this.#check(json, path, context, undefined);
    const errors = [...found.schema, ...found.rules];
    if (this.#totalCost > schemaCostLimit) {
      const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
      for (const rule of this.#expensive) errors.push(forbidden(rule.path, contributed));
      const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
      errors.push(forbidden(path, costMessage(name, this.#totalCost, schemaCostLimit)));
    }
    return { errors, rules: this.#facts };
  }

  #context(
    json: JsonObject,
    schema: StructuralSchema,
    inScope: boolean,
    cardinality: bigint | undefined,
    inherited: TypeInfo | undefined,
    isRoot: boolean,
  ): Context {
    let typeInfo = inherited;
    if (typeInfo === undefined && inScope) {
      const declaration = declareType(schema, isRoot || schema.embeddedResource);
      if (declaration !== undefined) typeInfo = { schema, declaration };
    }
    return { json, schema, inScope, cardinality, typeInfo };
  }

  #child(context: Context, json: JsonObject, inherited: (parent: TypeInfo) => TypeInfo | undefined): Context {
    const schema = readSchema(json);
    const inScope = context.inScope || schema.rules.length > 0;
    const elements = maximumElements(context.json, context.schema);
    const cardinality =
      context.cardinality === undefined || elements === undefined
        ? undefined
        : saturatingMultiply(context.cardinality, elements);
    const info = context.typeInfo === undefined ? undefined : inherited(context.typeInfo);
    return this.#context(json, schema, inScope, cardinality, info, false);
  }

  /** Facts come in the order: a node, its properties by name, its values, its items. */
  #check(json: JsonObject, path: string, context: Context | undefined, uncorrelatable: string | undefined): Errors {
    const errors: Errors = { schema: [], rules: [] };
    const facts = this.#facts.length;
    const merge = (below: Errors): void => {
      errors.schema.push(...below.schema);
      errors.rules.push(...below.rules);
    };
    const properties = json['properties'];
    const values = json['additionalProperties'];
    const items = json['items'];
    const correlates =
      json['x-kubernetes-map-type'] === undefined ||
      json['x-kubernetes-map-type'] === 'granular' ||
      json['x-kubernetes-map-type'] === 'atomic';
    const below = correlates ? uncorrelatable : (uncorrelatable ?? path);
    for (const [name, property] of sortedEntries(properties)) {
      const inner = context && this.#child(context, property, (parent) => propertyInfo(parent, name));
      merge(this.#check(property, key(child(path, 'properties'), name), inner, below));
    }
    if (isJsonObject(values)) {
      const inner = context && this.#child(context, values, valuesInfo);
      merge(this.#check(values, child(path, 'additionalProperties'), inner, uncorrelatable));
    }
    for (const [schema, place] of logicalSchemas(json, path))
      merge(this.#check(schema, place, undefined, uncorrelatable));
    if (isJsonObject(items)) {
      const inner = context && this.#child(context, items, itemsInfo);
      const forbids = json['x-kubernetes-list-type'] === 'map' ? uncorrelatable : (uncorrelatable ?? path);
      merge(this.#check(items, child(path, 'items'), inner, forbids));
    }
    this.#checkRules(json, path, context, uncorrelatable, errors, facts);
    return errors;
  }

  #checkRules(
    json: JsonObject,
    path: string,
    context: Context | undefined,
    uncorrelatable: string | undefined,
    errors: Errors,
    firstFact: number,
  ): void {
    const schema = context?.schema ?? readSchema(json);
    const place = child(path, 'x-kubernetes-validations');
    for (const [position, rule] of schema.rules.entries())
      checkTexts(rule, schema, index(place, position), errors.schema);
    if (context === undefined || schema.rules.length === 0) return;
    const own: RuleFacts[] = [];
    const judged = this.#judges && errors.schema.length === 0;
    if (context.typeInfo === undefined) {
      const detail = 'unable to convert structural schema to CEL declarations';
      if (judged)
        errors.rules.push(
          internalError(
            place,
            `internal error: failed to construct type information for x-kubernetes-validations rules: ${detail}`,
          ),
        );
      for (const [position, rule] of schema.rules.entries())
        own.push(factsWithoutType(path, position, rule, `no type: ${detail}`));
    } else {
      const compiled = compileNodeRules(context.typeInfo.schema.rules, context.typeInfo.declaration, this.#environment);
      for (const [position, rule] of compiled.entries()) {
        const facts = factsOf(path, position, rule, context.cardinality);
        own.push(facts);
        if (judged) this.#judge(rule, facts, index(place, position), uncorrelatable, errors.rules);
      }
    }
    this.#facts.splice(firstFact, 0, ...own);
  }

  #judge(
    compiled: CompiledRule,
    facts: RuleFacts,
    place: string,
    uncorrelatable: string | undefined,
    errors: FieldError[],
  ): void {
    const { rule } = compiled;
    const rulePath = child(place, 'rule');
    const messagePath = child(place, 'messageExpression');
    if (facts.cost > ruleCostLimit)
      errors.push(forbidden(rulePath, costMessage('estimated rule cost', facts.cost, ruleCostLimit)));
    this.#count(rulePath, facts.cost);
    if (compiled.error !== undefined) errors.push(invalidRule(rulePath, rule, compiled.error.detail));
    if (compiled.messageError !== undefined) {
      errors.push(invalidRule(messagePath, rule, compiled.messageError.detail));
    } else if (compiled.messageCost !== undefined) {
      if (compiled.messageCost > ruleCostLimit) {
        errors.push(
          forbidden(messagePath, costMessage('estimated messageExpression cost', compiled.messageCost, ruleCostLimit)),
        );
      }
      this.#count(messagePath, compiled.messageCost);
    }
    if (compiled.usesOldSelf) {
      if (uncorrelatable === undefined) return;
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      errors.push(invalid(rulePath, rule.rule, detail));
    } else if (rule.optionalOldSelf !== undefined) {
      errors.push(
        invalid(child(place, 'optionalOldSelf'), rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
      );
    }
  }

  #count(path: string, cost: bigint): void {
    this.#totalCost = saturatingAdd(this.#totalCost, cost);
    if (cost < schemaCostLimit / 100n) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => (a.cost > b.cost ? -1 : a.cost < b.cost ? 1 : 0));
    this.#expensive = this.#expensive.slice(0, 4);
  }
}

function sortedEntries(properties: Json | undefined): [string, JsonObject][] {
  if (!isJsonObject(properties)) return [];
  const entries: [string, JsonObject][] = [];
  for (const [name, schema] of Object.entries(properties)) if (isJsonObject(schema)) entries.push([name, schema]);
  return entries.sort(([a], [b]) => compareNames(a, b));
}

/** The schemas of `not`, `allOf`, `oneOf` and `anyOf`, in which rules are never compiled. */
function* logicalSchemas(json: JsonObject, path: string): Generator<[JsonObject, string]> {
  const { not } = json;
  if (isJsonObject(not)) yield [not, child(path, 'not')];
  for (const name of ['allOf', 'oneOf', 'anyOf']) {
    const schemas = json[name];
    if (!Array.isArray(schemas)) continue;
    for (const [position, schema] of (schemas as readonly Json[]).entries()) {
      if (isJsonObject(schema)) yield [schema, index(child(path, name), position)];
    }
  }
}

/** How often a child may stand in its parent; undefined without a bound. */
function maximumElements(json: JsonObject, schema: StructuralSchema): bigint | undefined {
  const bound = (limit: number | undefined): bigint | undefined =>
    limit === undefined ? undefined : BigInt(Math.max(0, limit));
  if (schema.type === 'array') return bound(schema.maxItems);
  return schema.type === 'object' && json['additionalProperties'] !== undefined ? bound(schema.maxProperties) : 1n;
}

function propertyInfo(parent: TypeInfo, name: string): TypeInfo | undefined {
  const escaped = escapeName(name);
  const schema = parent.schema.properties?.get(name);
  const declaration = escaped === undefined ? undefined : parent.declaration.fields?.get(escaped);
  return schema === undefined || declaration === undefined ? undefined : { schema, declaration };
}

function valuesInfo(parent: TypeInfo): TypeInfo | undefined {
  const schema = valuesSchema(parent.schema);
  const declaration = parent.declaration.element;
  return schema === undefined || declaration === undefined ? undefined : { schema, declaration };
}

function itemsInfo(parent: TypeInfo): TypeInfo | undefined {
  const schema = parent.schema.items;
  const declaration = parent.declaration.element;
  return schema === undefined || declaration === undefined ? undefined : { schema, declaration };
}

function factsOf(path: string, position: number, compiled: CompiledRule, cardinality: bigint | undefined): RuleFacts {
  const times = cardinality ?? compiled.maxCardinality;
  return {
    path,
    index: position,
    rule: compiled.rule.rule,
    maxCost: compiled.maxCost,
    cardinality: times,
    cost: saturatingMultiply(compiled.maxCost, times),
    usesOldSelf: compiled.usesOldSelf,
    ...(compiled.error === undefined ? {} : { error: compiled.error }),
    ...(compiled.messageError === undefined ? {} : { messageExpressionError: compiled.messageError }),
    ...(compiled.messageCost === undefined ? {} : { messageExpressionCost: compiled.messageCost }),
  };
}

function factsWithoutType(path: string, position: number, rule: ValidationRule, detail: string): RuleFacts {
  const error = { detail, issues: [{ message: detail }] };
  return { path, index: position, rule: rule.rule, error, maxCost: 0n, cardinality: 0n, cost: 0n, usesOldSelf: false };
}
