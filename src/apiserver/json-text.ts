import { JsonSyntaxError, parseJson, stringifyJson } from '../schema/json.ts';
import { isObject, type Json } from './json.ts';

export { JsonSyntaxError };

export interface JsonDocument {
  readonly value: Json;
  /** Paths of members that stand twice (`spec.a`), in the order in which they were met; the last one counts. */
  readonly duplicates: readonly string[];
}

/**
 * Parses JSON and keeps integers exact. Members that stand twice are told, as the server's strict decoder tells them.
 *
 * @throws JsonSyntaxError with the message of Go's decoder
 */
export function parseDocument(text: string): JsonDocument {
  const value = parseJson(text);
  return { value, duplicates: duplicateMembers(text) };
}

export function parseJsonText(text: string): Json {
  return parseJson(text);
}

interface Level {
  /** The members met so far; nothing in a list. */
  readonly names: Set<string> | undefined;
  name: string;
  index: number;
}

/** The paths of members that stand twice in a text that is known to be JSON. */
function duplicateMembers(text: string): readonly string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  let expectsName = false;
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '{':
        levels.push({ names: new Set(), name: '', index: 0 });
        expectsName = true;
        break;
      case '[':
        levels.push({ names: undefined, name: '', index: 0 });
        expectsName = false;
        break;
      case '}':
      case ']':
        levels.pop();
        expectsName = false;
        break;
      case ',':
        if (level !== undefined) level.index++;
        expectsName = level?.names !== undefined;
        break;
      case '"': {
        const start = at++;
        while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
        if (!expectsName || level?.names === undefined) break;
        expectsName = false;
        const source = text.slice(start, at + 1);
        level.name = source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1);
        if (level.names.has(level.name)) found.add(pathOf(levels));
        level.names.add(level.name);
        break;
      }
      default:
    }
  }
  return [...found];
}

function pathOf(levels: readonly Level[]): string {
  return levels
    .map(({ names, name, index }, depth) => (names === undefined ? `[${index}]` : depth === 0 ? name : `.${name}`))
    .join('');
}

const texts = new WeakMap<object, string>();

/** The JSON text of a value. */
export function stringify(value: Json): string {
  return stringifyJson(value);
}

/** Like `stringify`, for objects that never change again: the text is made once. */
export function stringifyStored(value: Json): string {
  if (!isObject(value)) return stringifyJson(value);
  let text = texts.get(value);
  if (text === undefined) texts.set(value, (text = stringifyJson(value)));
  return text;
}
