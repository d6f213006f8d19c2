/** The flags of `upgrade` as commander gives them. */
export interface UpgradeFlags {
  readonly dryRun?: boolean;
}
