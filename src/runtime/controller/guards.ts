import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { ObjectKey } from '../client/types.ts';
import type { Clock } from '../environment/environment.ts';
import {
  changedFields,
  foughtFields,
  isNoOp,
  isOlder,
  isTimed,
  isWithin,
  nameOf,
  specChanges,
  versionOfCause,
} from './guard-patterns.ts';
import type { Write } from './guard-patterns.ts';
import { remedies } from './guard-types.ts';
import type { GuardName, GuardOptions, GuardTrip } from './guard-types.ts';
import { requestIdentity } from './reconcile.ts';
import type { Cause, Request } from './reconcile.ts';

/** So many times within so many milliseconds: then a guard trips. */
const limit = 10;
const period = 60_000;
/** The pauses between the runs of a key whose guard has tripped: from the first, doubled each time, to the longest. Milliseconds. */
const firstPause = 1_000;
const longestPause = 60_000;
/** Keys that nothing was heard of for so long are forgotten, unless a guard has tripped. */
const forgetAfter = 2 * period;
/** Own writes of a key that are remembered, to know their events again. */
const maxVersions = 64;

/** Looks an object up; asked only where something is known of its key, since it may have to be parsed. */
type CachedObject = () => Cached<KubernetesObject> | undefined;

type Counted = Exclude<GuardName, 'ignoredAbort'>;

/** A representation of an object after this key's latest write to it, and after the one before. */
interface Written {
  last: Cached<KubernetesObject> | undefined;
  earlier: Cached<KubernetesObject> | undefined;
}

interface Target {
  readonly counts: Map<Counted, number[]>;
  /** Guards that have told of it. */
  readonly tripped: Set<Counted>;
  /** By subresource. */
  readonly written: Map<string, Written>;
  /** What the latest of these writes gave. */
  latest: Cached<KubernetesObject> | undefined;
}

interface Spacing {
  /** Fields of the request's own object that another writer changes back each time: no change of the spec. */
  readonly fought: Set<string>;
  pause: number;
  notBefore: number;
}

interface KeyState {
  /** `Widget ns/name 123`: versions that this key's own writes gave. */
  readonly versions: Set<string>;
  readonly targets: Map<string, Target>;
  /** The request's own object as its runs have seen or made it: what differs from it was changed by others. */
  seen: Cached<KubernetesObject> | undefined;
  spacing: Spacing | undefined;
  usedAt: number;
}

/**
 * Watches what the runs of one controller write, and finds patterns that would keep it, and the API server, busy for nothing. A guard
 * trips when a pattern was seen ten times within a minute on one object. From then on the runs of that key are spaced 1, 2, 4 ... 60
 * seconds; no run is lost. A change of the spec by somebody else, and a run without the pattern, end it.
 *
 * It remembers only keys whose runs wrote something within the last two minutes.
 */
export class Guards {
  readonly #clock: Clock;
  readonly #kind: string | undefined;
  readonly #options: GuardOptions;
  readonly #onTrip: (request: Request, trip: GuardTrip, last: Write | undefined) => void;
  /** The key that ran last is last. */
  readonly #keys = new Map<string, KeyState>();

  /** `kind` is the name of the kind that is reconciled. */
  constructor(
    clock: Clock,
    kind: string | undefined,
    options: GuardOptions,
    onTrip: (request: Request, trip: GuardTrip, last: Write | undefined) => void,
  ) {
    this.#clock = clock;
    this.#kind = kind;
    this.#options = options;
    this.#onTrip = onTrip;
  }

  /** Milliseconds that the next run of the key must wait; 0 for most. `cached` gives the request's object as the cache has it now. */
  holdOff(request: Request, cached: CachedObject): number {
    const state = this.#keys.get(requestIdentity(request));
    if (state?.spacing === undefined) {
      return 0;
    }
    const object = cached();
    const { fought, notBefore } = state.spacing;
    const isFought = (path: string): boolean => [...fought].some((field) => isWithin(path, field));
    if (!isOlder(object, state.seen) && !specChanges(state.seen, object).every(isFought)) {
      this.#clear(state);
      return 0;
    }
    return Math.max(0, notBefore - this.#clock.monotonic());
  }

  /** How many keys are held off at times. */
  get spaced(): number {
    return this.#keys.values().reduce((count, { spacing }) => count + (spacing === undefined ? 0 : 1), 0);
  }

  /** How many keys something is remembered of. */
  get known(): number {
    return this.#keys.size;
  }

  /** Before a run. */
  begin(request: Request, causes: readonly Cause[], cached: CachedObject): GuardedRun {
    const id = requestIdentity(request);
    const known = this.#keys.get(id);
    if (known !== undefined) {
      this.#use(id, known);
      const object = cached();
      if (!isOlder(object, known.seen)) {
        known.seen = object;
      }
    }
    const isOwn = (cause: Cause): boolean => known?.versions.has(versionOfCause(cause)) ?? false;
    const partlyOwn = causes.some(isOwn);
    const whollyOwn = partlyOwn && causes.every((cause) => isTimed(cause) || isOwn(cause));
    // Once a guard has tripped, what else wakes the key does not end the pattern: many events come together in a pause.
    const isSelfCaused = (guard: Counted, { tripped }: Target): boolean =>
      whollyOwn || (partlyOwn && tripped.has(guard));
    // Most runs write nothing, and need none.
    let made = known;
    const stateNow = (): KeyState => (made ??= this.#use(id, newState(cached())));
    const own = this.#kind === undefined ? undefined : nameOf(this.#kind, request);
    let harmful = false;
    let namesMade = false;
    const count = (
      guard: Counted,
      target: Target,
      name: string,
      write: Write | undefined,
      fields: () => readonly string[],
    ): void => {
      if (this.#options[guard] === false) {
        return;
      }
      const state = stateNow();
      harmful = true;
      const at = this.#clock.monotonic();
      const times = (target.counts.get(guard) ?? []).filter((time) => at - time < period);
      times.push(at);
      target.counts.set(guard, times.slice(-limit));
      if (times.length >= limit && !target.tripped.has(guard)) {
        target.tripped.add(guard);
        state.spacing ??= { fought: new Set(), pause: firstPause, notBefore: at };
        const trip: GuardTrip = { guard, object: name, fields: fields(), remedy: remedies[guard] };
        for (const field of guard === 'fieldConflict' && name === own ? trip.fields : []) {
          state.spacing.fought.add(field);
        }
        this.#onTrip(request, trip, write);
      }
    };
    return {
      wrote: (write) => {
        const state = stateNow();
        const name = nameOf(write.kind, write.after.metadata);
        const target = targetOf(state, write.generatedName === true ? `${write.kind} generated` : name);
        const written = writtenOf(target, write.subresource);
        const { last } = written;
        written.earlier = last;
        written.last = write.after;
        target.latest = write.after;
        const meant = (): readonly string[] => write.fields?.() ?? [];
        if (isNoOp(write, last)) {
          if (write.how === 'patch') {
            count('noOpWrite', target, name, write, meant);
          }
          return;
        }
        remember(state.versions, `${name} ${write.after.metadata.resourceVersion ?? ''}`);
        if (write.how === 'create') {
          // A run may make several: only those that come run after run are too many.
          if (write.generatedName === true && !namesMade && isSelfCaused('generatedName', target)) {
            namesMade = true;
            count('generatedName', target, name, write, () => ['/metadata/generateName']);
          }
          return;
        }
        if (name === own && write.subresource === undefined && isNext(state.seen, write.after)) {
          state.seen = write.after;
        }
        if (isSelfCaused('selfTriggeredLoop', target)) {
          count('selfTriggeredLoop', target, name, write, () => {
            const changed = changedFields(written.earlier, write.after);
            return changed.length > 0 ? changed : meant();
          });
        }
        const fought = foughtFields(last, write);
        if (fought.length > 0) {
          count('fieldConflict', target, name, write, () => fought);
        }
      },
      conflicted: (kind, key, read, fields) => {
        const name = nameOf(kind, key);
        const target = targetOf(stateNow(), name);
        if (isOlder(read, target.latest)) {
          count('staleRead', target, name, undefined, fields);
        }
      },
      end: () => {
        const spacing = made?.spacing;
        if (made === undefined || spacing === undefined) {
          return;
        }
        if (!harmful) {
          this.#clear(made);
          return;
        }
        spacing.notBefore = this.#clock.monotonic() + spacing.pause;
        spacing.pause = Math.min(spacing.pause * 2, longestPause);
      },
    };
  }

  /** A run did not end for long after its signal was aborted. */
  ignoredAbort(request: Request): void {
    if (this.#options.ignoredAbort !== false) {
      const object = this.#kind === undefined ? {} : { object: nameOf(this.#kind, request) };
      this.#onTrip(request, { guard: 'ignoredAbort', ...object, fields: [], remedy: remedies.ignoredAbort }, undefined);
    }
  }

  /** Puts the key at the end of those that are in use. */
  #use(id: string, state: KeyState): KeyState {
    const now = this.#clock.monotonic();
    state.usedAt = now;
    this.#keys.delete(id);
    this.#keys.set(id, state);
    this.#forgetOld(now);
    return state;
  }

  #clear(state: KeyState): void {
    state.spacing = undefined;
    state.targets.clear();
  }

  #forgetOld(now: number): void {
    for (const [id, { usedAt, spacing }] of this.#keys) {
      if (now - usedAt < forgetAfter) {
        return;
      }
      if (spacing === undefined) {
        this.#keys.delete(id);
      } else if (now - usedAt >= 2 * longestPause + forgetAfter) {
        this.#keys.delete(id); // It does not run any more: its object is gone.
      } else {
        return;
      }
    }
  }
}

/** One run, as the guards see it. */
export interface GuardedRun {
  wrote(write: Write): void;
  /** A write was refused since `read` is not the object's latest version. */
  conflicted(
    kind: string,
    key: ObjectKey,
    read: Cached<KubernetesObject> | undefined,
    fields: () => readonly string[],
  ): void;
  end(): void;
}

function newState(seen: Cached<KubernetesObject> | undefined): KeyState {
  return { versions: new Set(), targets: new Map(), seen, spacing: undefined, usedAt: 0 };
}

function targetOf(state: KeyState, name: string): Target {
  let target = state.targets.get(name);
  if (target === undefined) {
    target = { counts: new Map(), tripped: new Set(), written: new Map(), latest: undefined };
    state.targets.set(name, target);
  }
  return target;
}

function writtenOf(target: Target, subresource = ''): Written {
  let written = target.written.get(subresource);
  if (written === undefined) {
    written = { last: undefined, earlier: undefined };
    target.written.set(subresource, written);
  }
  return written;
}

/** Whether an own write was made on top of what was seen: its answer then holds no change by others that nobody has looked at. */
function isNext(seen: Cached<KubernetesObject> | undefined, after: Cached<KubernetesObject>): boolean {
  const before = seen?.metadata.generation;
  const { generation } = after.metadata;
  return before === undefined || generation === undefined || generation <= before + 1;
}

function remember(versions: Set<string>, version: string): void {
  versions.add(version);
  const [oldest] = versions;
  if (versions.size > maxVersions && oldest !== undefined) {
    versions.delete(oldest);
  }
}
