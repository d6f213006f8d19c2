import { Worker } from 'node:worker_threads';
import type { ClusterConfiguration, Credentials } from '../../config/types.ts';
import { monotonicEpoch } from '../../environment/default.ts';
import type { Clock, Timer } from '../../environment/environment.ts';
import type { Logger } from '../../environment/logger.ts';
import type { ElectionTimes } from '../times.ts';
import { heartbeatPeriod } from './heartbeat-watch.ts';
import { errorOf, plainError } from './messages.ts';
import type { FromThread, ThreadData, ThreadTask, ToThread } from './messages.ts';
import { SharedState } from './shared-state.ts';
import { fieldsOf } from './thread-logger.ts';
import { workerCode } from './worker-code.ts';

export interface ElectionThreadOptions {
  readonly configuration: ClusterConfiguration;
  readonly userAgent?: string;
  readonly identity: string;
  readonly times: Required<ElectionTimes>;
  readonly task: ThreadTask;
  /** How many leases the task is about. */
  readonly leases: number;
  /** Must be the real one: the thread cannot share another. */
  readonly clock: Clock;
  readonly log: Logger;
  /** Called for each request of the thread: for the metrics. */
  readonly onRequest?: (method: string, code: string) => void;
  readonly onMessage: (message: FromThread) => void;
  /** Called once when the thread has ended without having been closed. */
  readonly onEnd: (error: Error) => void;
  /** Called with each heartbeat. */
  readonly onBeat?: () => void;
}

/** A heartbeat that is late by more than this part of the renew deadline is told of. */
const blockedShare = 4;

/** Enough for its few requests and a list of a thousand Leases. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** The main thread's end of the thread that competes for leases: starts it, gives it heartbeats and credentials, writes its log lines. */
export class ElectionThread {
  readonly state: SharedState;
  readonly #options: ElectionThreadOptions;
  readonly #worker: Worker;
  #timer: Timer | undefined;
  /** What it was given last: a refusal is told of the very object that the source gave. */
  #credentials: Credentials | undefined;
  #closed = false;

  constructor(options: ElectionThreadOptions) {
    this.#options = options;
    this.state = SharedState.forLeases(options.leases);
    this.#beat();
    const { credentials: _source, namespace: _namespace, ...configuration } = options.configuration;
    const workerData: ThreadData = {
      state: this.state.buffer,
      epoch: monotonicEpoch(),
      configuration,
      userAgent: options.userAgent,
      identity: options.identity,
      times: options.times,
      task: options.task,
    };
    // Neither loaders nor preloaded modules of the program are for this thread.
    const { NODE_OPTIONS: _options, ...env } = process.env;
    const settings = { workerData, execArgv: [], env, resourceLimits, name: 'leader-election' };
    this.#worker =
      workerCode === undefined
        ? new Worker(workerModule(), settings)
        : new Worker(workerCode, { ...settings, eval: true });
    this.#worker.on('message', (message: FromThread) => {
      this.#receive(message);
    });
    this.#worker.once('error', (error) => {
      this.#ended(error instanceof Error ? error : new Error(String(error)));
    });
    this.#worker.once('exit', (code) => {
      this.#ended(new Error(`it ended with code ${code}`));
    });
  }

  post(message: ToThread): void {
    this.#worker.postMessage(message, []);
  }

  /** Ends the thread; resolves when it is gone. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#worker.terminate();
  }

  #beat(): void {
    const { clock, times, onBeat, log } = this.#options;
    const period = heartbeatPeriod(times.renewDeadline);
    const now = clock.monotonic();
    this.state.heartbeat = now;
    this.#timer = clock.setTimer(
      () => {
        if (this.#closed) return;
        const late = clock.monotonic() - now - period;
        if (late > times.renewDeadline / blockedShare) {
          log.warn('The event loop was blocked', {
            lateMilliseconds: Math.round(late),
            endsProcessAfterMilliseconds: times.renewDeadline,
          });
        }
        this.#beat();
        onBeat?.();
      },
      period,
      { keepAlive: false },
    );
  }

  #receive(message: FromThread): void {
    switch (message.type) {
      case 'log':
        this.#options.log[message.level](message.message, fieldsOf(message.fields));
        break;
      case 'credentials':
        void this.#giveCredentials(message.refused);
        break;
      case 'request':
        this.#options.onRequest?.(message.method, message.code);
        break;
      case 'failed':
        this.#ended(errorOf(message.error));
        break;
      default:
        this.#options.onMessage(message);
    }
  }

  async #giveCredentials(refused: boolean): Promise<void> {
    const source = this.#options.configuration.credentials;
    try {
      if (refused && this.#credentials !== undefined) source.invalidate(this.#credentials);
      const credentials = await source.current();
      this.#credentials = credentials;
      this.post({ type: 'credentials', credentials });
    } catch (error) {
      this.post({ type: 'credentials', error: plainError(error) });
    }
  }

  #ended(error: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    this.#options.onEnd(error);
  }
}

/** The program as a module of its own; in the language that this one is in. */
function workerModule(): URL {
  const own = import.meta.url;
  return new URL(`./worker.${own.endsWith('.ts') ? 'ts' : 'js'}`, own);
}
