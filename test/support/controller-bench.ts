import type { KubernetesObject, OwnerReference } from '../../src/runtime/apis/meta/v1.ts';
import { StoredObject } from '../../src/runtime/cache/lazy-object.ts';
import type { InformerHealth, LazyEventHandler, SharedInformer } from '../../src/runtime/cache/types.ts';
import { freeze } from '../../src/runtime/client/cached.ts';
import type { Client } from '../../src/runtime/client/types.ts';
import { ControllerBuilder } from '../../src/runtime/controller/builder.ts';
import { Controller } from '../../src/runtime/controller/controller.ts';
import type { ControllerOptions } from '../../src/runtime/controller/options.ts';
import type { Reconcile, ReconcileContext, Request } from '../../src/runtime/controller/reconcile.ts';
import type { Result } from '../../src/runtime/controller/result.ts';
import type { InformerSource } from '../../src/runtime/controller/sources.ts';
import { TurnBudget } from '../../src/runtime/environment/turn-budget.ts';
import type { LogFields, Logger } from '../../src/runtime/environment/logger.ts';
import { createVirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import { defineKind } from '../../src/runtime/kind/kind.ts';
import type { Kind } from '../../src/runtime/kind/kind.ts';
import { ExponentialBackoff } from '../../src/runtime/queue/rate-limiter.ts';

const kindOf = (kind: string, group = 'example.com'): Kind =>
  defineKind<KubernetesObject>({
    group,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: 'Namespaced',
    subresources: [],
  });
export const Widget = kindOf('Widget');
export const ConfigMap = kindOf('ConfigMap', '');

type Metadata = KubernetesObject['metadata'];
export const widget = (name: string, metadata: Metadata = {}): KubernetesObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
});
export const configMap = (name: string, metadata: Metadata = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
});
export const controlledBy = (name: string, uid = `uid-${name}`): { ownerReferences: OwnerReference[] } => ({
  ownerReferences: [{ apiVersion: 'example.com/v1beta1', kind: 'Widget', name, uid, controller: true }],
});

/** An informer whose events the test makes. */
export class FakeInformer {
  readonly objects = new Map<string, KubernetesObject>();
  readonly handlers = new Set<LazyEventHandler<KubernetesObject>>();
  synced = true;
  error: Error | undefined;
  #waiting: (() => void)[] = [];

  set(object: KubernetesObject): void {
    freeze(object);
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    const previous = this.objects.get(key);
    this.objects.set(key, object);
    for (const handler of this.handlers) {
      if (previous === undefined) {
        handler.add?.(StoredObject.of(object), false);
      } else {
        handler.update?.(StoredObject.of(previous), StoredObject.of(object));
      }
    }
  }

  delete(name: string): void {
    const object = this.objects.get(`ns/${name}`);
    this.objects.delete(`ns/${name}`);
    for (const handler of this.handlers) {
      if (object !== undefined) {
        handler.delete?.(StoredObject.of(object), false);
      }
    }
  }

  sync(): void {
    this.synced = true;
    for (const resolve of this.#waiting) {
      resolve();
    }
  }

  as(kind: Kind): SharedInformer<KubernetesObject> {
    const informer: Partial<SharedInformer<KubernetesObject>> = {
      kind,
      indexer: {
        get: ({ namespace, name }: { namespace?: string; name: string }) => this.objects.get(`${namespace}/${name}`),
        peek: ({ namespace, name }: { namespace?: string; name: string }) => {
          const object = this.objects.get(`${namespace}/${name}`);
          return object === undefined ? undefined : StoredObject.of(object);
        },
      } as unknown as SharedInformer<KubernetesObject>['indexer'],
      addLazyEventHandler: (handler) => {
        this.handlers.add(handler);
        for (const object of this.objects.values()) {
          handler.add?.(StoredObject.of(object), true);
        }
        const remove = (): void => void this.handlers.delete(handler);
        return { hasSynced: () => this.synced, remove, [Symbol.dispose]: remove };
      },
      waitForSync: (signal) =>
        new Promise((resolve, reject) => {
          if (this.synced) {
            resolve();
          }
          this.#waiting.push(resolve);
          signal?.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
      health: (): InformerHealth => ({
        state: 'backoff',
        synced: this.synced,
        ...(this.error === undefined ? {} : { error: this.error }),
      }),
    };
    return informer as SharedInformer<KubernetesObject>;
  }
}

export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

export function recorder(lines: Line[], base: LogFields = {}): Logger {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, fields: { ...base, ...fields } });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => recorder(lines, { ...base, ...fields }),
  };
}

export interface Bench {
  readonly world: VirtualEnvironment;
  readonly widgets: FakeInformer;
  readonly configMaps: FakeInformer;
  readonly lines: Line[];
  /** Requests in the order in which their reconciles began, with the moment. */
  readonly runs: { readonly name: string; readonly at: number; readonly context: ReconcileContext }[];
  readonly builder: ControllerBuilder;
  /** Starts a controller for Widget with the builder's sources. */
  start(): { stop: () => Promise<void>; ended: Promise<void> };
  names(): string[];
}

export function setUp(
  reconcile: (request: Request, context: ReconcileContext, bench: Bench) => Promise<Result>,
  options: ControllerOptions = {},
): Bench {
  const world = createVirtualEnvironment();
  const widgets = new FakeInformer();
  const configMaps = new FakeInformer();
  const lines: Line[] = [];
  const runs: { name: string; at: number; context: ReconcileContext }[] = [];
  const informers: InformerSource = {
    informerFor: ((kind: Kind) => (kind === Widget ? widgets : configMaps).as(kind)) as InformerSource['informerFor'],
  };
  const rateLimiter = new ExponentialBackoff<Request>({
    random: world.random,
    jitter: 0,
    identity: ({ namespace, name }) => `${namespace}/${name}`,
  });
  const dependencies = {
    environment: world,
    log: recorder(lines),
    client: { status: {}, live: {} } as unknown as Client,
    informers,
    budget: new TurnBudget(world),
  };
  const builder = new ControllerBuilder(
    'widget',
    (kind, sources, run, others) =>
      new Controller('widget', kind, sources, run, { rateLimiter, ...options }, dependencies, others),
  ).for(Widget);
  const bench: Bench = {
    world,
    widgets,
    configMaps,
    lines,
    runs,
    builder,
    start() {
      const wrapped: Reconcile = (request, context) => {
        runs.push({ name: request.name, at: Math.round(world.clock.monotonic()), context });
        return reconcile(request, context, bench);
      };
      const controller = builder.reconcile(wrapped);
      const abort = new AbortController();
      const ended = controller.run(abort.signal);
      return {
        ended,
        stop: async () => {
          abort.abort(new Error('stop'));
          await ended;
        },
      };
    },
    names: () => runs.map(({ name }) => name),
  };
  return bench;
}

export const pause = (world: VirtualEnvironment, milliseconds: number): Promise<void> =>
  new Promise((resolve) => world.clock.setTimer(resolve, milliseconds));
