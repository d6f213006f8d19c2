import type { KubernetesObject } from '../apis/meta/v1.ts';
import { equal } from '../client/draft.ts';
import type { Cached } from '../client/cached.ts';

/** Members of the metadata that say nothing of what was changed. */
const versionMembers = new Set(['resourceVersion', 'generation', 'managedFields']);

/** The members at the top, and those of the metadata, that differ between two versions of an object. */
export function changedMembers(previous: Cached<KubernetesObject>, object: Cached<KubernetesObject>): string[] {
  return pointers(differing(previous, object), differing(previous.metadata, object.metadata));
}

/**
 * The same from the text of both, as the API server writes it. It writes equal values equally, so that nothing has to be parsed; should
 * it not, a member too many is named.
 */
export function changedText(previous: string, object: string): string[] {
  const [before, after] = [membersOf(previous), membersOf(object)];
  const [metadataBefore, metadataAfter] = [before, after].map((members) => members.get('metadata') ?? '{}');
  return pointers(
    differingText(before, after),
    differingText(membersOf(metadataBefore ?? '{}'), membersOf(metadataAfter ?? '{}')),
  );
}

function pointers(top: readonly string[], metadata: readonly string[]): string[] {
  return [
    ...top.filter((member) => member !== 'metadata').map((member) => `/${member}`),
    ...metadata.filter((member) => !versionMembers.has(member)).map((member) => `/metadata/${member}`),
  ];
}

function differing(one: object, other: object): string[] {
  const before = new Map<string, unknown>(Object.entries(one));
  const after = new Map<string, unknown>(Object.entries(other));
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => !equal(before.get(name), after.get(name)));
}

function differingText(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));
}

const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** The members of an object's text, each with the text of its value. */
function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let key = '';
  let valueStart = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (depth === 1 && valueStart < 0) key = unescaped(text.slice(at + 1, end));
      at = end;
    } else if (code === openBrace || code === openBracket) {
      depth++;
    } else if (code === closeBrace || code === closeBracket) {
      depth--;
      if (depth > 0) continue;
      if (valueStart >= 0) members.set(key, text.slice(valueStart, at));
      return members;
    } else if (depth === 1 && code === colon && valueStart < 0) {
      valueStart = at + 1;
    } else if (depth === 1 && code === comma) {
      members.set(key, text.slice(valueStart, at));
      valueStart = -1;
    }
  }
  return members;
}

function unescaped(key: string): string {
  return key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key;
}

/** The index of the closing quote; of text that is no JSON its end. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at++;
  }
  return text.length;
}
