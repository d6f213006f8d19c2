import type { KubernetesObject } from '../apis/meta/v1.ts';
import { freeze, type Cached } from '../client/cached.ts';
import { UnexpectedAnswerError } from '../client/errors.ts';
import { arrivals } from './arrivals.ts';
import type { Bodies } from './bodies.ts';
import { changedMembers, changedText } from './changed-members.ts';
import type { ObjectVersion } from './object-version.ts';
import { RawBody } from './raw-body.ts';

/**
 * A cached object whose body need not have been parsed yet. What decides most handlers (key, uid, version, generation) is at hand; the
 * rest is parsed when it is first read, so that of many versions that come before one reconcile only the last is parsed.
 */
export interface LazyObject<T extends KubernetesObject = KubernetesObject> extends ObjectVersion {
  /** As long as the body is not parsed each read parses the metadata anew: keep them where they are read twice. */
  readonly metadata: Cached<KubernetesObject['metadata']>;
  /** The whole object: plain JSON, frozen, the same for every reader. Throws an `UnexpectedAnswerError` when the server sent no JSON. */
  readonly object: Cached<T>;
  /**
   * What differs from another version of the object, as JSON pointers of its members at the top and of those of its metadata: `/spec`,
   * `/status`, `/metadata/labels`. The version numbers and managedFields are left out. Parses nothing where both are still text.
   */
  changedSince(previous: LazyObject<T>): readonly string[];
}

/** What few objects have, so that the others need no memory for it. */
interface Rare<T> {
  /** What was made of a compressed body last, as long as a reader has it: all readers get the same. */
  recent?: WeakRef<T & object>;
  /** Kept once they were asked for: who selects by labels does so again and again. Null: there are none. */
  labels?: Labels | null;
  isUnreadable?: boolean;
}

type Labels = Readonly<Record<string, string>>;

/** Under what a store keeps an object. Names hold no slash, so that this is unique. */
export function storeKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** How a store holds an object; there may be hundreds of thousands, so that each member counts. */
export class StoredObject<T extends KubernetesObject> implements LazyObject<T> {
  /** One string for all maps that it is in. */
  #key: string;
  readonly namespace: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly generation: number | undefined;
  readonly deletionTimestamp: string | undefined;
  /** The metadata, once they were asked for, until everybody was told of the object; null: nobody has asked yet. */
  #arrived: KubernetesObject['metadata'] | null | undefined;
  /** This, or the body, is set. */
  #object: T | undefined;
  /** The text, or the bytes as they came, as long as nobody has read it; always, where bodies are compressed. */
  #body: string | Buffer | RawBody | undefined;
  /** How much of the text goes to the end of the metadata; with a closing brace it is JSON. */
  #headLength: number;
  #bodies: Bodies | undefined;
  #rare: Rare<T> | undefined;

  private constructor(
    { name, namespace, uid, resourceVersion, generation, deletionTimestamp }: ObjectVersion,
    object: T | undefined,
    body: string | Buffer | RawBody | undefined,
    headLength: number,
    bodies: Bodies | undefined,
  ) {
    this.#key = storeKey(namespace, name);
    this.namespace = namespace;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.generation = generation;
    this.deletionTimestamp = deletionTimestamp;
    this.#arrived = undefined;
    this.#object = object;
    this.#body = body;
    this.#headLength = headLength;
    this.#bodies = bodies;
    this.#rare = undefined;
  }

  static of<T extends KubernetesObject>(object: T, bodies?: Bodies): StoredObject<T> {
    const version = versionOf(object.metadata);
    if (bodies?.compressed !== true) return new StoredObject(version, object, undefined, 0, undefined);
    return new StoredObject<T>(version, undefined, bodies.pack(JSON.stringify(object)), 0, bodies);
  }

  /** `text` is the object's; its first `headLength` characters go to the end of the metadata, of which `version` is a part. */
  static ofText<T extends KubernetesObject>(
    text: string,
    headLength: number,
    version: ObjectVersion,
    bodies: Bodies,
  ): StoredObject<T> {
    return new StoredObject<T>(version, undefined, bodies.pack(text), headLength, bodies);
  }

  /** An object that has just come. */
  static ofRaw<T extends KubernetesObject>(raw: RawBody, version: ObjectVersion, bodies: Bodies): StoredObject<T> {
    const body = bodies.compressed ? bodies.pack(raw.text()) : raw;
    const headLength = bodies.compressed ? raw.head().length : raw.headLength;
    const stored = new StoredObject<T>(version, undefined, body, headLength, bodies);
    stored.#arrived = null;
    if (body === raw) arrivals.add(stored, raw);
    return stored;
  }

  /** What `storeKey` gives. */
  get key(): string {
    return this.#key;
  }

  /** Takes the key of the version before, which maps hold: one string less, and a look is enough to compare it. */
  shareKey(previous: StoredObject<T>): void {
    this.#key = previous.#key;
  }

  get name(): string {
    return this.#key.slice(this.namespace.length + 1);
  }

  /** Everybody was told of the object: what was at hand for that is dropped. */
  settle(): this {
    this.#arrived = undefined;
    return this;
  }

  /** Another version has taken its place, or it is gone. */
  supersede(): void {
    if (this.#body instanceof RawBody) this.#body.isSuperseded = true;
  }

  detach(): void {
    const raw = this.#body;
    if (!(raw instanceof RawBody) || raw.isSuperseded) return;
    const text = raw.text();
    if (text.length !== raw.length) this.#headLength = raw.head().length;
    this.#body = text;
  }

  get isParsed(): boolean {
    return this.#object !== undefined;
  }

  /** Somebody has tried to read the body, and it is no JSON. */
  get isUnreadable(): boolean {
    return this.#rare?.isUnreadable === true;
  }

  /** Takes the object as it came anew, in place of a body that cannot be read: whoever has this one can read it now. */
  heal(same: StoredObject<T>): void {
    same.detach();
    this.#object = same.#object;
    this.#body = same.#body;
    this.#headLength = same.#headLength;
    this.#bodies = same.#bodies;
    this.#rare = undefined;
  }

  get metadata(): Cached<KubernetesObject['metadata']> {
    if (this.#arrived) return freeze(this.#arrived);
    if (this.#object !== undefined) return freeze(this.#object.metadata);
    if (this.#headLength === 0) return this.object.metadata;
    const { metadata } = this.#parse(`${this.#head()}}`) as KubernetesObject;
    if (this.#arrived === null) this.#arrived = metadata;
    return freeze(metadata);
  }

  /** For this the body is not parsed, and the metadata once only. */
  get labels(): Labels | undefined {
    if (this.#object !== undefined) return this.#object.metadata.labels;
    if (this.#body instanceof RawBody) return this.metadataMember('labels');
    const rare = (this.#rare ??= {});
    rare.labels ??= this.metadata.labels ?? null;
    return rare.labels ?? undefined;
  }

  /** What `metadata` has, for who needs nothing else of them. */
  metadataMember<N extends 'labels' | 'ownerReferences'>(name: N): Cached<KubernetesObject['metadata']>[N] {
    const raw = this.#body;
    if (this.#arrived || !(raw instanceof RawBody) || this.#bodies === undefined) return this.metadata[name];
    const text = raw.member(name);
    try {
      return (text === undefined ? undefined : this.#bodies.parsePart(text)) as Cached<KubernetesObject['metadata']>[N];
    } catch {
      // As all of it.
      return this.metadata[name];
    }
  }

  get object(): Cached<T> {
    return freeze(this.unfrozen());
  }

  /** The object as it is, for whoever is sure that nobody has read it yet. */
  unfrozen(): T {
    if (this.#object !== undefined) return this.#object;
    const recent = this.#rare?.recent?.deref();
    if (recent !== undefined) return recent;
    const object = this.#parse(this.#text()) as T;
    if (this.#bodies?.compressed === true) {
      (this.#rare ??= {}).recent = new WeakRef(object);
    } else {
      this.#object = object;
      this.#body = undefined;
      this.#rare = undefined;
    }
    return object;
  }

  changedSince(previous: LazyObject<T>): readonly string[] {
    if (!(previous instanceof StoredObject)) return changedMembers(previous.object, this.object);
    const stored = previous as StoredObject<T>;
    const [before, after] = [stored.#body, this.#body];
    if (before !== undefined && after !== undefined) {
      const [one, other] = [stored.#parts(), this.#parts()];
      // Most have changed in one of the two only.
      if (one.head !== '' && one.rest === other.rest) return changedText(`${one.head}}`, `${other.head}}`);
      return changedText(one.head + one.rest, other.head + other.rest);
    }
    // Not kept: the version that is read next may be another.
    return changedMembers(
      before === undefined ? (stored.#object as T) : (stored.#parse(stored.#text()) as T),
      after === undefined ? (this.#object as T) : (this.#parse(this.#text()) as T),
    );
  }

  /** Roughly how many bytes the body takes: of its text, packed or not, or of the text that it would be. */
  size(): number {
    return this.#body?.length ?? JSON.stringify(this.#object).length;
  }

  /** The text to the end of the metadata, and what follows. */
  #parts(): { readonly head: string; readonly rest: string } {
    const body = this.#body;
    const text = this.#text();
    const isLonger = body instanceof RawBody && text.length !== body.length;
    const length = isLonger ? body.head().length : this.#headLength;
    return { head: text.slice(0, length), rest: text.slice(length) };
  }

  #head(): string {
    return this.#body instanceof RawBody ? this.#body.head() : this.#text().slice(0, this.#headLength);
  }

  #text(): string {
    const body = this.#body ?? '';
    if (body instanceof RawBody) return body.text();
    return this.#bodies === undefined ? String(body) : this.#bodies.unpack(body);
  }

  #parse(text: string): unknown {
    try {
      return this.#bodies === undefined ? JSON.parse(text) : this.#bodies.parse(text);
    } catch {
      if (!this.isUnreadable) {
        (this.#rare ??= {}).isUnreadable = true;
        this.#bodies?.onUnreadable(this);
      }
      // V8's message would quote the text, which may be a secret's.
      throw new UnexpectedAnswerError(`what the server sent as ${this.key} is no JSON`, { verb: 'watch', path: '' });
    }
  }
}

function versionOf(metadata: KubernetesObject['metadata']): ObjectVersion {
  const { name = '', namespace = '', uid, resourceVersion, generation, deletionTimestamp } = metadata;
  return { name, namespace, uid, resourceVersion, generation, deletionTimestamp };
}
