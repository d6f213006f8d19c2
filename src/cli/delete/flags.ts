import type { ChangeFlags } from '../scaffold-changes.ts';

/** The flags of `delete api` as commander gives them. */
export interface DeleteApiFlags extends ChangeFlags {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly generate: boolean;
}
