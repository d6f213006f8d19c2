/** The flags of `generate` as commander gives them. */
export interface GenerateFlags {
  readonly source?: readonly string[];
  readonly crdDir?: string;
  readonly rbacDir?: string;
  readonly roleName?: string;
  readonly webhookDir?: string;
  readonly conversionWebhook?: readonly string[];
  readonly clientDir?: string;
  readonly kindRoles?: boolean;
  readonly aggregateKindRoles?: boolean;
  readonly tsconfig?: string;
  readonly kubernetesVersion?: string;
  readonly check?: boolean;
  readonly stdout?: boolean;
  readonly watch?: boolean;
  readonly format: 'text' | 'json';
}
