import type { Client, ObjectKey } from '../client/types.ts';
import type { EventRecorder } from '../events/event.ts';
import type { Logger } from '../environment/logger.ts';
import type { Result } from './result.ts';

/** Which object is to be reconciled. `namespace` is `''` for cluster-scoped kinds. */
export interface Request {
  readonly namespace: string;
  readonly name: string;
}

/** An event that led to a run. */
export interface Cause {
  /** The kind of the object that the event is about. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /**
   * `requeue` and `retry` come from an earlier result or error of the reconciler itself, `generic` and `timer` from a channel and from
   * `every`.
   */
  readonly event: 'create' | 'update' | 'delete' | 'generic' | 'timer' | 'requeue' | 'retry';
  readonly resourceVersion?: string;
  /** What an update changed, roughly: `/spec`, `/status`, `/metadata/labels`. */
  readonly changed?: readonly string[];
}

export interface ReconcileContext {
  /** Reads from the cache, writes to the API server. Its calls end with `signal`. */
  readonly client: Client;
  /** Aborted when the controller stops, leadership is lost, or `reconcileTimeout` passes. */
  readonly signal: AbortSignal;
  /** Carries the controller, the object and the reconcile ID. */
  readonly log: Logger;
  /** Records events about objects, for `kubectl describe`. */
  readonly events: EventRecorder;
  /** A UUID, new for each run. */
  readonly reconcileID: string;
  /**
   * The events that led here, in the order of arrival, for logs and inspection only: they may be incomplete. What to do follows from
   * the object, never from the event.
   */
  readonly causes: readonly Cause[];
}

/**
 * Makes the world as the object says. Called with a name, never with an event; for one object never twice at a time. Must be
 * idempotent. It must return a `Result`: a path without one is a compile error.
 */
export type Reconcile = (request: Request, context: ReconcileContext) => Promise<Result>;

export interface Reconciler {
  reconcile(request: Request, context: ReconcileContext): Promise<Result>;
}

/** A value that tells requests apart. A namespace holds no `/`, so that this is one to one whatever the name holds. */
export function requestIdentity(request: Request): string {
  return `${request.namespace}/${request.name}`;
}

/** The request of a key. Throws a TypeError for a key without a name. */
export function requestFor(key: ObjectKey): Request {
  if (typeof key.name !== 'string' || key.name === '') {
    throw new TypeError(`not the key of an object: ${JSON.stringify(key)}; write { namespace, name }`);
  }
  return { namespace: key.namespace ?? '', name: key.name };
}
