import { compareText, type PolicyRule } from '../../model/index.ts';

/** One rule of a Role or ClusterRole; each list is sorted and free of duplicates. `urls` stands alone. */
export interface MergedRule {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly urls: readonly string[];
  readonly verbs: readonly string[];
}

/** The rules of one role: a ClusterRole without a namespace, a Role with one. */
export interface RoleRules {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly rules: readonly MergedRule[];
}

/** Sorts the markers into roles, by namespace (none first), then by name, and merges the rules of each. */
export function rolesOf(policyRules: readonly PolicyRule[], defaultRole: string): RoleRules[] {
  const roles = new Map<string, { namespace: string | undefined; name: string; rules: PolicyRule[] }>();
  for (const rule of policyRules) {
    const name = rule.role ?? defaultRole;
    const key = JSON.stringify([rule.namespace ?? '', name]);
    const role = roles.get(key) ?? { namespace: rule.namespace, name, rules: [] };
    role.rules.push(rule);
    roles.set(key, role);
  }
  return [...roles.values()]
    .sort((a, b) => compareText(a.namespace ?? '', b.namespace ?? '') || compareText(a.name, b.name))
    .map(({ namespace, name, rules }) => ({ namespace, name, rules: mergeRules(rules) }));
}

/**
 * Merges rules as controller-gen does, such that no permission is gained or lost: every step unites one list of rules that are
 * equal in all others, the verbs included (controller-gen's last steps leave them out and lose rules). Main resources and
 * subresources never meet in a rule. A `*` among verbs takes the place of the others.
 */
export function mergeRules(policyRules: readonly PolicyRule[]): MergedRule[] {
  let rules = policyRules.flatMap(split);
  rules = unite(rules, 'verbs').map((rule) => (rule.verbs.includes('*') ? { ...rule, verbs: ['*'] } : rule));
  rules = unite(rules, 'resources');
  rules = unite(rules, 'groups');
  rules = unite(rules, 'urls');
  return rules.sort(
    (a, b) => compareText(sortText(a), sortText(b)) || compareText(a.verbs.join('&'), b.verbs.join('&')),
  );
}

/** One rule for each resource of a marker; one for all of its urls. */
function split(rule: PolicyRule): MergedRule[] {
  const common = { resourceNames: unique(rule.resourceNames), verbs: unique(rule.verbs) };
  if (rule.urls.length > 0) return [{ ...common, groups: [], resources: [], urls: unique(rule.urls) }];
  const groups = unique(rule.groups.map((group) => (group === 'core' ? '' : group)));
  return unique(rule.resources).map((resource) => ({ ...common, groups, resources: [resource], urls: [] }));
}

function unite(rules: readonly MergedRule[], member: keyof MergedRule): MergedRule[] {
  const united = new Map<string, MergedRule>();
  for (const rule of rules) {
    const key = JSON.stringify([
      rule.resources.some(isSubresource),
      rule.urls.length > 0,
      Object.entries({ ...rule, [member]: [] }).sort(([a], [b]) => compareText(a, b)),
    ]);
    const other = united.get(key);
    united.set(key, other === undefined ? rule : { ...rule, [member]: unique([...other[member], ...rule[member]]) });
  }
  return [...united.values()];
}

/** Whether a resource of a rule is a subresource: `widgets/status`. */
export function isSubresource(resource: string): boolean {
  return resource.includes('/');
}

function sortText(rule: MergedRule): string {
  return [rule.groups, rule.resources, rule.resourceNames, rule.urls].map((list) => list.join('&')).join(' + ');
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)].sort();
}
