import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { RequestInfo } from '../client/errors.ts';
import { isRecord } from '../client/json.ts';
import type { Bodies } from './bodies.ts';
import { StoredObject, type ObjectHead } from './lazy-object.ts';
import { decodeWithoutManagedFields, findHead } from './managed-fields.ts';
import { isKubernetesObject, parseWatchEvent, type WatchEvent } from './watch-event.ts';

/** One line of a watch, whose object may not be parsed yet. */
export type StoredWatchEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: StoredObject<KubernetesObject>;
      readonly resourceVersion: string;
    }
  | Exclude<WatchEvent, { readonly object: KubernetesObject }>;

export interface ObjectReaderOptions {
  readonly expected: { readonly apiVersion: string; readonly kind: string };
  /** Objects come as `PartialObjectMetadata` and get the expected type. */
  readonly metadataOnly: boolean;
  /** Whether `metadata.managedFields` is cut out before anything is parsed. */
  readonly withoutManagedFields: boolean;
  /** Keeps the bodies. */
  readonly bodies: Bodies;
}

const eventBeginnings = (['ADDED', 'MODIFIED', 'DELETED'] as const).map((type) => ({
  type,
  bytes: Buffer.from(`{"type":"${type}","object":{`),
}));
const closeBrace = 125;
const maxNamespaces = 10_000;

/**
 * Makes objects to store of the bytes that a server sends. Of what is written as API servers write it (without spaces, metadata before
 * the rest) only type and metadata are parsed, and the rest is kept as text until somebody reads it; everything else is parsed at once.
 */
export class ObjectReader {
  readonly #options: ObjectReaderOptions;
  readonly #namespaces = new Map<string, string>();
  /** Where an object is put together without its managed fields. */
  #scratch = Buffer.allocUnsafe(64 * 1024);

  constructor(options: ObjectReaderOptions) {
    this.#options = options;
  }

  /** An item of a list; undefined when it has no name. Items of built-in kinds come without their type. Throws a `SyntaxError`. */
  item(bytes: Uint8Array): StoredObject<KubernetesObject> | undefined {
    const { expected, metadataOnly, withoutManagedFields } = this.#options;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lazy = metadataOnly ? undefined : this.#lazy(buffer);
    if (lazy !== undefined) {
      const { apiVersion, kind } = lazy.head;
      if (apiVersion === undefined && kind === undefined) {
        const type = `{"apiVersion":${JSON.stringify(expected.apiVersion)},"kind":${JSON.stringify(expected.kind)},`;
        return this.#stored(type + lazy.text.slice(1), lazy.headLength + type.length - 1, lazy.head).settle();
      }
      if (apiVersion !== undefined && kind !== undefined) {
        return this.#stored(lazy.text, lazy.headLength, lazy.head).settle();
      }
    }
    const item: unknown = JSON.parse(
      withoutManagedFields ? decodeWithoutManagedFields(bytes, 1) : buffer.toString('utf8'),
    );
    if (!isKubernetesObject(item)) return undefined;
    if (item.kind !== undefined && item.apiVersion !== undefined && !metadataOnly) {
      return StoredObject.of(item as KubernetesObject, this.#options.bodies);
    }
    return StoredObject.of({ ...item, ...expected }, this.#options.bodies);
  }

  /** A line of a watch. What is no event at all throws an `UnexpectedAnswerError`. */
  event(line: Buffer, request: RequestInfo): StoredWatchEvent {
    const { expected, metadataOnly, withoutManagedFields } = this.#options;
    const lazy = metadataOnly ? undefined : this.#lazyEvent(line);
    if (lazy !== undefined) return lazy;
    const text = withoutManagedFields ? decodeWithoutManagedFields(line, 2) : line.toString('utf8');
    const event = parseWatchEvent(text, expected, request, metadataOnly);
    return 'object' in event ? { ...event, object: StoredObject.of(event.object, this.#options.bodies) } : event;
  }

  /** The usual event of an expected object; undefined for all others. */
  #lazyEvent(line: Buffer): StoredWatchEvent | undefined {
    const { expected } = this.#options;
    const beginning = eventBeginnings.find(
      ({ bytes }) => line[9] === bytes[9] && line.compare(bytes, 0, bytes.length, 0, bytes.length) === 0,
    );
    const { length } = line;
    if (beginning === undefined || line[length - 1] !== closeBrace || line[length - 2] !== closeBrace) return undefined;
    const lazy = this.#lazy(line.subarray(beginning.bytes.length - 1, length - 1));
    if (lazy?.head.apiVersion !== expected.apiVersion || lazy.head.kind !== expected.kind) return undefined;
    const { resourceVersion } = lazy.head.metadata;
    if (typeof resourceVersion !== 'string' || resourceVersion === '') return undefined;
    return { type: beginning.type, object: this.#stored(lazy.text, lazy.headLength, lazy.head), resourceVersion };
  }

  #lazy(bytes: Buffer): { readonly text: string; readonly headLength: number; readonly head: ObjectHead } | undefined {
    const extent = findHead(bytes, 1);
    if (extent === undefined) return undefined;
    const { end, cutStart, cutEnd } = extent;
    const { length } = bytes;
    // What follows the metadata is another member, or nothing.
    if (bytes[length - 1] !== closeBrace) return undefined;
    const cut = this.#options.withoutManagedFields ? cutEnd - cutStart : 0;
    const whole = cut === 0 ? bytes : this.#without(bytes, cutStart, cutEnd);
    const text = whole.toString('utf8', 0, length - cut);
    const isOneByte = text.length === length - cut;
    const headLength = isOneByte ? end - cut : whole.toString('utf8', 0, end - cut).length;
    let head: unknown;
    try {
      head = JSON.parse(`${text.slice(0, headLength)}}`);
    } catch {
      return undefined;
    }
    return isRecord(head) && isKubernetesObject(head) ? { text, headLength, head } : undefined;
  }

  #without(bytes: Buffer, cutStart: number, cutEnd: number): Buffer {
    if (this.#scratch.length < bytes.length) this.#scratch = Buffer.allocUnsafe(2 * bytes.length);
    bytes.copy(this.#scratch, 0, 0, cutStart);
    bytes.copy(this.#scratch, cutStart, cutEnd);
    return this.#scratch;
  }

  #stored(text: string, headLength: number, { metadata }: ObjectHead): StoredObject<KubernetesObject> {
    const { namespace } = metadata;
    // One string for all objects of a namespace.
    if (namespace !== undefined) {
      const known = this.#namespaces.get(namespace);
      if (known === undefined) this.#remember(namespace);
      else metadata.namespace = known;
    }
    return StoredObject.ofText(text, headLength, metadata, this.#options.bodies);
  }

  #remember(namespace: string): void {
    // Namespaces come and go for as long as the process lives.
    if (this.#namespaces.size >= maxNamespaces) this.#namespaces.clear();
    this.#namespaces.set(namespace, namespace);
  }
}
