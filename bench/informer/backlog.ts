// A backlog of events through a controller: what is asked of every candidate, in the candidate's own process. Prints JSON.
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** So many Pods change, again and again: once in ten times their generation, else their status. */
const hot = 1000;
const events = 120_000;
/** Of a Pod that has not changed yet. */
const firstGeneration = 10;
const lastGeneration = firstGeneration + 1 + Math.floor((events / hot - 1) / 10);

export interface Measured {
  readonly events: number;
  /** Until the last change was reconciled, in milliseconds. */
  readonly backlog: number;
  /** Of the process in that time. */
  readonly cpu: number;
  readonly runs: number;
}

/** What a controller of ReplicaSets, which own the Pods, sees in its latest run of each: the generations of the Pods. */
export class Reconciled {
  readonly #lowest = new Map<string, number>();
  runs = 0;

  saw(owner: string, generations: readonly number[]): void {
    this.runs++;
    this.#lowest.set(owner, Math.min(...generations));
  }

  /** Whether the latest run of each owner saw the last change of all its Pods that change. */
  isDone(owners: number): boolean {
    return this.#lowest.size === owners && [...this.#lowest.values()].every((lowest) => lowest >= lastGeneration);
  }
}

/** What a run waits for: a write, as most runs do one. */
export const write = (): Promise<void> => wait(5);

/** Whether the Pod of this name is one of those that change. */
export function isHot(name: string): boolean {
  return Number(name.slice(name.lastIndexOf('-') + 1)) < hot;
}

function burst(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(`${address}/burst?events=${events}&hot=${hot}`, (response) => {
      // It begins to send when it says so, as fast as it can.
      response.once('data', () => resolve()).on('error', reject);
      response.resume();
    })
      .on('error', reject)
      .end();
  });
}

export async function measureBacklog(
  start: (address: string) => Promise<void>,
  reconciled: Reconciled,
  owners: number,
): Promise<void> {
  const [address = ''] = process.argv.slice(2);
  await start(address);
  await wait(100);
  const runs = reconciled.runs;
  await burst(address);
  const began = performance.now();
  const before = process.cpuUsage();
  const deadline = began + 120_000;
  while (!reconciled.isDone(owners)) {
    if (performance.now() > deadline) throw new Error('the backlog was not worked off within two minutes');
    await wait(1);
  }
  const { user, system } = process.cpuUsage(before);
  const measured: Measured = {
    events,
    backlog: performance.now() - began,
    cpu: (user + system) / 1000,
    runs: reconciled.runs - runs,
  };
  console.log(JSON.stringify(measured));
  process.exit(0);
}
