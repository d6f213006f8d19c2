import { Float, type Json } from '../model/index.ts';
import { JsonPathError } from './json-path-error.ts';

/** One step of a parsed path. */
export type JsonPathNode =
  | { readonly type: 'literal'; readonly value: Json }
  | { readonly type: 'field'; readonly name: string }
  /** A word of kubectl's templates, or one that means nothing: an error when it is evaluated. */
  | { readonly type: 'identifier'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | {
      readonly type: 'slice';
      readonly start?: number;
      readonly end?: number;
      readonly step?: number;
      /** `[-1]` rather than `[-1:0]`. */
      readonly isSingle: boolean;
    }
  | { readonly type: 'union'; readonly branches: readonly (readonly JsonPathNode[])[] }
  | {
      readonly type: 'filter';
      readonly left: readonly JsonPathNode[];
      readonly operator: string;
      readonly right: readonly JsonPathNode[];
    };

/** Parses a template `{...}` and gives the steps of its first action. Throws a {@link JsonPathError}. */
export function parseTemplate(template: string): JsonPathNode[] {
  return new TemplateParser(template).parse();
}

const terminators = ' \t\r\n.,[]$@{}';

class TemplateParser {
  readonly #text: string;
  #position = 1;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): JsonPathNode[] {
    const nodes: JsonPathNode[] = [];
    for (;;) {
      const rest = this.#text.slice(this.#position);
      if (rest.startsWith('}')) return nodes;
      if (rest.startsWith('[?(')) nodes.push(this.#filter());
      else if (rest.startsWith('..')) this.#recursive(nodes);
      else this.#step(nodes, rest);
    }
  }

  #step(nodes: JsonPathNode[], rest: string): void {
    const character = String.fromCodePoint(rest.codePointAt(0) ?? 10);
    if (rest === '' || character === '\r' || character === '\n') throw new JsonPathError('unclosed action');
    if (character === ' ' || character === '@' || character === '$') this.#position++;
    else if (character === '[') nodes.push(...this.#array());
    else if (character === '"' || character === "'") nodes.push(this.#quoted(character));
    else if (character === '.') nodes.push(this.#field(1));
    else if (/[+\-\p{Nd}]/u.test(character)) nodes.push(this.#number());
    else if (/[_\p{L}]/u.test(character)) nodes.push(this.#identifier());
    else {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      throw new JsonPathError(`unrecognized character in action: U+${code} '${character}'`);
    }
  }

  /** Reads a name after the given number of characters; a backslash takes the next character as it is. */
  #field(skipped: number): JsonPathNode {
    this.#position += skipped;
    const name = this.#scan((character) => !terminators.includes(character), true);
    return name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') };
  }

  #recursive(nodes: JsonPathNode[]): void {
    if (nodes.at(-1)?.type === 'recursive') throw new JsonPathError('invalid multiple recursive descent');
    this.#position += 2;
    nodes.push({ type: 'recursive' });
    if (/^[_\p{L}\p{Nd}]/u.test(this.#text.slice(this.#position))) nodes.push(this.#field(0));
  }

  #identifier(): JsonPathNode {
    const name = this.#scan((character) => !terminators.includes(character));
    if (name === 'true' || name === 'false') return { type: 'literal', value: name === 'true' };
    return { type: 'identifier', name };
  }

  #number(): JsonPathNode {
    const start = this.#position;
    if ('+-'.includes(this.#text.charAt(start))) this.#position++;
    this.#scan((character) => /[.\p{Nd}]/u.test(character));
    const text = this.#text.slice(start, this.#position);
    if (/^[+-]?[0-9]+$/.test(text)) return { type: 'literal', value: integer(text) };
    if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text)) throw new JsonPathError(`cannot parse number ${text}`);
    const value = Number(text);
    return { type: 'literal', value: Number.isInteger(value) ? new Float(value) : value };
  }

  #array(): JsonPathNode[] {
    const start = this.#position;
    const end = this.#text.indexOf(']', start);
    const lineEnd = this.#text.indexOf('\n', start);
    if (end < 0 || (lineEnd >= 0 && lineEnd < end)) throw new JsonPathError('unterminated array');
    this.#position = end + 1;
    const content = this.#text.slice(start + 1, end);
    const text = content === '*' ? ':' : content;
    const parts = text.split(',');
    if (parts.length > 1) {
      const branches = parts.map((part) => parseTemplate(`{[${part.replace(/^ +| +$/g, '')}]}`));
      return [{ type: 'union', branches }];
    }
    const key = /^'([^']*)'$/.exec(text);
    if (key !== null) return parseTemplate(`{.${key[1] ?? ''}}`);
    const match = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/.exec(text);
    if (match === null) throw new JsonPathError(`invalid array index ${text}`);
    const first = bound(match[1] ?? '');
    const isSingle = match[2] === undefined;
    const second = isSingle ? (first ?? 0) + 1 : bound((match[2] ?? '').slice(1));
    const step = bound((match[3] ?? '').slice(1));
    return [
      {
        type: 'slice',
        ...(first === undefined ? {} : { start: first }),
        ...(second === undefined ? {} : { end: second }),
        ...(step === undefined ? {} : { step }),
        isSingle,
      },
    ];
  }

  #filter(): JsonPathNode {
    const start = this.#position + '[?('.length;
    let quote = '';
    let isClosed = false;
    let end = start;
    for (; ; end++) {
      const character = this.#text.charAt(end);
      if (character === '' || character === '\n') throw new JsonPathError('unterminated filter');
      if (character === '"' || character === "'") {
        if (quote === '') quote = character;
        else if (character === quote && this.#text.charAt(end - 1) !== '\\') isClosed = true;
      }
      // Quotes come in one pair, or not at all.
      if (character === ')' && (quote !== '') === isClosed) break;
    }
    if (this.#text.charAt(end + 1) !== ']') throw new JsonPathError('unclosed array expect ]');
    this.#position = end + 2;
    const text = this.#text.slice(start, end);
    const match = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text);
    if (match === null) return { type: 'filter', left: parseTemplate(`{${text}}`), operator: 'exists', right: [] };
    const [, left = '', operator = '', right = ''] = match;
    return { type: 'filter', left: parseTemplate(`{${left}}`), operator, right: parseTemplate(`{${right}}`) };
  }

  #quoted(quote: string): JsonPathNode {
    const start = this.#position;
    let end = start + 1;
    for (; ; end++) {
      const character = this.#text.charAt(end);
      if (character === '' || character === '\n') throw new JsonPathError('unterminated quoted string');
      if (character === quote && this.#text.charAt(end - 1) !== '\\') break;
    }
    this.#position = end + 1;
    return { type: 'literal', value: unquote(this.#text.slice(start, end + 1)) };
  }

  #scan(accepts: (character: string) => boolean, hasEscapes = false): string {
    const start = this.#position;
    while (this.#position < this.#text.length) {
      const character = this.#text.charAt(this.#position);
      if (hasEscapes && character === '\\') this.#position++;
      else if (!accepts(character)) break;
      this.#position++;
    }
    return this.#text.slice(start, this.#position);
  }
}

function bound(text: string): number | undefined {
  if (text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new JsonPathError(`array index ${text} is not a number`);
  return value;
}

function integer(text: string): number | bigint {
  const value = BigInt(text.replace('+', ''));
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const escapes = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
]);

/** Escapes as in Go's string literals. */
function unquote(quoted: string): string {
  const quote = quoted.charAt(0);
  return quoted
    .slice(1, -1)
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]?))/g,
      (_part, ...groups) => {
        const [short, medium, long, octal, single] = groups as (string | undefined)[];
        const hex = short ?? medium ?? long;
        if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
        if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
        const character = single === quote ? quote : escapes.get(single ?? '');
        if (character === undefined) throw new JsonPathError(`unquote string ${quoted} error invalid syntax`);
        return character;
      },
    );
}
