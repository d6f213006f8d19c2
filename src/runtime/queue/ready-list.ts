/** What a ready entry needs: where it belongs, and places for the list to remember where it stands. */
export interface Ready<E> {
  /** The higher, the sooner. Must not change while the entry is in the list. */
  priority: number;
  /** Entries of one level and different groups take turns. Must not change while the entry is in the list. */
  group: string;
  /** Written by the list only. */
  next: E | undefined;
  /** Written by the list only. */
  previous: E | undefined;
}

/** First in, first out; entries can be taken from the middle. */
class Lane<E extends Ready<E>> {
  head: E | undefined;
  tail: E | undefined;

  push(entry: E): void {
    if (this.tail === undefined) {
      this.head = entry;
    } else {
      this.tail.next = entry;
      entry.previous = this.tail;
    }
    this.tail = entry;
  }

  /** Takes the first one. */
  shift(): E | undefined {
    const entry = this.head;
    if (entry !== undefined) {
      const { next } = entry;
      this.head = next;
      entry.next = undefined;
      if (next === undefined) {
        this.tail = undefined;
      } else {
        next.previous = undefined;
      }
    }
    return entry;
  }

  remove(entry: E): void {
    const { next, previous } = entry;
    if (previous === undefined) {
      this.head = next;
    } else {
      previous.next = next;
      entry.previous = undefined;
    }
    if (next === undefined) {
      this.tail = previous;
    } else {
      next.previous = previous;
      entry.next = undefined;
    }
  }
}

/** The entries of one priority. */
class Level<E extends Ready<E>> {
  readonly priority: number;
  size = 0;
  /** How many entries of all levels had been taken when one of this level was taken last, or when the first one came. */
  servedAt = 0;
  /** The lane of the group `''`: the only one where nobody asks for fairness. */
  readonly #plain = new Lane<E>();
  /** In the order in which their turns come: a group goes to the end after its turn, and away when it is empty. */
  #groups: Map<string, Lane<E>> | undefined;

  constructor(priority: number) {
    this.priority = priority;
  }

  push(entry: E): void {
    this.size++;
    this.#lane(entry.group).push(entry);
  }

  remove(entry: E): void {
    this.size--;
    const lane = this.#groups?.get(entry.group) ?? this.#plain;
    lane.remove(entry);
    if (lane.head === undefined) {
      this.#groups?.delete(entry.group);
    }
  }

  /** The next one; only when there is one. */
  shift(): E | undefined {
    if (this.#groups === undefined) {
      this.size--;
      return this.#plain.shift();
    }
    for (const [group, lane] of this.#groups) {
      const entry = lane.head;
      if (entry !== undefined) {
        this.remove(entry);
        if (this.#groups.delete(group)) {
          this.#groups.set(group, lane);
        }
        return entry;
      }
    }
    return undefined;
  }

  #lane(group: string): Lane<E> {
    if (this.#groups === undefined) {
      if (group === '') {
        return this.#plain;
      }
      this.#groups = new Map(this.#plain.head === undefined ? [] : [['', this.#plain]]);
    }
    let lane = this.#groups.get(group);
    if (lane === undefined) {
      lane = group === '' ? this.#plain : new Lane();
      this.#groups.set(group, lane);
    }
    return lane;
  }
}

/** From so many levels on, empty ones are thrown away. */
const maxEmptyLevels = 16;

/**
 * Ready entries in the order in which they are to be taken: by priority, the highest first; in a level in turns among the groups; in a
 * group first in, first out.
 *
 * Ageing: every `ageing`-th entry is taken from the level that has waited longest for one. So with L levels that have entries no level
 * waits for more than `ageing` x L entries to be taken, and the n-th entry of a level (of one group) for no more than n times that.
 */
export class ReadyList<E extends Ready<E>> {
  readonly #ageing: number;
  /** By priority, the highest first. */
  readonly #levels: Level<E>[] = [];
  #size = 0;
  #taken = 0;
  #untilAged: number;

  constructor(ageing: number) {
    this.#ageing = ageing;
    this.#untilAged = ageing;
  }

  get size(): number {
    return this.#size;
  }

  /** How many entries each level holds; levels without any may be left out. */
  sizes(): ReadonlyMap<number, number> {
    return new Map(this.#levels.map(({ priority, size }) => [priority, size]));
  }

  push(entry: E): void {
    const level = this.#level(entry.priority);
    if (level.size === 0) {
      level.servedAt = this.#taken;
    }
    level.push(entry);
    this.#size++;
  }

  /** Takes an entry out that is in the list. */
  remove(entry: E): void {
    this.#level(entry.priority).remove(entry);
    this.#size--;
  }

  /** Takes the next one. */
  shift(): E | undefined {
    if (this.#size === 0) {
      return undefined;
    }
    const level = this.#levels.length === 1 ? this.#levels[0] : this.#nextLevel();
    const entry = level?.shift();
    if (level !== undefined && entry !== undefined) {
      this.#size--;
      level.servedAt = ++this.#taken;
    }
    return entry;
  }

  #nextLevel(): Level<E> | undefined {
    if (--this.#untilAged > 0) {
      return this.#levels.find(({ size }) => size > 0);
    }
    this.#untilAged = this.#ageing;
    let oldest: Level<E> | undefined;
    for (const level of this.#levels) {
      if (level.size > 0 && (oldest === undefined || level.servedAt < oldest.servedAt)) {
        oldest = level;
      }
    }
    return oldest;
  }

  #level(priority: number): Level<E> {
    const first = this.#levels[0];
    if (first?.priority === priority) {
      return first;
    }
    let index = 0;
    for (let level = this.#levels[0]; level !== undefined; level = this.#levels[index]) {
      if (level.priority === priority) {
        return level;
      }
      if (level.priority < priority) {
        break;
      }
      index++;
    }
    const level = new Level<E>(priority);
    this.#levels.splice(index, 0, level);
    if (this.#levels.length > maxEmptyLevels) {
      this.#dropEmptyLevels(level);
    }
    return level;
  }

  #dropEmptyLevels(kept: Level<E>): void {
    const used = this.#levels.filter((level) => level.size > 0 || level === kept);
    this.#levels.splice(0, this.#levels.length, ...used);
  }
}
