import type { KubernetesObject, OwnerReference } from '../apis/meta/v1.ts';
import type { LazyObject } from '../cache/lazy-object.ts';
import type { ObjectVersion } from '../cache/object-version.ts';
import { looksAtMetadataOnly, metadataView } from '../cache/metadata-view.ts';
import type { HandlerRegistration, LazyEventHandler, SharedInformer } from '../cache/types.ts';
import type { Cached } from '../client/cached.ts';
import type { ObjectKey } from '../client/types.ts';
import type { Logger } from '../environment/logger.ts';
import type { Kind } from '../kind/kind.ts';
import { groupOf } from '../owner/group.ts';
import { traceWatchEvent } from '../tracing/spans.ts';
import { looksAtGeneration } from './predicates.ts';
import type { UpdatePredicate } from './predicates.ts';
import { requestFor, requestIdentity } from './reconcile.ts';
import type { Cause, Request } from './reconcile.ts';

/** Where controllers get their informers: one for each kind, shared by all. */
export interface InformerSource {
  informerFor<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T>;
}

/** What a source may do: ask for runs. */
export interface SourceTarget {
  readonly log: Logger;
  /**
   * `priority` as the work queue takes it; default 0. `complete` finds out what is costly to know about the cause; it is called where the
   * cause is kept.
   */
  enqueue(request: Request, cause: Cause, priority?: number, complete?: () => void): void;
  /** Keeps a mapping that failed alive: it is tried again, with backoff, until it succeeds or the controller stops. */
  retry(what: ObjectKey & { readonly kind: string }, attempt: () => Promise<void>): void;
}

/**
 * The priority of what was there when the controller started: it waits behind what changes meanwhile, within the bound that the queue's
 * ageing gives (controller-runtime's `LowPriority`).
 */
export const lowPriority = -100;

/** A stream of events that is turned into requests. */
export interface Source {
  readonly kind: Kind;
  /** Adds its handler to the kind's informer. */
  attach(informers: InformerSource, target: SourceTarget): AttachedSource;
}

export interface AttachedSource {
  readonly kind: Kind;
  readonly informer: Pick<SharedInformer<KubernetesObject>, 'waitForSync' | 'waitUntil' | 'health'>;
  readonly registration: HandlerRegistration;
}

export interface WatchOptions<T extends KubernetesObject> {
  /** All must hold for an update to count. */
  readonly predicates?: readonly UpdatePredicate<T>[];
}

/** Gives the objects to reconcile when `object` changed. For an update it is asked about the object before and after. */
export type MapFunction<T extends KubernetesObject> = (
  object: Cached<T>,
) => Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>;

/** The same as the source sees objects: their bodies are parsed only when they are read. */
type LazyMapFunction<T extends KubernetesObject> = (
  object: LazyObject<T>,
) => Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>;

type EventName = 'create' | 'update' | 'delete';

/** Objects of the controller's own kind. */
export function forKind<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions<T> = {}): Source {
  return source(kind, options, () => (object) => [keyOf(object)]);
}

/**
 * Objects whose controller (the one owner reference with `controller: true`) is an object of `owner`: by group, kind and uid. The
 * version of the reference does not matter. The uid does, unlike in controller-runtime: what belongs to an owner of the same name
 * that is gone does not wake its successor.
 */
export function ownedBy<T extends KubernetesObject>(kind: Kind<T>, owner: Kind, options: WatchOptions<T> = {}): Source {
  return source(kind, options, (informers) => (object) => {
    const reference = metadataView(object).metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (reference === undefined || reference.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group) {
      return [];
    }
    const namespace = owner.scope === 'Cluster' ? '' : object.namespace;
    const key = { namespace, name: reference.name };
    return isSuperseded(informers, owner, key, reference) ? [] : [key];
  });
}

/** Any objects, mapped by a function of the user. */
export function mapped<T extends KubernetesObject>(
  kind: Kind<T>,
  map: MapFunction<T>,
  options: WatchOptions<T> = {},
): Source {
  return source(kind, options, () => (lazy) => map(lazy.object));
}

function source<T extends KubernetesObject>(
  kind: Kind<T>,
  options: WatchOptions<T>,
  mapOf: (informers: InformerSource) => LazyMapFunction<T>,
): Source {
  return {
    kind,
    attach(informers, target) {
      const map = mapOf(informers);
      let watchesGeneration = options.predicates?.some(looksAtGeneration) ?? false;
      const handle = (
        objects: readonly LazyObject<T>[],
        cause: Cause,
        priority?: number,
        complete?: () => void,
      ): void => {
        enqueueAll(objects, map, cause, target, priority, complete);
      };
      /** What has just happened, unlike what was there already or is told of again. */
      const handleNew = (
        objects: readonly LazyObject<T>[],
        object: LazyObject<T>,
        cause: Cause,
        event: EventName,
        complete?: () => void,
      ): void => {
        traceWatchEvent(event, { ...cause, apiVersion: kind.apiVersion, uid: object.uid }, cause, () => {
          handle(objects, cause, undefined, complete);
        });
      };
      const handler: LazyEventHandler<T> = {
        add: (object, isInInitialList) => {
          const cause = causeOf(kind, object, 'create');
          if (isInInitialList) handle([object], cause, lowPriority);
          else handleNew([object], object, cause, 'create');
        },
        update: (previous, object) => {
          if (watchesGeneration && object.generation === undefined) {
            watchesGeneration = false;
            target.log.warn(
              'A predicate looks at metadata.generation, which this kind does not have: each update counts as a change of the spec',
              {
                watched: { kind: kind.kind },
              },
            );
          }
          if (!isUnchanged(previous, object) && passes(previous, object, options.predicates, target.log)) {
            const cause: Cause & { changed?: readonly string[] } = causeOf(kind, object, 'update');
            handleNew([previous, object], object, cause, 'update', () => {
              cause.changed ??= object.changedSince(previous);
            });
          }
        },
        delete: (object) => {
          handleNew([object], object, causeOf(kind, object, 'delete'), 'delete');
        },
        // Past the predicates, which ask what has changed.
        resync: (object) => {
          handle([object], causeOf(kind, object, 'update'), lowPriority);
        },
      };
      const informer = informers.informerFor(kind);
      return { kind, informer, registration: informer.addLazyEventHandler(handler) };
    },
  };
}

/** Adds what the objects of one event map to, each key once: a worker that waits takes a key at once, a second add would run it again. */
function enqueueAll<T extends KubernetesObject>(
  objects: readonly LazyObject<T>[],
  map: LazyMapFunction<T>,
  cause: Cause,
  target: SourceTarget,
  priority: number | undefined,
  complete?: () => void,
): void {
  const enqueue = (results: readonly Iterable<ObjectKey>[]): void => {
    const requests = new Map<string, Request>();
    for (const key of results.flatMap((keys) => [...keys])) {
      const request = requestFor(key);
      requests.set(requestIdentity(request), request);
    }
    for (const request of requests.values()) {
      target.enqueue(request, cause, priority, complete);
    }
  };
  const mapAll = async (): Promise<void> => {
    enqueue(await Promise.all(objects.map(async (object) => map(object))));
  };
  let first: Promise<void>;
  try {
    const results = objects.map((object) => map(object));
    if (!results.some((keys) => keys instanceof Promise)) {
      enqueue(results as Iterable<ObjectKey>[]);
      return;
    }
    first = Promise.all(results.map(async (keys) => keys)).then(enqueue);
  } catch (error) {
    first = Promise.reject(error);
  }
  let next: Promise<void> | undefined = first;
  target.retry(cause, async () => {
    const attempt = next ?? mapAll();
    next = undefined;
    await attempt;
  });
}

/** Whether all predicates hold. One that throws counts as holding: a run too many is better than one that is lost. */
function passes<T extends KubernetesObject>(
  previous: LazyObject<T>,
  object: LazyObject<T>,
  predicates: readonly UpdatePredicate<T>[] = [],
  log: Logger,
): boolean {
  return predicates.every((predicate) => {
    try {
      return looksAtMetadataOnly(predicate)
        ? predicate(metadataView(previous) as Cached<T>, metadataView(object) as Cached<T>)
        : predicate(previous.object, object.object);
    } catch (error) {
      log.error('A predicate of a watch failed; the event passes', { watched: keyOf(object), error });
      return true;
    }
  });
}

/** A relist delivers what has not changed, too. */
function isUnchanged(previous: ObjectVersion, { resourceVersion, uid }: ObjectVersion): boolean {
  return resourceVersion !== undefined && previous.resourceVersion === resourceVersion && previous.uid === uid;
}

/** Whether another object has taken the owner's name. An owner that the cache does not have (yet) gets the benefit of the doubt. */
function isSuperseded(
  informers: InformerSource,
  owner: Kind,
  key: Request,
  reference: Cached<OwnerReference>,
): boolean {
  const current = informers.informerFor(owner).indexer.peek(key);
  return current?.uid !== undefined && current.uid !== reference.uid;
}

function keyOf({ namespace, name }: ObjectVersion): { namespace: string; name: string } {
  return { namespace, name };
}

function causeOf(kind: Kind, object: ObjectVersion, event: EventName): Cause {
  const { resourceVersion } = object;
  return {
    kind: kind.kind,
    ...keyOf(object),
    event,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
