import type { KubernetesObject } from '../apis/meta/v1.ts';
import {
  ConnectionError,
  isConnectionFailed,
  isDeadlineExceeded,
  isForbidden,
  isNotFound,
  reasonForError,
  UnexpectedAnswerError,
} from '../client/errors.ts';
import { childSignal, DeadlineExceededError, sleep, type ChildSignal } from '../environment/child-signal.ts';
import type { Environment } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import { compareResourceVersions } from '../kind/resource-version.ts';
import { Backoff } from './backoff.ts';
import type { StoredObject } from './lazy-object.ts';
import { LineFramer } from './line-framer.ts';
import type { ListWatch } from './list-watch.ts';
import { PagedList } from './paged-list.ts';
import {
  afterList,
  afterListError,
  afterStream,
  afterWatch,
  refusesStreaming,
  startPosition,
  type ReflectorPosition,
  type Transition,
  type WatchEnd,
} from './reflector-policy.ts';
import type { InformerState } from './types.ts';
import { newStatistics, type InformerStatistics, type MutableStatistics } from './statistics.ts';
import type { StoredWatchEvent } from './object-reader.ts';
import { Watchdog } from './watchdog.ts';

/** Takes what a reflector finds. Nothing here may throw because of user code. */
export interface ReflectorSink {
  /** Called once for each object that comes with a list; what it gives is handed to `replace`. */
  prepare(object: StoredObject<KubernetesObject>): StoredObject<KubernetesObject>;
  /** The whole state by key, as of `resourceVersion`; the map is the sink's from then on. */
  replace(objects: Map<string, StoredObject<KubernetesObject>>, resourceVersion: string): Promise<void>;
  upsert(object: StoredObject<KubernetesObject>, resourceVersion: string): void;
  delete(object: StoredObject<KubernetesObject>, resourceVersion: string): void;
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
  /** Whether to list by a watch that begins with the whole state, where the server can. Default true, as client-go since 1.35. */
  readonly streamingList?: boolean;
  /** Called after each refusal by RBAC, before the next try; never rejects. */
  readonly onForbidden?: () => Promise<void>;
  /** Whether a kind that the server does not serve counts as one without objects. Default false. */
  readonly optional?: boolean;
}

/** Random between this and its double, in seconds, so that watches do not all end together. */
const minWatchSeconds = 300;
/** How much longer than its own time-out a watch may be silent. */
const silenceMargin = 30_000;
/** How long a watch may be silent that is known to get bookmarks, which come every minute. */
const silenceAfterBookmark = 180_000;
/** How long the first word of a streaming list may take, and how long it may then be silent before its end. */
const silenceBeforeInitialEvents = 3000;
const silenceAmongInitialEvents = 10_000;
/** A connection that lived so long shows that the server is well. */
const wellLived = 10_000;
/** A kind that is not installed is looked for at least so often. */
const longestWaitForKind = 10_000;

/**
 * Keeps a sink equal to what the server has: lists, watches from there, and goes on through every error until it is stopped. Where it
 * goes after each list and watch is decided in `reflector-policy.ts`; here is the work. At most one request is open at any time.
 *
 * A list is streamed where the server can: a watch sends the whole state first, marks its end, and goes on. Otherwise it is read in pages.
 * Either way objects are parsed one by one as their bytes come, with a turn of the event loop every 10 ms.
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
  readonly #pages: PagedList;
  readonly #statistics: MutableStatistics = newStatistics();
  readonly #budget: TurnBudget;
  #streams: boolean;
  /** An optional kind is not installed. */
  #absent = false;
  /** Of the watch that is open. */
  #connection: ChildSignal | undefined;
  /** Why the next thing to do is a list, whatever the state machine says. */
  #listReason: Error | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.environment.random);
    this.#budget = TurnBudget.of(options.environment);
    this.#streams = options.streamingList ?? true;
    const { listWatch, sink, pageSize, logger } = options;
    this.#pages = new PagedList({
      listWatch,
      environment: options.environment,
      budget: this.#budget,
      ...(pageSize === undefined ? {} : { pageSize }),
      prepare: (object) => sink.prepare(object),
      onPage: ({ bytes }) => {
        this.#alive();
        this.#statistics.pages++;
        this.#statistics.bytes += bytes;
      },
      onRestart: () => {
        logger.info('The list took longer than the server keeps its state, it is begun again', this.#fields());
      },
    });
  }

  get statistics(): InformerStatistics {
    return this.#statistics;
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

  /** Lists again, since something that came is of no use: gives an open watch up; after a list that is being read comes another. */
  listAgain(reason: Error): void {
    this.#listReason = reason;
    this.#connection?.abort(reason);
  }

  /** Works until the signal is aborted, then resolves; nothing of it is left. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let step: Transition = { next: 'list', wait: 'now', position: this.#position };
    // What the server could not do yesterday it may do after an upgrade.
    this.#streams = this.#options.streamingList ?? true;
    while (!signal.aborted) {
      try {
        await this.#wait(step, signal);
        step = this.#listNext(await this.#do(this.#listNext(step), signal));
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

  #listNext(step: Transition): Transition {
    if (this.#listReason === undefined || step.next !== 'watch') return step;
    this.#error ??= this.#listReason;
    return { next: 'list', wait: 'backoff', position: step.position };
  }

  #do({ next, position }: Transition, signal: AbortSignal): Promise<Transition> {
    if (next === 'watch') return this.#watch(position, signal);
    this.#listReason = undefined;
    return next === 'list' && this.#streams ? this.#watch(position, signal, new Map()) : this.#list(position, signal);
  }

  async #wait({ next, wait }: Transition, signal: AbortSignal): Promise<void> {
    if (wait === 'now') return;
    this.#state = 'backoff';
    let delay = this.#backoff.next();
    if (wait !== 'backoff') delay = Math.max(wait.atLeast * (1 + 0.1 * this.#options.environment.random.next()), delay);
    if (this.#absent || (isNotFound(this.#error) && next !== 'watch')) delay = Math.min(delay, longestWaitForKind);
    if (this.#error !== undefined) this.#reportError(this.#error, next, delay);
    if (isForbidden(this.#error)) await this.#options.onForbidden?.();
    await sleep(this.#options.environment.clock, delay, signal);
  }

  async #list(position: ReflectorPosition, signal: AbortSignal): Promise<Transition> {
    this.#state = 'listing';
    const start = this.#options.environment.clock.monotonic();
    try {
      const pinned = position.resourceVersion !== '' && !position.unavailable;
      const { items, resourceVersion } = await this.#pages.read(pinned ? position.resourceVersion : undefined, signal);
      await this.#options.sink.replace(items, resourceVersion);
      this.#listed('pages', items.size, resourceVersion, start);
      return afterList(resourceVersion);
    } catch (error) {
      signal.throwIfAborted();
      return await this.#listFailed(error, afterListError(position, error));
    }
  }

  /** A list failed, of either form. */
  async #listFailed(error: unknown, transition: Transition): Promise<Transition> {
    this.#error = asError(error);
    if (this.#options.optional !== true || !isNotFound(error)) {
      this.#statistics.failures++;
      return transition;
    }
    // The kind is not installed, or not any more: with its definition all its objects are gone. That is no failure.
    if (!this.#absent) this.#options.logger.info('An optional kind is not installed', this.#fields());
    this.#absent = true;
    this.#alive();
    await this.#options.sink.replace(new Map(), '');
    return { next: 'list', wait: 'backoff', position: startPosition };
  }

  /** Watches from the position; with `initial`, a map to gather them in, the whole state comes first. */
  async #watch(
    position: ReflectorPosition,
    signal: AbortSignal,
    initial?: Map<string, StoredObject<KubernetesObject>>,
  ): Promise<Transition> {
    const { clock, random } = this.#options.environment;
    const watch: RunningWatch = {
      position,
      initial,
      opened: false,
      delivered: false,
      started: clock.monotonic(),
      timeoutSeconds: minWatchSeconds + Math.floor(random.next() * (minWatchSeconds + 1)),
    };
    this.#state = initial === undefined ? 'connecting' : 'listing';
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
        if (isDeadlineExceeded(failure)) this.#statistics.silences++;
      }
    } finally {
      // Also when it is stopped: the list of the next start must not go back behind what was seen.
      this.#position = watch.position;
    }
    signal.throwIfAborted();
    return this.#watchEnded(watch, error);
  }

  async #watchEnded(watch: RunningWatch, error: unknown): Promise<Transition> {
    const { logger, listWatch, environment } = this.#options;
    const lived = environment.clock.monotonic() - watch.started;
    const { opened, delivered } = watch;
    if (opened && watch.initial === undefined && (delivered || lived >= wellLived)) this.#backoff.reset();
    const end: WatchEnd = { opened, delivered, lived, ...(error === undefined ? {} : { error }) };
    if (watch.initial !== undefined) {
      // Who may not watch now may be allowed to later; a server that cannot stream learns it with its next version.
      if (refusesStreaming(error) && !isForbidden(error)) {
        this.#streams = false;
        logger.info('The server does not stream lists, they are read in pages', {
          ...this.#fields(),
          reason: reasonForError(error),
        });
      }
      const failure =
        error ?? new ConnectionError(`watch ${listWatch.info.plural}: cut before the whole state had come`);
      return this.#listFailed(failure, afterStream(watch.position, end));
    }
    const transition = afterWatch(watch.position, end);
    if (error === undefined && transition.next === 'list') {
      this.#error = new UnexpectedAnswerError(`watch ${listWatch.info.plural}: it ended at once, without any event`);
    }
    if (this.#error !== undefined) this.#statistics.failures++;
    logger.debug('A watch ended', { ...this.#fields(), lived: Math.round(lived), delivered, next: transition.next });
    return transition;
  }

  /** Opens a watch and handles its events until it ends; leaves no connection and no timer. */
  async #follow(watch: RunningWatch, signal: AbortSignal): Promise<void> {
    const { environment, listWatch } = this.#options;
    using connection = childSignal(signal, environment.clock);
    this.#connection = connection;
    const framer = new LineFramer();
    const silence = new Watchdog(environment.clock, limitOf(watch), (limit) => {
      connection.abort(new DeadlineExceededError(limit));
    });
    try {
      const body = await listWatch.watch(
        {
          resourceVersion: watch.position.unavailable ? '' : watch.position.resourceVersion,
          timeoutSeconds: watch.timeoutSeconds,
          initialEvents: watch.initial !== undefined,
        },
        connection,
      );
      watch.opened = true;
      this.#statistics.watches++;
      this.#state = watch.initial === undefined ? 'watching' : 'listing';
      this.#alive();
      if (watch.initial !== undefined) silence.setLimit(silenceBeforeInitialEvents);
      for await (const chunk of body) {
        this.#alive();
        this.#statistics.bytes += chunk.length;
        silence.feed();
        if (watch.initial !== undefined) silence.setLimit(silenceAmongInitialEvents);
        for (const line of framer.push(chunk)) {
          const done = this.#handle(listWatch.event(line), watch, silence);
          if (done !== undefined) await done;
          if (this.#budget.exhausted()) await this.#budget.turn();
          signal.throwIfAborted();
        }
      }
      const rest = framer.rest();
      // A last line may lack its newline; the beginning of a line is no JSON.
      if (isJson(rest)) await this.#handle(listWatch.event(rest), watch, silence);
    } finally {
      silence.cancel();
      connection.abort();
      this.#connection = undefined;
    }
  }

  /** A promise only where there is something to wait for: most events are done at once. */
  #handle(event: StoredWatchEvent, watch: RunningWatch, silence: Watchdog): Promise<void> | undefined {
    if (event.type === 'ERROR') throw event.error;
    if (event.type === 'UNKNOWN') {
      this.#statistics.unknownEvents++;
      this.#options.logger.warn('An unexpected event of a watch is left out', { ...this.#fields(), event: event.what });
      return undefined;
    }
    count(this.#statistics, event);
    if (watch.initial !== undefined) return this.#gather(event, watch, watch.initial, silence);
    const { sink } = this.#options;
    if (event.type === 'BOOKMARK') silence.tighten(silenceAfterBookmark);
    else if (event.type === 'DELETED') sink.delete(event.object, event.resourceVersion);
    else sink.upsert(event.object, event.resourceVersion);
    // A repeated or late event must not take the next watch back in time.
    const order = compareResourceVersions(event.resourceVersion, watch.position.resourceVersion);
    if (event.resourceVersion === watch.position.resourceVersion || (order !== undefined && order <= 0))
      return undefined;
    watch.delivered = true;
    watch.position = { ...watch.position, resourceVersion: event.resourceVersion };
    if (event.type === 'BOOKMARK') sink.bookmark(event.resourceVersion);
    return undefined;
  }

  /** One of the events with which a streaming list begins. They come in any order; only the last bookmark names a version of the whole. */
  #gather(
    event: Exclude<StoredWatchEvent, { readonly type: 'ERROR' | 'UNKNOWN' }>,
    watch: RunningWatch,
    initial: Map<string, StoredObject<KubernetesObject>>,
    silence: Watchdog,
  ): Promise<void> | undefined {
    if (event.type === 'BOOKMARK') {
      return event.endsInitialEvents
        ? this.#endInitialEvents(event.resourceVersion, watch, initial, silence)
        : undefined;
    }
    const { key } = event.object;
    if (event.type === 'DELETED') initial.delete(key);
    else initial.set(key, this.#options.sink.prepare(event.object.settle()));
    return undefined;
  }

  async #endInitialEvents(
    resourceVersion: string,
    watch: RunningWatch,
    initial: Map<string, StoredObject<KubernetesObject>>,
    silence: Watchdog,
  ): Promise<void> {
    // Nothing is read while the state is taken over.
    silence.setLimit(limitOf(watch));
    await this.#options.sink.replace(initial, resourceVersion);
    this.#statistics.streamedLists++;
    this.#listed('stream', initial.size, resourceVersion, watch.started);
    watch.initial = undefined;
    watch.position = afterList(resourceVersion).position;
    this.#state = 'watching';
    silence.feed();
  }

  #listed(form: 'pages' | 'stream', objects: number, resourceVersion: string, start: number): void {
    const milliseconds = Math.round(this.#options.environment.clock.monotonic() - start);
    this.#absent = false;
    this.#statistics.lists++;
    this.#statistics.lastListMilliseconds = milliseconds;
    this.#options.logger.debug('Listed', { ...this.#fields(), form, objects, resourceVersion, milliseconds });
  }

  #alive(): void {
    this.#error = undefined;
    this.#lastProgress = this.#options.environment.clock.monotonic();
  }

  #reportError(error: Error, next: Transition['next'], delay: number): void {
    const { info } = this.#options.listWatch;
    const retry = { reason: reasonForError(error) ?? error.name, next, retryInMilliseconds: Math.round(delay) };
    if (isNotFound(error) && next !== 'watch') {
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

  #fields(): { kind: string; apiVersion: string; namespace?: string } {
    const { info, namespace } = this.#options.listWatch;
    const { kind, apiVersion } = info;
    return { kind, apiVersion, ...(namespace === undefined ? {} : { namespace }) };
  }
}

interface RunningWatch {
  position: ReflectorPosition;
  /** The whole state so far, until its end is marked; undefined for a watch that only goes on. */
  initial: Map<string, StoredObject<KubernetesObject>> | undefined;
  opened: boolean;
  delivered: boolean;
  readonly started: number;
  readonly timeoutSeconds: number;
}

/** How long a watch may be silent as long as nothing better is known. */
function limitOf({ timeoutSeconds }: RunningWatch): number {
  return timeoutSeconds * 1000 + silenceMargin;
}

function count(statistics: MutableStatistics, { type }: StoredWatchEvent): void {
  if (type === 'ADDED') statistics.added++;
  else if (type === 'MODIFIED') statistics.modified++;
  else if (type === 'DELETED') statistics.deleted++;
  else if (type === 'BOOKMARK') statistics.bookmarks++;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function isJson(line: Buffer): boolean {
  if (line.length === 0) return false;
  try {
    JSON.parse(line.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
