import type { Delayed } from './delay-heap.ts';
import type { QueueItem } from './types.ts';
import type { Ready } from './ready-list.ts';

/** A key that is dirty, processing or delayed. */
export interface Entry<K, C> extends Delayed, Ready<Entry<K, C>> {
  readonly key: K;
  readonly identity: unknown;
  /** Wants a run. */
  dirty: boolean;
  /** Is handed out. */
  processing: boolean;
  /** Of the delayed run. */
  delayedPriority: number;
  /** The delayed run has the rate limiter's leave to come. */
  limited: boolean;
  /** Of the run that is going on. */
  currentPriority: number;
  /** When it became ready, or was handed out; kept only for an observer. */
  since: number;
  /** For how long it was ready before it was handed out; kept only for an observer. */
  waited: number;
  /** Of the run that is wanted. */
  causes: C[] | undefined;
  /** Of the run that is going on. */
  currentCauses: readonly C[] | undefined;
}

/** The entry of a key that nothing is wanted of yet. */
export function newEntry<K, C>(key: K, identity: unknown, group: string): Entry<K, C> {
  return {
    key,
    identity,
    dirty: false,
    processing: false,
    readyAt: 0,
    sequence: 0,
    heapIndex: -1,
    priority: 0,
    group,
    delayedPriority: 0,
    limited: false,
    currentPriority: 0,
    since: 0,
    waited: 0,
    next: undefined,
    previous: undefined,
    causes: undefined,
    currentCauses: undefined,
  };
}

/** An entry for people to look at. `now` is the monotonic clock's. */
export function itemOf<K, C>(entry: Entry<K, C>, now: number): QueueItem<K, C> {
  const { dirty, processing, heapIndex, readyAt } = entry;
  return {
    key: entry.key,
    priority: dirty ? entry.priority : processing ? entry.currentPriority : entry.delayedPriority,
    ready: dirty,
    processing,
    ...(heapIndex === -1 ? {} : { dueIn: Math.max(0, readyAt - now) }),
    causes: [...(entry.currentCauses ?? []), ...(entry.causes ?? [])],
  };
}
