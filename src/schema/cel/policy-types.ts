import { authorizerType, resourceCheckType } from './library/authorizer-values.ts';
import type { ObjectFields } from './object-types.ts';
import { boolType, CelType, dynType, intType, listOf, mapOf, stringType, timestampType } from './types.ts';

function struct(name: string): CelType {
  return new CelType('struct', `kubernetes.${name}`);
}

const texts = listOf(stringType);

const requestType = struct('AdmissionRequest');
const kindType = struct('GroupVersionKind');
const resourceType = struct('GroupVersionResource');
const userType = struct('UserInfo');
const namespaceType = struct('Namespace');
const namespaceSpecType = struct('NamespaceSpec');
const namespaceStatusType = struct('NamespaceStatus');
const namespaceConditionType = struct('NamespaceCondition');
const namespaceMetadataType = struct('NamespaceMetadata');

/** The type of `variables`: its fields are the variables of a policy. */
export const variablesType = struct('variables');

function fields(type: CelType, types: Readonly<Record<string, CelType>>): readonly [string, Map<string, CelType>] {
  return [type.name, new Map(Object.entries(types))];
}

/** The types of what every policy can see, as the server declares them, slips included (`UID` in a namespace's metadata). */
export const policyObjects: ObjectFields = new Map([
  fields(kindType, { group: stringType, version: stringType, kind: stringType }),
  fields(resourceType, { group: stringType, version: stringType, resource: stringType }),
  fields(userType, { username: stringType, uid: stringType, groups: texts, extra: mapOf(stringType, texts) }),
  fields(requestType, {
    kind: kindType,
    resource: resourceType,
    subResource: stringType,
    requestKind: kindType,
    requestResource: resourceType,
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: userType,
    dryRun: boolType,
    options: dynType,
  }),
  fields(namespaceSpecType, { finalizers: texts }),
  fields(namespaceConditionType, {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  }),
  fields(namespaceStatusType, { conditions: listOf(namespaceConditionType), phase: stringType }),
  fields(namespaceMetadataType, {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapOf(stringType, stringType),
    annotations: mapOf(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
  fields(namespaceType, { metadata: namespaceMetadataType, spec: namespaceSpecType, status: namespaceStatusType }),
]);

/** What an expression can see beside `object`, `oldObject`, `request` and `namespaceObject`. */
export interface PolicyScope {
  /** `params`: the policy has a kind of parameters. */
  readonly params: boolean;
  /** `authorizer` and `authorizer.requestResource`. */
  readonly authorizer: boolean;
  /** The constructors `Object{}` and `JSONPatch{}`, and `jsonpatch.escapeKey`. */
  readonly mutation?: boolean;
}

/** The variables of an expression; `object` types what the policy matches where that is known. */
export function policyVariables(scope: PolicyScope, composed: boolean): Map<string, CelType> {
  const result = new Map<string, CelType>([
    ['object', dynType],
    ['oldObject', dynType],
    ['request', requestType],
    ['namespaceObject', namespaceType],
  ]);
  if (scope.params) result.set('params', dynType);
  if (scope.authorizer) {
    result.set('authorizer', authorizerType);
    result.set('authorizer.requestResource', resourceCheckType);
  }
  if (composed) result.set('variables', variablesType);
  return result;
}
