// A thousand lives of a manager on real sockets: whatever one opens, it closes.
import { getEventListeners } from 'node:events';
import { request as httpRequest } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createManager, defineKind, done } from 'operator-runtime';
import type { KubernetesObject, Logger } from 'operator-runtime';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';

const cycles = 1000;
const ConfigMap = defineKind<KubernetesObject, 'Namespaced'>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  subresources: [],
});

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment({ assets: '', project: false });
}, 60_000);
afterAll(() => environment.stop());

type Counts = Readonly<Record<string, number>>;

/** What keeps a process alive, and who listens to it; the API server's own connections are part of it and must go as well. */
function count(): Counts {
  const kinds = process.getActiveResourcesInfo();
  // What is due in this turn is no leftover.
  const lasting = [...new Set(kinds)].filter((kind) => kind !== 'Immediate' && kind !== 'TickObject');
  return {
    ...Object.fromEntries(lasting.map((kind) => [kind, kinds.filter((other) => other === kind).length])),
    'listeners of SIGTERM': process.listenerCount('SIGTERM'),
    'listeners of SIGINT': process.listenerCount('SIGINT'),
  };
}

/** What there is more of than before; the far ends of sockets may take some turns to close. */
async function grown(before: Counts): Promise<Counts> {
  const more = (): Counts =>
    Object.fromEntries(Object.entries(count()).filter(([kind, number]) => number > (before[kind] ?? 0)));
  for (let turns = 0; turns < 1000 && Object.keys(more()).length > 0; turns++) await turn();
  return more();
}

/** Starts a manager with everything that it can serve, waits until it works, asks each of its servers, and stops it. */
async function live(cycle: number): Promise<number> {
  const ports: number[] = [];
  const note: Logger['info'] = (_message, fields = {}) => {
    if (typeof fields['port'] === 'number') ports.push(fields['port']);
  };
  const silent = (): void => undefined;
  const logger: Logger = { debug: silent, info: note, warn: silent, error: silent, child: () => logger };
  const manager = createManager({
    configuration: environment.configuration(),
    logger,
    healthProbeBindAddress: '127.0.0.1:0',
    metrics: { bindAddress: '127.0.0.1:0', secure: false },
    debugBindAddress: '127.0.0.1:0',
    ...(cycle % 50 === 0 ? { leaderElection: { id: 'start-stop', namespace: 'default' } } : {}),
  });
  const worked = Promise.withResolvers<void>();
  manager
    .controller('config-map')
    .for(ConfigMap)
    .reconcile(async () => {
      worked.resolve();
      return done;
    });
  const abort = new AbortController();
  const ended = manager.start({ signal: abort.signal, handleSignals: true });
  await Promise.race([worked.promise, ended]);
  if (cycle % 100 === 0) {
    for (const [index, path] of ['/healthz', '/metrics', '/debug/controllers'].entries()) {
      expect(await ask(ports[index] ?? 0, path), path).toBe(200);
    }
  }
  abort.abort();
  await ended;
  return getEventListeners(abort.signal, 'abort').length;
}

function ask(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    // Kept alive on purpose: the server must close it.
    httpRequest({ host: '127.0.0.1', port, path, headers: { connection: 'keep-alive' } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

it(`${cycles} starts and stops leave no timer, socket, server or listener`, async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  try {
    await environment.client.create<KubernetesObject>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'first', namespace: 'default' },
    });
    // The first ones load modules and open what is shared for good.
    for (let cycle = 0; cycle < 3; cycle++) await live(cycle);
    await grown({ TCPServerWrap: 1 });
    const before = count();
    let listeners = 0;
    for (let cycle = 0; cycle < cycles; cycle++) listeners += await live(cycle);
    expect(await grown(before)).toEqual({});
    expect(listeners).toBe(0);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', warn);
  }
}, 300_000);
