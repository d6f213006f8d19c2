import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compareUsage, coverage, type Usage } from '../../generate/rbac/usage/index.ts';
import {
  type CallReport,
  compareDiagnostics,
  type Diagnostic,
  type PermissionUse,
  type PolicyRule,
} from '../../model/index.ts';
import { type BoundRoles, readBoundRoles } from './bound-roles.ts';

/** What is looked through for calls. */
export interface UsagePlan {
  /** Absolute, with `/`. */
  readonly root: string;
  /** The sources that are read for markers, absolute, with `/`. */
  readonly sources: readonly string[];
  /** Whether this is a scaffolded project: then its program begins at `src/main.ts`. */
  readonly inProject: boolean;
  readonly tsconfig: string | undefined;
  readonly roleName: string;
  /** Relative to the root. */
  readonly rbacDir: string | undefined;
  /** The namespace that the operator runs in; undefined where it is not known. */
  readonly ownNamespace: string | undefined;
  /** Whether the operator works in its own namespace only, and has Roles there in place of a ClusterRole. */
  readonly namespaced: boolean;
}

export interface UsageReading {
  readonly calls: CallReport;
  readonly usage: Usage;
  /** The uses that roles written by hand do not grant: what the generated role is for. */
  readonly ownUses: readonly PermissionUse[];
}

/** Compares what the calls of an operator's program need with what the markers and roles grant. */
export function usageOf(given: CallReport, plan: UsagePlan, policyRules: readonly PolicyRule[]): UsageReading {
  const { roleName, ownNamespace } = plan;
  const calls = plan.namespaced ? inOwnNamespace(given) : given;
  const bound = plan.rbacDir === undefined ? nothingBound : readBoundRoles(plan.root, plan.rbacDir);
  const usage = compareUsage({ calls, policyRules, roleName, ownNamespace, others: bound.grants });
  const diagnostics = [...usage.diagnostics, ...bound.diagnostics, ...unbound(policyRules, plan, bound)].sort(
    compareDiagnostics,
  );
  const ownUses = calls.uses.filter((use) => coverage(bound.grants, use, calls.namespacedCache) !== 'granted');
  return { calls, usage: { ...usage, diagnostics }, ownUses };
}

/** What an operator uses that works in its own namespace, unless the source names another one. */
function inOwnNamespace(calls: CallReport): CallReport {
  const uses = calls.uses.map((use) =>
    use.clusterScoped === true || use.namespace !== undefined ? use : { ...use, ownNamespace: true },
  );
  return { ...calls, uses };
}

const nothingBound: BoundRoles = { grants: [], bindings: [], diagnostics: [] };

/** Roles of the operator that no binding gives to its ServiceAccount. Folders without any binding are bound elsewhere. */
function unbound(
  policyRules: readonly PolicyRule[],
  { roleName, inProject }: UsagePlan,
  { bindings }: BoundRoles,
): Diagnostic[] {
  const own = policyRules.filter((rule) => (rule.role ?? roleName) === roleName);
  if (bindings.length === 0) return [];
  return [...new Set(own.map(({ namespace }) => namespace))].flatMap((namespace) => {
    const isBound = bindings.some((binding) => binding.role === roleName && binding.namespace === namespace);
    const position = own.find((rule) => rule.namespace === namespace)?.position;
    if (isBound || position === undefined) return [];
    const role = namespace === undefined ? `the ClusterRole ${roleName}` : `the Role ${roleName} in ${namespace}`;
    const message = `${role} is bound to no ServiceAccount: what it grants is granted to nobody`;
    const binding = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
    const remedy = inProject ? 'run create-operator generate' : `write a ${binding} beside the roles`;
    return [{ code: 'CO2125', severity: 'warning', message, position, remedy } as const];
  });
}

/** What runs is what `main.ts` imports; of sources without one all count. */
export function programEntries({ root, sources, inProject }: UsagePlan): readonly string[] {
  const main = join(root, 'src/main.ts').replaceAll('\\', '/');
  return inProject && existsSync(main) ? [main] : sources;
}
