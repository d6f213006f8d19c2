import type { ObjectKey } from '../client/types.ts';
import type { Clock, Timer } from '../environment/environment.ts';
import { traceSender } from '../tracing/spans.ts';
import { requestFor } from './reconcile.ts';
import type { Cause } from './reconcile.ts';
import type { SourceTarget } from './sources.ts';

/** A source of requests that is no kind of the API server. It has nothing to sync. */
export interface OtherSource {
  /** Adds requests from now on, until what it returns is disposed of. */
  attach(target: SourceTarget, clock: Clock): Disposable;
}

/**
 * Lets code outside of controllers ask for runs: a webhook of another system, a poller. It may feed any number of controllers; what is
 * sent while no controller listens is lost, as the reconciler looks at everything when it starts.
 *
 * ```ts
 * const changes = new RequestChannel();
 * manager.controller('bucket').for(Bucket).watchesChannel(changes).reconcile(...);
 * changes.send({ namespace: 'a', name: 'b' });
 * ```
 */
export class RequestChannel {
  readonly #listeners = new Set<(key: ObjectKey) => void>();

  /** Asks each controller that listens for a run of the key. Never blocks: a key that waits already is not added twice. */
  send(key: ObjectKey): void {
    for (const listener of this.#listeners) {
      listener(key);
    }
  }

  /** Calls the listener for each key until what it returns is disposed of. */
  listen(listener: (key: ObjectKey) => void): Disposable {
    // Each call counts for itself, even with the same function.
    const own = (key: ObjectKey): void => {
      listener(key);
    };
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }
}

/** The keys that are sent to a channel. */
export function fromChannel(channel: RequestChannel): OtherSource {
  return {
    attach: (target) =>
      channel.listen((key) => {
        const request = requestFor(key);
        const cause: Cause = { kind: '', ...request, event: 'generic' };
        traceSender(cause);
        target.enqueue(request, cause);
      }),
  };
}

/** Gives the keys to reconcile at a time. */
export type KeysFunction = () => Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>;

/** The keys that a function gives, every so many milliseconds; first after one period. A function that fails is tried again then. */
export function fromTimer(period: number, keys: KeysFunction): OtherSource {
  return {
    attach(target, clock) {
      let timer: Timer;
      let disposed = false;
      const ring = async (): Promise<void> => {
        try {
          const due = await keys();
          for (const key of disposed ? [] : due) {
            const request = requestFor(key);
            target.enqueue(request, { kind: '', ...request, event: 'timer' });
          }
        } catch (error) {
          target.log.error('The function of a timer source failed', { error, retryInMilliseconds: period });
        }
        if (!disposed) {
          schedule();
        }
      };
      const schedule = (): void => {
        timer = clock.setTimer(() => {
          void ring();
        }, period);
      };
      schedule();
      return {
        [Symbol.dispose]() {
          disposed = true;
          timer.cancel();
        },
      };
    },
  };
}
