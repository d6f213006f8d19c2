import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { RequestInfo } from '../client/errors.ts';
import type { Bodies } from './bodies.ts';
import { equals, HeadScanner, type Range } from './head-scanner.ts';
import { StoredObject } from './lazy-object.ts';
import { decodeWithoutManagedFields } from './managed-fields.ts';
import type { ObjectVersion } from './object-version.ts';
import { RawBody } from './raw-body.ts';
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
 * the rest) only what identifies a version is read, and the rest is kept as it is until somebody asks for it; everything else is parsed
 * at once.
 */
export class ObjectReader {
  readonly #options: ObjectReaderOptions;
  readonly #apiVersion: Buffer;
  readonly #kind: Buffer;
  /** The type of items that come without it. */
  readonly #typeMembers: string;
  readonly #namespaces = new Map<string, string>();
  readonly #head = new HeadScanner();

  constructor(options: ObjectReaderOptions) {
    this.#options = options;
    const { apiVersion, kind } = options.expected;
    this.#apiVersion = Buffer.from(apiVersion);
    this.#kind = Buffer.from(kind);
    this.#typeMembers = `"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`;
  }

  /** An item of a list; undefined when it has no name. Items of built-in kinds come without their type. Throws a `SyntaxError`. */
  item(bytes: Uint8Array): StoredObject<KubernetesObject> | undefined {
    const { expected, metadataOnly, withoutManagedFields, bodies } = this.#options;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lazy = metadataOnly ? undefined : this.#lazyItem(buffer);
    if (lazy !== undefined) return lazy;
    const item: unknown = JSON.parse(
      withoutManagedFields ? decodeWithoutManagedFields(bytes, 1) : buffer.toString('utf8'),
    );
    if (!isKubernetesObject(item)) return undefined;
    if (item.kind !== undefined && item.apiVersion !== undefined && !metadataOnly) {
      return StoredObject.of(item as KubernetesObject, bodies);
    }
    return StoredObject.of({ ...item, ...expected }, bodies);
  }

  /**
   * A line of a watch. What is no event at all throws an `UnexpectedAnswerError`. The object may go on to be read from the line's bytes,
   * which nobody may change then.
   */
  event(line: Buffer, request: RequestInfo): StoredWatchEvent {
    const { expected, metadataOnly, withoutManagedFields } = this.#options;
    const lazy = metadataOnly ? undefined : this.#lazyEvent(line);
    if (lazy !== undefined) return lazy;
    const text = withoutManagedFields ? decodeWithoutManagedFields(line, 2) : line.toString('utf8');
    const event = parseWatchEvent(text, expected, request, metadataOnly);
    return 'object' in event ? { ...event, object: StoredObject.of(event.object, this.#options.bodies) } : event;
  }

  /** The usual item; undefined for all others. What it is made of are not the bytes, which belong to a whole page. */
  #lazyItem(buffer: Buffer): StoredObject<KubernetesObject> | undefined {
    const { bodies } = this.#options;
    const raw = this.#raw(buffer, 0, buffer.length);
    if (raw === undefined) return undefined;
    const hasType = this.#head.apiVersion.end > 0;
    if (hasType !== this.#head.kind.end > 0) return undefined;
    const added = hasType ? '' : this.#typeMembers;
    const text = raw.textWith(added);
    const isOneByte = text.length === raw.length + added.length;
    const headLength = (isOneByte ? raw.headLength : raw.head().length) + added.length;
    return StoredObject.ofText(text, headLength, this.#version(buffer), bodies);
  }

  /** The usual event of an expected object; undefined for all others. */
  #lazyEvent(line: Buffer): StoredWatchEvent | undefined {
    const beginning = eventBeginnings.find(
      ({ bytes }) => line[9] === bytes[9] && line.compare(bytes, 0, bytes.length, 0, bytes.length) === 0,
    );
    const { length } = line;
    if (beginning === undefined || line[length - 1] !== closeBrace) return undefined;
    const raw = this.#raw(line, beginning.bytes.length - 1, length - 1);
    const { apiVersion, kind } = this.#head;
    if (raw === undefined || !equals(line, apiVersion.start, apiVersion.end, this.#apiVersion)) return undefined;
    if (!equals(line, kind.start, kind.end, this.#kind)) return undefined;
    const version = this.#version(line);
    const { resourceVersion } = version;
    if (resourceVersion === undefined || resourceVersion === '') return undefined;
    return { type: beginning.type, object: StoredObject.ofRaw(raw, version, this.#options.bodies), resourceVersion };
  }

  /** An object that has a name and is written as usual. */
  #raw(bytes: Buffer, start: number, end: number): RawBody | undefined {
    const head = this.#head;
    // What follows the metadata is another member, or nothing.
    if (bytes[end - 1] !== closeBrace || !head.scan(bytes, start, end, 1)) return undefined;
    if (head.isUnusual || head.name.end === 0) return undefined;
    return new RawBody(bytes, start, end, head, this.#options.withoutManagedFields);
  }

  /** Of the object that was scanned. */
  #version(bytes: Buffer): ObjectVersion {
    const { name, namespace, uid, resourceVersion, deletionTimestamp, generation } = this.#head;
    return {
      name: textOf(bytes, name) ?? '',
      namespace: this.#known(textOf(bytes, namespace)),
      uid: textOf(bytes, uid),
      resourceVersion: textOf(bytes, resourceVersion),
      generation,
      deletionTimestamp: textOf(bytes, deletionTimestamp),
    };
  }

  /** One string for all objects of a namespace. */
  #known(namespace = ''): string {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    // Namespaces come and go for as long as the process lives.
    if (this.#namespaces.size >= maxNamespaces) this.#namespaces.clear();
    this.#namespaces.set(namespace, namespace);
    return namespace;
  }
}

function textOf(bytes: Buffer, { start, end }: Range): string | undefined {
  return end === 0 ? undefined : bytes.toString('utf8', start, end);
}
