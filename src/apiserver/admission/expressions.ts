import type { PolicyAuthorizer, PolicyCompiler, PolicyExpression, PolicyInput } from '../../schema/cel/index.ts';
import type { Attributes, Decision } from '../access/rbac.ts';
import { serviceAccountGroups, serviceAccountUserName, type User } from '../access/user.ts';
import { engine } from '../engine.ts';
import { fromPlain, jsonObject, list, object, text, type Json, type JsonObject } from '../json.ts';
import type { AdmissionRequest } from '../objects/admission.ts';
import type { GroupVersionKind, Resource } from '../resources/resource.ts';
import type { Store } from '../storage/store.ts';
import { convert } from './objects.ts';

/** Decides what a user may do; what `authorizer` in expressions asks. */
export type Authorize = (attributes: Attributes) => Decision;

/** The kind of the objects of a request as a webhook or a policy sees it. */
export function kindSeen(request: AdmissionRequest, seenAs: Resource): GroupVersionKind {
  if (request.kind !== undefined) return request.kind;
  return { group: seenAs.group, version: seenAs.version, kind: seenAs.kind };
}

/** The objects of a request in the version in which a webhook or a policy sees them. */
export async function objectsSeen(
  request: AdmissionRequest,
  seenAs: Resource,
): Promise<{ readonly object: JsonObject | undefined; readonly oldObject: JsonObject | undefined }> {
  const see = async (value: JsonObject | undefined): Promise<JsonObject | undefined> =>
    value === undefined || request.kind !== undefined ? value : convert(value, request.resource, seenAs);
  return { object: await see(request.object), oldObject: await see(request.oldObject) };
}

/** The members that `AdmissionReview.request` and the variable `request` have in common. */
export function describeRequest(request: AdmissionRequest, seenAs: Resource): Record<string, unknown> {
  const { resource, subresource, user, operation, dryRun, options } = request;
  const name = (of: Resource): Record<string, string> => ({
    group: of.group,
    version: of.version,
    resource: of.resource,
  });
  return {
    kind: kindSeen(request, seenAs),
    resource: name(seenAs),
    subResource: subresource === '' ? undefined : subresource,
    requestKind: kindSeen(request, resource),
    requestResource: name(resource),
    requestSubResource: subresource === '' ? undefined : subresource,
    name: request.name === '' ? undefined : request.name,
    namespace: request.namespace === '' ? undefined : request.namespace,
    operation,
    userInfo: {
      username: user.name,
      uid: user.uid === '' ? undefined : user.uid,
      groups: user.groups,
      extra: Object.keys(user.extra).length === 0 ? undefined : user.extra,
    },
    dryRun,
    options,
  };
}

function policyAuthorizer(authorize: Authorize, user: User): PolicyAuthorizer {
  return {
    check({ path, ...question }) {
      const { allowed, reason } = authorize({
        ...question,
        user,
        path: path ?? '',
        resourceRequest: path === undefined,
      });
      return { allowed, reason, error: '' };
    },
    forServiceAccount(namespace, name) {
      const account = {
        name: serviceAccountUserName(namespace, name),
        uid: '',
        groups: serviceAccountGroups(namespace),
        extra: {},
      };
      return policyAuthorizer(authorize, account);
    },
  };
}

/** What the expressions of a webhook or a policy see of a request. */
export async function expressionInput(
  request: AdmissionRequest,
  seenAs: Resource,
  authorize: Authorize,
  extra: { readonly params?: Json | undefined; readonly namespaceObject?: JsonObject | undefined } = {},
): Promise<PolicyInput> {
  const { resource, subresource, namespace, name, user } = request;
  return {
    ...(await objectsSeen(request, seenAs)),
    request: fromPlain(describeRequest(request, seenAs)),
    params: extra.params,
    namespaceObject: extra.namespaceObject,
    authorizer: policyAuthorizer(authorize, user),
    requestResource: { group: resource.group, resource: resource.resource, subresource, namespace, name },
  };
}

/** The same input for expressions that may not ask the authorizer. */
export function withoutAuthorizer(input: PolicyInput): PolicyInput {
  const { object, oldObject, request, params, namespaceObject } = input;
  return { object, oldObject, request, params, namespaceObject };
}

/** The namespace of a request without what policies are not to see; nothing for what is in none. */
export function namespaceSeen(request: AdmissionRequest, store: Store): JsonObject | undefined {
  if (request.namespace === '' || request.resource.storage === 'namespaces') return undefined;
  const found = store.collection('namespaces').get({ namespace: '', name: request.namespace });
  if (found === undefined) return undefined;
  const metadata = jsonObject(Object.entries(object(found, 'metadata')));
  for (const hidden of ['managedFields', 'ownerReferences', 'selfLink']) delete metadata[hidden];
  return jsonObject([
    ['metadata', metadata],
    ['spec', object(found, 'spec')],
    ['status', object(found, 'status')],
  ]);
}

/** Compiles the match conditions of a webhook or a policy. */
export function compileConditions(compiler: PolicyCompiler, owner: Json, params: boolean): readonly PolicyExpression[] {
  return list(owner, 'matchConditions').map((condition) =>
    compiler.compile(text(condition, 'expression'), 'condition', { params, authorizer: true }, false),
  );
}

/** Whether all conditions hold, or why that is not known: then the failure policy is `Fail`. */
export function conditionsHold(
  conditions: readonly PolicyExpression[],
  variables: ReadonlyMap<string, PolicyExpression>,
  input: PolicyInput,
  ignoresFailure: boolean,
): boolean | { readonly problem: string } {
  if (conditions.length === 0) return true;
  const { evaluatePolicy, matchConditionsCostBudget, PolicyBudgetError } = engine().cel;
  const problems: string[] = [];
  try {
    // Conditions do not get to see the namespace, although its type is declared for them.
    const seen = { ...input, namespaceObject: undefined };
    const { results } = evaluatePolicy(conditions, variables, seen, matchConditionsCostBudget);
    for (const result of results) {
      if (result === undefined) continue;
      if ('problem' in result) problems.push(result.problem);
      else if (result.value === false) return false;
    }
  } catch (error) {
    if (!(error instanceof PolicyBudgetError)) throw error;
    problems.push(error.message);
  }
  if (problems.length === 0) return true;
  if (ignoresFailure) return false;
  const told = [...new Set(problems)];
  return { problem: told.length === 1 ? (told[0] ?? '') : `[${told.join(', ')}]` };
}
