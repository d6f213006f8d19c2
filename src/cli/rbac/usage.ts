import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compareUsage, coverage, type Usage } from '../../generate/rbac/usage/index.ts';
import { type CallReport, compareDiagnostics, type PermissionUse, type PolicyRule } from '../../model/index.ts';
import { readBoundRoles } from './bound-roles.ts';

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
}

export interface UsageReading {
  readonly calls: CallReport;
  readonly usage: Usage;
  /** The uses that roles written by hand do not grant: what the generated role is for. */
  readonly ownUses: readonly PermissionUse[];
}

/** Reads the calls of the operator's program, and compares what they need with what the markers and roles grant. */
export async function readUsage(plan: UsagePlan, policyRules: readonly PolicyRule[]): Promise<UsageReading> {
  const { readCalls } = await import('../../reader/index.ts');
  const calls = readCalls({ files: entries(plan), root: plan.root, tsconfig: plan.tsconfig });
  const bound = plan.rbacDir === undefined ? { grants: [], diagnostics: [] } : readBoundRoles(plan.root, plan.rbacDir);
  const usage = compareUsage({ calls, policyRules, roleName: plan.roleName, others: bound.grants });
  const diagnostics = [...usage.diagnostics, ...bound.diagnostics].sort(compareDiagnostics);
  const ownUses = calls.uses.filter((use) => coverage(bound.grants, use, calls.namespacedCache) !== 'granted');
  return { calls, usage: { ...usage, diagnostics }, ownUses };
}

/** What runs is what `main.ts` imports; of sources without one all count. */
function entries({ root, sources, inProject }: UsagePlan): readonly string[] {
  const main = join(root, 'src/main.ts').replaceAll('\\', '/');
  return inProject && existsSync(main) ? [main] : sources;
}
