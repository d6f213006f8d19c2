/** One line of a benchmark: something of ours beside a baseline that was measured in the same run. */
export interface Figure {
  readonly name: string;
  readonly ours: number;
  readonly baseline: number;
  /** `ours / baseline` */
  readonly ratio: number;
  /** What is to be reached, in words: `<= 0.25`. */
  readonly goal: string;
  readonly holds: boolean;
}

export interface BenchmarkResult {
  readonly name: string;
  readonly figures: readonly Figure[];
}

/** A module `bench/<name>.ts` or `bench/<name>/bench.ts`. */
export interface Benchmark {
  readonly run: () => Promise<BenchmarkResult>;
}

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('no value has no median');
  return (upper + lower) / 2;
}

/**
 * Runs several things in turn (a, b, c, a, b, c, ...), so that what else the machine does meets all of them alike, and
 * returns the median of each one's milliseconds, or what `take` makes of them. The first round warms caches and does not count.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  candidates: Readonly<Record<Name, () => Promise<unknown>>>,
  take: (values: readonly number[]) => number = median,
): Promise<Record<Name, number>> {
  const names = Object.keys(candidates) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const started = performance.now();
      await candidates[name]();
      if (round > 0) times.get(name)?.push(performance.now() - started);
    }
  }
  return Object.fromEntries(names.map((name) => [name, take(times.get(name) ?? [])])) as Record<Name, number>;
}
