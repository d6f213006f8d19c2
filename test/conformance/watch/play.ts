import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createVirtualEnvironment, ScriptedTransport } from 'operator-runtime/testing';
import type { Adapter, Contents, RunningInformer } from './adapter.ts';
import { ModelServer } from './model-server.ts';
import type { Script } from './scripts.ts';
import { SocketServer } from './socket-server.ts';

/** How long an informer over sockets may take until it has what the server has: enough for a few of its backoffs. */
const patience = 20_000;
const longestPass = 60;
const pollEvery = 25;

/** Plays a script in virtual time; gives what is wrong, or undefined. */
export async function playVirtually(script: Script, adapter: Required<Adapter>): Promise<string | undefined> {
  const environment = createVirtualEnvironment({ seed: 7 });
  const server = new ModelServer(script.options);
  const transport = new ScriptedTransport(server.serve);
  script.before?.(server);
  const informer = adapter.simulate(transport, environment);
  const play = { server, informer, pass: (milliseconds: number) => environment.advance(milliseconds) };
  await script.run(play);
  const wrong = script.after?.(play);
  server.recover();
  await environment.advance(180_000);
  const unequal = difference(server, informer);
  const watches = server.maxWatches > 1 ? `${server.maxWatches} watches at once` : undefined;
  await Promise.all([informer.end(), environment.settle()]);
  const timers = environment.pendingTimers > 0 ? `${environment.pendingTimers} timers are left` : undefined;
  const open = transport.open.length > 0 ? `${transport.open.length} requests are left open` : undefined;
  return wrong ?? unequal ?? watches ?? timers ?? open;
}

/** Plays a script over sockets in real time, where only the end counts; gives what is wrong, or undefined. */
export async function playOverSockets(script: Script, adapter: Adapter): Promise<string | undefined> {
  const server = new ModelServer(script.options);
  const sockets = new SocketServer(server.serve);
  const address = await sockets.listen();
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, sockets.token);
  script.before?.(server);
  const informer = await adapter.connect(address, tokenFile);
  try {
    await script.run({
      server,
      informer,
      pass: (milliseconds) => wait(Math.min(milliseconds, longestPass)),
      rotateToken: async () => {
        sockets.token = 'second';
        await writeFile(tokenFile, sockets.token);
      },
    });
    server.recover();
    const deadline = performance.now() + patience;
    let wrong = differenceSoFar(server, informer);
    while (wrong !== undefined && performance.now() < deadline) {
      await wait(pollEvery);
      wrong = differenceSoFar(server, informer);
    }
    return wrong;
  } finally {
    await informer.end();
    await sockets.close();
    await rm(directory, { recursive: true });
  }
}

/** Whether scripts can be played that way at all. */
export function isPlayable(script: Script, how: 'virtual' | 'sockets'): boolean {
  return script.only === undefined || script.only === how;
}

/** How the server's objects differ from what the informer has and told; undefined: not at all. */
export function difference(server: ModelServer, informer: RunningInformer): string | undefined {
  const expected = new Map(
    [...server.objects].map(([name, { metadata }]) => [name, `${metadata.uid} ${metadata.resourceVersion}`]),
  );
  return (
    compare('the cache', informer.cache(), expected) ??
    compare('what the handler was told', informer.view(), expected) ??
    informer.faults()[0]
  );
}

/** The same while things still happen: an object that is no JSON is an error of whoever reads it, until it has come anew. */
function differenceSoFar(server: ModelServer, informer: RunningInformer): string | undefined {
  try {
    return difference(server, informer);
  } catch (error) {
    return `the cache cannot be read: ${String(error)}`;
  }
}

function compare(what: string, actual: Contents, expected: Contents): string | undefined {
  for (const [name, version] of expected) {
    if (actual.get(name) !== version) return `${what} has ${actual.get(name) ?? 'no'} ${name}, the server ${version}`;
  }
  for (const name of actual.keys()) if (!expected.has(name)) return `${what} has ${name}, which the server has not`;
  return undefined;
}
