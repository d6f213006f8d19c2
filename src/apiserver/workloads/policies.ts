import { engine } from '../engine.ts';
import { isObject, list, text, type Json, type JsonObject } from '../json.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import { kinds, numberAt, type Cluster } from './cluster.ts';

/** How many kinds of one rule are looked at. */
const maximumKinds = 10;

/** Notes in the status of a policy where its expressions do not fit the types of the objects that it is for. */
export async function checkPolicyTypes(cluster: Cluster, policy: JsonObject): Promise<void> {
  const generation = numberAt(policy, 0, 'metadata', 'generation');
  if (numberAt(policy, 0, 'status', 'observedGeneration') >= generation) return;
  const expressionWarnings = await warningsOf(cluster, policy);
  const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
  const status = { observedGeneration: generation, typeChecking };
  await cluster.applyStatus(kinds.policies, policy, status, 'validatingadmissionpolicy-status');
}

async function warningsOf(cluster: Cluster, policy: JsonObject) {
  const checkers = await checkersOf(cluster, policy);
  const warnings: { readonly fieldRef: string; readonly warning: string }[] = [];
  list(policy, 'spec', 'validations').forEach((validation, index) => {
    for (const member of ['expression', 'messageExpression']) {
      const expression = text(validation, member);
      if (expression === '') continue;
      const problems = checkers.flatMap(({ kind, checker }) => {
        const problem = checker.problem(expression);
        return problem === undefined ? [] : [`${kind}: ${problem}\n`];
      });
      if (problems.length > 0)
        warnings.push({ fieldRef: `spec.validations[${index}].${member}`, warning: problems.join('\n') });
    }
  });
  return warnings;
}

/** One checker for each kind of objects that a policy is for, with its variables. */
async function checkersOf(cluster: Cluster, policy: JsonObject) {
  const { PolicyTypeChecker } = engine().cel;
  const paramKind = isObject(policy['spec']) ? policy['spec']['paramKind'] : undefined;
  const paramResource = cluster
    .resources()
    .find((found) => found.kind === text(paramKind, 'kind') && apiVersionOf(found) === text(paramKind, 'apiVersion'));
  const params = paramResource === undefined ? undefined : await cluster.schemaOf(paramResource);
  const checkers = [];
  for (const resource of resourcesOf(cluster.resources(), policy)) {
    const object = await cluster.schemaOf(resource);
    if (object === undefined) continue;
    const checker = new PolicyTypeChecker({ object, hasParams: isObject(paramKind), params });
    for (const variable of list(policy, 'spec', 'variables'))
      checker.addVariable(text(variable, 'name'), text(variable, 'expression'));
    checkers.push({ kind: nameOfKind(resource), checker });
  }
  return checkers;
}

/** The resources that the rules of a policy name, one for each kind. Rules with wildcards name none. */
function resourcesOf(served: readonly Resource[], policy: JsonObject): readonly Resource[] {
  const found = new Map<string, Resource>();
  for (const rule of list(policy, 'spec', 'matchConstraints', 'resourceRules')) {
    const groups = names(rule, 'apiGroups');
    const versions = names(rule, 'apiVersions');
    if ([...groups, ...versions].some((name) => name.includes('*'))) continue;
    const resources = names(rule, 'resources').filter((name) => !/[*/]/.test(name));
    let count = 0;
    for (const group of groups)
      for (const version of versions)
        for (const resource of resources)
          for (const match of served.filter((candidate) => isNamed(candidate, group, version, resource))) {
            found.set(nameOfKind(match), match);
            count += 1;
            if (count === maximumKinds) return sorted(found);
          }
  }
  return sorted(found);
}

/** Whether a rule names a resource: in the core group it may be of any group, and its singular will do. */
function isNamed(candidate: Resource, group: string, version: string, name: string): boolean {
  const wanted = name.toLowerCase();
  return (
    candidate.version === version &&
    (group === '' || candidate.group === group) &&
    (candidate.resource === wanted || candidate.singular === wanted)
  );
}

function names(rule: Json, member: string): readonly string[] {
  return list(rule, member)
    .filter((name) => typeof name === 'string')
    .sort();
}

function nameOfKind({ group, version, kind }: Resource): string {
  return `${group}/${version}, Kind=${kind}`;
}

function sorted(found: ReadonlyMap<string, Resource>): readonly Resource[] {
  const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
  return [...found.values()].sort(
    (left, right) =>
      compare(left.group, right.group) || compare(left.version, right.version) || compare(left.kind, right.kind),
  );
}
