import type { PolicyCompiler, PolicyExpression } from '../../schema/cel/index.ts';
import { engine } from '../engine.ts';
import { isObject, list, member, object, text, type Json, type JsonObject } from '../json.ts';
import type { Operations } from '../objects/operations.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { Resource } from '../resources/resource.ts';
import { labelSelectorOf, labelsOf, SelectorError } from '../selectors/label-selector.ts';
import { keyOf, type Store } from '../storage/store.ts';
import { compileConditions } from './expressions.ts';

/** A policy or binding that cannot be used as it is. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** A policy with what its expressions compiled to. */
export interface CompiledPolicy {
  readonly compiler: PolicyCompiler;
  readonly conditions: readonly PolicyExpression[];
}

/** Compiles what all policies have: variables and match conditions. */
export function compilePolicy(policy: JsonObject): CompiledPolicy {
  const params = hasParams(policy);
  const compiler = new (engine().cel.PolicyCompiler)();
  for (const variable of list(policy, 'spec', 'variables')) {
    const scope = { params, authorizer: true };
    compiler.addVariable(text(variable, 'name'), text(variable, 'expression'), scope, false);
  }
  return { compiler, conditions: compileConditions(compiler, member(policy, 'spec') ?? null, params) };
}

/** Keeps what was compiled for as long as the policy is in the store as it is. */
export function remembering<T>(compile: (policy: JsonObject) => T): (policy: JsonObject) => T {
  const known = new WeakMap<JsonObject, T>();
  return (policy) => {
    let compiled = known.get(policy);
    if (compiled === undefined) known.set(policy, (compiled = compile(policy)));
    return compiled;
  };
}

export function hasParams(policy: JsonObject): boolean {
  return isObject(member(policy['spec'], 'paramKind'));
}

export function ignoresFailure(policy: JsonObject): boolean {
  return text(policy, 'spec', 'failurePolicy') === 'Ignore';
}

/** The policies of a storage that have bindings, with these, in the order of their names. */
export function boundPolicies(
  store: Store,
  policies: string,
  bindings: string,
): readonly { readonly policy: JsonObject; readonly bindings: readonly JsonObject[] }[] {
  const bound = new Map<string, JsonObject[]>();
  for (const binding of store.collection(bindings).list()) {
    const name = text(binding, 'spec', 'policyName');
    bound.set(name, [...(bound.get(name) ?? []), binding]);
  }
  if (bound.size === 0) return [];
  return store
    .collection(policies)
    .list()
    .flatMap((policy) => {
      const own = bound.get(keyOf(policy).name);
      return own === undefined ? [] : [{ policy, bindings: own }];
    });
}

/** The resource of a policy's parameters; nothing when it has none. Throws a {@link ConfigurationError}. */
export function paramResource(policy: JsonObject, registry: ResourceRegistry): Resource | undefined {
  if (!hasParams(policy)) return undefined;
  const apiVersion = text(policy, 'spec', 'paramKind', 'apiVersion');
  const kind = text(policy, 'spec', 'paramKind', 'kind');
  const found = registry.findKind(apiVersion, kind);
  if (found !== undefined) return found;
  const [version, group = ''] = apiVersion.split('/').reverse();
  throw new ConfigurationError(
    `failed to find resource referenced by paramKind: '${group}/${version ?? ''}, Kind=${kind}'`,
  );
}

/**
 * The parameters with which a binding's policy is evaluated, each time once; `undefined` stands for an evaluation without them.
 * Throws a {@link ConfigurationError}.
 *
 * @param namespace the namespace of the request
 */
export async function paramsOf(
  binding: JsonObject,
  resource: Resource | undefined,
  namespace: string,
  operations: Operations,
): Promise<readonly (JsonObject | undefined)[]> {
  const reference: Json | undefined = member(binding['spec'], 'paramRef');
  if (resource === undefined || !isObject(reference)) return [undefined];
  const own = text(reference, 'namespace');
  if (!resource.namespaced && own !== '')
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const place = resource.namespaced ? own || namespace : '';
  if (resource.namespaced && place === '')
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  const stored = operations.collection(resource);
  const name = text(reference, 'name');
  let found: readonly JsonObject[];
  if (name !== '') {
    const one = stored.get({ namespace: place, name });
    found = one === undefined ? [] : [one];
  } else {
    const selector = selectorOf(object(reference, 'selector'));
    found = stored.list(place).filter((value) => selector.matches(labelsOf(value)));
  }
  if (found.length === 0 && text(reference, 'parameterNotFoundAction') === 'Deny')
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  return operations.readAll(resource, found);
}

function selectorOf(selector: JsonObject) {
  try {
    return labelSelectorOf(selector);
  } catch (error) {
    throw error instanceof SelectorError ? new ConfigurationError(error.message) : error;
  }
}
