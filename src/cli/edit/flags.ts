import type { ChangeFlags } from '../scaffold-changes.ts';
import type { PackageManager } from '../../project/package-manager.ts';

/** The flags of `edit` as commander gives them; `undefined` for a choice that stays. */
export interface EditFlags extends ChangeFlags {
  readonly namespaced?: boolean;
  readonly multigroup?: boolean;
  readonly helm?: boolean;
  readonly packageManager?: PackageManager;
  readonly kubernetesVersion?: string;
  readonly kindRoles?: 'none' | 'plain' | 'aggregated';
  readonly generate: boolean;
}
