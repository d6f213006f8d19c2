import type { Client } from '../client/types.ts';
import type { Request } from './reconcile.ts';

/** Which requests are the work of this process, where several share the work of a controller. It may change at any time. */
export interface Partition {
  includes(request: Request): boolean;
  /** Begins a run; undefined when the request is not this process's (any more). To be disposed of when the run has ended. */
  begin(request: Request): Share | undefined;
}

/** The right to work on one request. */
export interface Share extends Disposable {
  /** Its writes pass for as long as the request is this process's. */
  readonly client: Client;
  /** Aborted when the request becomes another process's. */
  readonly signal: AbortSignal;
}
