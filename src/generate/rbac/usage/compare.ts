import {
  type CallReport,
  compareDiagnostics,
  compareText,
  type Diagnostic,
  type PermissionUse,
  type PolicyRule,
  type SourcePosition,
  type UnresolvedCall,
} from '../../../model/index.ts';
import { type Coverage, coverage, covers, type Grant, markerGrants } from './grants.ts';
import { markerText } from './marker-text.ts';

/** What is compared. */
export interface UsageInput {
  readonly calls: CallReport;
  readonly policyRules: readonly PolicyRule[];
  /** The role that the operator has, by the markers. */
  readonly roleName: string;
  /** The namespace that the operator runs in; undefined where it is not known. */
  readonly ownNamespace?: string | undefined;
  /** Rules that the operator has beside the markers': written by hand, and bound to its ServiceAccount. */
  readonly others: readonly Grant[];
}

/** One verb on a resource that the operator uses, has, or both. */
export interface VerbUsage {
  readonly verb: string;
  readonly state: Coverage;
  /** Whether the operator cannot do without. */
  readonly needed: boolean;
  /** Empty where the verb is granted and not used. */
  readonly reasons: readonly { readonly text: string; readonly position: SourcePosition }[];
  /** The markers that grant it. */
  readonly grantedBy: readonly SourcePosition[];
}

export interface ResourceUsage {
  readonly group: string;
  readonly resource: string;
  /** The verbs, in the order in which Kubernetes lists them. */
  readonly verbs: readonly VerbUsage[];
}

/** What an operator uses beside what it may do. */
export interface Usage {
  readonly resources: readonly ResourceUsage[];
  readonly unresolved: readonly UnresolvedCall[];
  /** Uses that nothing grants. */
  readonly missing: readonly PermissionUse[];
  /** CO2120 (error): used and not granted. CO2121, CO2122, CO2123 (warnings): not used, unresolved, granted by name only. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Compares what the operator's calls need with what its role grants. */
export function compareUsage(input: UsageInput): Usage {
  const { calls, policyRules, roleName, others } = input;
  const own = markerGrants(policyRules, roleName, roleName);
  const grants = [...own, ...others];
  const states = new Map(
    [...calls.uses, ...calls.optional].map((use) => [use, coverage(grants, use, calls.namespacedCache)]),
  );
  const missing = calls.uses.filter((use) => states.get(use) === 'not');
  const diagnostics = [
    ...missingDiagnostics(missing, input, grants),
    ...partlyDiagnostics(calls.uses.filter((use) => states.get(use) === 'partly')),
    ...calls.unresolved.map(unresolvedDiagnostic),
    ...own.flatMap((grant) => unusedDiagnostic(grant, calls) ?? []),
  ].sort(compareDiagnostics);
  return { resources: resourceUsages(calls, states, own), unresolved: calls.unresolved, missing, diagnostics };
}

const verbOrder = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** The order in which people write verbs. */
export function compareVerbs(a: string, b: string): number {
  const place = (verb: string): number => (verbOrder.includes(verb) ? verbOrder.indexOf(verb) : verbOrder.length);
  return place(a) - place(b) || compareText(a, b);
}

/** `widgets.example.com`, `widgets.example.com/status`, `configmaps`. */
export function qualified(group: string, resource: string): string {
  const [main = '', ...rest] = resource.split('/');
  return [group === '' ? main : `${main}.${group}`, ...rest].join('/');
}

function missingDiagnostics(
  missing: readonly PermissionUse[],
  { calls: { namespacedCache }, ownNamespace }: UsageInput,
  grants: readonly Grant[],
): Diagnostic[] {
  const byCall = groupBy(missing, ({ position, group, resource }) => JSON.stringify([position, group, resource]));
  return byCall.map((uses) => {
    const [first] = uses;
    const verbs = [...new Set(uses.map(({ verb }) => verb))].sort(compareVerbs);
    const elsewhere = grants
      .filter(({ namespace }) => namespace !== undefined)
      .filter((grant) => uses.some((use) => covers({ ...grant, namespace: undefined }, use, namespacedCache) !== 'not'))
      .map(({ namespace }) => namespace ?? '');
    const where =
      elsewhere.length === 0
        ? 'which is not granted'
        : `which is granted in ${[...new Set(elsewhere)].sort().join(', ')} only`;
    const call = first.reason.replace(/: .*$/, '');
    const namespace = first.ownNamespace === true ? ownNamespace : first.namespace;
    return {
      code: 'CO2120',
      severity: 'error',
      message: `${call} needs ${verbs.join(', ')} on ${qualified(first.group, first.resource)}, ${where}`,
      position: first.position,
      remedy: `write ${markerText({ group: first.group, resources: [first.resource], verbs, namespace })}, or run create-operator rbac --write`,
    };
  });
}

function partlyDiagnostics(uses: readonly PermissionUse[]): Diagnostic[] {
  return groupBy(uses, ({ position, group, resource }) => JSON.stringify([position, group, resource])).map((each) => {
    const [first] = each;
    const verbs = [...new Set(each.map(({ verb }) => verb))].sort(compareVerbs);
    return {
      code: 'CO2123',
      severity: 'warning',
      message: `${verbs.join(', ')} on ${qualified(first.group, first.resource)} is granted for some objects by name, and which object this call is about is known only at run time`,
      position: first.position,
    };
  });
}

function unresolvedDiagnostic({ call, problem, verbs, position }: UnresolvedCall): Diagnostic {
  const what = verbs.length === 0 ? 'what' : `on which resource`;
  const needs = verbs.length === 0 ? 'it needs' : `it needs ${[...verbs].sort(compareVerbs).join(', ')}`;
  return {
    code: 'CO2122',
    severity: 'warning',
    message: `it is not known ${what} ${needs} for ${call}: ${problem}`,
    position,
    remedy: 'see to it that an Rbac marker grants what it needs',
  };
}

/** Verbs that only calls of the client can need; others (`bind`, `impersonate`, `approve`) say nothing about calls. */
const derivable = new Set([...verbOrder, '*']);

function unusedDiagnostic(grant: Grant, calls: CallReport): Diagnostic | undefined {
  const unused = new Map<string, string[]>();
  for (const group of grant.groups) {
    for (const resource of grant.resources) {
      const verbs = grant.verbs.filter((verb) => derivable.has(verb) && !isUsed(grant, group, resource, verb, calls));
      if (verbs.length > 0) unused.set(qualified(group, resource), verbs);
    }
  }
  if (unused.size === 0 || grant.position === undefined) return undefined;
  const byVerbs = new Map<string, string[]>();
  for (const [resource, verbs] of unused) {
    const key = [...new Set(verbs)].sort(compareVerbs).join(', ');
    byVerbs.set(key, [...(byVerbs.get(key) ?? []), resource]);
  }
  const list = [...byVerbs].map(([verbs, resources]) => `${verbs} on ${resources.join(', ')}`).join('; ');
  const maybe = calls.unresolved.length > 0 ? ' by any call that could be resolved' : '';
  return {
    code: 'CO2121',
    severity: 'warning',
    message: `${list}: granted and not used${maybe}`,
    position: grant.position,
  };
}

function isUsed(grant: Grant, group: string, resource: string, verb: string, calls: CallReport): boolean {
  const single: Grant = { ...grant, groups: [group], resources: [resource], verbs: [verb] };
  return [...calls.uses, ...calls.optional].some((use) => covers(single, use, true) !== 'not');
}

function resourceUsages(
  calls: CallReport,
  states: ReadonlyMap<PermissionUse, Coverage>,
  own: readonly Grant[],
): ResourceUsage[] {
  const entries = new Map<string, { group: string; resource: string; verbs: Map<string, PermissionUse[]> }>();
  const entry = (group: string, resource: string, verb: string): PermissionUse[] => {
    const key = JSON.stringify([group, resource]);
    const found = entries.get(key) ?? { group, resource, verbs: new Map<string, PermissionUse[]>() };
    entries.set(key, found);
    const uses = found.verbs.get(verb) ?? [];
    found.verbs.set(verb, uses);
    return uses;
  };
  for (const use of [...calls.uses, ...calls.optional]) entry(use.group, use.resource, use.verb).push(use);
  const needed = new Set(calls.uses);
  for (const { groups, resources, verbs } of own) {
    for (const group of groups)
      for (const resource of resources) for (const verb of new Set(verbs)) entry(group, resource, verb);
  }
  return [...entries.values()]
    .sort((a, b) => compareText(a.group, b.group) || compareText(a.resource, b.resource))
    .map(({ group, resource, verbs }) => ({
      group,
      resource,
      verbs: [...verbs]
        .sort(([a], [b]) => compareVerbs(a, b))
        .map(([verb, uses]) => ({
          verb,
          state: worst(uses.map((use) => states.get(use) ?? 'not')),
          needed: uses.some((use) => needed.has(use)),
          reasons: uses.map(({ reason, position }) => ({ text: reason, position })),
          grantedBy: own.flatMap((grant) =>
            grant.position !== undefined && names(grant, group, resource, verb, uses) ? [grant.position] : [],
          ),
        })),
    }));
}

/** Whether a marker grants a verb on a resource: for a use, or as it is written. */
function names(grant: Grant, group: string, resource: string, verb: string, uses: readonly PermissionUse[]): boolean {
  const written = grant.groups.includes(group) && grant.resources.includes(resource) && grant.verbs.includes(verb);
  return written || uses.some((use) => covers(grant, use, true) !== 'not');
}

function worst(states: readonly Coverage[]): Coverage {
  if (states.includes('not')) return 'not';
  return states.includes('partly') ? 'partly' : 'granted';
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
