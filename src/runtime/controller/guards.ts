import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { ObjectKey } from '../client/types.ts';
import type { Clock } from '../environment/environment.ts';
import type { Kind } from '../kind/kind.ts';
import { compareResourceVersions } from '../kind/resource-version.ts';
import { changedPaths } from './changed-paths.ts';
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

/** What a run wrote. */
export interface Write {
  /** The kind's name. */
  readonly kind: string;
  /** Absent for a creation. */
  readonly of?: Kind;
  readonly how: 'create' | 'patch' | 'apply';
  /** Whether the server was asked to make up the name. */
  readonly generatedName?: boolean;
  /** As it was read before. */
  readonly before: Cached<KubernetesObject> | undefined;
  readonly after: Cached<KubernetesObject>;
}

type Counted = Exclude<GuardName, 'ignoredAbort'>;

interface Target {
  readonly counts: Map<Counted, number[]>;
  /** The object after this key's latest write to it, and after the one before. */
  last: Cached<KubernetesObject> | undefined;
  earlier: Cached<KubernetesObject> | undefined;
}

interface Spacing {
  readonly generation: number | undefined;
  pause: number;
  notBefore: number;
}

interface KeyState {
  /** `Widget ns/name 123`: versions that this key's own writes gave. */
  readonly versions: Set<string>;
  readonly targets: Map<string, Target>;
  readonly tripped: Set<string>;
  spacing: Spacing | undefined;
  usedAt: number;
}

/**
 * Watches what the runs of one controller write, and finds patterns that would keep it, and the API server, busy for nothing. A guard
 * trips when a pattern was seen ten times within a minute on one object. From then on the runs of that key are spaced 1, 2, 4 ... 60
 * seconds; no run is lost. A change of the spec, and a run without the pattern, end it.
 *
 * It remembers only keys whose runs wrote something within the last two minutes.
 */
export class Guards {
  readonly #clock: Clock;
  readonly #options: GuardOptions;
  readonly #onTrip: (request: Request, trip: GuardTrip, last: Write | undefined) => void;
  /** The key that ran last is last. */
  readonly #keys = new Map<string, KeyState>();

  constructor(
    clock: Clock,
    options: GuardOptions,
    onTrip: (request: Request, trip: GuardTrip, last: Write | undefined) => void,
  ) {
    this.#clock = clock;
    this.#options = options;
    this.#onTrip = onTrip;
  }

  /** Milliseconds that the next run of the key must wait; 0 for most. `generation` is the object's now. */
  holdOff(request: Request, generation: number | undefined): number {
    const state = this.#keys.get(requestIdentity(request));
    if (state?.spacing === undefined) {
      return 0;
    }
    if (generation !== state.spacing.generation) {
      this.#clear(state);
      return 0;
    }
    return Math.max(0, state.spacing.notBefore - this.#clock.monotonic());
  }

  /** How many keys are held off at times. */
  get spaced(): number {
    return this.#keys.values().reduce((count, { spacing }) => count + (spacing === undefined ? 0 : 1), 0);
  }

  /** Before a run. */
  begin(request: Request, causes: readonly Cause[], generation: number | undefined): GuardedRun {
    const id = requestIdentity(request);
    const known = this.#keys.get(id);
    if (known !== undefined) {
      this.#use(id, known);
    }
    const isOwn = (cause: Cause): boolean => known?.versions.has(versionOfCause(cause)) ?? false;
    const selfCaused =
      known !== undefined && causes.some(isOwn) && causes.every((cause) => isTimed(cause) || isOwn(cause));
    // Most runs write nothing, and need none.
    let made = known;
    const stateNow = (): KeyState => (made ??= this.#use(id, newState()));
    let harmful = false;
    const count = (
      guard: Counted,
      target: Target,
      name: string,
      write: Write | undefined,
      fields: () => string[],
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
      if (times.length >= limit && !state.tripped.has(`${guard} ${name}`)) {
        state.tripped.add(`${guard} ${name}`);
        state.spacing ??= { generation, pause: firstPause, notBefore: at };
        this.#onTrip(request, { guard, object: name, fields: fields(), remedy: remedies[guard] }, write);
      }
    };
    return {
      wrote: (write) => {
        const state = stateNow();
        const name = nameOf(write.kind, write.after.metadata);
        const target = targetOf(state, write.generatedName === true ? `${write.kind} generated` : name);
        const { last } = target;
        target.earlier = last;
        target.last = write.after;
        if (isNoOp(write, last)) {
          if (write.how === 'patch') {
            count('noOpWrite', target, name, write, () => []);
          }
          return;
        }
        remember(state.versions, `${name} ${write.after.metadata.resourceVersion ?? ''}`);
        if (write.how === 'create') {
          if (selfCaused && write.generatedName === true) {
            count('generatedName', target, name, write, () => ['/metadata/generateName']);
          }
          return;
        }
        if (selfCaused) {
          count('selfTriggeredLoop', target, name, write, () => changedFields(target.earlier, write.after));
        }
        const fought = foughtFields(last, write);
        if (fought.length > 0) {
          count('fieldConflict', target, name, write, () => fought);
        }
      },
      conflicted: (kind, key, read) => {
        const name = nameOf(kind, key);
        const target = targetOf(stateNow(), name);
        if (isOlder(read, target.last)) {
          count('staleRead', target, name, undefined, () => []);
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
      this.#onTrip(request, { guard: 'ignoredAbort', fields: [], remedy: remedies.ignoredAbort }, undefined);
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
    state.tripped.clear();
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
  conflicted(kind: string, key: ObjectKey, read: Cached<KubernetesObject> | undefined): void;
  end(): void;
}

function newState(): KeyState {
  return { versions: new Set(), targets: new Map(), tripped: new Set(), spacing: undefined, usedAt: 0 };
}

function targetOf(state: KeyState, name: string): Target {
  let target = state.targets.get(name);
  if (target === undefined) {
    target = { counts: new Map(), last: undefined, earlier: undefined };
    state.targets.set(name, target);
  }
  return target;
}

function nameOf(kind: string, { namespace = '', name = '' }: Partial<ObjectKey>): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

function isTimed({ event }: Cause): boolean {
  return event === 'requeue' || event === 'retry';
}

function versionOfCause({ kind, namespace, name, resourceVersion = '' }: Cause): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`} ${resourceVersion}`;
}

function remember(versions: Set<string>, version: string): void {
  versions.add(version);
  const [oldest] = versions;
  if (versions.size > maxVersions && oldest !== undefined) {
    versions.delete(oldest);
  }
}

/** The server answers a write that changes nothing with the version that was there. */
function isNoOp({ how, before, after }: Write, last: Cached<KubernetesObject> | undefined): boolean {
  const version = after.metadata.resourceVersion;
  return (
    how !== 'create' &&
    version !== undefined &&
    (before?.metadata.resourceVersion === version || last?.metadata.resourceVersion === version)
  );
}

function isOlder(read: Cached<KubernetesObject> | undefined, own: Cached<KubernetesObject> | undefined): boolean {
  const order = compareResourceVersions(read?.metadata.resourceVersion ?? '', own?.metadata.resourceVersion ?? '');
  return order !== undefined && order < 0;
}

/** Members that differ between any two versions. */
const everChanging = new Set(['/metadata/resourceVersion', '/metadata/generation', '/metadata/managedFields']);

function changedFields(from: Cached<KubernetesObject> | undefined, to: Cached<KubernetesObject>): string[] {
  return from === undefined ? [] : paths(from, to);
}

function paths(from: unknown, to: unknown): string[] {
  return changedPaths(from, to).filter((path) => !everChanging.has(path));
}

/** Fields that this key had written, somebody changed, and this write makes what they were: A, B, A. */
function foughtFields(own: Cached<KubernetesObject> | undefined, { before, after }: Write): string[] {
  if (own === undefined || before === undefined || !isOlder(own, before) || own.metadata.uid !== after.metadata.uid) {
    return [];
  }
  const undone = new Set(paths(own, before));
  const redone = undone.size === 0 ? [] : paths(before, after).filter((path) => undone.has(path));
  const different = redone.length === 0 ? [] : paths(own, after);
  return redone.filter((path) => !different.some((other) => isWithin(other, path) || isWithin(path, other)));
}

function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`);
}
