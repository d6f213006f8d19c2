/** A literal that the lexer lets through and the parser refuses. The message is the server's. */
export class LiteralError extends Error {
  override readonly name = 'LiteralError';
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '`': 96,
  '?': 63,
};

/** The text between the quotes and whether it is raw. */
function contentOf(token: string): { content: string; raw: boolean } {
  const normalized = token.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const raw = normalized.startsWith('r') || normalized.startsWith('R');
  const quoted = raw ? normalized.slice(1) : normalized;
  const quotes = quoted.length >= 6 && (quoted.startsWith("'''") || quoted.startsWith('"""')) ? 3 : 1;
  return { content: quoted.slice(quotes, quoted.length - quotes), raw };
}

/** The value of a string literal. Throws a {@link LiteralError}. */
export function unquoteString(token: string): string {
  const { content, raw } = contentOf(token);
  if (raw || !content.includes('\\')) return content;
  let text = '';
  for (const piece of unescape(content, false))
    text += typeof piece === 'string' ? piece : String.fromCodePoint(piece.code);
  return text;
}

/** The value of a bytes literal, without its `b`. Throws a {@link LiteralError}. */
export function unquoteBytes(token: string): Uint8Array {
  const { content, raw } = contentOf(token);
  const encoder = new TextEncoder();
  if (raw || !content.includes('\\')) return encoder.encode(content);
  const bytes: number[] = [];
  for (const piece of unescape(content, true)) {
    if (typeof piece === 'string') bytes.push(...encoder.encode(piece));
    else bytes.push(piece.code & 0xff);
  }
  return Uint8Array.from(bytes);
}

function* unescape(content: string, bytes: boolean): Generator<string | { code: number }> {
  let offset = 0;
  while (offset < content.length) {
    if (content[offset] !== '\\') {
      const next = content.indexOf('\\', offset);
      const end = next < 0 ? content.length : next;
      yield content.slice(offset, end);
      offset = end;
      continue;
    }
    const letter = content[offset + 1] ?? '';
    const simple = simpleEscapes[letter];
    if (simple !== undefined) {
      yield { code: simple };
      offset += 2;
      continue;
    }
    const digits = letter === 'x' || letter === 'X' ? 2 : letter === 'u' ? 4 : letter === 'U' ? 8 : 0;
    if (digits > 0) {
      if (bytes && digits > 2) throw new LiteralError('unable to unescape string');
      yield { code: codePoint(Number.parseInt(content.slice(offset + 2, offset + 2 + digits), 16), bytes) };
      offset += 2 + digits;
    } else {
      yield { code: codePoint(Number.parseInt(content.slice(offset + 1, offset + 4), 8), bytes) };
      offset += 4;
    }
  }
}

function codePoint(code: number, bytes: boolean): number {
  if (!bytes && (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)))
    throw new LiteralError('invalid unicode code point');
  return code;
}

const maximumInt = 2n ** 63n - 1n;
const minimumInt = -(2n ** 63n);
const maximumUint = 2n ** 64n - 1n;

/** The value of an int literal with its sign, or undefined when 64 bits do not hold it. */
export function parseIntLiteral(text: string, negative: boolean): bigint | undefined {
  const value = negative ? -BigInt(text) : BigInt(text);
  return value < minimumInt || value > maximumInt ? undefined : value;
}

/** The value of a literal such as `5u`, or undefined when 64 bits do not hold it. */
export function parseUintLiteral(text: string): bigint | undefined {
  const value = BigInt(text.slice(0, -1));
  return value > maximumUint ? undefined : value;
}
