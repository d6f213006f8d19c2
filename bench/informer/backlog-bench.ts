import { median, type Figure } from '../benchmark.ts';
import type { Measured } from './backlog.ts';
import { bundleFile, nodeCommand, runCandidate, shippedFlags, type Command } from './processes.ts';

const load = { objects: 10_000, shape: 'pods' } as const;
const rounds = 3;

/** A backlog of events through a controller, beside one that is written by hand on client-node's informers. */
export async function measureBacklogs(folder: string): Promise<Figure[]> {
  const candidates: readonly Command[] = [
    nodeCommand(await bundleFile(folder, 'backlog-ours'), {}, shippedFlags),
    nodeCommand(await bundleFile(folder, 'backlog-client-node')),
  ];
  const results: Measured[][] = candidates.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, candidate] of candidates.entries()) {
      results[index]?.push(await runCandidate<Measured>(candidate, load));
    }
  }
  const cpuOfEvent = ({ cpu, events }: Measured): number => (cpu / events) * 1000;
  const medianOf = (index: number, read: (measured: Measured) => number): number =>
    median((results[index] ?? []).map(read));
  const speed = ({ events, backlog }: Measured): number => (events / backlog) * 1000;
  const [ours, theirs] = [medianOf(0, speed), medianOf(1, speed)];
  const [cpu, theirCpu] = [medianOf(0, cpuOfEvent), medianOf(1, cpuOfEvent)];
  return [
    {
      name: '10000 pods: backlog through a controller, events a second, to client-node',
      ours,
      baseline: theirs,
      ratio: ours / theirs,
      goal: '>= 2.5',
      holds: ours / theirs >= 2.5,
    },
    {
      name: '10000 pods: backlog through a controller, CPU of an event, microseconds, to client-node',
      ours: cpu,
      baseline: theirCpu,
      ratio: cpu / theirCpu,
      goal: '<= 1',
      holds: cpu <= theirCpu,
    },
  ];
}
