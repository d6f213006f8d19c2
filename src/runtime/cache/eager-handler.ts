import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { Kind } from '../kind/kind.ts';
import type { LazyObject } from './lazy-object.ts';
import type { EventHandler, LazyEventHandler } from './types.ts';

/**
 * A handler that is given whole objects, as one that is given lazy ones. An object that is no JSON (the informer asks for it anew) is told
 * of when it can be read: adds and deletes still alternate.
 */
export function eagerHandler<T extends KubernetesObject>(kind: Kind<T>, handler: EventHandler<T>): LazyEventHandler<T> {
  /** The uids of the objects that could not be read when they were to be added. */
  const missed = new Set<string | undefined>();
  const added = (object: LazyObject<T>, isInInitialList: boolean): unknown => {
    missed.add(object.uid);
    const whole = object.object;
    missed.delete(object.uid);
    return handler.add?.(whole, isInInitialList);
  };
  return {
    add: added,
    update(previous, object) {
      if (missed.has(object.uid)) return added(object, false);
      const whole = object.object;
      return handler.update?.(
        orElse(previous, () => whole),
        whole,
      );
    },
    delete(object, finalStateUnknown) {
      if (missed.delete(object.uid)) return undefined;
      let known = true;
      const whole = orElse(object, () => {
        known = false;
        const { apiVersion, kind: name } = kind;
        return { apiVersion, kind: name, metadata: object.metadata } as unknown as Cached<T>;
      });
      return handler.delete?.(whole, finalStateUnknown || !known);
    },
    resync: (object) => handler.resync?.(object.object),
  };
}

/** The whole object, or something else where it cannot be read. */
function orElse<T extends KubernetesObject>(object: LazyObject<T>, otherwise: () => Cached<T>): Cached<T> {
  try {
    return object.object;
  } catch {
    return otherwise();
  }
}
