// What every candidate is asked to do, and how it is measured; runs in the candidate's own process.
import { request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** What the server has: Pods, or custom resources. */
export const isPods = process.env['BENCH_PODS'] !== undefined;

/** An informer, or what stands in for one. */
export interface Candidate {
  /** Resolves when the whole state has come. */
  readonly sync: (address: string) => Promise<void>;
  /** Whether it goes on to watch, and calls `changes.note` for each change. Default false. */
  readonly watches?: boolean;
  /** How many lists ended. */
  readonly lists?: () => number;
  /** How long the latest list took. */
  readonly listTime?: () => number;
  /** Reads one object from the server. */
  readonly get?: () => Promise<unknown>;
}

/** Counts the changes that a candidate was told of. */
class Changes {
  #count = 0;
  #awaited = Infinity;
  #came: (at: number) => void = () => undefined;

  note(): void {
    if (++this.#count === this.#awaited) this.#came(performance.now());
  }

  /** The moment at which so many more have come. */
  more(count: number): Promise<number> {
    this.#awaited = this.#count + count;
    return new Promise((resolve) => {
      this.#came = resolve;
    });
  }
}

export const changes: Changes = new Changes();

/** Times in milliseconds, memory in megabytes. */
export interface Measured {
  readonly sync: number;
  /** Of the whole process, from its start. */
  readonly syncCpu: number;
  readonly syncStall: number;
  readonly syncPeak: number;
  readonly heap: number;
  readonly events?: number;
  /** Microseconds of the process for each event. */
  readonly eventCpu?: number;
  readonly latency?: number;
  /** The list itself, and the pause before it. */
  readonly relist?: number;
  readonly relistPause?: number;
  readonly relistStall?: number;
  readonly relistPeak?: number;
  readonly requests?: Readonly<Record<string, number>>;
}

const megabyte = 1024 * 1024;
const collect = (): void => {
  for (let round = 0; round < 4; round++) (globalThis as { gc?: () => void }).gc?.();
};

interface Moment {
  readonly time: number;
  readonly cpu: NodeJS.CpuUsage;
}
const now = (): Moment => ({ time: performance.now(), cpu: process.cpuUsage() });

/** Tells the server to do something; gives the moment at which it began. */
function tell(address: string, path: string): Promise<Moment> {
  return new Promise((resolve, reject) => {
    let started = now();
    request(`${address}${path}`, (response) => {
      response.once('data', () => {
        started = now();
      });
      response.on('end', () => resolve(started)).on('error', reject);
      response.resume();
    })
      .on('error', reject)
      .end();
  });
}

async function until(condition: () => boolean): Promise<number> {
  while (!condition()) await wait(1);
  return performance.now();
}

/** The longest time that the event loop stood still while `work` ran, and what `work` gave. */
async function stalled<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly stall: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await wait(5);
  delay.reset();
  const value = await work();
  await wait(5);
  delay.disable();
  return { value, stall: delay.max / 1e6 };
}

async function throughput(get: () => Promise<unknown>, concurrency: number): Promise<number> {
  let left = concurrency === 1 ? 1500 : 4000;
  const all = left;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await get();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return (all / (performance.now() - start)) * 1000;
}

/** Measures a candidate against the server whose address is the first argument; the second names what is left out. Prints JSON. */
export async function measure(candidate: Candidate): Promise<void> {
  const [address = '', mode = 'all'] = process.argv.slice(2);
  const { watches = false, lists, listTime, get } = candidate;
  collect();
  const before = process.memoryUsage().heapUsed;
  const { stall: syncStall, value: sync } = await stalled(async () => {
    const start = performance.now();
    await candidate.sync(address);
    return performance.now() - start;
  });
  const cpu = process.cpuUsage();
  const syncPeak = process.resourceUsage().maxRSS / 1024;
  collect();
  const heap = (process.memoryUsage().heapUsed - before) / megabyte;
  let measured: Measured = { sync, syncCpu: (cpu.user + cpu.system) / 1000, syncStall, syncPeak, heap };
  if (mode === 'all' && lists !== undefined && listTime !== undefined) {
    const steady = process.memoryUsage().rss / megabyte;
    const known = lists();
    let peak = steady;
    const sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss() / megabyte);
    }, 5);
    const { value: whole, stall: relistStall } = await stalled(async () => {
      await tell(address, '/expire');
      const began = performance.now();
      return (await until(() => lists() > known)) - began;
    });
    clearInterval(sampler);
    const relist = listTime();
    measured = { ...measured, relist, relistPause: whole - relist, relistStall, relistPeak: peak / steady };
  }
  if (mode === 'all' && watches) {
    await wait(50);
    const latencies: number[] = [];
    for (let round = 0; round < 100; round++) {
      const came = changes.more(1);
      const began = await tell(address, '/burst?events=1');
      latencies.push((await came) - began.time);
    }
    latencies.sort((a, b) => a - b);
    const count = 40_000;
    const came = changes.more(count);
    const began = await tell(address, `/burst?events=${count}`);
    const ended = await came;
    const { user, system } = process.cpuUsage(began.cpu);
    const events = (count / (ended - began.time)) * 1000;
    measured = { ...measured, events, eventCpu: (user + system) / count, latency: latencies[50] ?? 0 };
  }
  if (mode === 'all' && get !== undefined) {
    await throughput(get, 16);
    measured = {
      ...measured,
      requests: { 1: await throughput(get, 1), 16: await throughput(get, 16), 64: await throughput(get, 64) },
    };
  }
  console.log(JSON.stringify(measured));
  process.exit(0);
}
