import type { ServerResponse } from 'node:http';
import type { Exchange } from '../http/exchange.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { WatchRegistry } from '../handlers/watch.ts';
import { ApiError } from '../status.ts';

/** Which requests a fault strikes: all conditions that are given must hold. */
export interface FaultMatch {
  readonly verbs?: readonly string[];
  readonly groups?: readonly string[];
  readonly resources?: readonly string[];
  readonly subresources?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly names?: readonly string[];
  readonly users?: readonly string[];
  readonly path?: RegExp;
}

export type FaultAction =
  /** Answers with an error instead of serving: 409 Conflict, 410 Expired, 429, 500, 503, ... */
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Waits before serving. */
  | { readonly kind: 'latency'; readonly milliseconds: number }
  /** Never answers: the client waits until it gives up. */
  | { readonly kind: 'hang' }
  /**
   * Cuts the connection: `before` the request is served, `after` it was (a write that happened without an answer), or `within` the
   * answer, of which the first part is sent.
   */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' | 'within' };

export interface Fault {
  readonly match?: FaultMatch;
  readonly action: FaultAction;
  /** How many requests are struck (default: all until the fault is removed). */
  readonly times?: number;
  /** How many matching requests pass first (default 0). */
  readonly after?: number;
}

interface ActiveFault {
  readonly fault: Fault;
  seen: number;
  struck: number;
}

/** Disturbances on demand. */
export class Faults {
  readonly #active = new Set<ActiveFault>();
  readonly #watches: WatchRegistry;

  constructor(watches: WatchRegistry) {
    this.#watches = watches;
  }

  /** Adds a fault and gives the function that removes it. */
  add(fault: Fault): () => void {
    const active: ActiveFault = { fault, seen: 0, struck: 0 };
    this.#active.add(active);
    return () => void this.#active.delete(active);
  }

  /** The faults that are active, oldest first. */
  get active(): readonly Fault[] {
    return [...this.#active].map(({ fault }) => fault);
  }

  /** Removes all faults and lets paused watches go on. */
  clear(): void {
    this.#active.clear();
    this.#watches.pause(false);
  }

  /** Cuts the connections of open watches: all, or those of a resource (`pods`, `widgets.example.com`). */
  cutWatches(resource?: string): void {
    this.#watches.cut(resource);
  }

  /** Ends open watches in order, as the server does when their time is over. */
  endWatches(resource?: string): void {
    this.#watches.end(resource);
  }

  /** Holds the events of watches back, of those still to come as well, until `resumeWatches`. */
  pauseWatches(resource?: string): void {
    this.#watches.pause(true, resource);
  }

  resumeWatches(resource?: string): void {
    this.#watches.pause(false, resource);
  }

  /** The actions that strike a request now; counts it. */
  strike(info: RequestInfo, user: string): readonly FaultAction[] {
    const actions: FaultAction[] = [];
    for (const active of this.#active) {
      if (!matches(active.fault.match ?? {}, info, user)) continue;
      active.seen++;
      if (active.seen <= (active.fault.after ?? 0)) continue;
      active.struck++;
      if (active.struck >= (active.fault.times ?? Number.POSITIVE_INFINITY)) this.#active.delete(active);
      actions.push(active.fault.action);
    }
    return actions;
  }
}

function matches(match: FaultMatch, info: RequestInfo, user: string): boolean {
  const fits = (wanted: readonly string[] | undefined, value: string): boolean =>
    wanted === undefined || wanted.includes(value);
  return (
    fits(match.verbs, info.verb) &&
    fits(match.groups, info.group) &&
    fits(match.resources, info.resource) &&
    fits(match.subresources, info.subresource) &&
    fits(match.namespaces, info.namespace) &&
    fits(match.names, info.name) &&
    fits(match.users, user) &&
    (match.path === undefined || match.path.test(info.path))
  );
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** Lets the actions of faults loose on a request; true when it is not to be served any more. Throws the ApiError of a fault. */
export async function disturb(exchange: Exchange, actions: readonly FaultAction[]): Promise<boolean> {
  const { response, signal } = exchange;
  for (const action of actions) {
    if (action.kind === 'latency') await delay(action.milliseconds, signal);
    else if (action.kind === 'hang') {
      await delay(undefined, signal);
      return true;
    } else if (action.kind === 'cut' && action.when === 'before') {
      response.socket?.destroy();
      return true;
    } else if (action.kind === 'error') {
      const { code, retryAfterSeconds } = action;
      const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
      throw new ApiError(code, action.reason ?? reasons[code] ?? '', action.message ?? 'injected fault', details);
    }
  }
  for (const action of actions) if (action.kind === 'cut') cutAnswer(response, action.when === 'within');
  return false;
}

/** Throws the answer away with its connection, or what comes after its first part. */
function cutAnswer(response: ServerResponse, within: boolean): void {
  const write = response.write.bind(response) as (chunk: Buffer, sent: () => void) => boolean;
  const cut = (chunk: unknown): void => {
    const bytes = Buffer.isBuffer(chunk) || typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.alloc(0);
    if (!within || bytes.length === 0) response.socket?.destroy();
    else write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.socket?.destroy());
  };
  response.write = (chunk: unknown) => {
    if (within) cut(chunk);
    return true;
  };
  response.end = (chunk?: unknown) => {
    cut(chunk);
    return response;
  };
}

/** Waits; without a number of milliseconds until the signal comes. */
async function delay(milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = milliseconds === undefined ? undefined : setTimeout(finish, milliseconds);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish, { once: true });
  });
}
