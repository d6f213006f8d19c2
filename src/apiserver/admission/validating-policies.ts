import type { PolicyExpression, PolicyInput, PolicyResult } from '../../schema/cel/index.ts';
import { engine } from '../engine.ts';
import { list, member, text, texts, type Json, type JsonObject } from '../json.ts';
import { stringify } from '../json-text.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../objects/admission.ts';
import type { Operations } from '../objects/operations.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { ApiError, forbidden } from '../status.ts';
import { keyOf } from '../storage/store.ts';
import { type Authorize, conditionsHold, expressionInput, namespaceSeen, withoutAuthorizer } from './expressions.ts';
import { isPolicyObject, matchResources } from './matching.ts';
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

export const validatingPolicies = 'validatingadmissionpolicies.admissionregistration.k8s.io';
export const validatingPolicyBindings = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';

export interface PolicyParts {
  readonly operations: Operations;
  readonly registry: ResourceRegistry;
  /** What `authorizer` in expressions asks. */
  readonly authorize: Authorize;
}

interface Compiled extends CompiledPolicy {
  readonly validations: readonly PolicyExpression[];
  readonly messages: readonly (PolicyExpression | undefined)[];
  readonly annotations: readonly PolicyExpression[];
}

/** What came out of one validation; a missing `reason` says that the policy itself failed. */
interface Denial {
  readonly index: number;
  readonly message: string;
  readonly reason?: string;
}

interface Outcome {
  readonly denials: readonly Denial[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Annotations that could not be computed: they deny, whatever the binding's actions are. */
  readonly failures: readonly string[];
}

interface Refusal {
  readonly policy: string;
  /** `''`: the policy failed before a binding came into play. */
  readonly binding: string;
  readonly message: string;
  readonly reason?: string;
}

const maximumMessageBytes = 5 * 1024;
const maximumAnnotationLength = 10 * 1024;
const maximumFailures = 50;

const reasonCodes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

/** Evaluates ValidatingAdmissionPolicies by their bindings. */
export class ValidatingPolicies implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionPolicy';
  readonly #parts: PolicyParts;
  readonly #compiled = remembering(compile);

  constructor(parts: PolicyParts) {
    this.#parts = parts;
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const { operations, registry } = this.#parts;
    const { store } = operations;
    const bound = boundPolicies(store, validatingPolicies, validatingPolicyBindings);
    if (bound.length === 0 || isPolicyObject(request)) return;
    const versions = registry.versionsOf(request.resource);
    const run: Run = { request, refusals: [], audited: [] };
    for (const { policy, bindings } of bound) {
      const seenAs = matchResources(member(policy['spec'], 'matchConstraints'), request, versions, store);
      if (seenAs === undefined) continue;
      await this.#configured(policy, '', run, async () => {
        const params = paramResource(policy, registry);
        const annotations = new Map<string, Set<string>>();
        for (const binding of bindings) {
          const criteria = member(binding['spec'], 'matchResources');
          if (criteria !== undefined && matchResources(criteria, request, versions, store) === undefined) continue;
          await this.#configured(policy, keyOf(binding).name, run, async () => {
            for (const param of await paramsOf(binding, params, request.namespace, operations)) {
              const input = await expressionInput(request, seenAs, this.#parts.authorize, {
                params: param,
                namespaceObject: namespaceSeen(request, store),
              });
              record(evaluate(policy, this.#compiled(policy), input), policy, binding, run, annotations);
            }
          });
        }
        for (const [key, values] of annotations)
          request.annotate(`${keyOf(policy).name}/${key}`, [...values].join(', '));
      });
    }
    publish(run);
    if (run.refusals[0] !== undefined) throw denied(request, run.refusals[0]);
  }

  /** A policy that cannot be used denies, unless failures of it are ignored. */
  async #configured(policy: JsonObject, binding: string, run: Run, evaluation: () => Promise<void>): Promise<void> {
    try {
      await evaluation();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      if (ignoresFailure(policy)) return;
      const what = binding === '' ? 'policy' : 'binding';
      const message = `failed to configure ${what}: ${error.message}`;
      run.refusals.push({ policy: keyOf(policy).name, binding, message });
    }
  }
}

/** What the policies found for one request. */
interface Run {
  readonly request: AdmissionRequest;
  readonly refusals: Refusal[];
  readonly audited: Json[];
}

function compile(policy: JsonObject): Compiled {
  const compiled = compilePolicy(policy);
  const { compiler } = compiled;
  const scope = { params: hasParams(policy), authorizer: true };
  const validations = list(policy, 'spec', 'validations');
  return {
    ...compiled,
    validations: validations.map((validation) =>
      compiler.compile(text(validation, 'expression'), 'condition', scope, false),
    ),
    messages: validations.map((validation) => {
      const expression = text(validation, 'messageExpression');
      if (expression === '') return undefined;
      return compiler.compile(expression, 'message', { ...scope, authorizer: false }, false);
    }),
    annotations: list(policy, 'spec', 'auditAnnotations').map((annotation) =>
      compiler.compile(text(annotation, 'valueExpression'), 'auditAnnotation', scope, false),
    ),
  };
}

/** Evaluates a policy for one request and one set of parameters. */
function evaluate(policy: JsonObject, compiled: Compiled, input: PolicyInput): Outcome {
  const { evaluatePolicy, PolicyBudgetError, policyCostBudget } = engine().cel;
  const { compiler, conditions, validations, messages, annotations } = compiled;
  const ignored = ignoresFailure(policy);
  const failed = (message: string): Outcome => ({
    denials: ignored ? [] : [{ index: 0, message }],
    annotations: [],
    failures: [],
  });
  const holds = conditionsHold(conditions, compiler.variables, input, ignored);
  if (typeof holds === 'object') return failed(holds.problem);
  if (!holds) return { denials: [], annotations: [], failures: [] };
  try {
    const first = evaluatePolicy(validations, compiler.variables, input, policyCostBudget);
    let told: readonly (PolicyResult | undefined)[] = [];
    let messageProblem: string | undefined;
    try {
      told = evaluatePolicy(messages, compiler.variables, withoutAuthorizer(input), first.remaining).results;
    } catch (error) {
      if (!(error instanceof PolicyBudgetError)) throw error;
      messageProblem = `failed messageExpression: ${error.message}`;
    }
    const denials = first.results.flatMap((result, index): Denial[] => {
      if (result === undefined) return [];
      const problem = 'problem' in result ? result.problem : messageProblem;
      if (problem !== undefined) return ignored ? [] : [{ index, message: problem }];
      if ('value' in result && result.value === true) return [];
      const validation = list(policy, 'spec', 'validations')[index] ?? null;
      const reason = text(validation, 'reason') || 'Invalid';
      return [{ index, reason, message: messageOf(validation, told[index]) }];
    });
    const computed = evaluatePolicy(annotations, compiler.variables, withoutAuthorizer(input), policyCostBudget);
    return { denials, ...annotationsOf(policy, computed.results, ignored) };
  } catch (error) {
    if (!(error instanceof PolicyBudgetError)) throw error;
    return failed(error.message);
  }
}

function messageOf(validation: Json, result: PolicyResult | undefined): string {
  if (result !== undefined && 'value' in result && typeof result.value === 'string') {
    const made = result.value.trim();
    if (made !== '' && Buffer.byteLength(made) <= maximumMessageBytes && !made.includes('\n')) return made;
  }
  const written = text(validation, 'message').trim();
  return written === '' ? `failed expression: ${text(validation, 'expression').trim()}` : written;
}

function annotationsOf(
  policy: JsonObject,
  results: readonly (PolicyResult | undefined)[],
  ignored: boolean,
): Pick<Outcome, 'annotations' | 'failures'> {
  const annotations: { key: string; value: string }[] = [];
  const failures: string[] = [];
  list(policy, 'spec', 'auditAnnotations').forEach((annotation, index) => {
    const result = results[index];
    if (result === undefined) return;
    if ('problem' in result) {
      if (!ignored) failures.push(result.problem);
    } else if (typeof result.value === 'string') {
      const value = result.value.trim().slice(0, maximumAnnotationLength);
      if (value !== '') annotations.push({ key: text(annotation, 'key'), value });
    }
  });
  return { annotations, failures };
}

/** Does what the binding says is to be done about an outcome. */
function record(
  { denials, annotations, failures }: Outcome,
  policy: JsonObject,
  binding: JsonObject,
  { request, refusals, audited }: Run,
  collected: Map<string, Set<string>>,
): void {
  const names = { policy: keyOf(policy).name, binding: keyOf(binding).name };
  const actions = texts(binding, 'spec', 'validationActions');
  for (const { index, message, reason } of denials) {
    for (const action of actions) {
      if (action === 'Deny') refusals.push({ ...names, message, ...(reason !== undefined && { reason }) });
      else if (action === 'Warn') {
        request.warn(
          `Validation failed for ValidatingAdmissionPolicy '${names.policy}' with binding '${names.binding}': ${message}`,
        );
      } else audited.push({ message, ...names, expressionIndex: index, validationActions: actions });
    }
  }
  for (const { key, value } of annotations) {
    const values = collected.get(key) ?? new Set<string>();
    collected.set(key, values.add(value));
  }
  for (const message of failures) refusals.push({ ...names, message });
}

function publish({ request, audited }: Run): void {
  if (audited.length > 0)
    request.annotate(
      'validation.policy.admission.k8s.io/validation_failure',
      stringify(audited.slice(0, maximumFailures)),
    );
}

function denied(request: AdmissionRequest, { policy, binding, message, reason = 'Invalid' }: Refusal): ApiError {
  const who = `ValidatingAdmissionPolicy '${policy}'${binding === '' ? '' : ` with binding '${binding}'`}`;
  const problem = `${who} denied request: ${message}`;
  const { message: full, details } = forbidden(request.resource, nameSeen(request), problem);
  return new ApiError(reasonCodes[reason] ?? 422, reason, full, { ...details, causes: [{ message: problem }] });
}

/** The name of a request's object as refusals tell it: it may not be made yet. */
export function nameSeen({ name, object }: AdmissionRequest): string {
  if (name !== '') return name;
  return text(object, 'metadata', 'name') || text(object, 'metadata', 'generateName') || 'Unknown';
}
