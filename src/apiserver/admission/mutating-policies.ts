import type { ApplyType } from '../apply/types.ts';
import { equal, fromPlain, isObject, list, member, text, type JsonObject, type MutableObject } from '../json.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../objects/admission.ts';
import type { Resource } from '../resources/resource.ts';
import { forbidden, internalError, ApiError } from '../status.ts';
import { keyOf } from '../storage/store.ts';
import { DecodeError } from '../typed/decode.ts';
import { conditionsHold, expressionInput, namespaceSeen } from './expressions.ts';
import { isPolicyObject, matchResources } from './matching.ts';
import { mutate, MutationError, type Mutation } from './mutations.ts';
import { convert, replace } from './objects.ts';
import {
  boundPolicies,
  compilePolicy,
  ConfigurationError,
  hasParams,
  ignoresFailure,
  paramResource,
  paramsOf,
  remembering,
  type CompiledPolicy,
} from './policy-objects.ts';
import { nameSeen, type PolicyParts } from './validating-policies.ts';

const mutatingPolicies = 'mutatingadmissionpolicies.admissionregistration.k8s.io';
const mutatingPolicyBindings = 'mutatingadmissionpolicybindings.admissionregistration.k8s.io';

export interface MutatingPolicyParts extends PolicyParts {
  /** How objects of a resource are merged. */
  readonly typeOf: (resource: Resource) => ApplyType;
}

interface Compiled extends CompiledPolicy {
  readonly mutations: readonly Mutation[];
}

/** A policy with a binding and one set of parameters, to be evaluated for a request. */
interface Invocation {
  readonly policy: JsonObject;
  readonly binding: JsonObject;
  readonly seenAs: Resource;
  readonly param: JsonObject | undefined;
}

interface Failure {
  readonly message: string;
  /** Whether a mutation failed, not the configuration. */
  readonly invalid: boolean;
}

/** Changes objects by MutatingAdmissionPolicies and their bindings. */
export class MutatingPolicies implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionPolicy';
  readonly #parts: MutatingPolicyParts;
  readonly #compiled = remembering(compile);

  constructor(parts: MutatingPolicyParts) {
    this.#parts = parts;
  }

  async admit(request: AdmissionRequest): Promise<void> {
    const failures: Failure[] = [];
    const invocations = await this.#invocations(request, failures);
    if (invocations.length > 0) {
      const { reinvocation } = request;
      const state = reinvocation.of(this.name);
      if (reinvocation.isSecond && state.differs(request.object)) state.changed();
      for (const invocation of invocations) await this.#invoke(invocation, request, failures);
      state.finish(request.object);
    }
    const [first] = failures;
    if (first === undefined) return;
    const { code, details } = forbidden(request.resource, nameSeen(request), '');
    throw new ApiError(code, first.invalid ? 'Invalid' : 'Forbidden', first.message, {
      ...details,
      causes: failures.map(({ message }) => ({ message })),
    });
  }

  async #invocations(request: AdmissionRequest, failures: Failure[]): Promise<readonly Invocation[]> {
    const { operations, registry } = this.#parts;
    const { store } = operations;
    const bound = boundPolicies(store, mutatingPolicies, mutatingPolicyBindings);
    if (bound.length === 0 || isPolicyObject(request)) return [];
    const versions = registry.versionsOf(request.resource);
    const result: Invocation[] = [];
    for (const { policy, bindings } of bound) {
      const seenAs = matchResources(member(policy['spec'], 'matchConstraints'), request, versions, store);
      if (seenAs === undefined) continue;
      await configured(policy, undefined, failures, async () => {
        const params = paramResource(policy, registry);
        for (const binding of bindings) {
          const criteria = member(binding['spec'], 'matchResources');
          if (criteria !== undefined && matchResources(criteria, request, versions, store) === undefined) continue;
          await configured(policy, binding, failures, async () => {
            for (const param of await paramsOf(binding, params, request.namespace, operations))
              result.push({ policy, binding, seenAs, param });
          });
        }
      });
    }
    return result;
  }

  async #invoke(invocation: Invocation, request: AdmissionRequest, failures: Failure[]): Promise<void> {
    const { policy, binding, param } = invocation;
    const { compiler, conditions, mutations } = this.#compiled(policy);
    const ignored = ignoresFailure(policy);
    const fail = (problem: string): void => {
      if (!ignored) failures.push({ message: refusal(policy, binding, problem), invalid: true });
    };
    const holds = conditionsHold(conditions, compiler.variables, await this.#input(invocation, request), ignored);
    if (typeof holds === 'object') fail(holds.problem);
    if (holds !== true) return;
    const state = request.reinvocation.of(this.name);
    const key = [policy, binding, param]
      .map((part) => (part === undefined ? '' : Object.values(keyOf(part))))
      .join('|');
    if (request.reinvocation.isSecond && !state.isWanted(key)) return;
    const before = request.object === undefined ? undefined : fromPlain(request.object);
    for (const mutation of mutations) {
      if (request.object === undefined) break;
      try {
        await this.#mutate(mutation, invocation, request, request.object);
      } catch (error) {
        if (!(error instanceof MutationError)) throw error;
        fail(error.message);
      }
    }
    if (request.object !== undefined && !equal(before, request.object)) {
      state.changed();
      request.reinvocation.isNeeded = true;
    }
    if (text(policy, 'spec', 'reinvocationPolicy') === 'IfNeeded') state.called(key);
  }

  async #input({ seenAs, param }: Invocation, request: AdmissionRequest) {
    const { authorize, operations } = this.#parts;
    return expressionInput(request, seenAs, authorize, {
      params: param,
      namespaceObject: namespaceSeen(request, operations.store),
    });
  }

  async #mutate(
    mutation: Mutation,
    invocation: Invocation,
    request: AdmissionRequest,
    target: MutableObject,
  ): Promise<void> {
    const { policy, seenAs } = invocation;
    const asItIs = request.kind !== undefined;
    const seen = asItIs ? target : await convert(target, request.resource, seenAs);
    const input = await this.#input(invocation, request);
    const { compiler } = this.#compiled(policy);
    const changed = mutate(mutation, compiler.variables, input, seen, this.#parts.typeOf(seenAs));
    if (changed === undefined) return;
    if (!isObject(changed)) throw internalError('the mutated document is no object');
    replace(target, asItIs ? changed : await convert(decode(seenAs, changed), seenAs, request.resource));
  }
}

/** A mutated object in the form of its kind, with the defaults of what was added. */
function decode(resource: Resource, value: JsonObject): JsonObject {
  try {
    const { object, unknown } = resource.strategy.decode(value);
    if (unknown.length > 0 && !resource.custom)
      throw internalError(`strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(', ')}`);
    return object;
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error.message) : error;
  }
}

function compile(policy: JsonObject): Compiled {
  const compiled = compilePolicy(policy);
  const scope = { params: hasParams(policy), authorizer: true, mutation: true };
  return {
    ...compiled,
    mutations: list(policy, 'spec', 'mutations').map((mutation): Mutation => {
      const type = text(mutation, 'patchType') === 'JSONPatch' ? 'JSONPatch' : 'ApplyConfiguration';
      const use = type === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
      const expression = text(mutation, use, 'expression');
      return { type, expression: compiled.compiler.compile(expression, use, scope, false) };
    }),
  };
}

async function configured(
  policy: JsonObject,
  binding: JsonObject | undefined,
  failures: Failure[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    if (ignoresFailure(policy)) return;
    const problem = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${error.message}`;
    failures.push({ message: refusal(policy, binding, problem), invalid: false });
  }
}

function refusal(policy: JsonObject, binding: JsonObject | undefined, problem: string): string {
  const { name } = keyOf(policy);
  if (binding === undefined) return `policy ${JSON.stringify(name)} denied request: ${problem}`;
  return `policy '${name}' with binding '${keyOf(binding).name}' denied request: ${problem}`;
}
