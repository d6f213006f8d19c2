import type { PolicyExpression, PolicyInput, Value } from '../../schema/cel/index.ts';
import type { ApplyType } from '../apply/types.ts';
import { checkTyped, merge, TypedError } from '../apply/walk.ts';
import { engine } from '../engine.ts';
import { isArray, isObject, jsonObject, shallow, type Json, type JsonObject } from '../json.ts';
import { applyJsonPatch, parseJsonPatch, PatchError, PatchTestError } from '../patch/json-patch.ts';

/** A mutation that cannot be carried out; what becomes of the request is up to the failure policy. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}

/** One mutation of a policy, compiled. */
export interface Mutation {
  readonly type: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: PolicyExpression;
}

/**
 * What a mutation makes of an object; nothing when it leaves it alone.
 *
 * @param type how objects of the kind are merged
 * @throws MutationError
 */
export function mutate(
  { type: patchType, expression }: Mutation,
  variables: ReadonlyMap<string, PolicyExpression>,
  input: PolicyInput,
  target: JsonObject,
  type: ApplyType,
): Json | undefined {
  const value = valueOf(expression, variables, input, patchType);
  return patchType === 'JSONPatch' ? patched(target, value) : applied(target, value, type);
}

/** The value of a mutation's expression as JSON. */
function valueOf(
  expression: PolicyExpression,
  variables: ReadonlyMap<string, PolicyExpression>,
  input: PolicyInput,
  patchType: Mutation['type'],
): Json {
  const { evaluatePolicy, JsonConversionError, jsonOfValue, PolicyBudgetError, policyCostBudget, structNameProblems } =
    engine().cel;
  if (expression.problem !== undefined) throw new MutationError(expression.problem);
  try {
    const [result] = evaluatePolicy([expression], variables, input, policyCostBudget).results;
    if (result === undefined) throw new MutationError('the expression has no value');
    if ('problem' in result) throw new MutationError(result.problem);
    // The objects inside a JSON patch are the values of its operations.
    const problems =
      patchType === 'ApplyConfiguration'
        ? structNameProblems(result.value, 'Object')
        : patchValueProblems(result.value);
    if (problems.length > 0) throw new MutationError(`type mismatch: ${problems.join('\n')}`);
    return jsonOfValue(result.value);
  } catch (error) {
    if (error instanceof PolicyBudgetError) throw new MutationError(error.message);
    if (error instanceof JsonConversionError)
      throw new MutationError(
        `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`,
      );
    throw error;
  }
}

function patchValueProblems(value: Value): readonly string[] {
  const { patchOperationValues, structNameProblems } = engine().cel;
  return patchOperationValues(value).flatMap((found) => structNameProblems(found, found.type.name));
}

function patched(target: JsonObject, value: Json): Json | undefined {
  const operations = isArray(value) ? value.map((operation) => withoutEmptyFrom(operation)) : [];
  try {
    return applyJsonPatch(target, parseJsonPatch(operations));
  } catch (error) {
    if (error instanceof PatchTestError) return undefined;
    if (error instanceof PatchError) throw new MutationError(`JSON Patch: ${error.message}`);
    throw error;
  }
}

function withoutEmptyFrom(operation: Json): Json {
  if (!isObject(operation) || operation['from'] !== '') return operation;
  const result = shallow(operation);
  delete result['from'];
  return result;
}

function applied(target: JsonObject, value: Json, type: ApplyType): Json {
  const configuration = jsonObject(Object.entries(isObject(value) ? value : {}));
  for (const name of ['apiVersion', 'kind']) configuration[name] = target[name] ?? '';
  const failed = (problem: string): MutationError => new MutationError(`error applying patch: ${problem}`);
  try {
    checkTyped(configuration, type);
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    throw failed(`failed to convert patch object to typed object: ${error.message}`);
  }
  const atomic = atomicPaths(configuration, type, '');
  if (atomic.length > 0)
    throw failed(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`);
  return merge(target, configuration, type);
}

/** Where a configuration has something that would replace as a whole what is there. */
function atomicPaths(value: Json, type: ApplyType, path: string): string[] {
  if (isObject(value)) {
    if (type.kind === 'raw') return [path];
    if (type.kind !== 'map') return [];
    const paths = type.atomic ? [path] : [];
    for (const [name, inner] of Object.entries(value)) {
      const field = type.field(name);
      if (field !== undefined) paths.push(...atomicPaths(inner, field, `${path}.${name}`));
    }
    return paths;
  }
  if (!isArray(value)) return [];
  if (type.kind === 'raw' || type.kind === 'deduced') return [path];
  if (type.kind !== 'list') return [];
  const paths = type.listType === 'atomic' ? [path] : [];
  return [...paths, ...value.flatMap((item, index) => atomicPaths(item, type.items, `${path}[${index}]`))];
}
