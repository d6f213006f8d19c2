/** What is known of each version of an object at once. */
export interface ObjectVersion {
  readonly name: string;
  /** `''` for cluster-scoped objects. */
  readonly namespace: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** Absent on kinds that do not count it. */
  readonly generation: number | undefined;
  readonly deletionTimestamp: string | undefined;
}
