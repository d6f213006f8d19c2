import { systemUser, type User } from '../access/user.ts';
import type { JsonObject, MutableObject } from '../json.ts';

/** Who writes, and how. */
export interface WriteOptions {
  readonly user: User;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event of the request. */
  readonly annotate?: (name: string, value: string) => void;
  /** What the request says of itself beside `dryRun`: `fieldManager`, `propagationPolicy`, ... */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Keeps `metadata.managedFields`: called with the object to be stored and the one before. */
  manageFields?(object: MutableObject, old: JsonObject | undefined): void;
}

export const controllerOptions: WriteOptions = { user: systemUser, dryRun: false, warn: () => undefined };
