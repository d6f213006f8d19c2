import type { KubernetesObject } from '../apis/meta/v1.ts';
import { UnexpectedAnswerError, type RequestInfo } from '../client/errors.ts';
import { isRecord } from '../client/json.ts';
import { collectionPath, type Query } from '../client/paths.ts';
import type { Rest } from '../client/rest.ts';
import type { ChildSignal } from '../environment/child-signal.ts';
import type { KindInfo } from '../kind/kind.ts';

/** Which objects of a kind are listed and watched. */
export interface Selection {
  /** All namespaces when left out. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListPage {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
  /** Absent on the last page. */
  readonly continueToken?: string;
}

export interface ListPageOptions {
  /** Not older than this; the latest state when left out. Only for first pages. */
  readonly resourceVersion?: string;
  readonly continueToken?: string;
  readonly limit: number;
}

/** Lists and watches the objects of one kind. */
export class ListWatch {
  readonly info: KindInfo & { readonly apiVersion: string };
  readonly #rest: Rest;
  readonly #selection: Selection;
  readonly #path: string;

  constructor(rest: Rest, info: KindInfo & { readonly apiVersion: string }, selection: Selection) {
    this.info = info;
    this.#rest = rest;
    this.#selection = selection;
    this.#path = collectionPath(info, selection.namespace);
  }

  /** One page; not tried again, since whoever reflects has a policy of its own. */
  async page(options: ListPageOptions, signal: AbortSignal): Promise<ListPage> {
    const first = options.continueToken === undefined && options.resourceVersion !== undefined;
    const answer = await this.#rest.json({
      verb: 'list',
      method: 'GET',
      path: this.#path,
      query: {
        ...this.#selectors(),
        limit: options.limit,
        continue: options.continueToken,
        resourceVersion: first ? options.resourceVersion : undefined,
        // Without it a limit would ask for exactly this version.
        resourceVersionMatch: first ? 'NotOlderThan' : undefined,
      },
      retry: false,
      signal,
    });
    return this.#parse(answer);
  }

  /** Opens a watch; the body is a line of JSON for each event. */
  async watch(
    resourceVersion: string,
    timeoutSeconds: number,
    connection: ChildSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const query = { ...this.#selectors(), watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds };
    const response = await this.#rest.stream({ verb: 'watch', method: 'GET', path: this.#path, query }, connection);
    const type = response.headers['content-type'];
    if (type !== undefined && !type.startsWith('application/json')) {
      throw new UnexpectedAnswerError(`watch ${this.#path}: the answer is ${type}, not JSON`, this.#request('watch'));
    }
    return response.body;
  }

  #selectors(): Query {
    const { labelSelector, fieldSelector } = this.#selection;
    return { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined };
  }

  #parse(answer: Record<string, unknown>): ListPage {
    const { items, metadata } = answer;
    const resourceVersion = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
    // Go writes an empty list as null.
    const list = items ?? [];
    if (items === undefined || !Array.isArray(list) || typeof resourceVersion !== 'string' || resourceVersion === '') {
      throw new UnexpectedAnswerError(
        `list ${this.#path}: the answer is no list of objects with a resourceVersion`,
        this.#request('list'),
      );
    }
    const token = isRecord(metadata) ? metadata['continue'] : undefined;
    return {
      items: list.map((item: unknown) => this.#item(item)),
      resourceVersion,
      ...(typeof token === 'string' && token !== '' ? { continueToken: token } : {}),
    };
  }

  /** Items of built-in kinds come without the type that objects of a watch have: the cache holds one shape. */
  #item(item: unknown): KubernetesObject {
    if (!isKubernetesObject(item)) {
      throw new UnexpectedAnswerError(`list ${this.#path}: an item has no metadata.name`, this.#request('list'));
    }
    if (item.apiVersion !== undefined && item.kind !== undefined) return item as KubernetesObject;
    return { ...item, apiVersion: this.info.apiVersion, kind: this.info.kind };
  }

  #request(verb: RequestInfo['verb']): RequestInfo {
    return { verb, path: this.#path };
  }
}

/** Whether a value is an object with a name, as all that are cached. */
export function isKubernetesObject(
  value: unknown,
): value is Partial<KubernetesObject> & Pick<KubernetesObject, 'metadata'> {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  return typeof value['metadata']['name'] === 'string';
}
