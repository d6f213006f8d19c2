import type { KubernetesObject } from '../apis/meta/v1.ts';
import { UnexpectedAnswerError } from '../client/errors.ts';
import type { Rest } from '../client/rest.ts';
import { childSignal, raceSignal, sleep, type ChildSignal } from '../environment/child-signal.ts';
import type { Logger } from '../environment/logger.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import type { Kind } from '../kind/kind.ts';
import { compareResourceVersions } from '../kind/resource-version.ts';
import { arrivals } from './arrivals.ts';
import { Bodies, type BodyOptions } from './bodies.ts';
import { eagerHandler } from './eager-handler.ts';
import { Handlers, type Registration } from './handlers.ts';
import { StoredObject } from './lazy-object.ts';
import { ListWatch } from './list-watch.ts';
import { describePermission, missingPermissions } from './permissions.ts';
import { Reflector, type ReflectorSink } from './reflector.ts';
import { sumStatistics, type InformerStatistics } from './statistics.ts';
import { Store, type Delta } from './store.ts';
import { NamespacedStores } from './stores.ts';
import { stripManagedFields, type Transform } from './transforms.ts';
import type {
  EventHandler,
  HandlerRegistration,
  Indexer,
  InformerHealth,
  LazyEventHandler,
  SharedInformer,
} from './types.ts';

export interface InformerOptions<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly rest: Rest;
  readonly logger: Logger;
  /** Each gets a list and watch of its own. All when left out; must be left out for cluster-scoped kinds. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly transform?: Transform<T>;
  /** Only type and metadata are asked for and cached. Default false. */
  readonly metadataOnly?: boolean;
  readonly bodies?: BodyOptions;
  /** Whether a kind that is not installed counts as one without objects. Default false: the informer waits for it. */
  readonly optional?: boolean;
  /** Default true. */
  readonly streamingList?: boolean;
  /** How often handlers are told of all objects again, in milliseconds, give or take a tenth. Default: never. */
  readonly resyncPeriod?: number;
  /** Whether to ask the server, once, which permissions are missing when it refuses, and to log them. Default false. */
  readonly explainRefusals?: boolean;
}

/** So many objects say how large the others are. */
const samplesForSize = 100;

/** Makes an informer; it does nothing until it is started. */
export function createInformer<T extends KubernetesObject>(options: InformerOptions<T>): SharedInformer<T> {
  return new Informer(options);
}

/** One namespace, or all of them, as one reflector sees it. */
interface Part<T extends KubernetesObject> {
  readonly namespace: string | undefined;
  readonly reflector: Reflector;
  readonly store: Store<T>;
  resourceVersion: string;
  synced: boolean;
}

interface Waiter {
  readonly condition: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class Informer<T extends KubernetesObject> implements SharedInformer<T> {
  readonly kind: Kind<T>;
  readonly #options: InformerOptions<T>;
  readonly #indexer: Indexer<T>;
  readonly #parts: readonly Part<T>[];
  readonly #budget: TurnBudget;
  readonly #bodies: Bodies;
  #explained = false;
  readonly #handlers: Handlers<T>;
  readonly #waiters = new Set<Waiter>();
  #running: { readonly done: Promise<void>; readonly life: ChildSignal } | undefined;

  constructor(options: InformerOptions<T>) {
    this.kind = options.kind;
    this.#options = options;
    this.#bodies = new Bodies(options.bodies, (object) => {
      // It is asked for again with all others, whoever found it.
      const part = this.#parts.find(({ namespace = object.namespace }) => namespace === object.namespace);
      part?.reflector.listAgain(new UnexpectedAnswerError(`${object.namespace}/${object.name} is no JSON`));
    });
    const { environment } = options.rest;
    this.#budget = TurnBudget.of(environment);
    this.#handlers = new Handlers({
      clock: environment.clock,
      budget: this.#budget,
      onError: (error, removed) => {
        options.logger.error('An event handler failed', { kind: this.kind.kind, error, removed });
      },
      onCaughtUp: () => {
        this.#wake();
      },
    });
    const namespaces = options.namespaces?.length ? [...new Set(options.namespaces)] : [undefined];
    this.#parts = namespaces.map((namespace) => this.#part(namespace));
    const [first] = this.#parts;
    this.#indexer =
      first !== undefined && this.#parts.length === 1
        ? first.store
        : new NamespacedStores(new Map(this.#parts.map(({ namespace = '', store }) => [namespace, store])));
  }

  get indexer(): Indexer<T> {
    return this.#indexer;
  }

  get resourceVersion(): string {
    const versions = this.#parts.map((part) => part.resourceVersion);
    if (versions.includes('')) return '';
    return versions.reduce((one, other) => ((compareResourceVersions(one, other) ?? 1) < 0 ? one : other));
  }

  addEventHandler(handler: EventHandler<T>): HandlerRegistration {
    return this.addLazyEventHandler(eagerHandler(this.kind, handler));
  }

  addLazyEventHandler(handler: LazyEventHandler<T>): HandlerRegistration {
    const objects = this.#parts.flatMap(({ store }) => store.stored());
    const registration = this.#handlers.add(handler, objects);
    const remove = (): void => {
      this.#handlers.remove(registration);
    };
    return { hasSynced: () => registration.caughtUp && this.hasSynced(), remove, [Symbol.dispose]: remove };
  }

  hasSynced(): boolean {
    return this.#parts.every((part) => part.synced);
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    return this.waitUntil(() => this.hasSynced(), signal);
  }

  async waitUntil(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (condition()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { condition, resolve, reject };
    this.#waiters.add(waiter);
    try {
      await (signal === undefined ? promise : raceSignal(promise, signal));
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  start(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) {
      const { life, done } = this.#running;
      return life.signal.aborted ? done.then(() => this.start(signal)) : done;
    }
    const life = childSignal(signal, this.#options.rest.environment.clock);
    const done = this.#run(life);
    this.#running = { life, done };
    return done;
  }

  async #run(life: ChildSignal): Promise<void> {
    const resyncs = this.#resyncs(life.signal);
    await Promise.all(this.#parts.map((part) => part.reflector.run(life.signal)));
    await resyncs;
    life[Symbol.dispose]();
    this.#running = undefined;
  }

  /** Tells handlers of all objects again and again, as a safety net for their own faults; the server is not asked. */
  async #resyncs(signal: AbortSignal): Promise<void> {
    const { resyncPeriod = 0, rest } = this.#options;
    if (resyncPeriod <= 0) return;
    const { clock, random } = rest.environment;
    while (!signal.aborted) {
      try {
        // Spread, so that the kinds of a process do not come together.
        await sleep(clock, resyncPeriod * (0.9 + 0.2 * random.next()), signal);
      } catch {
        return; // It is stopped.
      }
      const registrations = this.#handlers.current;
      for (const { store } of this.#parts) {
        for (const object of store.stored()) {
          // It may have changed since the round began.
          const current = store.peek(object);
          if (current !== undefined) this.#handlers.resync(registrations, current);
          if (this.#budget.exhausted()) await this.#budget.turn();
          if (signal.aborted) return;
        }
      }
    }
  }

  async stop(): Promise<void> {
    this.#running?.life.abort();
    await this.#running?.done;
    await this.#handlers.idle();
  }

  health(): InformerHealth {
    const reflectors = this.#parts.map((part) => part.reflector);
    const worst =
      reflectors.find(({ error }) => error !== undefined) ?? reflectors.find(({ state }) => state !== 'watching');
    const { state, error } = worst ?? reflectors[0] ?? { state: 'idle', error: undefined };
    const progress = reflectors.map(({ lastProgress }) => lastProgress);
    const oldest = progress.includes(undefined) ? undefined : Math.min(...progress.map(Number));
    return {
      state,
      synced: this.hasSynced(),
      ...(error === undefined ? {} : { error }),
      ...(oldest === undefined ? {} : { lastProgress: oldest }),
    };
  }

  statistics(): InformerStatistics {
    return sumStatistics(this.#parts.map(({ reflector }) => reflector.statistics));
  }

  cachedBytes(): number {
    let sampled = 0;
    let bytes = 0;
    for (const { store } of this.#parts) {
      for (const object of store.sample(samplesForSize)) {
        sampled++;
        bytes += object.size();
      }
    }
    return sampled === 0 ? 0 : Math.round((bytes / sampled) * this.#indexer.size);
  }

  #part(namespace: string | undefined): Part<T> {
    const { kind, rest, logger, labelSelector, fieldSelector, transform, metadataOnly, optional, streamingList } =
      this.#options;
    const listWatch = new ListWatch(rest, kind, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(metadataOnly === undefined ? {} : { metadataOnly }),
      withoutManagedFields: (transform as unknown) === stripManagedFields,
      bodies: this.#bodies,
    });
    const store = new Store<T>({
      budget: this.#budget,
      onIndexError: (index, error) => {
        logger.error('An index function failed', { kind: kind.kind, index, error });
      },
    });
    const sink: ReflectorSink = {
      prepare: (object) => {
        const same = store.same(object);
        if (same === undefined) object.detach();
        else object.supersede();
        return (same ?? this.#transform(object)) as unknown as StoredObject<KubernetesObject>;
      },
      replace: async (objects, resourceVersion) => {
        let registrations: readonly Registration<T>[] = [];
        const deltas = await store.replace(objects as unknown as Map<string, StoredObject<T>>, this.#budget, () => {
          // Those of this very moment: one that comes later finds the new state in the store.
          registrations = this.#handlers.current;
          part.resourceVersion = resourceVersion;
        });
        await this.#handlers.tellInSlices(registrations, deltas, !part.synced);
        part.synced = true;
        this.#wake();
      },
      upsert: (object, resourceVersion) => {
        this.#took(part, resourceVersion, store.upsert(this.#transform(object)));
      },
      delete: (object, resourceVersion) => {
        this.#took(part, resourceVersion, store.delete(this.#transform(object)));
      },
      bookmark: (resourceVersion) => {
        // Once a minute, so that little of what came from sockets is kept for long.
        arrivals.settle();
        this.#took(part, resourceVersion, []);
      },
    };
    const reflector = new Reflector({
      listWatch,
      sink,
      onForbidden: () => this.#explainRefusal(),
      environment: rest.environment,
      logger,
      ...(optional === undefined ? {} : { optional }),
      ...(streamingList === undefined ? {} : { streamingList }),
    });
    const part: Part<T> = { namespace, reflector, store, resourceVersion: '', synced: false };
    return part;
  }

  /** Says once which verbs are missing: a refusal names one only, and the next would come after the first was given. */
  async #explainRefusal(): Promise<void> {
    if (this.#explained || this.#options.explainRefusals !== true) return;
    this.#explained = true;
    const { kind, rest, logger } = this.#options;
    const namespaces = this.#parts.map(({ namespace }) => namespace);
    try {
      const missing = await missingPermissions(rest, kind, namespaces, this.#running?.life.signal);
      if (missing.length === 0) return;
      logger.error('RBAC does not allow what the cache needs: extend the role, and it goes on by itself', {
        kind: kind.kind,
        missing: missing.map(describePermission),
      });
    } catch (error) {
      logger.debug('It cannot be found out which permissions are missing', { kind: kind.kind, error });
    }
  }

  #transform(object: StoredObject<KubernetesObject>): StoredObject<T> {
    const { transform, logger, kind } = this.#options;
    const isDone = (transform as unknown) === stripManagedFields && !object.isParsed;
    if (transform === undefined || isDone) return object as unknown as StoredObject<T>;
    const parsed = object.unfrozen() as T;
    try {
      return StoredObject.of(transform(parsed), this.#bodies);
    } catch (error) {
      logger.error('A transform failed, the object is cached as it came', {
        kind: kind.kind,
        name: object.name,
        error,
      });
      return object as unknown as StoredObject<T>;
    }
  }

  #took(part: Part<T>, resourceVersion: string, deltas: readonly Delta<T>[]): void {
    const order = compareResourceVersions(resourceVersion, part.resourceVersion);
    if (order === undefined || order > 0) part.resourceVersion = resourceVersion;
    const registrations = deltas.length === 0 ? [] : this.#handlers.current;
    for (const delta of deltas) {
      this.#handlers.tell(registrations, delta, false);
      delta.object.settle();
    }
    this.#wake();
  }

  #wake(): void {
    for (const { condition, resolve, reject } of this.#waiters) {
      try {
        if (condition()) resolve();
      } catch (error) {
        reject(error);
      }
    }
  }
}
