import { argument, declare, type Library, member, overload } from '../declarations.ts';
import { ListValue } from '../lists.ts';
import { ArrayList } from '../lists.ts';
import { printValue } from '../print-value.ts';
import { codePointCount } from '../source.ts';
import { intType, listOf, stringType } from '../types.ts';
import { CelError, noSuchOverload, type Value } from '../values.ts';
import { formatString } from './format-string.ts';
import { dynType } from '../types.ts';

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(text: string, index: bigint): Value {
  const characters = Array.from(text);
  if (index < 0n || index > characters.length) return outOfRange(index);
  return characters[Number(index)] ?? '';
}

function indexOf(text: string, part: string, offset: bigint): Value {
  if (offset < 0n) return outOfRange(offset);
  const size = codePointCount(text);
  if (part === '') return offset > size ? BigInt(size) : offset;
  if (offset >= size) return -1n;
  const start = unitIndex(text, Number(offset));
  const found = text.indexOf(part, start);
  return found < 0 ? -1n : BigInt(codePointCount(text.slice(0, found)));
}

function lastIndexOf(text: string, part: string): Value {
  const size = codePointCount(text);
  if (part === '') return BigInt(size);
  if (new TextEncoder().encode(text).length < new TextEncoder().encode(part).length) return -1n;
  return lastIndexOfBefore(text, part, BigInt(size - 1));
}

function lastIndexOfBefore(text: string, part: string, offset: bigint): Value {
  if (offset < 0n) return outOfRange(offset);
  const size = codePointCount(text);
  if (part === '') return offset > size ? BigInt(size) : offset;
  if (offset >= size) return -1n;
  const found = text.lastIndexOf(part, unitIndex(text, Number(offset)));
  return found < 0 ? -1n : BigInt(codePointCount(text.slice(0, found)));
}

/** The index in UTF-16 units of a code point. */
function unitIndex(text: string, codePoints: number): number {
  let index = 0;
  for (let count = 0; count < codePoints; count += 1) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index;
}

function substring(text: string, start: bigint, end: bigint | undefined): Value {
  const size = codePointCount(text);
  const stop = end ?? BigInt(size);
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) return outOfRange(start);
  if (stop < 0n || stop > size) return outOfRange(stop);
  return text.slice(unitIndex(text, Number(start)), unitIndex(text, Number(stop)));
}

/** Replaces the first `limit` occurrences, all when it is negative. An empty text occurs around every character. */
function replace(text: string, old: string, replacement: string, limit: bigint): string {
  if (limit < 0n && old !== '') return text.replaceAll(old, () => replacement);
  if (old === '') {
    const characters = Array.from(text);
    const count = limit < 0n ? characters.length + 1 : Math.min(Number(limit), characters.length + 1);
    let result = '';
    for (let index = 0; index <= characters.length; index += 1)
      result += (index < count ? replacement : '') + (characters[index] ?? '');
    return result;
  }
  let result = '';
  let from = 0;
  for (let count = 0n; count < limit; count += 1n) {
    const found = text.indexOf(old, from);
    if (found < 0) break;
    result += text.slice(from, found) + replacement;
    from = found + old.length;
  }
  return result + text.slice(from);
}

function split(text: string, separator: string, limit: bigint): string[] {
  if (limit === 0n) return [];
  const pieces = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0n || pieces.length <= limit) return pieces;
  const kept = pieces.slice(0, Number(limit) - 1);
  return [...kept, pieces.slice(Number(limit) - 1).join(separator)];
}

/** What Go's `TrimSpace` takes away. */
const edgeSpace = /^[\t\n\v\f\r \u0085\p{Z}]+|[\t\n\v\f\r \u0085\p{Z}]+$/gu;

export function trimSpace(text: string): string {
  return text.replaceAll(edgeSpace, '');
}

function join(list: Value, separator: string): Value {
  if (!(list instanceof ListValue)) return noSuchOverload(list);
  const texts: string[] = [];
  for (const element of list) {
    if (typeof element !== 'string') return new CelError(`join: invalid input: ${printValue(element)}`);
    texts.push(element);
  }
  return texts.join(separator);
}

const quoted: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  let result = '"';
  for (const character of text) result += quoted[character] ?? character;
  return `${result}"`;
}

/** A function whose arguments the signature guarantees to be of these JavaScript types. */
function text(args: readonly Value[], index: number): string {
  const value = argument(args, index);
  if (typeof value !== 'string') throw new TypeError(`argument ${index} is no string`);
  return value;
}

function int(args: readonly Value[], index: number): bigint {
  const value = argument(args, index);
  if (typeof value !== 'bigint') throw new TypeError(`argument ${index} is no int`);
  return value;
}

function texts(values: readonly string[]): Value {
  return new ArrayList(values);
}

const listOfText = listOf(stringType);

/** The string functions of cel-go's extensions, version 2. */
export const stringsLibrary: Library = {
  since: 29,
  functions: [
    declare(
      'charAt',
      member('string_char_at_int', [stringType, intType], stringType, (args) => charAt(text(args, 0), int(args, 1))),
    ),
    declare(
      'indexOf',
      member('string_index_of_string', [stringType, stringType], intType, (args) =>
        indexOf(text(args, 0), text(args, 1), 0n),
      ),
      member('string_index_of_string_int', [stringType, stringType, intType], intType, (args) =>
        indexOf(text(args, 0), text(args, 1), int(args, 2)),
      ),
    ),
    declare(
      'lastIndexOf',
      member('string_last_index_of_string', [stringType, stringType], intType, (args) =>
        lastIndexOf(text(args, 0), text(args, 1)),
      ),
      member('string_last_index_of_string_int', [stringType, stringType, intType], intType, (args) =>
        lastIndexOfBefore(text(args, 0), text(args, 1), int(args, 2)),
      ),
    ),
    declare(
      'lowerAscii',
      member('string_lower_ascii', [stringType], stringType, (args) =>
        text(args, 0).replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
      ),
    ),
    declare(
      'replace',
      member('string_replace_string_string', [stringType, stringType, stringType], stringType, (args) =>
        replace(text(args, 0), text(args, 1), text(args, 2), -1n),
      ),
      member('string_replace_string_string_int', [stringType, stringType, stringType, intType], stringType, (args) =>
        replace(text(args, 0), text(args, 1), text(args, 2), int(args, 3)),
      ),
    ),
    declare(
      'split',
      member('string_split_string', [stringType, stringType], listOfText, (args) =>
        texts(split(text(args, 0), text(args, 1), -1n)),
      ),
      member('string_split_string_int', [stringType, stringType, intType], listOfText, (args) =>
        texts(split(text(args, 0), text(args, 1), int(args, 2))),
      ),
    ),
    declare(
      'substring',
      member('string_substring_int', [stringType, intType], stringType, (args) =>
        substring(text(args, 0), int(args, 1), undefined),
      ),
      member('string_substring_int_int', [stringType, intType, intType], stringType, (args) =>
        substring(text(args, 0), int(args, 1), int(args, 2)),
      ),
    ),
    declare(
      'trim',
      member('string_trim', [stringType], stringType, (args) => trimSpace(text(args, 0))),
    ),
    declare(
      'upperAscii',
      member('string_upper_ascii', [stringType], stringType, (args) =>
        text(args, 0).replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
      ),
    ),
    declare('format', {
      ...member('string_format', [stringType, listOf(dynType)], stringType, (args) => {
        const values = argument(args, 1);
        return values instanceof ListValue ? formatString(text(args, 0), values) : noSuchOverload(values);
      }),
      sequential: true,
    }),
    declare(
      'strings.quote',
      overload('strings_quote', [stringType], stringType, (args) => quote(text(args, 0))),
    ),
    declare(
      'join',
      member('list_join', [listOfText], stringType, (args) => join(argument(args, 0), '')),
      member('list_join_string', [listOfText, stringType], stringType, (args) =>
        join(argument(args, 0), text(args, 1)),
      ),
    ),
  ],
};
