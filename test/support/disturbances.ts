import type { Random } from '../../src/runtime/environment/environment.ts';
import type { Fault, FaultOf } from './faults.ts';
import type { VirtualProcess } from './virtual-process.ts';

/** A replica of the schedules, and the server that it talks to. */
export interface Disturbed {
  readonly name: string;
  readonly process: VirtualProcess;
}

/**
 * One step of a seeded schedule for one replica: now and then it is stopped or goes on, its requests meet another fault, or its wall clock
 * jumps by up to an hour. `afterSignal` is called when it was stopped or went on, before any timer of it has run. A request that is delayed is so by
 * `delay` milliseconds.
 */
export function disturb(
  { name, process }: Disturbed,
  server: { disturb(who: string, fault?: FaultOf): void },
  random: Random,
  delay: number,
  afterSignal: () => void,
): void {
  if (random.next() < 0.15) {
    if (process.stopped) process.continue();
    else process.stop();
    afterSignal();
  }
  if (random.next() < 0.2) server.disturb(name, faultBy(random.next(), delay));
  if (random.next() < 0.05) process.jumpWall((random.next() - 0.5) * 7_200_000);
}

/** Undefined: none. */
function faultBy(chance: number, delay: number): FaultOf | undefined {
  const faults: readonly (readonly [below: number, fault: Fault])[] = [
    [0.2, 'silence'],
    [0.3, 'answer lost'],
    [0.4, 'refused'],
    [0.5, { status: 500 }],
    [0.6, { delay }],
  ];
  const found = faults.find(([below]) => chance < below);
  return found === undefined ? undefined : () => found[1];
}
