import { Buffer } from 'node:buffer';
import type { KubernetesObject, MicroTime } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { defineKind } from '../kind/kind.ts';

/** What is said of an object. */
export interface EventNote {
  /** Default `Normal`. */
  readonly type?: 'Normal' | 'Warning';
  /** Why, for machines: one word in UpperCamelCase (`Created`), at most 128 bytes. */
  readonly reason: string;
  /** What was done or failed, for machines: one word in UpperCamelCase. Default: the reason. */
  readonly action?: string;
  /** What happened, for people; cut at 1024 bytes. */
  readonly note: string;
  /** A second object that has a part in it. */
  readonly related?: Cached<KubernetesObject>;
}

/** Says what happened to objects, as `kubectl describe` and `kubectl events` show it. Never throws for what the API server says. */
export interface EventRecorder {
  event(regarding: Cached<KubernetesObject>, event: EventNote): void;
}

export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** An `events.k8s.io/v1` Event as far as it is written here. */
export interface Event extends KubernetesObject {
  readonly eventTime: MicroTime;
  readonly type: string;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: MicroTime };
}

export const Event = /* @__PURE__ */ defineKind<Event, 'Namespaced'>({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
  subresources: [],
});

/** The API server's limits, in bytes. */
const longestNote = 1024;
const longestWord = 128;
const longestName = 253;

export interface EventSource {
  readonly controller: string;
  readonly instance: string;
}

/** The event to be created. `unique` tells it apart from others of the object; `now` is in milliseconds since 1970. */
export function newEvent(
  regarding: Cached<KubernetesObject>,
  { type = 'Normal', reason, action = reason, note, related }: EventNote,
  source: EventSource,
  unique: string,
  now: number,
): Event {
  const { name = '', namespace = '' } = regarding.metadata;
  return {
    apiVersion: Event.apiVersion,
    kind: Event.kind,
    metadata: {
      name: `${cut(name, longestName - unique.length - 1).replace(/[.-]+$/, '')}.${unique}`,
      // Events about cluster-scoped objects stand in `default`.
      namespace: namespace === '' ? 'default' : namespace,
    },
    eventTime: microTime(now),
    type,
    reason: cut(reason, longestWord),
    action: cut(action, longestWord),
    note: cut(note, longestNote),
    regarding: referenceTo(regarding),
    ...(related === undefined ? {} : { related: referenceTo(related) }),
    reportingController: source.controller,
    reportingInstance: cut(source.instance, longestWord),
  };
}

/** A time stamp as `metav1.MicroTime` is written. */
export function microTime(milliseconds: number): MicroTime {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}

function referenceTo({ apiVersion, kind, metadata }: Cached<KubernetesObject>): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** At most so many bytes of UTF-8, cut between characters. */
function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) {
    return text;
  }
  let end = bytes;
  // Not within a character: its later bytes are 10xxxxxx.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) {
    end--;
  }
  return encoded.toString('utf8', 0, end);
}
