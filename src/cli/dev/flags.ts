/** The flags of `dev` as commander gives them. */
export interface DevFlags {
  readonly kubeconfig?: string;
  readonly state?: string;
  readonly workloads?: true;
  readonly adminEndpoint?: true;
}
