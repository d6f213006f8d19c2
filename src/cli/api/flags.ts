import type { ChangeFlags } from '../scaffold-changes.ts';

/** The flags of `api` as commander gives them. */
export interface ApiFlags extends ChangeFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** `undefined` where neither of its two flags is given. */
  readonly controller?: boolean;
  readonly resource?: boolean;
  readonly externalApiPath?: string;
  readonly generate: boolean;
}
