import type { KubernetesObject } from '../apis/meta/v1.ts';
import { InvalidCallError } from '../client/errors.ts';
import type { TurnBudget } from '../environment/turn-budget.ts';
import { inSlices } from './in-slices.ts';
import type { StoredObject } from './lazy-object.ts';
import { ObjectIndex } from './object-index.ts';
import type { IndexFunction } from './types.ts';

type Objects<T extends KubernetesObject> = ReadonlyMap<string, StoredObject<T>>;

/** An index that does not know of all objects yet, and whoever waits for that. */
interface Filling<T extends KubernetesObject> {
  readonly index: ObjectIndex<T>;
  readonly filled: PromiseWithResolvers<void>;
}

/**
 * The indexes of a store, by name. One that comes when there are objects already is filled within the turn of then if that is done in
 * 10 ms, else with turns of the event loop between; it answers once it knows of all.
 */
export class IndexSet<T extends KubernetesObject> {
  readonly #onError: (name: string, error: unknown) => void;
  readonly #budget: TurnBudget;
  readonly #filled = new Map<string, ObjectIndex<T>>();
  readonly #filling = new Map<string, Filling<T>>();

  constructor(onError: (name: string, error: unknown) => void, budget: TurnBudget) {
    this.#onError = onError;
    this.#budget = budget;
  }

  /** `objects` is the store's own map, which changes meanwhile as `put` and `remove` say. */
  add(name: string, index: IndexFunction<T>, objects: Objects<T>): void {
    const existing = this.#filled.get(name) ?? this.#filling.get(name)?.index;
    if (existing !== undefined) {
      if (existing.function === index) return;
      throw new Error(`there is an index ${JSON.stringify(name)} already, with another function`);
    }
    const added = new ObjectIndex(index, (error) => {
      this.#onError(name, error);
    });
    const entries = objects.entries();
    const isOver = this.#budget.slice();
    for (const [key, object] of entries) {
      added.putNow(key, object);
      if (!isOver()) continue;
      const filling = { index: added, filled: Promise.withResolvers<void>() };
      this.#filling.set(name, filling);
      void this.#fill(name, filling, entries);
      return;
    }
    this.#filled.set(name, added);
  }

  async #fill(
    name: string,
    filling: Filling<T>,
    entries: IterableIterator<readonly [string, StoredObject<T>]>,
  ): Promise<void> {
    await this.#budget.turn();
    for (const [key, object] of entries) {
      filling.index.putNow(key, object);
      if (this.#budget.exhausted()) await this.#budget.turn();
      // All indexes were built anew, this one with them.
      if (this.#filling.get(name) !== filling) return;
    }
    this.#done(name, filling.index);
  }

  #done(name: string, index: ObjectIndex<T>): void {
    this.#filled.set(name, index);
    this.#filling.get(name)?.filled.resolve();
    this.#filling.delete(name);
  }

  /** Throws where there is none, or none that knows of all objects. */
  get(name: string): ObjectIndex<T> {
    const index = this.#filled.get(name);
    if (index !== undefined) return index;
    throw new InvalidCallError(
      this.#filling.has(name)
        ? `the index ${JSON.stringify(name)} came when there were many objects and is being filled: wait for whenIndexed(${JSON.stringify(name)})`
        : `there is no index ${JSON.stringify(name)}`,
    );
  }

  /** Resolves once the index knows of all objects; at once where there is none. */
  async whenFilled(name: string): Promise<void> {
    await this.#filling.get(name)?.filled.promise;
  }

  put(key: string, object: StoredObject<T>): void {
    for (const index of this.#filled.values()) index.put(key, object);
    if (this.#filling.size > 0) for (const { index } of this.#filling.values()) index.put(key, object);
  }

  remove(key: string): void {
    for (const index of this.#filled.values()) index.remove(key);
    for (const { index } of this.#filling.values()) index.remove(key);
  }

  /**
   * Builds all indexes anew for other objects, with turns of the event loop, and hands over to them at one moment: when `swap` is called.
   * Those that are added meanwhile are built as well.
   */
  async rebuild(objects: Objects<T>, budget: TurnBudget, swap: () => void): Promise<void> {
    const built = new Map<string, ObjectIndex<T>>();
    for (let missing = this.#missing(built); missing !== undefined; missing = this.#missing(built)) {
      const [name, index] = missing;
      const empty = index.empty();
      await inSlices(objects, budget, ([key, object]) => {
        empty.putNow(key, object);
      });
      built.set(name, empty);
    }
    swap();
    for (const [name, index] of built) this.#done(name, index);
  }

  #missing(built: ReadonlyMap<string, unknown>): readonly [string, ObjectIndex<T>] | undefined {
    for (const entry of this.#filled) if (!built.has(entry[0])) return entry;
    for (const [name, { index }] of this.#filling) if (!built.has(name)) return [name, index];
    return undefined;
  }
}
