import type { KubernetesObject } from '../apis/meta/v1.ts';
import { freeze, type Cached } from '../client/cached.ts';
import { UnexpectedAnswerError } from '../client/errors.ts';
import type { Bodies } from './bodies.ts';
import { changedMembers, changedText } from './changed-members.ts';

/** What is known of each version of an object at once. */
export interface ObjectVersion {
  readonly name: string;
  /** `''` for cluster-scoped objects. */
  readonly namespace: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** Absent on kinds that do not count it. */
  readonly generation: number | undefined;
  readonly deletionTimestamp: string | undefined;
}

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

/** What is read of an object when it comes. */
export interface ObjectHead {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata: KubernetesObject['metadata'];
}

/** The text of an object, as long as nobody has read it; always, where bodies are compressed. */
interface Unparsed<T> {
  readonly body: string | Buffer;
  /** How much of the text goes to the end of the metadata; with a closing brace it is JSON. */
  readonly headLength: number;
  readonly bodies: Bodies;
  /** What was made of it last, as long as a reader has it: all readers get the same. */
  recent?: WeakRef<T & object>;
}

type Labels = Readonly<Record<string, string>>;

/** Under what a store keeps an object. Names hold no slash, so that this is unique. */
export function storeKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** How a store holds an object. */
export class StoredObject<T extends KubernetesObject> implements LazyObject<T> {
  /** What `storeKey` gives: one string for all maps that it is in. */
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly generation: number | undefined;
  readonly deletionTimestamp: string | undefined;
  /** What was parsed when the object came, until everybody was told of it. */
  #arrived: KubernetesObject['metadata'] | undefined;
  /** Kept once they were asked for: who selects by labels does so again and again. Null: there are none. */
  #labels: Labels | null | undefined;
  /** One of the two is set. */
  #object: T | undefined;
  #unparsed: Unparsed<T> | undefined;
  #isUnreadable = false;

  private constructor(
    { name = '', namespace = '', uid, resourceVersion, generation, deletionTimestamp }: KubernetesObject['metadata'],
    object: T | undefined,
    unparsed: Unparsed<T> | undefined,
  ) {
    this.key = storeKey(namespace, name);
    this.name = name;
    this.namespace = namespace;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.generation = generation;
    this.deletionTimestamp = deletionTimestamp;
    this.#object = object;
    this.#unparsed = unparsed;
  }

  static of<T extends KubernetesObject>(object: T, bodies?: Bodies): StoredObject<T> {
    if (bodies?.compressed !== true) return new StoredObject(object.metadata, object, undefined);
    const body = bodies.pack(JSON.stringify(object));
    return new StoredObject<T>(object.metadata, undefined, { body, headLength: 0, bodies });
  }

  /** `text` is the object's, `metadata` what stands in its first `headLength` characters. */
  static ofText<T extends KubernetesObject>(
    text: string,
    headLength: number,
    metadata: KubernetesObject['metadata'],
    bodies: Bodies,
  ): StoredObject<T> {
    const stored = new StoredObject<T>(metadata, undefined, { body: bodies.pack(text), headLength, bodies });
    stored.#arrived = metadata;
    return stored;
  }

  /** Everybody was told of the object: what was at hand for that is dropped. */
  settle(): this {
    this.#arrived = undefined;
    return this;
  }

  get isParsed(): boolean {
    return this.#object !== undefined;
  }

  /** Somebody has tried to read the body, and it is no JSON. */
  get isUnreadable(): boolean {
    return this.#isUnreadable;
  }

  /** Takes the body of the same version that came anew, in place of one that cannot be read: whoever has the object can read it now. */
  heal(same: StoredObject<T>): void {
    this.#object = same.#object;
    this.#unparsed = same.#unparsed;
    this.#isUnreadable = false;
  }

  get metadata(): Cached<KubernetesObject['metadata']> {
    const unparsed = this.#unparsed;
    if (this.#arrived !== undefined) return freeze(this.#arrived);
    if (unparsed === undefined) return freeze((this.#object as KubernetesObject).metadata);
    if (unparsed.headLength === 0) return this.object.metadata;
    const text = unparsed.bodies.unpack(unparsed.body);
    return freeze((this.#parse(`${text.slice(0, unparsed.headLength)}}`) as KubernetesObject).metadata);
  }

  /** For this the body is not parsed, and the metadata once only. */
  get labels(): Labels | undefined {
    if (this.#object !== undefined) return this.#object.metadata.labels;
    if (this.#labels === undefined) this.#labels = this.metadata.labels ?? null;
    return this.#labels ?? undefined;
  }

  get object(): Cached<T> {
    return freeze(this.unfrozen());
  }

  /** The object as it is, for whoever is sure that nobody has read it yet. */
  unfrozen(): T {
    const unparsed = this.#unparsed;
    if (unparsed === undefined) return this.#object as T;
    const recent = unparsed.recent?.deref();
    if (recent !== undefined) return recent;
    const object = this.#parse(this.#text() ?? '') as T;
    if (unparsed.bodies.compressed) {
      unparsed.recent = new WeakRef(object);
    } else {
      this.#object = object;
      this.#unparsed = undefined;
      this.#labels = undefined;
    }
    return object;
  }

  changedSince(previous: LazyObject<T>): readonly string[] {
    const stored = previous instanceof StoredObject ? (previous as StoredObject<T>) : undefined;
    const before = stored === undefined ? undefined : stored.#text();
    const after = this.#text();
    if (after !== undefined && before !== undefined) return changedText(before, after);
    // Not kept: the version that is read next may be another.
    return changedMembers(
      stored === undefined || before === undefined ? previous.object : (stored.#parse(before) as T),
      after === undefined ? (this.#object as T) : (this.#parse(after) as T),
    );
  }

  /** Roughly how many bytes the body takes: of its text, packed or not, or of the text that it would be. */
  size(): number {
    return this.#unparsed?.body.length ?? JSON.stringify(this.#object).length;
  }

  #text(): string | undefined {
    return this.#unparsed?.bodies.unpack(this.#unparsed.body);
  }

  #parse(text: string): unknown {
    try {
      return this.#unparsed?.bodies.parse(text) ?? JSON.parse(text);
    } catch {
      if (!this.#isUnreadable) {
        this.#isUnreadable = true;
        this.#unparsed?.bodies.onUnreadable(this);
      }
      // V8's message would quote the text, which may be a secret's.
      throw new UnexpectedAnswerError(`what the server sent as ${this.namespace}/${this.name} is no JSON`, {
        verb: 'watch',
        path: '',
      });
    }
  }
}
