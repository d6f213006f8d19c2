import type { KubernetesObject } from '../apis/meta/v1.ts';
import {
  isConnectionFailed,
  isExpired,
  isServiceUnavailable,
  isTooManyRequests,
  retryAfter,
  UnexpectedAnswerError,
} from '../client/errors.ts';
import { sleep } from '../environment/child-signal.ts';
import type { Environment } from '../environment/environment.ts';
import type { TurnBudget } from '../environment/turn-budget.ts';
import type { StoredObject } from './lazy-object.ts';
import type { ListPage, ListPageOptions, ListWatch } from './list-watch.ts';
import { PageSize } from './page-size.ts';
import { longestWait } from './reflector-policy.ts';

/** A page after the first is tried so often while the server is overloaded or cannot be reached, and so long is waited at least between. */
const maxTries = 3;
const pauseBetweenTries = 1000;
/** A list whose continue token expires is begun again so often; then it has failed. */
const maxRestarts = 3;

export interface PagedListOptions {
  readonly listWatch: ListWatch;
  readonly environment: Environment;
  readonly budget: TurnBudget;
  /** Objects on a page. Default 500, as client-go. */
  readonly pageSize?: number;
  /** Called once for each object that is read; what it gives stands in the list. */
  readonly prepare: (object: StoredObject<KubernetesObject>) => StoredObject<KubernetesObject>;
  /** Called after each page. */
  readonly onPage: (page: ListPage) => void;
  /** Called when the list is begun again. */
  readonly onRestart: () => void;
}

/** By key. */
type Items = Map<string, StoredObject<KubernetesObject>>;

/** Reads whole lists in pages; remembers how many objects of this kind make a good page. */
export class PagedList {
  readonly #options: PagedListOptions;
  readonly #pageSize: PageSize;

  constructor(options: PagedListOptions) {
    this.#options = options;
    this.#pageSize = new PageSize(options.pageSize ?? 500);
  }

  /**
   * All objects at one version, which is not older than the one given; the latest when none is. When the continue token expires on the
   * way, nothing that was read counts, and the list is begun again.
   */
  async read(
    resourceVersion: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly items: Map<string, StoredObject<KubernetesObject>>; readonly resourceVersion: string }> {
    for (let restarts = 0; ; restarts++) {
      const items: Items = new Map();
      const first = await this.#page(resourceVersion === undefined ? {} : { resourceVersion }, items, signal);
      try {
        for (let page = first; page.continueToken !== undefined;) {
          const { continueToken } = page;
          page = await this.#pageAgain({ continueToken }, items, signal);
          if (page.continueToken === continueToken) {
            throw new UnexpectedAnswerError('a page of a list continues with itself');
          }
        }
        return { items, resourceVersion: first.resourceVersion };
      } catch (error) {
        if (!isExpired(error) || restarts >= maxRestarts) throw error;
        this.#options.onRestart();
      }
    }
  }

  /** All that was read would be lost with one page. */
  async #pageAgain(options: Omit<ListPageOptions, 'limit'>, items: Items, signal: AbortSignal): Promise<ListPage> {
    const { clock, random } = this.#options.environment;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#page(options, items, signal);
      } catch (error) {
        if (tries >= maxTries || !isTransient(error)) throw error;
        const pause = Math.max(pauseBetweenTries, Math.min(retryAfter(error) ?? 0, longestWait));
        await sleep(clock, pause * (1 + random.next()), signal);
      }
    }
  }

  async #page(options: Omit<ListPageOptions, 'limit'>, items: Items, signal: AbortSignal): Promise<ListPage> {
    const { listWatch, budget, prepare, onPage } = this.#options;
    // A page that fails half way leaves nothing.
    const read: StoredObject<KubernetesObject>[] = [];
    const page = await listWatch.page({ ...options, limit: this.#pageSize.limit }, budget, signal, (item) =>
      read.push(prepare(item)),
    );
    // Pages of one list do not repeat an object; should one do so all the same, the last counts.
    for (const item of read) items.set(item.key, item);
    this.#pageSize.learn(read.length, page.bytes);
    onPage(page);
    return page;
  }
}

function isTransient(error: unknown): boolean {
  return isConnectionFailed(error) || isTooManyRequests(error) || isServiceUnavailable(error);
}
