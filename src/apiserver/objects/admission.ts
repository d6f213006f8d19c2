import type { User } from '../access/user.ts';
import type { JsonObject, MutableObject } from '../json.ts';
import type { Resource } from '../resources/resource.ts';

/** A write on its way, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  /** `''` for objects whose name is still to be generated. */
  readonly name: string;
  /** The object to be written, in the request's version; plugins that mutate change it in place. Missing on deletion. */
  readonly object?: MutableObject;
  readonly oldObject?: JsonObject;
  readonly user: User;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
}

/** A step between authorization and storage; throws an ApiError to refuse. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May change the object. Called before the strategy prepares it. */
  admit?(request: AdmissionRequest): void | Promise<void>;
  /** Only looks. Called when the object is valid and will be written otherwise. */
  validate?(request: AdmissionRequest): void | Promise<void>;
}
