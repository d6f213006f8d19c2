/** What a token is; punctuation and the words `in`, `true`, `false`, `null` stand for themselves. */
export type TokenKind =
  | 'identifier'
  | 'escapedIdentifier'
  | 'int'
  | 'uint'
  | 'float'
  | 'string'
  | 'bytes'
  | 'end'
  | Punctuation
  | 'in'
  | 'true'
  | 'false'
  | 'null';

const punctuations = [
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '<',
  '>',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
] as const;

export type Punctuation = (typeof punctuations)[number];

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}

export interface LexicalError {
  readonly offset: number;
  readonly message: string;
}

export interface TokenStream {
  readonly tokens: readonly Token[];
  readonly errors: readonly LexicalError[];
}

const whitespace = /[\t \r\n\f]+/y;
const comment = /\/\/[^\n]*/y;
const float = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const uint = /(?:0x[\da-fA-F]+|\d+)[uU]/y;
const int = /0x[\da-fA-F]+|\d+/y;
const identifier = /[A-Za-z_][A-Za-z\d_]*/y;
const escapedIdentifier = /`[A-Za-z\d_./ -]+`/y;

function match(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}

/**
 * Splits an expression into tokens by the rules of the CEL grammar (longest match first).
 * Characters that begin no token are reported and skipped, as the server's lexer does.
 */
export function tokenize(text: string): TokenStream {
  const tokens: Token[] = [];
  const errors: LexicalError[] = [];
  let offset = 0;
  while (offset < text.length) {
    const skipped = match(whitespace, text, offset) ?? match(comment, text, offset);
    if (skipped !== undefined) {
      offset += skipped.length;
      continue;
    }
    const token = readToken(text, offset);
    if (token === undefined) {
      const end = unreadableEnd(text, offset);
      errors.push({ offset, message: `Syntax error: token recognition error at: '${text.slice(offset, end)}'` });
      offset = end;
      continue;
    }
    tokens.push(token);
    offset += token.text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: text.length });
  return { tokens, errors };
}

function readToken(text: string, offset: number): Token | undefined {
  const candidates: Token[] = [];
  const add = (kind: TokenKind, found: string | undefined): void => {
    if (found !== undefined) candidates.push({ kind, text: found, offset });
  };
  const literal = stringLength(text, offset);
  if (literal !== undefined) add(literal.bytes ? 'bytes' : 'string', text.slice(offset, literal.end));
  add('float', match(float, text, offset));
  add('uint', match(uint, text, offset));
  add('int', match(int, text, offset));
  const word = match(identifier, text, offset);
  if (word === 'in' || word === 'true' || word === 'false' || word === 'null') add(word, word);
  else add('identifier', word);
  add('escapedIdentifier', match(escapedIdentifier, text, offset));
  const sign = punctuations.find((punctuation) => text.startsWith(punctuation, offset));
  if (sign !== undefined) add(sign, sign);
  let best: Token | undefined;
  for (const candidate of candidates)
    if (best === undefined || candidate.text.length > best.text.length) best = candidate;
  return best;
}

interface Quoted {
  readonly end: number;
  readonly bytes: boolean;
}

/** The end of the string or bytes literal that starts here, if one does. */
function stringLength(text: string, offset: number): Quoted | undefined {
  const { start, bytes, raw } = literalPrefix(text, offset);
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return undefined;
  const triple = quote.repeat(3);
  if (text.startsWith(triple, start)) {
    const end = closeOf(text, start + 3, triple, raw, true);
    if (end.closed) return { end: end.offset, bytes };
  }
  const end = closeOf(text, start + 1, quote, raw, false);
  return end.closed ? { end: end.offset, bytes } : undefined;
}

function literalPrefix(text: string, offset: number): { start: number; bytes: boolean; raw: boolean } {
  let start = offset;
  const bytes = text[start] === 'b' || text[start] === 'B';
  if (bytes) start += 1;
  const raw = text[start] === 'r' || text[start] === 'R';
  if (raw) start += 1;
  return { start, bytes, raw };
}

const escape = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/y;

function closeOf(
  text: string,
  from: number,
  quote: string,
  raw: boolean,
  multiline: boolean,
): { offset: number; closed: boolean } {
  let offset = from;
  while (offset < text.length) {
    if (text.startsWith(quote, offset)) return { offset: offset + quote.length, closed: true };
    const character = text[offset];
    if (!multiline && (character === '\n' || character === '\r')) return { offset, closed: false };
    if (character === '\\' && !raw) {
      const sequence = match(escape, text, offset);
      if (sequence === undefined) return { offset, closed: false };
      offset += sequence.length;
      continue;
    }
    offset += 1;
  }
  return { offset, closed: false };
}

/** Where the characters end that the lexer gives up on: the longest beginning of a token plus the one that broke it. */
function unreadableEnd(text: string, offset: number): number {
  const { start, raw } = literalPrefix(text, offset);
  const quote = text[start];
  let end = offset;
  if (quote === '"' || quote === "'") {
    const broken = closeOf(text, start + 1, quote, raw, false).offset;
    end = text[broken] === '\\' && !raw ? brokenEscapeEnd(text, broken) : broken;
  } else if (quote === '`') {
    end = start + 1 + (match(/[A-Za-z\d_./ -]*/y, text, start + 1) ?? '').length;
  } else if (text[offset] === '&' || text[offset] === '|' || text[offset] === '=') {
    end = offset + 1;
  }
  return Math.min(text.length, end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1));
}

function brokenEscapeEnd(text: string, offset: number): number {
  const partial = match(/\\(?:[0-3][0-7]?|[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7})?/y, text, offset) ?? '';
  return offset + partial.length;
}
