interface Waiter<K> {
  readonly resolve: (key: K | undefined) => void;
}

/** Calls of `get` that wait for a key, first come, first served. */
export class Waiters<K> {
  #waiting: Waiter<K>[] = [];

  /** Resolves with the key that `serve` gives, with undefined after `dismiss`; rejects with the signal's reason. */
  wait(signal: AbortSignal | undefined): Promise<K | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter<K> = {
        resolve: (key) => {
          signal?.removeEventListener('abort', abort);
          resolve(key);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  /** What gives a key to the one that has waited longest; undefined when nobody waits. */
  next(): ((key: K) => void) | undefined {
    // Asked for each key that becomes ready, when mostly nobody waits.
    return this.#waiting.length === 0 ? undefined : this.#waiting.shift()?.resolve;
  }

  /** Sends all away without a key. */
  dismiss(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { resolve } of waiting) {
      resolve(undefined);
    }
  }
}
