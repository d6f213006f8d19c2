import { RequestChannel, createManager, done, requeueAfter } from 'operator-runtime';
import type { Logger, Transport } from 'operator-runtime';
import { WorkQueue } from 'operator-runtime/queue';
import { median } from './benchmark.ts';
import type { BenchmarkResult, Figure } from './benchmark.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const DEPTH = 100_000;
const OPERATIONS = 2_000_000;
const ROUNDS = 3;

const clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  setTimer: (callback: () => void, milliseconds: number) => {
    const timer = setTimeout(callback, milliseconds);
    return { cancel: () => clearTimeout(timer) };
  },
};
const scheduler = { yield: () => turn() };
const random = { next: () => Math.random(), uuid: () => crypto.randomUUID() };

/** The least that de-duplicates: two sets and a list with a head index; no delays, no waiting workers, no causes, no drain. */
class Floor {
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  #list: string[] = [];
  #head = 0;

  add(key: string): void {
    if (this.#dirty.has(key)) {
      return;
    }
    this.#dirty.add(key);
    if (!this.#processing.has(key)) {
      this.#list.push(key);
    }
  }

  tryGet(): string | undefined {
    const key = this.#list[this.#head];
    if (key === undefined) {
      return undefined;
    }
    this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#list.length) {
      this.#list = this.#list.slice(this.#head);
      this.#head = 0;
    }
    this.#dirty.delete(key);
    this.#processing.add(key);
    return key;
  }

  done(key: string): void {
    this.#processing.delete(key);
    if (this.#dirty.has(key)) {
      this.#list.push(key);
    }
  }
}

interface Queue {
  add(key: string): void;
  tryGet(): string | undefined;
  done(key: string): void;
}

const newQueue = (): WorkQueue<string> => new WorkQueue<string>({ clock, random });

/**
 * Seconds of processor time (all threads, the collector's as well) that this process has used: what other processes of a busy machine take
 * does not count.
 */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Operations (one add, get and done) in a second, at a constant depth. */
function throughput(queue: Queue, keys: readonly string[], depth: number): number {
  for (let index = 0; index < depth; index++) {
    queue.add(keys[index] ?? '');
  }
  const start = processorSeconds();
  for (let index = 0; index < OPERATIONS; index++) {
    queue.add(keys[(index + depth) % keys.length] ?? '');
    queue.done(queue.tryGet() ?? '');
  }
  return OPERATIONS / (processorSeconds() - start);
}

/** The same through `get`, one worker that awaits each key. */
async function awaited(queue: WorkQueue<string>, keys: readonly string[], depth: number): Promise<number> {
  for (let index = 0; index < depth; index++) {
    queue.add(keys[index] ?? '');
  }
  const start = processorSeconds();
  for (let index = 0; index < OPERATIONS; index++) {
    queue.add(keys[(index + depth) % keys.length] ?? '');
    queue.done((await queue.get()) ?? '');
  }
  return OPERATIONS / (processorSeconds() - start);
}

async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round++) {
    collect();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}

/** Megabytes that a queue keeps after a million different keys went through it. */
async function kept(): Promise<number> {
  const queue = newQueue();
  const before = await heapUsed();
  for (let index = 0; index < 1_000_000; index++) {
    queue.add(`namespace/name-${index}`);
  }
  for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) {
    queue.done(key);
  }
  const after = await heapUsed();
  queue.shutDown();
  return Math.max(0, after - before) / 1e6;
}

/**
 * Milliseconds until a timer of 10 ms rings, at worst, while three workers reconcile 100,000 ready keys without ever waiting for anything;
 * beside the same queue without a scheduler, where it rings when all is done. Of processor time: while a busy machine runs something
 * else, nothing of ours rings.
 */
async function timerDelay(withTurns: boolean): Promise<number> {
  const queue = new WorkQueue<string>({ clock, random, ...(withTurns ? { scheduler } : {}) });
  for (let index = 0; index < DEPTH; index++) {
    queue.add(`namespace/name-${index}`);
  }
  // What is ready is still handed out.
  queue.shutDown();
  let worst = 0;
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => {
    const set = processorSeconds();
    timer = setTimeout(() => {
      worst = Math.max(worst, 1000 * (processorSeconds() - set));
      schedule();
    }, 10);
  };
  schedule();
  const work = async (): Promise<void> => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      // Some work that does not wait: about twenty microseconds.
      for (let end = performance.now() + 0.02; performance.now() < end;);
      queue.done(key);
    }
  };
  await Promise.all([work(), work(), work()]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  clearTimeout(timer);
  return worst;
}

/** An API server of which nothing is asked. */
const noServer: Transport = {
  send: () => Promise.reject(new Error('nothing is served here')),
  close: () => Promise.resolve(),
};
const nothing = (): void => undefined;
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => silent };

/**
 * Megabytes that a manager keeps after a million different keys went through one of its controllers, some of them after a failure, some
 * after a delay; beside what it keeps after the first ten thousand, which fill what is bounded.
 */
async function keptByController(): Promise<{ readonly megabytes: number; readonly perSecond: number }> {
  const channel = new RequestChannel();
  const abort = new AbortController();
  const manager = createManager({ transport: noServer, logger: silent });
  let left = 0;
  let finished = Promise.withResolvers<void>();
  const seen = new Set<string>();
  manager
    .controller('soak', { maxConcurrentReconciles: 16 })
    .watchesChannel(channel)
    .reconcile(async ({ name }) => {
      const index = Number(name.slice(name.lastIndexOf('-') + 1));
      if (index % 10 < 2 && !seen.has(name)) {
        seen.add(name);
        if (index % 10 === 0) throw new Error('not yet');
        return requeueAfter(1);
      }
      seen.delete(name);
      left--;
      if (left === 0) finished.resolve();
      return done;
    });
  const ended = manager.start({ signal: abort.signal });
  const pass = async (round: string, count: number): Promise<void> => {
    finished = Promise.withResolvers<void>();
    left = count;
    for (let index = 0; index < count; index++) {
      channel.send({ namespace: 'ns', name: `${round}-${index}` });
    }
    await finished.promise;
    await turn();
  };
  // What is sent before the controller listens is lost.
  left = 1;
  for (let listening = false; !listening; listening = left === 0) {
    channel.send({ namespace: 'ns', name: 'first-9' });
    await turn();
  }
  await pass('warm', 10_000);
  const before = await heapUsed();
  const start = performance.now();
  await pass('soak', 1_000_000);
  const perSecond = 1_200_000 / ((performance.now() - start) / 1000);
  const after = await heapUsed();
  abort.abort();
  await ended;
  return { megabytes: Math.max(0, after - before) / 1e6, perSecond };
}

/** The work queue beside the least that de-duplicates, both at 100,000 keys deep. */
export async function run(): Promise<BenchmarkResult> {
  const keys = Array.from({ length: 2 * DEPTH }, (_, index) => `namespace-${index % 100}/widget-${index}`);
  const rates = { ours: [] as number[], floor: [] as number[], awaited: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.floor.push(throughput(new Floor(), keys, DEPTH));
    rates.ours.push(throughput(newQueue(), keys, DEPTH));
    rates.awaited.push(await awaited(newQueue(), keys, DEPTH));
  }
  const floor = median(rates.floor);
  const rate = (name: string, ours: number): Figure => ({
    name,
    ours: Math.round(ours),
    baseline: Math.round(floor),
    ratio: ours / floor,
    goal: '>= 1000000',
    holds: ours >= 1_000_000,
  });
  const figures: Figure[] = [
    rate('add + tryGet + done per processor second at 100k depth', median(rates.ours)),
    rate('add + await get + done per processor second at 100k depth', median(rates.awaited)),
  ];
  const megabytes = await kept();
  figures.push({
    name: 'MB kept after 1M keys',
    ours: megabytes,
    baseline: 1,
    ratio: megabytes,
    goal: '<= 1',
    holds: megabytes <= 1,
  });
  const soak = await keptByController();
  figures.push({
    name: 'MB kept by a controller after 1M keys',
    ours: soak.megabytes,
    baseline: 1,
    ratio: soak.megabytes,
    goal: '<= 1',
    holds: soak.megabytes <= 1,
  });
  figures.push({
    name: 'reconciles that do nothing, per second',
    ours: Math.round(soak.perSecond),
    baseline: Math.round(floor),
    ratio: soak.perSecond / floor,
    goal: 'measured',
    holds: true,
  });
  const late = { ours: await timerDelay(true), without: await timerDelay(false) };
  figures.push({
    name: 'ms until a 10 ms timer rings with 100k keys ready',
    ours: late.ours,
    baseline: late.without,
    ratio: late.ours / late.without,
    goal: '<= 50',
    holds: late.ours <= 50,
  });
  return { name: 'queue', figures };
}
