import { declare, type Library, member as memberOf, type Overload } from '../declarations.ts';
import { boolType, CelType, stringType } from '../types.ts';
import { noSuchOverload } from '../values.ts';

function struct(name: string): CelType {
  return new CelType('struct', `kubernetes.authorization.${name}`);
}

/** There are no values that these could be called on. */
function member(id: string, args: readonly CelType[], result: CelType): Overload {
  return memberOf(id, args, result, () => noSuchOverload());
}

const authorizer = struct('Authorizer');
const pathCheck = struct('PathCheck');
const groupCheck = struct('GroupCheck');
const resourceCheck = struct('ResourceCheck');
const decision = struct('Decision');

/**
 * The functions for authorization in admission policies. Rules of custom resources have no authorizer to call them on, but the
 * names are declared, which shows in what the compiler says.
 */
export const authorizerLibrary: Library = {
  since: 27,
  functions: [
    declare('path', member('authorizer_path', [authorizer, stringType], pathCheck)),
    declare('group', member('authorizer_group', [authorizer, stringType], groupCheck)),
    declare('serviceAccount', member('authorizer_serviceaccount', [authorizer, stringType, stringType], authorizer)),
    declare('resource', member('groupcheck_resource', [groupCheck, stringType], resourceCheck)),
    declare('subresource', member('resourcecheck_subresource', [resourceCheck, stringType], resourceCheck)),
    declare('namespace', member('resourcecheck_namespace', [resourceCheck, stringType], resourceCheck)),
    declare('name', member('resourcecheck_name', [resourceCheck, stringType], resourceCheck)),
    declare(
      'check',
      member('pathcheck_check', [pathCheck, stringType], decision),
      member('resourcecheck_check', [resourceCheck, stringType], decision),
    ),
    declare('errored', member('decision_errored', [decision], boolType)),
    declare('error', member('decision_error', [decision], stringType)),
    declare('allowed', member('decision_allowed', [decision], boolType)),
    declare('reason', member('decision_reason', [decision], stringType)),
  ],
};

/** Selectors in authorization checks. */
export const authorizerSelectorsLibrary: Library = {
  since: 31,
  functions: [
    declare('fieldSelector', member('authorizer_fieldselector', [resourceCheck, stringType], resourceCheck)),
    declare('labelSelector', member('authorizer_labelselector', [resourceCheck, stringType], resourceCheck)),
  ],
};
