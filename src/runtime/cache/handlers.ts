import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Clock } from '../environment/environment.ts';
import { longestSlice, type TurnBudget } from '../environment/turn-budget.ts';
import type { StoredObject } from './lazy-object.ts';
import type { Delta } from './store.ts';
import type { LazyEventHandler } from './types.ts';

/** A handler and what it was told. */
export interface Registration<T extends KubernetesObject> {
  readonly handler: LazyEventHandler<T>;
  /** What was there when the handler came and it was not told of yet, by key: the latest version, however many there were. */
  readonly pending: Map<string, StoredObject<T>>;
  caughtUp: boolean;
  removed: boolean;
}

export interface HandlersOptions {
  readonly clock: Clock;
  readonly budget: TurnBudget;
  readonly onError: (error: unknown, removed: boolean) => void;
  /** Called when a late handler was told of everything. */
  readonly onCaughtUp: () => void;
}

/**
 * The handlers of an informer. Each is told of every change, in order; a late one first of what is there. Whatever they do (throw,
 * reject, never settle) the others are told, too, and nothing is kept for them but what a late one still has to hear: at most one version
 * of each object.
 */
export class Handlers<T extends KubernetesObject> {
  readonly #options: HandlersOptions;
  readonly #registrations = new Set<Registration<T>>();
  readonly #catchingUp = new Set<Promise<void>>();

  constructor(options: HandlersOptions) {
    this.#options = options;
  }

  /** Those of now: one that is added by a handler finds in the store what the others are being told. */
  get current(): readonly Registration<T>[] {
    return [...this.#registrations];
  }

  /** Tells of these objects as the initial list: of the first at once, of the others with turns of the event loop between. */
  add(handler: LazyEventHandler<T>, objects: readonly StoredObject<T>[]): Registration<T> {
    const pending = new Map(objects.map((object) => [object.key, object]));
    const registration: Registration<T> = { handler, pending, caughtUp: false, removed: false };
    this.#registrations.add(registration);
    const done = this.#catchUp(registration).finally(() => this.#catchingUp.delete(done));
    this.#catchingUp.add(done);
    return registration;
  }

  remove(registration: Registration<T>): void {
    registration.removed = true;
    registration.pending.clear();
    this.#registrations.delete(registration);
  }

  /** Resolves when no late handler is being told of what was there before. */
  async idle(): Promise<void> {
    await Promise.all(this.#catchingUp);
  }

  tell(registrations: readonly Registration<T>[], delta: Delta<T>, initial: boolean): void {
    for (const registration of registrations) {
      if (!registration.removed && !this.#isPending(registration, delta)) this.#tell(registration, delta, initial);
    }
  }

  /**
   * Tells of a whole list without holding up the event loop. A batch that was begun is finished even when the informer is stopped, so that
   * no handler misses a part.
   */
  async tellInSlices(
    registrations: readonly Registration<T>[],
    deltas: readonly Delta<T>[],
    initial: boolean,
  ): Promise<void> {
    if (registrations.length === 0) return;
    const { budget } = this.#options;
    for (const delta of deltas) {
      this.tell(registrations, delta, initial);
      if (budget.exhausted()) await budget.turn();
    }
  }

  resync(registrations: readonly Registration<T>[], object: StoredObject<T>): void {
    for (const registration of registrations) {
      const { handler, removed, pending } = registration;
      if (!removed && !pending.has(object.key)) this.#call(registration, () => handler.resync?.(object));
    }
  }

  async #catchUp(registration: Registration<T>): Promise<void> {
    const { clock, budget } = this.#options;
    const start = clock.monotonic();
    let isFirstSlice = true;
    // What changes meanwhile changes the map, under the same iterator.
    for (const [key, object] of registration.pending) {
      registration.pending.delete(key);
      this.#call(registration, () => registration.handler.add?.(object, true));
      if (isFirstSlice ? clock.monotonic() - start >= longestSlice : budget.exhausted()) {
        isFirstSlice = false;
        await budget.turn();
      }
    }
    registration.caughtUp = true;
    this.#options.onCaughtUp();
  }

  /** Whether the handler has not heard of the object yet: then it need not hear of the version between. */
  #isPending({ pending }: Registration<T>, { type, object }: Delta<T>): boolean {
    if (pending.size === 0 || !pending.has(object.key)) return false;
    if (type === 'delete') pending.delete(object.key);
    else pending.set(object.key, object);
    return true;
  }

  #tell(registration: Registration<T>, delta: Delta<T>, initial: boolean): void {
    const { handler } = registration;
    switch (delta.type) {
      case 'add':
        this.#call(registration, () => handler.add?.(delta.object, initial));
        break;
      case 'update':
        this.#call(registration, () => handler.update?.(delta.previous, delta.object));
        break;
      case 'delete':
        this.#call(registration, () => handler.delete?.(delta.object, delta.finalStateUnknown));
        break;
    }
  }

  /** User code: whatever it does, the informer and the other handlers go on. */
  #call(registration: Registration<T>, call: () => unknown): void {
    const failed = (error: unknown): void => {
      this.#options.onError(error, registration.removed);
    };
    try {
      const result = call();
      if (isThenable(result)) result.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
