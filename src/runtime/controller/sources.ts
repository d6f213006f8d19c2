import type { KubernetesObject, OwnerReference } from '../apis/meta/v1.ts';
import type { EventHandler, HandlerRegistration, SharedInformer } from '../cache/types.ts';
import type { Cached } from '../client/cached.ts';
import type { ObjectKey } from '../client/types.ts';
import type { Logger } from '../environment/logger.ts';
import type { Kind } from '../kind/kind.ts';
import { groupOf } from '../owner/group.ts';
import type { UpdatePredicate } from './predicates.ts';
import { requestFor } from './reconcile.ts';
import type { Cause, Request } from './reconcile.ts';

/** Where controllers get their informers: one for each kind, shared by all. */
export interface InformerSource {
  informerFor<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T>;
}

/** What a source may do: ask for runs. */
export interface SourceTarget {
  readonly log: Logger;
  enqueue(request: Request, cause: Cause): void;
  /** Keeps a mapping that failed alive: it is tried again, with backoff, until it succeeds or the controller stops. */
  retry(what: ObjectKey & { readonly kind: string }, attempt: () => Promise<void>): void;
}

/** A stream of events that is turned into requests. */
export interface Source {
  readonly kind: Kind;
  /** Adds its handler to the kind's informer. */
  attach(informers: InformerSource, target: SourceTarget): AttachedSource;
}

export interface AttachedSource {
  readonly kind: Kind;
  readonly informer: Pick<SharedInformer<KubernetesObject>, 'waitForSync' | 'health'>;
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

type EventName = 'create' | 'update' | 'delete';

/** Objects of the controller's own kind. */
export function forKind<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions<T> = {}): Source {
  return source(kind, options, (target) => (objects, event) => {
    const object = objects.at(-1);
    if (object !== undefined) {
      target.enqueue(requestFor(keyOf(object)), causeOf(kind, object, event));
    }
  });
}

/**
 * Objects whose controller (the one owner reference with `controller: true`) is an object of `owner`: by group, kind and uid. The
 * version of the reference does not matter. The uid does, unlike in controller-runtime: what belongs to an owner of the same name
 * that is gone does not wake its successor.
 */
export function ownedBy<T extends KubernetesObject>(kind: Kind<T>, owner: Kind, options: WatchOptions<T> = {}): Source {
  return source(kind, options, (target, informers) => (objects, event) => {
    for (const object of objects) {
      const reference = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
      if (reference === undefined || reference.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group) {
        continue;
      }
      const request = requestFor({
        namespace: owner.scope === 'Cluster' ? '' : (object.metadata.namespace ?? ''),
        name: reference.name,
      });
      if (!isSuperseded(informers, owner, request, reference)) {
        target.enqueue(request, causeOf(kind, object, event));
      }
    }
  });
}

/** Any objects, mapped by a function of the user. */
export function mapped<T extends KubernetesObject>(
  kind: Kind<T>,
  map: MapFunction<T>,
  options: WatchOptions<T> = {},
): Source {
  return source(kind, options, (target) => (objects, event) => {
    for (const object of objects) {
      const enqueue = (keys: Iterable<ObjectKey>): void => {
        for (const key of keys) {
          target.enqueue(requestFor(key), causeOf(kind, object, event));
        }
      };
      let keys: Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>;
      try {
        keys = map(object);
      } catch (error) {
        keys = Promise.reject(error);
      }
      if (keys instanceof Promise) {
        let first: Promise<Iterable<ObjectKey>> | undefined = keys;
        target.retry({ kind: kind.kind, ...keyOf(object) }, async () => {
          const current = first ?? map(object);
          first = undefined;
          enqueue(await current);
        });
      } else {
        enqueue(keys);
      }
    }
  });
}

type Enqueue<T extends KubernetesObject> = (objects: readonly Cached<T>[], event: EventName) => void;

function source<T extends KubernetesObject>(
  kind: Kind<T>,
  options: WatchOptions<T>,
  handle: (target: SourceTarget, informers: InformerSource) => Enqueue<T>,
): Source {
  return {
    kind,
    attach(informers, target) {
      const informer = informers.informerFor(kind);
      const enqueue = handle(target, informers);
      const handler: EventHandler<T> = {
        add: (object) => {
          enqueue([object], 'create');
        },
        update: (previous, object) => {
          if (
            isUnchanged(previous, object) ||
            options.predicates?.some((predicate) => !predicate(previous, object)) === true
          ) {
            return;
          }
          enqueue([previous, object], 'update');
        },
        delete: (object) => {
          enqueue([object], 'delete');
        },
      };
      return { kind, informer, registration: informer.addEventHandler(handler) };
    },
  };
}

/** A relist delivers what has not changed, too. */
function isUnchanged(previous: Cached<KubernetesObject>, object: Cached<KubernetesObject>): boolean {
  const { resourceVersion, uid } = object.metadata;
  return (
    resourceVersion !== undefined &&
    previous.metadata.resourceVersion === resourceVersion &&
    previous.metadata.uid === uid
  );
}

/** Whether another object has taken the owner's name. An owner that the cache does not have (yet) gets the benefit of the doubt. */
function isSuperseded(
  informers: InformerSource,
  owner: Kind,
  request: Request,
  reference: Cached<OwnerReference>,
): boolean {
  const current = informers.informerFor(owner).indexer.get(request);
  return current?.metadata.uid !== undefined && current.metadata.uid !== reference.uid;
}

function keyOf(object: Cached<KubernetesObject>): { namespace: string; name: string } {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' };
}

function causeOf(kind: Kind, object: Cached<KubernetesObject>, event: EventName): Cause {
  const { resourceVersion } = object.metadata;
  return {
    kind: kind.kind,
    ...keyOf(object),
    event,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
