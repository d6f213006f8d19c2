import { argument, declare, type Library, member, type Overload } from '../declarations.ts';
import { boolType, type CelType, stringType } from '../types.ts';
import { CelError, noSuchOverload, type Value } from '../values.ts';
import {
  type AuthorizationAnswer,
  AuthorizerValue,
  authorizerType,
  DecisionValue,
  decisionType,
  GroupCheck,
  groupCheckType,
  PathCheck,
  pathCheckType,
  ResourceCheck,
  resourceCheckType,
} from './authorizer-values.ts';
import { dns1123Label, dns1123Subdomain } from './names.ts';

/** A function on a check that gives one with another attribute. */
function narrowing(id: string, narrow: (check: ResourceCheck, value: string) => ResourceCheck): Overload {
  return member(id, [resourceCheckType, stringType], resourceCheckType, (args) => {
    const check = argument(args, 0);
    const value = argument(args, 1);
    return check instanceof ResourceCheck && typeof value === 'string' ? narrow(check, value) : noSuchOverload(check);
  });
}

function ofDecision(id: string, result: CelType, read: (answer: AuthorizationAnswer) => Value): Overload {
  return member(id, [decisionType], result, (args) => {
    const decision = argument(args, 0);
    return decision instanceof DecisionValue ? read(decision.answer) : noSuchOverload(decision);
  });
}

function path(args: readonly Value[]): Value {
  const receiver = argument(args, 0);
  const value = argument(args, 1);
  if (!(receiver instanceof AuthorizerValue) || typeof value !== 'string') return noSuchOverload(receiver);
  return value.trim() === '' ? new CelError('path must not be empty') : new PathCheck(receiver.authorizer, value);
}

function group(args: readonly Value[]): Value {
  const receiver = argument(args, 0);
  const value = argument(args, 1);
  if (!(receiver instanceof AuthorizerValue) || typeof value !== 'string') return noSuchOverload(receiver);
  return new GroupCheck(receiver.authorizer, value);
}

function serviceAccount(args: readonly Value[]): Value {
  const [receiver = null, namespace, name] = args;
  if (!(receiver instanceof AuthorizerValue)) return noSuchOverload(receiver);
  if (typeof namespace !== 'string' || typeof name !== 'string') return noSuchOverload();
  if (dns1123Subdomain(name).length > 0) return new CelError('Invalid service account name');
  if (dns1123Label(namespace).length > 0) return new CelError('Invalid service account namespace');
  return new AuthorizerValue(receiver.authorizer.forServiceAccount(namespace, name));
}

function resource(args: readonly Value[]): Value {
  const receiver = argument(args, 0);
  const value = argument(args, 1);
  if (!(receiver instanceof GroupCheck) || typeof value !== 'string') return noSuchOverload(receiver);
  if (value.trim() === '') return new CelError('resource must not be empty');
  const attributes = { group: receiver.group, resource: value, subresource: '', namespace: '', name: '' };
  return new ResourceCheck(receiver.authorizer, attributes);
}

function check(args: readonly Value[]): Value {
  const receiver = argument(args, 0);
  const verb = argument(args, 1);
  if (typeof verb !== 'string') return noSuchOverload(receiver);
  if (receiver instanceof ResourceCheck)
    return new DecisionValue(receiver.authorizer.check({ ...receiver.attributes, verb }));
  if (!(receiver instanceof PathCheck)) return noSuchOverload(receiver);
  const nothing = { group: '', resource: '', subresource: '', namespace: '', name: '' };
  return new DecisionValue(receiver.authorizer.check({ ...nothing, path: receiver.path, verb }));
}

/**
 * The functions for authorization in admission policies. Rules of custom resources have no authorizer to call them on, but the
 * names are declared, which shows in what the compiler says.
 */
export const authorizerLibrary: Library = {
  since: 27,
  functions: [
    declare('path', member('authorizer_path', [authorizerType, stringType], pathCheckType, path)),
    declare('group', member('authorizer_group', [authorizerType, stringType], groupCheckType, group)),
    declare(
      'serviceAccount',
      member('authorizer_serviceaccount', [authorizerType, stringType, stringType], authorizerType, serviceAccount),
    ),
    declare('resource', member('groupcheck_resource', [groupCheckType, stringType], resourceCheckType, resource)),
    declare(
      'subresource',
      narrowing('resourcecheck_subresource', (found, subresource) => found.with({ subresource })),
    ),
    declare(
      'namespace',
      narrowing('resourcecheck_namespace', (found, namespace) => found.with({ namespace })),
    ),
    declare(
      'name',
      narrowing('resourcecheck_name', (found, name) => found.with({ name })),
    ),
    declare(
      'check',
      member('pathcheck_check', [pathCheckType, stringType], decisionType, check),
      member('resourcecheck_check', [resourceCheckType, stringType], decisionType, check),
    ),
    declare(
      'errored',
      ofDecision('decision_errored', boolType, ({ error }) => error !== ''),
    ),
    declare(
      'error',
      ofDecision('decision_error', stringType, ({ error }) => error),
    ),
    declare(
      'allowed',
      ofDecision('decision_allowed', boolType, ({ allowed }) => allowed),
    ),
    declare(
      'reason',
      ofDecision('decision_reason', stringType, ({ reason }) => reason),
    ),
  ],
};

/** Selectors in authorization checks: RBAC takes no notice of them. */
export const authorizerSelectorsLibrary: Library = {
  since: 31,
  functions: [
    declare(
      'fieldSelector',
      narrowing('authorizer_fieldselector', (found) => found),
    ),
    declare(
      'labelSelector',
      narrowing('authorizer_labelselector', (found) => found),
    ),
  ],
};
