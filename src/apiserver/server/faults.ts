import type { RequestInfo } from '../http/request-info.ts';
import type { WatchRegistry } from '../handlers/watch.ts';

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
  /** Cuts the connection instead of answering: before the request is served, or after (a write that happened without an answer). */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' };

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

  /** Holds the events of open watches back until `resumeWatches`. */
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
