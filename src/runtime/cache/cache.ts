import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { labelSelectorString } from '../client/labels.ts';
import { Rest } from '../client/rest.ts';
import type { LabelSelectorLike } from '../client/types.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import { discardLogger, type Logger } from '../environment/logger.ts';
import type { Kind } from '../kind/kind.ts';
import { createInformer } from './informer.ts';
import { missingPermissions, type MissingPermission } from './permissions.ts';
import type { Transform } from './transforms.ts';
import type { SharedInformer } from './types.ts';

/** Which objects of a kind are cached, and in which form. One for each kind and cache. */
export interface CachePolicy<T extends KubernetesObject = KubernetesObject> {
  /** Default: the cache's namespaces; for cluster-scoped kinds it must be left out. */
  readonly namespaces?: readonly string[];
  readonly labels?: LabelSelectorLike;
  /** A field selector as the server takes it. */
  readonly fields?: string;
  /** For instance `stripManagedFields`. */
  readonly transform?: Transform<T>;
  /** Only type and metadata are asked for and cached, a tenth of the memory for large objects. Default false. */
  readonly metadataOnly?: boolean;
  /**
   * Whether bodies are kept compressed, about a tenth of the memory, and parsed at each read: for kinds with many objects that are read
   * seldom. A write costs about 40 microseconds more, a read 20. Default false.
   */
  readonly compressed?: boolean;
  /**
   * Whether equal strings of the objects that were read are one: less memory where many objects say the same, for some microseconds at
   * the first read of each. Default false.
   */
  readonly internStrings?: boolean;
  /**
   * Whether a kind that the server does not serve counts as one without objects, as long as its definition is missing. Default false: the
   * cache waits for it.
   */
  readonly optional?: boolean;
  /**
   * How often everything that watches the kind is told of all its objects again, in milliseconds, give or take a tenth; nothing is asked
   * of the server. A safety net for faults of reconcilers, which `requeueAfter` serves better. Default: never.
   */
  readonly resyncPeriod?: number;
}

export interface CacheOptions {
  readonly transport: Transport;
  readonly environment: Environment;
  /** Default: none. */
  readonly logger?: Logger;
  /** Default: all namespaces. */
  readonly namespaces?: readonly string[];
  readonly userAgent?: string;
  /** For the kinds whose policy has none. */
  readonly transform?: <T extends KubernetesObject>(object: T) => T;
  /**
   * Whether lists are streamed (`sendInitialEvents`) where the server can, which Kubernetes does from 1.34 on: it needs less of the
   * server's memory. Default true, as client-go.
   */
  readonly streamingList?: boolean;
  /**
   * What reads through the cache (`client.get`, `client.list`) do with a kind for which there is no informer: `error`, a `NotCachedError`;
   * `cache`, make one, as controller-runtime does: the first read lists and watches all objects of the kind, for good. Default `error`.
   */
  readonly undeclaredReads?: 'error' | 'cache';
}

/**
 * A share in a kind's informer. When the last one is given back, and nobody has asked for the informer by `informerFor`, it is stopped and
 * its objects are forgotten.
 */
export interface InformerLease<T extends KubernetesObject> extends AsyncDisposable {
  readonly informer: SharedInformer<T>;
  /** Gives the share back; resolves when nothing is left of what that stops. Idempotent. `await using` does it. */
  release(): Promise<void>;
}

/** The informers of a cluster: one for each kind, whoever asks for it. */
export interface Cache {
  /**
   * The kind's informer, made (and started, when the cache is) on the first call. A policy that differs from the one of an earlier call
   * is an error.
   */
  informerFor<T extends KubernetesObject>(kind: Kind<T>, policy?: CachePolicy<T>): SharedInformer<T>;
  /**
   * Like `informerFor`, for who needs the kind for a while only. Handlers that were added to the informer are removed by whoever added
   * them.
   */
  acquire<T extends KubernetesObject>(kind: Kind<T>, policy?: CachePolicy<T>): InformerLease<T>;
  /** The kind's informer, when there is one. */
  existing<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T> | undefined;
  /** The informer that answers a read of the kind; undefined where there is none, and `undeclaredReads` asks for none. */
  forRead<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T> | undefined;
  readonly informers: readonly SharedInformer<KubernetesObject>[];
  /** Runs all informers, also those that come later, until the signal is aborted; then resolves, with nothing left. */
  start(signal: AbortSignal): Promise<void>;
  /**
   * Stops the kind's informer and forgets it with its objects, handlers and policy; a later `informerFor` makes another one. Reads of the
   * kind are a `NotCachedError` until then.
   */
  remove(kind: Kind<never> | Kind): Promise<void>;
  /** What RBAC does not allow of that which the informers of now need; asks the server, two requests for each kind and namespace. */
  missingPermissions(signal?: AbortSignal): Promise<readonly MissingPermission[]>;
  /** Resolves once each informer of now has synced. */
  waitForSync(signal?: AbortSignal): Promise<void>;
}

/** Makes a cache without informers. */
export function createCache(options: CacheOptions): Cache {
  return new InformerCache(options);
}

interface Entry {
  readonly namespaces: readonly string[] | undefined;
  /** Where the policy was declared. */
  readonly place: string | undefined;
  readonly informer: SharedInformer<KubernetesObject>;
  readonly policy: CachePolicy<never> | undefined;
  /** How many have a share in it. */
  leases: number;
  /** Somebody wants it for as long as the cache lives. */
  kept: boolean;
}

class InformerCache implements Cache {
  readonly #options: CacheOptions;
  readonly #rest: Rest;
  readonly #logger: Logger;
  readonly #entries = new Map<string, Entry>();
  #running: { readonly signal: AbortSignal; readonly ended: Set<Promise<void>> } | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#logger = options.logger ?? discardLogger;
    this.#rest = new Rest({
      transport: options.transport,
      environment: options.environment,
      logger: this.#logger,
      ...(options.userAgent === undefined ? {} : { userAgent: options.userAgent }),
    });
  }

  informerFor<T extends KubernetesObject>(kind: Kind<T>, policy?: CachePolicy<T>): SharedInformer<T> {
    const entry = this.#entryFor(kind, policy);
    entry.kept = true;
    return entry.informer as unknown as SharedInformer<T>;
  }

  acquire<T extends KubernetesObject>(kind: Kind<T>, policy?: CachePolicy<T>): InformerLease<T> {
    const entry = this.#entryFor(kind, policy);
    entry.leases++;
    let released: Promise<void> | undefined;
    const release = (): Promise<void> => (released ??= this.#release(kind, entry));
    const informer = entry.informer as unknown as SharedInformer<T>;
    return { informer, release, [Symbol.asyncDispose]: release };
  }

  async #release(kind: Kind<never> | Kind, entry: Entry): Promise<void> {
    entry.leases--;
    const isCurrent = this.#entries.get(keyOf(kind)) === entry;
    if (isCurrent && entry.leases === 0 && !entry.kept) await this.remove(kind);
  }

  #entryFor<T extends KubernetesObject>(kind: Kind<T>, policy: CachePolicy<T> | undefined): Entry {
    const key = keyOf(kind);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      if (policy !== undefined && !samePolicy(policy, known.policy)) {
        const first = known.place === undefined ? 'without a policy' : `by the policy of ${known.place}`;
        throw new Error(
          `${kind.kind} (${kind.apiVersion}) is cached ${first} already; another policy comes from ${placeOfCaller()}: ` +
            'there is one for each kind and cache, to be declared before the kind is used',
        );
      }
      return known;
    }
    const namespaces = this.#namespacesOf(kind, policy);
    const informer = this.#make(kind, policy, namespaces);
    const entry: Entry = {
      namespaces,
      informer: informer as unknown as SharedInformer<KubernetesObject>,
      policy: policy as never,
      place: policy === undefined ? undefined : placeOfCaller(),
      leases: 0,
      kept: false,
    };
    this.#entries.set(key, entry);
    if (this.#running !== undefined && !this.#running.signal.aborted) {
      this.#run(informer, this.#running);
    }
    return entry;
  }

  existing<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T> | undefined {
    return this.#entries.get(keyOf(kind))?.informer as unknown as SharedInformer<T> | undefined;
  }

  forRead<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T> | undefined {
    return this.#options.undeclaredReads === 'cache' ? this.informerFor(kind) : this.existing(kind);
  }

  get informers(): readonly SharedInformer<KubernetesObject>[] {
    return Array.from(this.#entries.values(), ({ informer }) => informer);
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) throw new Error('the cache is running already');
    const running = { signal, ended: new Set<Promise<void>>() };
    this.#running = running;
    for (const informer of this.informers) this.#run(informer, running);
    try {
      if (!signal.aborted) {
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      await Promise.all(running.ended);
    } finally {
      this.#running = undefined;
    }
  }

  #run(
    informer: Pick<SharedInformer<never>, 'start'>,
    { signal, ended }: { readonly signal: AbortSignal; readonly ended: Set<Promise<void>> },
  ): void {
    // Informers come and go while the cache runs.
    const life = informer.start(signal).finally(() => ended.delete(life));
    ended.add(life);
  }

  async remove(kind: Kind<never> | Kind): Promise<void> {
    const entry = this.#entries.get(keyOf(kind));
    this.#entries.delete(keyOf(kind));
    await entry?.informer.stop();
  }

  async missingPermissions(signal?: AbortSignal): Promise<readonly MissingPermission[]> {
    const missing: MissingPermission[] = [];
    for (const { informer, namespaces } of this.#entries.values()) {
      missing.push(...(await missingPermissions(this.#rest, informer.kind, namespaces ?? [undefined], signal)));
    }
    return missing;
  }

  async waitForSync(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.informers.map((informer) => informer.waitForSync(signal)));
  }

  #namespacesOf<T extends KubernetesObject>(
    kind: Kind<T>,
    policy: CachePolicy<T> | undefined,
  ): readonly string[] | undefined {
    if (kind.scope === 'Cluster' && policy?.namespaces !== undefined) {
      throw new Error(`${kind.kind} is cluster-scoped: its cache policy cannot name namespaces`);
    }
    const namespaces = kind.scope === 'Cluster' ? undefined : (policy?.namespaces ?? this.#options.namespaces);
    return namespaces?.length ? namespaces : undefined;
  }

  #make<T extends KubernetesObject>(
    kind: Kind<T>,
    policy: CachePolicy<T> | undefined,
    namespaces: readonly string[] | undefined,
  ): SharedInformer<T> {
    const { streamingList } = this.#options;
    const transform = policy?.transform ?? this.#options.transform;
    return createInformer({
      kind,
      rest: this.#rest,
      logger: this.#logger,
      explainRefusals: true,
      ...(streamingList === undefined ? {} : { streamingList }),
      ...(namespaces === undefined ? {} : { namespaces }),
      ...(policy?.labels === undefined ? {} : { labelSelector: labelSelectorString(policy.labels) }),
      ...(policy?.fields === undefined ? {} : { fieldSelector: policy.fields }),
      ...(transform === undefined ? {} : { transform }),
      ...(policy?.metadataOnly === undefined ? {} : { metadataOnly: policy.metadataOnly }),
      bodies: {
        ...(policy?.compressed === undefined ? {} : { compressed: policy.compressed }),
        ...(policy?.internStrings === undefined ? {} : { internStrings: policy.internStrings }),
      },
      ...(policy?.optional === undefined ? {} : { optional: policy.optional }),
      ...(policy?.resyncPeriod === undefined ? {} : { resyncPeriod: policy.resyncPeriod }),
    });
  }
}

function keyOf(kind: Kind<never> | Kind): string {
  return `${kind.apiVersion} ${kind.kind}`;
}

function samePolicy<T extends KubernetesObject>(one: CachePolicy<T>, other: CachePolicy<never> | undefined): boolean {
  return isDeepStrictEqual(one, other ?? {});
}

/** Where the function that calls this was called, as V8 writes it (`file:///app/main.js:12:3`), for messages. */
function placeOfCaller(): string {
  // The first line is the error's, then come this function and the two that ask.
  const [, , , , line = ''] = (new Error('a stack').stack ?? '').split('\n');
  return /\(?([^\s()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? 'an unknown place';
}
