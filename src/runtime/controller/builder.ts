import type { Duration, KubernetesObject } from '../apis/meta/v1.ts';
import type { Kind } from '../kind/kind.ts';
import { millisecondsOf } from './duration.ts';
import type { Controller } from './controller.ts';
import { fromChannel, fromTimer } from './other-sources.ts';
import type { KeysFunction, OtherSource, RequestChannel } from './other-sources.ts';
import type { Reconcile, Reconciler } from './reconcile.ts';
import { forKind, mapped, ownedBy } from './sources.ts';
import type { MapFunction, Source, WatchOptions } from './sources.ts';

/** Makes the controller of a finished builder and registers it. */
export type Build = (
  kind: Kind | undefined,
  sources: readonly Source[],
  reconcile: Reconcile,
  others: readonly OtherSource[],
) => Controller;

/** Says what a controller watches. Handlers only compute keys: what happened is not passed on, the reconciler looks for itself. */
export class ControllerBuilder {
  readonly #name: string;
  readonly #build: Build;
  #kind: Kind | undefined;
  readonly #owned: ((owner: Kind) => Source)[] = [];
  readonly #sources: Source[] = [];
  readonly #others: OtherSource[] = [];
  #built = false;

  constructor(name: string, build: Build) {
    this.#name = name;
    this.#build = build;
  }

  /** The kind that is reconciled; once. Each change of an object gives its own key. */
  for<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions<NoInfer<T>> = {}): this {
    if (this.#kind !== undefined) {
      throw this.#misuse(
        `for(${kind.kind}) after for(${this.#kind.kind}): a controller has one kind; use watches() for others`,
      );
    }
    this.#check('for', kind, options);
    this.#kind = kind;
    this.#sources.push(forKind(kind, options));
    return this;
  }

  /** A kind whose objects the controller creates with a controller reference: their changes give the key of the owner. Needs `for`. */
  owns<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions<NoInfer<T>> = {}): this {
    this.#check('owns', kind, options);
    this.#owned.push((owner) => ownedBy(kind, owner, options));
    return this;
  }

  /** Any kind: `map` gives the keys that a change concerns. For an update it is asked about the object before and after. */
  watches<T extends KubernetesObject>(
    kind: Kind<T>,
    map: MapFunction<NoInfer<T>>,
    options: WatchOptions<NoInfer<T>> = {},
  ): this {
    this.#check('watches', kind, options);
    if (typeof map !== 'function') {
      throw this.#misuse(`watches(${kind.kind}) needs a function that gives the keys to reconcile`);
    }
    this.#sources.push(mapped(kind, map, options));
    return this;
  }

  /** What is sent to a channel by other code of the program. */
  watchesChannel(channel: RequestChannel): this {
    if (typeof (channel as Partial<RequestChannel> | undefined)?.listen !== 'function') {
      throw this.#misuse('watchesChannel() needs a RequestChannel');
    }
    this.#others.push(fromChannel(channel));
    return this;
  }

  /**
   * The keys that the function gives, again and again after the period (milliseconds or a duration, > 0). For what is to be looked at
   * whether or not anything happened; of one object a result of `requeueAfter` does it as well.
   */
  every(period: number | Duration, keys: KeysFunction): this {
    const parsed = millisecondsOf(`controller ${this.#name}: every()`, period);
    if (parsed <= 0) {
      throw this.#misuse(`every() needs a period longer than 0, not ${period}`);
    }
    this.#others.push(fromTimer(parsed, keys));
    return this;
  }

  /** Ends the builder: registers the controller with its manager. Throws when nothing is watched. */
  reconcile(reconciler: Reconciler | Reconcile): Controller {
    if (this.#built) {
      throw this.#misuse('reconcile() was called already');
    }
    if (
      typeof reconciler !== 'function' &&
      typeof (reconciler as Partial<Reconciler> | undefined)?.reconcile !== 'function'
    ) {
      throw this.#misuse('reconcile() needs a function, or an object with a method reconcile');
    }
    const kind = this.#kind;
    if (kind === undefined && this.#owned.length > 0) {
      throw this.#misuse('owns() needs for(): the kind of the owner');
    }
    const owned = kind === undefined ? [] : this.#owned.map((make) => make(kind));
    const sources = [...this.#sources, ...owned];
    if (sources.length === 0 && this.#others.length === 0) {
      throw this.#misuse('nothing is watched; call for(), watches(), watchesChannel() or every() before reconcile()');
    }
    const reconcile: Reconcile =
      typeof reconciler === 'function' ? reconciler : (request, context) => reconciler.reconcile(request, context);
    const controller = this.#build(kind, sources, reconcile, this.#others);
    this.#built = true;
    return controller;
  }

  /** For programs without types. A class of markers is the likeliest mistake: it has the name of the kind. */
  #check(
    call: string,
    kind: Partial<Kind> | undefined,
    { predicates = [] }: { readonly predicates?: readonly unknown[] },
  ): void {
    if (typeof kind?.kind !== 'string' || typeof kind.apiVersion !== 'string' || typeof kind.plural !== 'string') {
      throw this.#misuse(`${call}() needs a kind: what is generated beside a declaration, or what defineKind makes`);
    }
    if (!Array.isArray(predicates) || predicates.some((predicate) => typeof predicate !== 'function')) {
      throw this.#misuse(`${call}(${kind.kind}): predicates must be a list of functions`);
    }
  }

  #misuse(message: string): TypeError {
    return new TypeError(`controller ${this.#name}: ${message}`);
  }
}
