// The reconciler that a scaffolded project starts with, killed at random moments: what it makes outside of the cluster is neither leaked
// nor made twice.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discardLogger } from '../../src/runtime/environment/logger.ts';
import type { Transport } from '../../src/runtime/environment/environment.ts';
import { seededRandom } from '../../src/runtime/environment/virtual-random.ts';
import { createVirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import { moreThanStatusChanged } from '../../src/runtime/controller/predicates.ts';
import type { Reconciler } from '../../src/runtime/controller/reconcile.ts';
import { createManager } from '../../src/runtime/manager/manager.ts';
import { resourceFiles } from '../../src/scaffold/resource-files.ts';
import { root } from '../../tools/repository.ts';
import { path, Widget, widget } from '../support/manager-bench.ts';
import { VirtualApiServer } from '../support/virtual-api-server.ts';

interface External {
  readonly id: string;
  readonly size: number;
}

interface Store {
  get(id: string, signal: AbortSignal): Promise<External | undefined>;
  put(external: External, signal: AbortSignal): Promise<void>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

const lives = 12;
const seeds = 60;
let makeReconciler: (store: Store) => Reconciler;
const folder = mkdtempSync(join(tmpdir(), 'create-operator-crash-'));

beforeAll(async () => {
  const files = resourceFiles(
    { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced', controller: true },
    {
      projectName: 'crash',
      kubernetesVersion: '1.34',
      packageManager: 'npm',
      workspace: false,
      namespaced: false,
      multigroup: false,
      helm: false,
      kindRoles: 'none',
      resources: [],
      dependencies: { 'create-operator': '*', 'operator-runtime': '*' },
    },
  );
  const write = (name: string, from: string): string => {
    const file = files.find(({ path: written }) => written === from);
    expect(file, from).toBeDefined();
    writeFileSync(join(folder, name), file?.content ?? '');
    return join(folder, name);
  };
  const source = write('widget-controller.ts', 'src/controllers/widget-controller.ts');
  write('widget-external.ts', 'src/controllers/widget-external.ts');
  const kind = `import { defineKind } from 'operator-runtime'; export const Widget = defineKind(${JSON.stringify(Widget)});`;
  writeFileSync(join(folder, 'widget.ts'), kind);
  const outfile = join(folder, 'controller.mjs');
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    external: ['pino', 'undici', '@kubernetes/client-node'],
    plugins: [
      {
        name: 'project',
        setup(bundle) {
          bundle.onResolve({ filter: /^operator-runtime$/ }, () => ({ path: join(root, 'src/runtime/index.ts') }));
          bundle.onResolve({ filter: /^operator-runtime\/markers$/ }, () => ({
            path: join(root, 'src/runtime/markers/index.ts'),
          }));
          bundle.onResolve({ filter: /api\/v1\/widget\.js$/ }, () => ({ path: join(folder, 'widget.ts') }));
          bundle.onResolve({ filter: /widget-external\.js$/ }, () => ({ path: join(folder, 'widget-external.ts') }));
          // From the repository's own modules: the bundle stands elsewhere.
          bundle.onResolve({ filter: /^(pino|undici|@kubernetes\/client-node)$/ }, ({ path }) => ({
            path: import.meta.resolve(path),
            external: true,
          }));
        },
      },
    ],
  });
  const { WidgetReconciler } = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
    WidgetReconciler: new (store: Store) => Reconciler;
  };
  makeReconciler = (store) => new WidgetReconciler(store);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A process that dies at a random one of its calls: before it, or after it was done but before anybody knew. */
class Life {
  dead = false;
  readonly #left: number;
  readonly #after: boolean;
  #calls = 0;

  /** Dies at the call of this number. */
  constructor(left: number, after: boolean) {
    this.#left = left;
    this.#after = after;
  }

  async call<T>(act: () => Promise<T>): Promise<T> {
    if (!this.dead && ++this.#calls >= this.#left) {
      this.dead = true;
      if (this.#after) {
        await act();
      }
    }
    if (this.dead) {
      throw new Error('the process is dead');
    }
    return act();
  }
}

describe('the scaffolded reconciler', () => {
  it(`neither leaks nor doubles anything in ${seeds} x ${lives} lives that end at random calls`, async () => {
    let deaths = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      deaths += await oneWorld(seed);
    }
    // That the test is of use.
    expect(deaths).toBeGreaterThan((seeds * lives) / 2);
  }, 120_000);
});

/** Several lives one after the other, then one that is left alone; gives how many have died. */
async function oneWorld(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const world = createVirtualEnvironment({ seed });
  const server = new VirtualApiServer({ widgets: 'Widget' });
  /** By id, one entry for each resource that was made. */
  const cloud = new Map<string, External>();
  let deaths = 0;
  for (let count = 0; count < lives; count++) {
    const life = new Life(Math.floor(random.next() * 12) + 1, random.next() < 0.5);
    disturb(random, server);
    await live(world, server, cloud, life, 2_000);
    deaths += life.dead ? 1 : 0;
  }
  await live(world, server, cloud, new Life(Number.POSITIVE_INFINITY, false), 60_000);
  const wanted = ['a', 'b', 'c'].flatMap((name) => {
    const object = server.get(path(name));
    return object === undefined
      ? []
      : [{ id: `widget-${object.metadata.uid}`, size: (object['spec'] as { size: number }).size }];
  });
  const made = [...cloud.values()].map(({ id, size }) => ({ id, size }));
  expect(
    made.toSorted((one, other) => one.id.localeCompare(other.id)),
    `seed ${seed}`,
  ).toEqual(wanted.toSorted((one, other) => one.id.localeCompare(other.id)));
  return deaths;
}

/** What users do meanwhile. */
function disturb(random: { next(): number }, server: VirtualApiServer): void {
  for (const name of ['a', 'b', 'c']) {
    const exists = server.get(path(name)) !== undefined;
    const chance = random.next();
    if (!exists && chance < 0.6) {
      server.put('widgets', widget(name, 1 + Math.floor(random.next() * 5)));
    } else if (exists && chance < 0.3) {
      server.delete(path(name));
    } else if (exists && chance < 0.6 && server.get(path(name))?.metadata.deletionTimestamp === undefined) {
      const current = server.get(path(name));
      server.put('widgets', { ...widget(name, 1 + Math.floor(random.next() * 5)), status: current?.['status'] });
    }
  }
}

async function live(
  world: VirtualEnvironment,
  server: VirtualApiServer,
  cloud: Map<string, External>,
  life: Life,
  milliseconds: number,
): Promise<void> {
  const store: Store = {
    get: (id) => life.call(() => Promise.resolve(cloud.get(id))),
    put: (external) =>
      life.call(async () => {
        cloud.set(external.id, external);
        await Promise.resolve();
      }),
    delete: (id) =>
      life.call(async () => {
        cloud.delete(id);
        await Promise.resolve();
      }),
  };
  const transport: Transport = {
    send: (request, signal) =>
      request.method === 'GET' && !life.dead
        ? server.transport.send(request, signal)
        : life.call(() => server.transport.send(request, signal)),
    close: () => Promise.resolve(),
  };
  const manager = createManager({ environment: world, transport, logger: discardLogger });
  manager
    .controller('widget')
    .for(Widget, { predicates: [moreThanStatusChanged] })
    .reconcile(makeReconciler(store));
  const abort = new AbortController();
  const ended = manager.start({ signal: abort.signal });
  await world.advance(milliseconds);
  abort.abort();
  await world.advance(5_000);
  await ended;
}
