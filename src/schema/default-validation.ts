import { type Json, type JsonObject, jsonObject } from '../model/index.ts';
import { surround } from './default-pruning.ts';
import { coerceEmbedded, validateEmbedded } from './embedded-resources.ts';
import { child, type FieldError, invalid, key } from './field-error.ts';
import { equalJson, isObject } from './json.ts';
import { prune } from './pruning.ts';
import { type SchemaNode, source } from './schema-node.ts';
import { compileValueSchema } from './value-schema.ts';
import { validateValue } from './value-validator.ts';

/**
 * Evaluates the CEL rules of a schema on a default of it, `path` being where the default stands; the room of CEL supplies this. What
 * one function finds wrong with a default must not depend on the place.
 */
export type RuleEvaluator = (
  schema: JsonObject,
  value: Json,
  path: string,
  isResourceRoot: boolean,
) => readonly FieldError[];

export interface DefaultValidation {
  /** Whether defaults may hold no unknown fields. */
  readonly requirePruned: boolean;
  readonly evaluateRules?: RuleEvaluator | undefined;
}

type Step = { readonly name: string } | 'item';

interface Place {
  readonly path: string;
  /** The nearest resource, and the way from it to here. */
  readonly resource: SchemaNode;
  readonly steps: readonly Step[];
  readonly isInsideMeta: boolean;
}

/** Checks that defaults are valid values of their schemas (`defaulting.ValidateDefaults`); those below additionalProperties never are. */
export function validateDefaults(schema: SchemaNode, path: string, options: DefaultValidation): FieldError[] {
  if (!schema.hasDefaults) return [];
  const root: SchemaNode = { ...schema, xEmbeddedResource: true, hasEmbeddedResources: true };
  return validateNode(root, { path, resource: root, steps: [], isInsideMeta: false }, options);
}

/** Nodes outside of metadata whose defaults, and those below, are valid by some evaluator of rules. */
const sound = new WeakMap<RuleEvaluator, WeakSet<SchemaNode>>();

function validateNode(node: SchemaNode, place: Place, options: DefaultValidation): FieldError[] {
  if (!node.hasDefaults) return [];
  const { evaluateRules, requirePruned } = options;
  if (place.isInsideMeta || !requirePruned || evaluateRules === undefined) return nodeErrors(node, place, options);
  const known = sound.get(evaluateRules) ?? new WeakSet();
  if (known.has(node)) return [];
  const errors = nodeErrors(node, place, options);
  if (errors.length === 0) sound.set(evaluateRules, known.add(node));
  return errors;
}

function nodeErrors(node: SchemaNode, place: Place, options: DefaultValidation): FieldError[] {
  const here: Place = node.xEmbeddedResource ? { ...place, resource: node, steps: [], isInsideMeta: false } : place;
  const errors: FieldError[] = [];
  if (node.default !== undefined) {
    errors.push(
      ...(here.isInsideMeta ? insideMeta(node, node.default, here) : outsideMeta(node, node.default, here, options)),
    );
  }
  const below = (step: Step, path: string, isMeta: boolean): Place => ({
    path,
    resource: here.resource,
    steps: [...here.steps, step],
    isInsideMeta: here.isInsideMeta || isMeta,
  });
  if (node.items !== undefined)
    errors.push(...validateNode(node.items, below('item', child(here.path, 'items'), false), options));
  for (const [name, property] of node.properties) {
    const isMeta = node.xEmbeddedResource && (name === 'metadata' || name === 'apiVersion' || name === 'kind');
    errors.push(...validateNode(property, below({ name }, key(child(here.path, 'properties'), name), isMeta), options));
  }
  return errors;
}

function insideMeta(node: SchemaNode, value: Json, place: Place): FieldError[] {
  const path = child(place.path, 'default');
  const inside = withTypeMeta(surround(value, place.steps));
  const coerced = coerceEmbedded(inside, place.resource, undefined, { isResourceRoot: true, dropInvalid: false });
  const problem =
    coerced.error === undefined
      ? aggregate(validateEmbedded(coerced.value, place.resource, undefined, true))
      : coerced.error.message;
  if (problem !== '') return [invalid(path, value, `must result in valid metadata: ${problem}`)];
  return validateValue(value, compileValueSchema(node, 'structural'), path);
}

function outsideMeta(node: SchemaNode, value: Json, place: Place, options: DefaultValidation): FieldError[] {
  const path = child(place.path, 'default');
  const errors: FieldError[] = [];
  if (options.requirePruned && !equalJson(prune(value, node, node.xEmbeddedResource).value, value)) {
    errors.push(invalid(path, value, 'must not have unknown fields'));
  }
  const isRoot = node.xEmbeddedResource;
  const coerced = coerceEmbedded(value, node, path, { isResourceRoot: isRoot, dropInvalid: false });
  if (coerced.error !== undefined) return [...errors, coerced.error];
  const embedded = validateEmbedded(coerced.value, node, path, isRoot);
  if (embedded.length > 0) return [...errors, ...embedded];
  const found = validateValue(coerced.value, compileValueSchema(node, 'structural'), path);
  if (found.length > 0) return [...errors, ...found];
  return [...errors, ...(options.evaluateRules?.(node[source], coerced.value, path, node === place.resource) ?? [])];
}

function withTypeMeta(value: Json): JsonObject {
  const object = isObject(value) ? value : {};
  return jsonObject([['apiVersion', 'validation/v1'], ['kind', 'Validation'], ...Object.entries(object)]);
}

/** Several errors as Go prints them in one: each message once, in brackets when there are two or more. */
function aggregate(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map((error) => error.message))];
  return messages.length > 1 ? `[${messages.join(', ')}]` : (messages[0] ?? '');
}
