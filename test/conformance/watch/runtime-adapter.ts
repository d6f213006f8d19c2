import { readFile } from 'node:fs/promises';
import { defaultEnvironment, defineKind } from 'operator-runtime';
import type { Environment, Kind, KubernetesObject, Transport } from 'operator-runtime';
import { createCache, type SharedInformer } from 'operator-runtime/cache';
import { createTransport } from 'operator-runtime/client';
import { faultsOf, HandlerView, type Adapter, type Contents, type RunningInformer } from './adapter.ts';

const Widget: Kind<KubernetesObject, 'Namespaced'> = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: [],
});

class RuntimeInformer implements RunningInformer {
  readonly #informer: SharedInformer<KubernetesObject>;
  readonly #end: () => Promise<void>;
  readonly #views: HandlerView[] = [];
  readonly #stop = new AbortController();

  constructor(transport: Transport, environment: Environment, end: () => Promise<void>) {
    this.#informer = createCache({ transport, environment }).informerFor(Widget);
    this.#end = end;
    this.addHandler();
    this.start();
  }

  cache(): Contents {
    return new Map(
      this.#informer.indexer
        .list()
        .map(({ metadata }) => [metadata.name ?? '', `${metadata.uid} ${metadata.resourceVersion}`]),
    );
  }

  /** Of the first handler; that all views are alike counts among the faults. */
  view(): Contents {
    return this.#views[0]?.known ?? new Map();
  }

  faults(): readonly string[] {
    return faultsOf(this.#views);
  }

  addHandler(): void {
    const view = new HandlerView();
    this.#views.push(view);
    this.#informer.addEventHandler({
      add: ({ metadata }) => view.add(metadata),
      update: (previous, { metadata }) => view.update(metadata, previous.metadata),
      delete: ({ metadata }) => view.delete(metadata),
    });
  }

  start(): void {
    void this.#informer.start(this.#stop.signal);
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#informer.stop();
    await this.#end();
  }
}

/** The informer of operator-runtime. */
export const runtimeAdapter: Required<Adapter> = {
  name: 'operator-runtime',
  connect(address, tokenFile) {
    const transport = createTransport({
      server: address,
      credentials: { current: async () => ({ token: await readFile(tokenFile, 'utf8') }), invalidate() {} },
    });
    return Promise.resolve(new RuntimeInformer(transport, defaultEnvironment(), () => transport.close()));
  },
  simulate: (transport, environment) => new RuntimeInformer(transport, environment, () => Promise.resolve()),
};
