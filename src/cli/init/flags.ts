import type { ChangeFlags } from '../scaffold-changes.ts';
import type { PackageManager } from '../../project/package-manager.ts';

/** The flags of `init` as commander gives them. */
export interface InitFlags extends ChangeFlags {
  readonly name?: string;
  readonly kubernetesVersion: string;
  readonly packageManager?: PackageManager;
  readonly namespaced?: boolean;
  readonly multigroup?: boolean;
  readonly helm: boolean;
  readonly install: boolean;
  readonly yes?: boolean;
  /** The names of all commands, to tell a folder from a misspelt command. */
  readonly commands: readonly string[];
}
