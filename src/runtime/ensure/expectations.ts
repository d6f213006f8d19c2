import type { ObjectKey } from '../client/types.ts';
import type { Clock } from '../environment/environment.ts';
import { defaultEnvironment } from '../environment/default.ts';

/** client-go's number: what is expected for so long, in milliseconds, has probably been missed. */
const expectedFor = 5 * 60_000;

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

/**
 * What a reconciler has asked for and the cache has not shown yet (client-go's `ControllerExpectations`): for reconcilers that create
 * children with generated names. Reads of this package's client wait for the client's own writes, so that others do not need it.
 *
 * Expect before the request, observe in the event (`watches`), and create or delete nothing while `satisfied` is false. Take back what
 * failed with `creationObserved` or `deletionObserved`.
 */
export class Expectations {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Pick<Clock, 'monotonic'> = defaultEnvironment().clock) {
    this.#clock = clock;
  }

  /** So many objects will appear for the key, beside those expected before. */
  expectCreations(key: ObjectKey, count: number): void {
    const { creations, deletions } = this.#of(key);
    this.#expected.set(id(key), { creations: creations + count, deletions, since: this.#clock.monotonic() });
  }

  /** The objects of these uids will disappear for the key. */
  expectDeletions(key: ObjectKey, uids: Iterable<string>): void {
    const { creations, deletions } = this.#of(key);
    this.#expected.set(id(key), {
      creations,
      deletions: deletions.union(new Set(uids)),
      since: this.#clock.monotonic(),
    });
  }

  creationObserved(key: ObjectKey): void {
    const expected = this.#expected.get(id(key));
    if (expected !== undefined && expected.creations > 0) {
      expected.creations--;
    }
  }

  deletionObserved(key: ObjectKey, uid: string): void {
    this.#expected.get(id(key))?.deletions.delete(uid);
  }

  /** Whether all that was expected was observed, or so long ago (five minutes) that it will not be any more. */
  satisfied(key: ObjectKey): boolean {
    const expected = this.#expected.get(id(key));
    if (
      expected !== undefined &&
      (expected.creations > 0 || expected.deletions.size > 0) &&
      this.#clock.monotonic() - expected.since < expectedFor
    ) {
      return false;
    }
    this.#expected.delete(id(key));
    return true;
  }

  /** The object of the key is gone. */
  forget(key: ObjectKey): void {
    this.#expected.delete(id(key));
  }

  #of(key: ObjectKey): Expected {
    return this.#expected.get(id(key)) ?? { creations: 0, deletions: new Set(), since: 0 };
  }
}

function id({ namespace = '', name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
