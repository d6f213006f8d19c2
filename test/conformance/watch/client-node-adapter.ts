import { readFile } from 'node:fs/promises';
import { KubeConfig, makeInformer, type KubernetesListObject, type KubernetesObject } from '@kubernetes/client-node';
import { faultsOf, HandlerView, type Adapter, type Contents, type RunningInformer } from './adapter.ts';

const path = '/apis/example.com/v1/widgets';
/** As its documentation does it: start again a while after each error. */
const restartAfter = 1000;

class ClientNodeInformer implements RunningInformer {
  readonly #informer: ReturnType<typeof makeInformer<KubernetesObject>>;
  readonly #views: HandlerView[] = [];
  #restart: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(address: string, tokenFile: string) {
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: 'c', server: address, skipTLSVerify: true }],
      users: [{ name: 'u', authProvider: { name: 'tokenFile', config: { tokenFile } } }],
      contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
      currentContext: 'x',
    });
    const list = async (): Promise<KubernetesListObject<KubernetesObject>> => {
      const response = await fetch(address + path, {
        headers: { authorization: `Bearer ${await readFile(tokenFile, 'utf8')}` },
      });
      if (!response.ok)
        throw Object.assign(new Error(`HTTP status ${response.status}`), { statusCode: response.status });
      return (await response.json()) as KubernetesListObject<KubernetesObject>;
    };
    this.#informer = makeInformer(config, path, list);
    this.#informer.on('error', () => {
      if (this.#ended) return;
      clearTimeout(this.#restart);
      this.#restart = setTimeout(() => this.start(), restartAfter);
    });
    this.addHandler();
    this.start();
  }

  cache(): Contents {
    return new Map(
      this.#informer
        .list()
        .map(({ metadata }) => [metadata?.name ?? '', `${metadata?.uid} ${metadata?.resourceVersion}`]),
    );
  }

  view(): Contents {
    return this.#views[0]?.known ?? new Map();
  }

  faults(): readonly string[] {
    return faultsOf(this.#views);
  }

  addHandler(): void {
    const view = new HandlerView();
    this.#views.push(view);
    this.#informer.on('add', ({ metadata }) => view.add(metadata ?? {}));
    this.#informer.on('update', ({ metadata }) => view.update(metadata ?? {}));
    this.#informer.on('delete', ({ metadata }) => view.delete(metadata ?? {}));
  }

  start(): void {
    this.#informer.start().catch(() => {
      // A list that fails rejects here, and nobody else tries again.
      if (this.#ended) return;
      clearTimeout(this.#restart);
      this.#restart = setTimeout(() => this.start(), restartAfter);
    });
  }

  async stop(): Promise<void> {
    clearTimeout(this.#restart);
    await this.#informer.stop();
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.stop();
  }
}

/** The informer of @kubernetes/client-node, used as its documentation says. */
export const clientNodeAdapter: Adapter = {
  name: '@kubernetes/client-node',
  connect: (address, tokenFile) => Promise.resolve(new ClientNodeInformer(address, tokenFile)),
};
