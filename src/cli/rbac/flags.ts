/** The flags of `rbac` as commander gives them. */
export interface RbacFlags {
  readonly source?: readonly string[];
  readonly rbacDir?: string;
  readonly roleName?: string;
  readonly tsconfig?: string;
  readonly check?: boolean;
  readonly write?: boolean;
  readonly stdout?: boolean;
  readonly format: 'text' | 'json' | 'yaml';
}
