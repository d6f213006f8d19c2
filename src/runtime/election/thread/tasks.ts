import type { Environment, Transport } from '../../environment/environment.ts';
import type { Logger } from '../../environment/logger.ts';
import { LeaderElector } from '../elector.ts';
import { createLeaseLock } from '../lease-lock.ts';
import { createShardLeases } from '../sharding/shard-leases.ts';
import { Sharder } from '../sharding/sharder.ts';
import { plainError } from './messages.ts';
import type { FromThread, ThreadData, ThreadTask, ToThread } from './messages.ts';
import type { SharedState } from './shared-state.ts';

/** What the thread does its work with. */
export interface TaskContext {
  readonly data: ThreadData;
  readonly environment: Environment;
  readonly transport: Transport;
  readonly log: Logger;
  readonly state: SharedState;
  readonly beforeTry: (signal: AbortSignal) => Promise<void>;
  readonly send: (message: FromThread) => void;
}

/** Work on leases that goes on until the signal is aborted. */
export interface RunningTask {
  /** Never rejects. */
  readonly ended: Promise<void>;
  /** Only after `ended`. */
  release(): Promise<boolean>;
  /** Messages that are for this task alone. */
  receive(message: ToThread): void;
}

export function startTask(context: TaskContext, signal: AbortSignal): RunningTask {
  const { task } = context.data;
  return task.type === 'leader' ? lead(context, task, signal) : shareSlots(context, task, signal);
}

function lead(
  { data, environment, transport, log, state, beforeTry, send }: TaskContext,
  { namespace, name }: Extract<ThreadTask, { type: 'leader' }>,
  signal: AbortSignal,
): RunningTask {
  const { identity, times, userAgent } = data;
  const common = { transport, environment, logger: log, ...(userAgent === undefined ? {} : { userAgent }) };
  const lock = createLeaseLock({ ...common, namespace, name });
  const elector = new LeaderElector({ ...times, lock, identity, environment, log, state: state.lease(0), beforeTry });
  const run = async (): Promise<void> => {
    try {
      await elector.acquire(signal);
      send({ type: 'acquired' });
      await elector.hold(signal);
    } catch (error) {
      if (!signal.aborted) {
        const lost = error instanceof Error && 'reason' in error && error.reason === 'LeadershipLost';
        send(lost ? { type: 'lost', message: error.message } : { type: 'failed', error: plainError(error) });
        return;
      }
    }
    send({ type: 'stopped' });
  };
  return { ended: run(), release: () => elector.release(), receive: () => undefined };
}

function shareSlots(
  { data, environment, transport, log, state, beforeTry, send }: TaskContext,
  { namespace, id, slots }: Extract<ThreadTask, { type: 'slots' }>,
  signal: AbortSignal,
): RunningTask {
  const { identity, times, userAgent } = data;
  const common = { transport, environment, logger: log, ...(userAgent === undefined ? {} : { userAgent }) };
  const sharder = new Sharder({
    ...times,
    leases: createShardLeases({ ...common, namespace, id, slots }),
    slots,
    identity,
    environment,
    log,
    stateOf: (slot) => state.lease(slot),
    beforeTry,
    onMembers: (members) => {
      send({ type: 'members', members });
    },
  });
  const yielding = new Map<number, () => void>();
  let turns = 0;
  const run = async (): Promise<void> => {
    try {
      await sharder.run(
        {
          gained: (gained) => {
            send({ type: 'gained', slots: gained });
          },
          lost: (lost, why) => {
            send({ type: 'slots lost', slots: lost, why });
          },
          yield: (slot) =>
            new Promise<void>((resolve) => {
              const turn = turns++;
              yielding.set(turn, resolve);
              send({ type: 'yield', slot, turn });
            }),
        },
        signal,
      );
    } catch (error) {
      send({ type: 'failed', error: plainError(error) });
      return;
    }
    send({ type: 'stopped' });
  };
  return {
    ended: run(),
    async release() {
      await sharder.release();
      return true;
    },
    receive(message) {
      if (message.type === 'retire') sharder.retire();
      if (message.type === 'yielded') {
        yielding.get(message.turn)?.();
        yielding.delete(message.turn);
      }
    },
  };
}
