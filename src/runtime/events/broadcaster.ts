import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { isAlreadyExists, isForbidden, isNotFound, reasonForError } from '../client/errors.ts';
import type { Client } from '../client/types.ts';
import { raceSignal, sleep } from '../environment/child-signal.ts';
import type { Environment, Timer } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { Event, microTime, newEvent } from './event.ts';
import type { EventNote, EventRecorder } from './event.ts';
import { SimilarEvents, SpamFilter } from './spam-filter.ts';

/** What is not written yet; more is dropped. */
const maxPending = 1000;
/** So many requests at a time. */
const writers = 4;
/** How often the counts of series are written; a series without news for `seriesEnd` is over. Milliseconds. */
const seriesPeriod = 60_000;
const seriesEnd = 360_000;
/** client-go's numbers: tries of one write, and the pause between them in milliseconds. */
const tries = 12;
const pause = 10_000;

interface Series {
  readonly id: string;
  /** Which one writes it: that of who said it last. */
  client: Client;
  event: Event;
  /** Whether the event is on the server. */
  created: boolean;
  count: number;
  /** The count that is on the server. */
  written: number;
  lastObserved: number;
  /** Monotonic. */
  seenAt: number;
  pending: boolean;
}

/**
 * Writes what recorders say as `events.k8s.io/v1` Events. What is said again becomes a series of the first event (its count is written
 * with the second one at once, later once a minute).
 *
 * Unlike client-go's recorder for this API: another note is another event, so that none is lost (more than ten notes that differ within
 * ten minutes are told as one), no object gets more than 25 events at once and one in five minutes after that, and counts are not kept
 * back for half an hour.
 */
export class EventBroadcaster {
  readonly #client: Client;
  readonly #environment: Environment;
  readonly #log: Logger;
  readonly #instance: string;
  readonly #filter: SpamFilter;
  readonly #similar: SimilarEvents;
  readonly #series = new Map<string, Series>();
  readonly #pending: Series[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #timer: Timer | undefined;
  #sequence = 0;
  #dropped = 0;
  #toldForbidden = false;
  #closed = false;

  /** `instance` tells this process apart: the host's name. */
  constructor(client: Client, environment: Environment, log: Logger, instance: string) {
    this.#client = client;
    this.#environment = environment;
    this.#log = log;
    this.#instance = instance;
    this.#filter = new SpamFilter(environment.clock);
    this.#similar = new SimilarEvents(environment.clock);
  }

  /** A recorder whose events say that this controller reports them; they are written with this client, and so behind its fence. */
  recorder(controller: string, client: Client = this.#client): EventRecorder {
    return {
      event: (regarding, event) => {
        this.#record(controller, client, regarding, event);
      },
    };
  }

  /** How many events were dropped since there were too many. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Writes what is pending, the latest counts of series included, and resolves when that is done or the signal is aborted. What is
   * recorded later is dropped.
   */
  async close(signal: AbortSignal): Promise<void> {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    this.#timer?.cancel();
    for (const series of this.#series.values()) {
      this.#enqueueNews(series);
    }
    this.#write();
    const written = (async () => {
      while (this.#running.size > 0) {
        await Promise.all(this.#running);
      }
    })();
    await raceSignal(written, signal).catch(() => undefined); // Out of time: what is left is given up below.
    this.#pending.length = 0;
    this.#abort.abort(new Error('the manager has stopped'));
    await written;
    this.#series.clear();
  }

  /**
   * Writes what is pending of what was recorded for this client, and resolves when that is done or the signal is aborted: for when its
   * writes will be refused from now on.
   */
  async flush(client: Client, signal: AbortSignal): Promise<void> {
    const own = (): Series[] => [...this.#series.values()].filter((series) => series.client === client);
    for (const series of own()) {
      this.#enqueueNews(series);
    }
    this.#write();
    while (!signal.aborted && own().some(({ pending }) => pending)) {
      await raceSignal(Promise.race(this.#running), signal).catch(() => undefined); // Out of time: the loop ends.
    }
  }

  #record(controller: string, client: Client, regarding: Cached<KubernetesObject>, said: EventNote): void {
    const { clock } = this.#environment;
    if (this.#closed) {
      return;
    }
    const { type = 'Normal', reason, action = reason, related } = said;
    const about = [
      controller,
      regarding.kind,
      regarding.metadata.namespace,
      regarding.metadata.name,
      regarding.metadata.uid,
    ];
    const group = JSON.stringify([...about, type, reason, action, related?.metadata.uid ?? related?.metadata.name]);
    const combined = this.#similar.tooMany(group, said.note);
    const id = combined ? group : `${group} ${said.note}`;
    const known = this.#series.get(id);
    if (known !== undefined) {
      known.client = client;
      known.count++;
      known.lastObserved = clock.wall();
      known.seenAt = clock.monotonic();
      if (known.count === 2) {
        this.#enqueueNews(known);
        this.#write();
      }
      return;
    }
    if (!this.#filter.passes(JSON.stringify([...about, type]))) {
      this.#drop('An object has too many events; this one is dropped', regarding, said);
      return;
    }
    if (this.#pending.length >= maxPending) {
      this.#drop('Too many events wait to be written; this one is dropped', regarding, said);
      return;
    }
    const note = combined ? `(combined from similar events): ${said.note}` : said.note;
    const now = clock.wall();
    const source = { controller, instance: `${controller}-${this.#instance}` };
    const series: Series = {
      id,
      client,
      event: newEvent(regarding, { ...said, note }, source, this.#unique(now), now),
      created: false,
      count: 1,
      written: 0,
      lastObserved: now,
      seenAt: clock.monotonic(),
      pending: false,
    };
    this.#series.set(id, series);
    this.#enqueueNews(series);
    this.#write();
    this.#schedule();
  }

  /** Hexadecimal like client-go's: of the time in nanoseconds, made different for events of one millisecond. */
  #unique(now: number): string {
    this.#sequence = (this.#sequence + 1) % 1_000_000;
    return (BigInt(Math.round(now)) * 1_000_000n + BigInt(this.#sequence)).toString(16);
  }

  #drop(message: string, regarding: Cached<KubernetesObject>, { reason, note }: EventNote): void {
    this.#dropped++;
    const { namespace, name } = regarding.metadata;
    this.#log.debug(message, { regarding: { kind: regarding.kind, namespace, name }, reason, note });
  }

  #enqueueNews(series: Series): void {
    if (!series.pending && series.written < series.count) {
      series.pending = true;
      this.#pending.push(series);
    }
  }

  /** One timer for all series; none while there is no series. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#closed || this.#series.size === 0) {
      return;
    }
    const { clock } = this.#environment;
    this.#timer = clock.setTimer(
      () => {
        this.#timer = undefined;
        for (const series of this.#series.values()) {
          this.#enqueueNews(series);
          if (clock.monotonic() - series.seenAt >= seriesEnd) {
            this.#series.delete(series.id);
          }
        }
        this.#write();
        this.#schedule();
      },
      seriesPeriod,
      { keepAlive: false },
    );
  }

  #write(): void {
    while (this.#running.size < writers) {
      const series = this.#pending.shift();
      if (series === undefined) {
        return;
      }
      const running = this.#send(series).finally(() => {
        this.#running.delete(running);
        this.#write();
      });
      this.#running.add(running);
    }
  }

  /** Never rejects. */
  async #send(series: Series): Promise<void> {
    const { signal } = this.#abort;
    const { clock, random } = this.#environment;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#sendOnce(series, signal);
        if (series.written < series.count && (series.written === 1 || this.#closed)) {
          attempt = 0;
          continue;
        }
        series.pending = false;
        return;
      } catch (error) {
        if (isNotFound(error) && series.created) {
          // It expired on the server, or somebody deleted it: told anew.
          const now = clock.wall();
          series.created = false;
          series.count -= series.written;
          series.written = 0;
          const { metadata } = series.event;
          const name = `${(metadata.name ?? '').replace(/\.[^.]*$/, '')}.${this.#unique(now)}`;
          series.event = { ...series.event, metadata: { ...metadata, name }, eventTime: microTime(now) };
          continue;
        }
        if (signal.aborted || attempt === tries || isRefusal(error)) {
          this.#giveUp(series, error);
          return;
        }
        await sleep(clock, pause * (attempt === 1 ? random.next() : 1 + 0.25 * random.next()), signal).catch(
          () => undefined, // Closed: the next try ends by the signal.
        );
      }
    }
  }

  async #sendOnce(series: Series, signal: AbortSignal): Promise<void> {
    const { client, count, event } = series;
    const news = count === 1 ? {} : { series: { count, lastObservedTime: microTime(series.lastObserved) } };
    const { name = '', namespace = '' } = event.metadata;
    if (series.created) {
      await client.mergePatch(Event, { namespace, name }, news, { signal });
    } else {
      try {
        await client.create<Event>({ ...event, ...news }, { signal });
      } catch (error) {
        // The answer to an earlier try was lost.
        if (!isAlreadyExists(error)) {
          throw error;
        }
      }
      series.created = true;
    }
    series.written = count;
  }

  #giveUp(series: Series, error: unknown): void {
    this.#series.delete(series.id);
    this.#dropped++;
    const { regarding, reason, note } = series.event;
    const fields = { error, regarding, reason, note };
    if (isForbidden(error) && !this.#toldForbidden) {
      this.#toldForbidden = true;
      this.#log.warn('Events cannot be written; allow create and patch of events in events.k8s.io', fields);
    } else {
      this.#log.debug('An event could not be written', fields);
    }
  }
}

/** Whether it would be refused again, by the server or by the fence. */
function isRefusal(error: unknown): boolean {
  if (reasonForError(error) === 'NotLeader') {
    return true;
  }
  const code = error instanceof Error && 'code' in error ? Number(error.code) : 0;
  return code >= 400 && code < 500 && code !== 408 && code !== 409 && code !== 429;
}
