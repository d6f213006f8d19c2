import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { isNotFound } from '../client/errors.ts';
import type { Client, WriteOptions } from '../client/types.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';
import { hasFinalizer, isBeingDeleted } from './finalizer.ts';

/** Cleans up what one finalizer stands for. Must be idempotent, and count what is gone already as done. */
export type Finalize<T extends KubernetesObject, C = undefined> = (object: Cached<T>, context: C) => Promise<void>;

/**
 * Named finalizers of a kind (controller-runtime's `finalizer.Finalizers`). `C` is what the functions get beside the object, such as the
 * reconcile's context.
 *
 * ```ts
 * const finalizers = new Finalizers<Bucket, ReconcileContext>().register('cloud.com/bucket', deleteBucket);
 * const bucket = await finalizers.reconcile(client, Bucket, read, context);
 * if (bucket === undefined) return done; // It is being deleted, and cleaned up.
 * ```
 */
export class Finalizers<T extends KubernetesObject, C = undefined> {
  readonly #functions = new Map<string, Finalize<T, C>>();

  /** Throws when the name is taken, or is not `domain/name` (others are kept for Kubernetes). */
  register(name: string, finalize: Finalize<T, C>): this {
    if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)) {
      throw new RangeError(`not a name for a finalizer: ${JSON.stringify(name)}; write domain/name`);
    }
    if (this.#functions.has(name)) {
      throw new Error(`there is a finalizer named ${name} already`);
    }
    this.#functions.set(name, finalize);
    return this;
  }

  /**
   * Of an object that lives: adds the finalizers that are missing, all with one write, and gives the object as it is then.
   *
   * Of an object that is being deleted: runs the functions of the finalizers that it has, in the order of registration, removes those
   * that succeeded with one write, and resolves with undefined. When some failed it rejects after that, with the one error or an
   * `AggregateError`; the next run tries these again.
   */
  async reconcile<S extends Scope, R extends Subresource>(
    client: Client,
    kind: Kind<T, S, R>,
    object: Cached<NoInfer<T>>,
    context: C,
    options?: WriteOptions,
  ): Promise<Cached<T> | undefined> {
    if (!isBeingDeleted(object)) {
      const missing = [...this.#functions.keys()].filter((name) => !hasFinalizer(object, name));
      return missing.length === 0
        ? object
        : client.update(
            kind,
            object,
            (draft) => {
              draft.metadata.finalizers = [...(draft.metadata.finalizers ?? []), ...missing];
            },
            options,
          );
    }
    const finished = new Set<string>();
    const errors: unknown[] = [];
    for (const [name, finalize] of this.#functions) {
      if (hasFinalizer(object, name)) {
        try {
          await finalize(object, context);
          finished.add(name);
        } catch (error) {
          errors.push(error);
        }
      }
    }
    if (finished.size > 0) {
      await this.#remove(client, kind, object, finished, options);
    }
    if (errors.length > 1) {
      throw new AggregateError(
        errors,
        `${errors.length} finalizers of ${kind.kind} ${object.metadata.name ?? ''} failed`,
      );
    }
    if (errors.length === 1) {
      throw errors[0];
    }
    return undefined;
  }

  async #remove<S extends Scope, R extends Subresource>(
    client: Client,
    kind: Kind<T, S, R>,
    object: Cached<NoInfer<T>>,
    finished: ReadonlySet<string>,
    options: WriteOptions | undefined,
  ): Promise<void> {
    try {
      await client.update(
        kind,
        object,
        (draft) => {
          draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter((name) => !finished.has(name));
        },
        options,
      );
    } catch (error) {
      if (!isNotFound(error)) {
        throw error;
      }
    }
  }
}
