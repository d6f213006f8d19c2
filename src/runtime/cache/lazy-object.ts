import type { KubernetesObject } from '../apis/meta/v1.ts';
import { freeze, type Cached } from '../client/cached.ts';
import { UnexpectedAnswerError } from '../client/errors.ts';
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

/** The text of an object, as long as nobody has read it. */
interface Unparsed {
  readonly text: string;
  /** How much of the text goes to the end of the metadata; with a closing brace it is JSON. */
  readonly headLength: number;
}

/** How a store holds an object. */
export class StoredObject<T extends KubernetesObject> implements LazyObject<T> {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly generation: number | undefined;
  readonly deletionTimestamp: string | undefined;
  /** Either is set. */
  #object: T | undefined;
  #unparsed: Unparsed | undefined;

  private constructor(
    { name = '', namespace = '', uid, resourceVersion, generation, deletionTimestamp }: KubernetesObject['metadata'],
    object: T | undefined,
    unparsed: Unparsed | undefined,
  ) {
    this.name = name;
    this.namespace = namespace;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.generation = generation;
    this.deletionTimestamp = deletionTimestamp;
    this.#object = object;
    this.#unparsed = unparsed;
  }

  static of<T extends KubernetesObject>(object: T): StoredObject<T> {
    return new StoredObject(object.metadata, object, undefined);
  }

  /** `text` is the object's, `metadata` what stands in its first `headLength` characters. */
  static ofText<T extends KubernetesObject>(
    text: string,
    headLength: number,
    metadata: KubernetesObject['metadata'],
  ): StoredObject<T> {
    return new StoredObject<T>(metadata, undefined, { text, headLength });
  }

  get isParsed(): boolean {
    return this.#object !== undefined;
  }

  get metadata(): Cached<KubernetesObject['metadata']> {
    if (this.#unparsed === undefined) return freeze((this.#object as KubernetesObject).metadata);
    const { text, headLength } = this.#unparsed;
    return freeze((parse(`${text.slice(0, headLength)}}`, this) as KubernetesObject).metadata);
  }

  get object(): Cached<T> {
    return freeze(this.unfrozen());
  }

  /** The object as it is, for whoever is sure that nobody has read it yet. */
  unfrozen(): T {
    if (this.#unparsed !== undefined) {
      this.#object = parse(this.#unparsed.text, this) as T;
      this.#unparsed = undefined;
    }
    return this.#object as T;
  }

  changedSince(previous: LazyObject<T>): readonly string[] {
    const before = previous instanceof StoredObject ? (previous as StoredObject<T>).#unparsed : undefined;
    if (this.#unparsed !== undefined && before !== undefined) return changedText(before.text, this.#unparsed.text);
    // Not kept: the version that is read next may be another.
    const after = this.#unparsed === undefined ? this.#object : parse(this.#unparsed.text, this);
    return changedMembers(before === undefined ? previous.object : (parse(before.text, previous) as T), after as T);
  }

  /** Characters of the object's JSON. */
  size(): number {
    return this.#unparsed?.text.length ?? JSON.stringify(this.#object).length;
  }
}

function parse(text: string, { namespace, name }: ObjectVersion): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // V8's message would quote the text, which may be a secret's.
    throw new UnexpectedAnswerError(`what the server sent as ${namespace}/${name} is no JSON`, {
      verb: 'watch',
      path: '',
    });
  }
}
