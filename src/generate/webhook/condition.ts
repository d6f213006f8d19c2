import { checkExpression } from '../../schema/cel/checker.ts';
import { definitionEnvironment } from '../../schema/cel/kubernetes.ts';
import { parseExpression } from '../../schema/cel/parser.ts';
import { Source } from '../../schema/cel/source.ts';
import { boolType, CelType, dynType, listOf, mapOf, stringType } from '../../schema/cel/types.ts';

function struct(name: string): CelType {
  return new CelType('struct', name);
}

function texts(...names: readonly string[]): [string, CelType][] {
  return names.map((name) => [name, stringType]);
}

const request = struct('kubernetes.AdmissionRequest');
const groupVersionKind = struct('kubernetes.GroupVersionKind');
const groupVersionResource = struct('kubernetes.GroupVersionResource');
const userInfo = struct('kubernetes.UserInfo');

/** `AdmissionRequest` as CEL has it (apiserver/pkg/admission/plugin/cel): without the objects, which are variables. */
const objects = new Map([
  [
    request.name,
    new Map([
      ['kind', groupVersionKind],
      ['resource', groupVersionResource],
      ['requestKind', groupVersionKind],
      ['requestResource', groupVersionResource],
      ...texts('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
      ['userInfo', userInfo],
      ['dryRun', boolType],
      ['options', dynType],
    ]),
  ],
  [groupVersionKind.name, new Map(texts('group', 'version', 'kind'))],
  [groupVersionResource.name, new Map(texts('group', 'version', 'resource'))],
  [
    userInfo.name,
    new Map([
      ...texts('username', 'uid'),
      ['groups', listOf(stringType)],
      ['extra', mapOf(stringType, listOf(stringType))],
    ]),
  ],
]);

const variables = new Map<string, CelType>([
  ['object', dynType],
  ['oldObject', dynType],
  ['namespaceObject', dynType],
  ['request', request],
  ['authorizer', struct('kubernetes.authorization.Authorizer')],
  ['authorizer.requestResource', struct('kubernetes.authorization.ResourceCheck')],
]);

/** What is wrong with the expression of a match condition, as an API server of Kubernetes 1.`minor` says it. */
export function conditionProblem(expression: string, minor: number): string | undefined {
  if (expression.trim() === '') return 'it is empty';
  const environment = definitionEnvironment(minor);
  const source = new Source(expression);
  const parsed = parseExpression(source, environment.macros);
  const [syntax] = parsed.issues;
  if (syntax !== undefined) return syntax.message;
  const { checked, issues } = checkExpression(parsed.expression, parsed.offsets, source, environment, {
    variables,
    objects,
  });
  const [issue] = issues;
  if (issue !== undefined) return issue.message;
  const kind = checked.types.get(checked.expression.id)?.kind;
  return kind === 'bool' ? undefined : 'it must be true or false';
}
