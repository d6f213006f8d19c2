import type { Environment, Transport } from 'operator-runtime';

/** `uid version` by name: all that is compared. */
export type Contents = ReadonlyMap<string, string>;

/** An informer at work. */
export interface RunningInformer {
  /** What its cache holds. */
  cache(): Contents;
  /** What the handlers were told, put together. */
  view(): Contents;
  /** Notifications that make no sense: an add of what is there, a delete of what is not. */
  faults(): readonly string[];
  /** Another handler; it must find out what is there. */
  addHandler(): void;
  stop(): Promise<void>;
  /** After `stop`. */
  start(): void;
  /** Leaves nothing: no connection, no timer. */
  end(): Promise<void>;
}

/** Puts an informer of `Widget`s of example.com/v1 under test. */
export interface Adapter {
  readonly name: string;
  /** Against a server on a real socket; the bearer token stands in a file that may change. */
  connect(address: string, tokenFile: string): Promise<RunningInformer>;
  /** In virtual time. Without it only the scripts that need no long waits are played, over sockets. */
  simulate?(transport: Transport, environment: Environment): RunningInformer;
}

interface Named {
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Puts notifications together to what a user would know. */
export class HandlerView {
  readonly known = new Map<string, string>();
  readonly faults: string[] = [];

  add({ name = '', uid, resourceVersion }: Named): void {
    if (this.known.has(name)) this.faults.push(`add of ${name}, which was there`);
    this.known.set(name, `${uid} ${resourceVersion}`);
  }

  /** `previous` is left out where an informer does not tell. */
  update({ name = '', uid, resourceVersion }: Named, previous?: Named): void {
    const before = this.known.get(name);
    if (before === undefined) this.faults.push(`update of ${name}, which was not there`);
    if (previous !== undefined && before !== `${previous.uid} ${previous.resourceVersion}`) {
      this.faults.push(`update of ${name} from ${previous.uid} ${previous.resourceVersion}, not ${before}`);
    }
    if (previous !== undefined && previous.uid !== uid) this.faults.push(`update of ${name} to another uid`);
    this.known.set(name, `${uid} ${resourceVersion}`);
  }

  delete({ name = '' }: Named): void {
    if (!this.known.delete(name)) this.faults.push(`delete of ${name}, which was not there`);
  }
}

/** What is wrong with the notifications of several handlers: each alone, and beside the others. */
export function faultsOf(views: readonly HandlerView[]): readonly string[] {
  const faults = views.flatMap((view) => view.faults);
  const [first, ...others] = views;
  for (const { known } of others) {
    const isAlike =
      known.size === first?.known.size && [...known].every(([name, value]) => first.known.get(name) === value);
    if (!isAlike) faults.push('two handlers know different things');
  }
  return faults;
}
