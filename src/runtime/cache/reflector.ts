import type { KubernetesObject } from '../apis/meta/v1.ts';
import { isConnectionFailed, isExpired, isNotFound, reasonForError, UnexpectedAnswerError } from '../client/errors.ts';
import { childSignal, DeadlineExceededError, sleep } from '../environment/child-signal.ts';
import type { Environment } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import { compareResourceVersions } from '../kind/resource-version.ts';
import { Backoff } from './backoff.ts';
import { LineFramer } from './line-framer.ts';
import type { ListWatch } from './list-watch.ts';
import {
  afterList,
  afterListError,
  afterWatch,
  startPosition,
  type ReflectorPosition,
  type Transition,
  type WatchEnd,
} from './reflector-policy.ts';
import type { InformerState } from './types.ts';
import { parseWatchEvent, type WatchEvent } from './watch-event.ts';
import { Watchdog } from './watchdog.ts';

/** Takes what a reflector finds. Nothing here may throw because of user code. */
export interface ReflectorSink {
  /** The whole state, as of `resourceVersion`. */
  replace(objects: readonly KubernetesObject[], resourceVersion: string): Promise<void>;
  upsert(object: KubernetesObject, resourceVersion: string): void;
  delete(object: KubernetesObject, resourceVersion: string): void;
  /** Nothing changed up to here. */
  bookmark(resourceVersion: string): void;
}

export interface ReflectorOptions {
  readonly listWatch: ListWatch;
  readonly sink: ReflectorSink;
  readonly environment: Environment;
  readonly logger: Logger;
  /** Objects on a page of a list. Default 500, as client-go. */
  readonly pageSize?: number;
}

/** A list whose continue token expires is begun again so often; then it has failed. */
const maxListRestarts = 3;
/** Random between this and its double, in seconds, so that watches do not all end together. */
const minWatchSeconds = 300;
/** How much longer than its own time-out a watch may be silent. */
const silenceMargin = 30_000;
/** How long a watch may be silent that is known to get bookmarks, which come every minute. */
const silenceAfterBookmark = 180_000;
/** A connection that lived so long shows that the server is well. */
const wellLived = 10_000;
/** A kind that is not installed is looked for at least so often. */
const longestWaitForKind = 10_000;

/**
 * Keeps a sink equal to what the server has: lists, watches from there, and goes on through every error until it is stopped. Where it
 * goes after each list and watch is decided in `reflector-policy.ts`; here is the work. At most one request is open at any time.
 *
 * The first list asks for the latest state (no resourceVersion) and not, as client-go, for any state ("0"): the latter ignores the page
 * size and may go back in time after a restart. Later lists ask for a state not older than the one reached.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #backoff: Backoff;
  #position: ReflectorPosition = startPosition;
  #state: InformerState = 'idle';
  #error: Error | undefined;
  #lastProgress: number | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.environment.random);
  }

  get state(): InformerState {
    return this.#state;
  }

  /** The latest failure, until something succeeds. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** When the server gave its latest sign of life, by the monotonic clock. */
  get lastProgress(): number | undefined {
    return this.#lastProgress;
  }

  /** Works until the signal is aborted, then resolves; nothing of it is left. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let step: Transition = { next: 'list', wait: 'now', position: this.#position };
    while (!signal.aborted) {
      try {
        await this.#wait(step, signal);
        step =
          step.next === 'list' ? await this.#list(step.position, signal) : await this.#watch(step.position, signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#error = asError(error);
        this.#options.logger.error('Unexpected failure of an informer, it starts again', { ...this.#fields(), error });
        step = { next: 'list', wait: 'backoff', position: this.#position };
      }
      this.#position = step.position;
    }
    this.#state = 'stopped';
  }

  async #wait({ next, wait }: Transition, signal: AbortSignal): Promise<void> {
    if (wait === 'now') return;
    this.#state = 'backoff';
    let delay = this.#backoff.next();
    if (wait !== 'backoff') delay = Math.max(wait.atLeast * (1 + 0.1 * this.#options.environment.random.next()), delay);
    if (isNotFound(this.#error)) delay = Math.min(delay, longestWaitForKind);
    if (this.#error !== undefined) this.#reportError(this.#error, next, delay);
    await sleep(this.#options.environment.clock, delay, signal);
  }

  async #list(position: ReflectorPosition, signal: AbortSignal): Promise<Transition> {
    this.#state = 'listing';
    try {
      const { items, resourceVersion } = await this.#pages(position, signal);
      await this.#options.sink.replace(items, resourceVersion);
      return afterList(resourceVersion);
    } catch (error) {
      signal.throwIfAborted();
      this.#error = asError(error);
      return afterListError(position, error);
    }
  }

  /** All pages, from the beginning again when the continue token expires on the way. */
  async #pages(
    position: ReflectorPosition,
    signal: AbortSignal,
  ): Promise<{ items: KubernetesObject[]; resourceVersion: string }> {
    const { listWatch, environment, logger, pageSize: limit = 500 } = this.#options;
    const pinned = position.resourceVersion !== '' && !position.unavailable;
    for (let restarts = 0; ; restarts++) {
      let page = await listWatch.page(
        pinned ? { limit, resourceVersion: position.resourceVersion } : { limit },
        signal,
      );
      this.#alive();
      const { resourceVersion } = page;
      const items = [...page.items];
      try {
        while (page.continueToken !== undefined) {
          const { continueToken } = page;
          await environment.scheduler.yield();
          page = await listWatch.page({ limit, continueToken }, signal);
          this.#alive();
          if (page.continueToken === continueToken)
            throw new UnexpectedAnswerError('a page of a list continues with itself');
          for (const item of page.items) items.push(item);
        }
        return { items, resourceVersion };
      } catch (error) {
        if (!isExpired(error) || restarts >= maxListRestarts) throw error;
        logger.info('The list took longer than the server keeps its state, it is begun again', this.#fields());
      }
    }
  }

  async #watch(position: ReflectorPosition, signal: AbortSignal): Promise<Transition> {
    const { clock, random } = this.#options.environment;
    const watch: RunningWatch = {
      position,
      opened: false,
      delivered: false,
      timeoutSeconds: minWatchSeconds + Math.floor(random.next() * (minWatchSeconds + 1)),
    };
    const start = clock.monotonic();
    this.#state = 'connecting';
    let error: unknown;
    try {
      await this.#follow(watch, signal);
    } catch (failure) {
      signal.throwIfAborted();
      // A watch that is cut is resumed like one that ended in good order.
      if (watch.opened && isConnectionFailed(failure)) {
        this.#options.logger.debug('A watch was cut', { ...this.#fields(), error: failure });
      } else {
        error = failure;
        this.#error = asError(failure);
      }
    } finally {
      // Also when it is stopped: the list of the next start must not go back behind what was seen.
      this.#position = watch.position;
    }
    signal.throwIfAborted();
    const lived = clock.monotonic() - start;
    if (watch.opened && (watch.delivered || lived >= wellLived)) this.#backoff.reset();
    const end: WatchEnd = {
      opened: watch.opened,
      delivered: watch.delivered,
      lived,
      ...(error === undefined ? {} : { error }),
    };
    const transition = afterWatch(watch.position, end);
    if (error === undefined && transition.next === 'list') {
      this.#error = new UnexpectedAnswerError(
        `watch ${this.#options.listWatch.info.plural}: it ended at once, without any event`,
      );
    }
    return transition;
  }

  /** Opens a watch and handles its events until it ends; leaves no connection and no timer. */
  async #follow(watch: RunningWatch, signal: AbortSignal): Promise<void> {
    const { environment, listWatch } = this.#options;
    using connection = childSignal(signal, environment.clock);
    const framer = new LineFramer();
    const budget = new TurnBudget(environment);
    const silence = new Watchdog(environment.clock, watch.timeoutSeconds * 1000 + silenceMargin, (limit) => {
      connection.abort(new DeadlineExceededError(limit));
    });
    try {
      const body = await listWatch.watch(watch.position.resourceVersion, watch.timeoutSeconds, connection);
      watch.opened = true;
      this.#state = 'watching';
      this.#alive();
      for await (const chunk of body) {
        this.#alive();
        silence.feed();
        for (const line of framer.push(chunk)) {
          this.#handle(this.#parse(line), watch, silence);
          if (budget.exhausted()) await budget.turn();
          signal.throwIfAborted();
        }
      }
      const rest = framer.rest();
      // A last line may lack its newline; the beginning of a line is no JSON.
      if (rest !== '' && isJson(rest)) this.#handle(this.#parse(rest), watch, silence);
    } finally {
      silence.cancel();
      connection.abort();
    }
  }

  #handle(event: WatchEvent, watch: RunningWatch, silence: Watchdog): void {
    const { sink, logger } = this.#options;
    switch (event.type) {
      case 'ERROR':
        throw event.error;
      case 'UNKNOWN':
        logger.warn('An unexpected event of a watch is left out', { ...this.#fields(), event: event.what });
        return;
      case 'BOOKMARK':
        silence.tighten(silenceAfterBookmark);
        break;
      case 'ADDED':
      case 'MODIFIED':
        sink.upsert(event.object, event.resourceVersion);
        break;
      case 'DELETED':
        sink.delete(event.object, event.resourceVersion);
        break;
    }
    // A repeated or late event must not take the next watch back in time.
    const order = compareResourceVersions(event.resourceVersion, watch.position.resourceVersion);
    if (event.resourceVersion === watch.position.resourceVersion || (order !== undefined && order <= 0)) return;
    watch.delivered = true;
    watch.position = { ...watch.position, resourceVersion: event.resourceVersion };
    if (event.type === 'BOOKMARK') sink.bookmark(event.resourceVersion);
  }

  #parse(line: string): WatchEvent {
    const { info } = this.#options.listWatch;
    return parseWatchEvent(line, info, { verb: 'watch', path: info.plural });
  }

  #alive(): void {
    this.#error = undefined;
    this.#lastProgress = this.#options.environment.clock.monotonic();
  }

  #reportError(error: Error, next: Transition['next'], delay: number): void {
    const { info } = this.#options.listWatch;
    const retry = { reason: reasonForError(error) ?? error.name, next, retryInMilliseconds: Math.round(delay) };
    if (isNotFound(error) && next === 'list') {
      const resource = info.group === '' ? info.plural : `${info.plural}.${info.group}`;
      // The groups of Kubernetes have no dot, or belong to k8s.io; all others come with CRDs.
      const builtIn = !info.group.includes('.') || info.group.endsWith('.k8s.io');
      const remedy = builtIn
        ? 'is this version of the group enabled?'
        : `install the CRD of ${info.kind} (make install, or kubectl apply -f config/crd/bases).`;
      this.#options.logger.warn(
        `The API server does not serve ${resource} ${info.version}: ${remedy} The informer starts when it appears`,
        { ...this.#fields(), ...retry },
      );
      return;
    }
    this.#options.logger.warn('An informer cannot reach its objects', {
      ...this.#fields(),
      ...retry,
      error: error.message,
    });
  }

  #fields(): { kind: string; apiVersion: string } {
    const { kind, apiVersion } = this.#options.listWatch.info;
    return { kind, apiVersion };
  }
}

interface RunningWatch {
  position: ReflectorPosition;
  opened: boolean;
  delivered: boolean;
  readonly timeoutSeconds: number;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
