import type { FenceState, Moment } from '../fence.ts';

/** Cells of each lease: whether it is held, and when it was renewed by the monotonic and by the wall clock. */
const cellsOfLease = 3;
/** Cells before those of the leases: the heartbeat. */
const ownCells = 1;

/**
 * What the main thread and the thread that renews leases tell each other without messages, so that neither has to wait for the other's
 * event loop: the heartbeat of the main thread, and what the fences stand on. Times are those of the main thread's clock; they are kept
 * in whole microseconds, rounded down: rather older than younger.
 */
export class SharedState {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#cells = new BigInt64Array(buffer);
  }

  static forLeases(count: number): SharedState {
    const cells = ownCells + count * cellsOfLease;
    return new SharedState(new SharedArrayBuffer(cells * BigInt64Array.BYTES_PER_ELEMENT));
  }

  /** How many leases it is about. */
  get leases(): number {
    return (this.#cells.length - ownCells) / cellsOfLease;
  }

  /** When the main thread had a turn last, in milliseconds of its monotonic clock. */
  get heartbeat(): number {
    return milliseconds(Atomics.load(this.#cells, 0));
  }

  set heartbeat(moment: number) {
    Atomics.store(this.#cells, 0, microseconds(moment));
  }

  /** What the fence of the lease of this number stands on. */
  lease(number: number): FenceState {
    const cells = this.#cells;
    const first = ownCells + number * cellsOfLease;
    return {
      get held(): boolean {
        return Atomics.load(cells, first) === 1n;
      },
      set held(held: boolean) {
        Atomics.store(cells, first, held ? 1n : 0n);
      },
      // The two are not written at once: who reads between has one of an older renewal, and takes the lease for older than it is.
      get renewed(): Moment | undefined {
        const wall = Atomics.load(cells, first + 2);
        return wall === 0n
          ? undefined
          : { monotonic: milliseconds(Atomics.load(cells, first + 1)), wall: milliseconds(wall) };
      },
      set renewed(moment: Moment | undefined) {
        Atomics.store(cells, first + 1, moment === undefined ? 0n : microseconds(moment.monotonic));
        Atomics.store(cells, first + 2, moment === undefined ? 0n : microseconds(moment.wall));
      },
    };
  }
}

function microseconds(moment: number): bigint {
  return BigInt(Math.floor(moment * 1000));
}

function milliseconds(cell: bigint): number {
  return Number(cell) / 1000;
}
