import type { Environment, Random } from 'operator-runtime';
import { createVirtualEnvironment, ScriptedTransport } from 'operator-runtime/testing';
import type { Adapter } from './adapter.ts';
import { ModelServer, type Fault, type ModelOptions } from './model-server.ts';
import { difference } from './play.ts';
import type { Play } from './scripts.ts';

const names = ['a', 'b', 'c', 'd', 'e'] as const;
const faults: readonly Fault[] = [
  'refused',
  'silent',
  'html',
  'empty',
  'half a body',
  { status: 500, reason: 'InternalError' },
  { status: 429, reason: 'TooManyRequests', retryAfter: '2' },
  { status: 410, reason: 'Expired' },
  { status: 403, reason: 'Forbidden' },
];
const errors: readonly (readonly [code: number, reason: string])[] = [
  [410, 'Expired'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [403, 'Forbidden'],
];

type Act = (play: Play, random: Random) => Promise<void> | void;

/** What may happen, and how often beside the others. */
const acts: readonly (readonly [weight: number, act: Act])[] = [
  [8, ({ server }, random) => server.write(pick(names, random))],
  [4, ({ server }, random) => server.remove(pick(names, random))],
  [2, ({ server }, random) => server.recreate(pick(names, random))],
  [3, ({ server }, random) => server.cut(Math.floor(random.next() * 95), pick(['end', 'reset'] as const, random))],
  [2, ({ server }, random) => server.fault(pick(faults, random), Math.ceil(random.next() * 4))],
  [
    1,
    ({ server }, random) => server.fault(pick(faults, random), 2, pick(['list', 'stream', 'watch'] as const, random)),
  ],
  [2, ({ server }) => server.recover()],
  [2, ({ server }) => server.compact()],
  [2, ({ server }) => server.bookmark()],
  [1, ({ server }) => server.skip(3)],
  [1, ({ server }, random) => server.repeat(Math.floor(random.next() * 4))],
  [1, ({ server }) => server.halfOpen()],
  [2, ({ server }, random) => server.error(...pick(errors, random))],
  [8, ({ pass }, random) => pass(pick([0, 10, 1000, 5000, 200_000], random))],
  [1, ({ informer }) => informer.addHandler()],
  [
    1,
    async ({ informer, pass }) => {
      await Promise.all([informer.stop(), pass(0)]);
      informer.start();
    },
  ],
];
const totalWeight = acts.reduce((sum, [weight]) => sum + weight, 0);

/**
 * A short life in virtual time, of random writes, faults and handlers, that follows from the seed. Then the faults end; gives what is
 * wrong after that, or undefined.
 */
export async function playRandomly(seed: number, adapter: Required<Adapter>): Promise<string | undefined> {
  const { random } = createVirtualEnvironment({ seed });
  const environment = createVirtualEnvironment({ seed: seed + 1 });
  const options: ModelOptions = {
    streaming: pick(['supported', 'supported', 'refused', 'ignored', 'never ends'] as const, random),
    ...(random.next() < 0.3 ? { chunkSize: 1 + Math.floor(random.next() * 40) } : {}),
  };
  const server = new ModelServer(options);
  const transport = new ScriptedTransport(server.serve);
  const informer = adapter.simulate(transport, random.next() < 0.5 ? environment : laborious(environment));
  const play: Play = { server, informer, pass: (milliseconds) => environment.advance(milliseconds) };
  const steps = 5 + Math.floor(random.next() * 40);
  for (let step = 0; step < steps; step++) await pickAct(random)(play, random);

  server.recover();
  server.cut();
  await environment.advance(700_000);
  const unequal = difference(server, informer);
  await Promise.all([informer.end(), environment.settle()]);
  if (unequal !== undefined) return unequal;
  if (server.maxWatches > 1) return `${server.maxWatches} watches at once`;
  if (environment.pendingTimers > 0) return `${environment.pendingTimers} timers are left`;
  return transport.open.length > 0 ? `${transport.open.length} requests are left open` : undefined;
}

/** Each look at the clock takes 4 ms, so that work is done in slices, and whatever happens, happens between them. */
function laborious({ clock, random, scheduler }: Environment): Environment {
  let passed = 0;
  return {
    random,
    scheduler,
    clock: {
      monotonic: () => clock.monotonic() + (passed += 4),
      wall: () => clock.wall(),
      setTimer: (callback, milliseconds, options) => clock.setTimer(callback, milliseconds, options),
    },
  };
}

function pick<T>(from: readonly T[], random: Random): T {
  const found = from[Math.floor(random.next() * from.length)];
  if (found === undefined) throw new Error('there is nothing to pick from');
  return found;
}

function pickAct(random: Random): Act {
  let left = random.next() * totalWeight;
  for (const [weight, act] of acts) {
    left -= weight;
    if (left < 0) return act;
  }
  return () => undefined;
}
