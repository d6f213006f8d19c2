import type { KubernetesObject } from '../apis/meta/v1.ts';
import { UnexpectedAnswerError, type RequestInfo } from '../client/errors.ts';
import { isRecord } from '../client/json.ts';
import { collectionPath, type Query } from '../client/paths.ts';
import type { Rest } from '../client/rest.ts';
import type { ChildSignal } from '../environment/child-signal.ts';
import type { TransportResponse } from '../environment/environment.ts';
import type { TurnBudget } from '../environment/turn-budget.ts';
import type { KindInfo } from '../kind/kind.ts';
import { Bodies } from './bodies.ts';
import type { StoredObject } from './lazy-object.ts';
import { ListScanner, ListSyntaxError } from './list-scanner.ts';
import { ObjectReader, type StoredWatchEvent } from './object-reader.ts';

/** Which objects of a kind are listed and watched, and in which form. */
export interface Selection {
  /** All namespaces when left out. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Only type and metadata are sent (`PartialObjectMetadata`). Default false. */
  readonly metadataOnly?: boolean;
  /** Whether `metadata.managedFields` is cut out before objects are parsed. Default false. */
  readonly withoutManagedFields?: boolean;
  /** Keeps the bodies of objects. Default: as text, until they are read. */
  readonly bodies?: Bodies;
}

/** What a page of a list says beside its items. */
export interface ListPage {
  readonly resourceVersion: string;
  /** Absent on the last page. */
  readonly continueToken?: string;
  /** The size of the body. */
  readonly bytes: number;
}

export interface ListPageOptions {
  /** Not older than this; the latest state when left out. Only for first pages. */
  readonly resourceVersion?: string;
  readonly continueToken?: string;
  readonly limit: number;
}

export interface WatchOptions {
  /** Where to begin; with `initialEvents` the state to begin with is not older than this, `''`: the latest. */
  readonly resourceVersion: string;
  /** The server ends the watch after so many seconds. */
  readonly timeoutSeconds: number;
  /** Whether the server is to send the whole state first (a streaming list). */
  readonly initialEvents: boolean;
}

/** Lists and watches the objects of one kind. */
export class ListWatch {
  readonly info: KindInfo & { readonly apiVersion: string };
  readonly #rest: Rest;
  readonly #selection: Selection;
  readonly #path: string;
  readonly #reader: ObjectReader;

  constructor(rest: Rest, info: KindInfo & { readonly apiVersion: string }, selection: Selection) {
    this.info = info;
    this.#rest = rest;
    this.#selection = selection;
    this.#path = collectionPath(info, selection.namespace);
    this.#reader = new ObjectReader({
      expected: { apiVersion: info.apiVersion, kind: info.kind },
      metadataOnly: selection.metadataOnly === true,
      withoutManagedFields: selection.withoutManagedFields === true,
      bodies: selection.bodies ?? new Bodies(),
    });
  }

  /** All namespaces when left out. */
  get namespace(): string | undefined {
    return this.#selection.namespace;
  }

  /**
   * One page, whose items are handed over one by one as they come, without holding up the event loop. Not tried again, since whoever
   * reflects has a policy of its own.
   */
  async page(
    options: ListPageOptions,
    budget: TurnBudget,
    signal: AbortSignal,
    onItem: (item: StoredObject<KubernetesObject>) => void,
  ): Promise<ListPage> {
    const first = options.continueToken === undefined && options.resourceVersion !== undefined;
    const request = {
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
      ...this.#accept('PartialObjectMetadataList'),
      signal,
    } as const;
    return this.#rest.read(request, async (response) => {
      this.#assertJson(response, 'list');
      const scanner = new ListScanner();
      let bytes = 0;
      try {
        for await (const chunk of response.body) {
          bytes += chunk.length;
          for (const item of scanner.push(chunk)) {
            onItem(this.#item(item));
            if (budget.exhausted()) await budget.turn();
          }
        }
        return { ...this.#envelope(scanner.envelope()), bytes };
      } catch (error) {
        if (error instanceof ListSyntaxError) throw this.#unexpected(error.message);
        // V8's message would quote the text, which may be a secret's.
        if (error instanceof SyntaxError) throw this.#unexpected('it is no JSON');
        throw error;
      }
    });
  }

  /** Opens a watch; the body is a line of JSON for each event. */
  async watch(options: WatchOptions, connection: ChildSignal): Promise<AsyncIterable<Uint8Array>> {
    const { resourceVersion, timeoutSeconds, initialEvents } = options;
    const query = {
      ...this.#selectors(),
      watch: true,
      allowWatchBookmarks: true,
      ...(initialEvents ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : {}),
      resourceVersion: initialEvents ? resourceVersion || undefined : resourceVersion,
      timeoutSeconds,
    };
    const response = await this.#rest.stream(
      { verb: 'watch', method: 'GET', path: this.#path, query, ...this.#accept('PartialObjectMetadata') },
      connection,
    );
    this.#assertJson(response, 'watch');
    return response.body;
  }

  /** Reads a line of a watch. What is no event at all throws. */
  event(line: Buffer): StoredWatchEvent {
    return this.#reader.event(line, this.#request('watch'));
  }

  #assertJson({ headers }: TransportResponse, verb: 'list' | 'watch'): void {
    const type = headers['content-type'];
    if (type === undefined || type.startsWith('application/json')) return;
    throw new UnexpectedAnswerError(`${verb} ${this.#path}: the answer is ${type}, not JSON`, this.#request(verb));
  }

  #accept(as: string): { readonly accept?: string } {
    if (this.#selection.metadataOnly !== true) return {};
    return { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` };
  }

  #selectors(): Query {
    const { labelSelector, fieldSelector } = this.#selection;
    return { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined };
  }

  #envelope(text: string): Omit<ListPage, 'bytes'> {
    const answer: unknown = JSON.parse(text);
    const { items, metadata } = isRecord(answer) ? answer : {};
    const resourceVersion = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
    // Go writes an empty list as null.
    const isList = items === null || Array.isArray(items);
    if (!isList || typeof resourceVersion !== 'string' || resourceVersion === '') {
      throw this.#unexpected('it is no list of objects with a resourceVersion');
    }
    const token = isRecord(metadata) ? metadata['continue'] : undefined;
    return { resourceVersion, ...(typeof token === 'string' && token !== '' ? { continueToken: token } : {}) };
  }

  #item(bytes: Uint8Array): StoredObject<KubernetesObject> {
    const item = this.#reader.item(bytes);
    if (item === undefined) throw this.#unexpected('an item has no metadata.name');
    return item;
  }

  #unexpected(what: string): UnexpectedAnswerError {
    return new UnexpectedAnswerError(
      `list ${this.#path}: the answer is no list of a Kubernetes API server: ${what}`,
      this.#request('list'),
    );
  }

  #request(verb: RequestInfo['verb']): RequestInfo {
    return { verb, path: this.#path };
  }
}
