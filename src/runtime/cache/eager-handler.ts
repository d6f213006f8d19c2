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
  /** By uid, of the objects whose latest version could not be read: the version that was told of last; undefined: none was. */
  const missed = new Map<string | undefined, Cached<T> | undefined>();
  /** The whole object, which counts as missed if that throws. */
  const read = (object: LazyObject<T>, told: Cached<T> | undefined): Cached<T> => {
    missed.set(object.uid, told);
    const whole = object.object;
    missed.delete(object.uid);
    return whole;
  };
  return {
    add: (object, isInInitialList) => handler.add?.(read(object, undefined), isInInitialList),
    update(previous, object) {
      const told = missed.has(object.uid) ? missed.get(object.uid) : previous.object;
      const whole = read(object, told);
      return told === undefined ? handler.add?.(whole, false) : handler.update?.(told, whole);
    },
    delete(object, finalStateUnknown) {
      const isUntold = missed.has(object.uid) && missed.get(object.uid) === undefined;
      missed.delete(object.uid);
      if (isUntold) return undefined;
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
