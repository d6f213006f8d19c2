import type { Token } from './token.ts';

/**
 * The tokens of TypeScript, JavaScript or JSON. What formatters add and remove is part of the space between them: semicolons, trailing
 * commas, the parentheses of a single parameter and of what is returned, the `|` in front of a union. Texts that do not parse have tokens,
 * too: they are nowhere taken for the same as others.
 */
export function scriptTokens(text: string): Token[] {
  const pieces = split(text);
  markSpace(pieces);
  const tokens: Token[] = [];
  let before = '';
  for (const { space, text: piece, key } of pieces) {
    before += space;
    if (key === undefined) before += piece;
    else {
      tokens.push({ key, text: piece, before });
      before = '';
    }
  }
  const named = tokens.map((token, index) =>
    withPropertyKey(token, tokens[index - 1], tokens.slice(index + 1, index + 3)),
  );
  return [...named, { key: '', text: '', before }];
}

interface Piece {
  readonly space: string;
  readonly text: string;
  /** `undefined` where it is part of the space. */
  key: string | undefined;
  readonly isComment: boolean;
}

const spaceOrComment = /\s*/y;
const comment = /\/\/[^\n]*|\/\*[^]*?\*\/|^#![^\n]*/y;
const word = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /(?:\d|\.\d)[\w.]*/y;
const quoted = /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const templatePart = /[`}](?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y;
const operator =
  /\.\.\.|===|!==|\*\*=|&&=|\|\|=|\?\?=|=>|==|!=|<=|&&|\|\||\?\?|\?\.|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<=?|\*\*|[^]/uy;
/** Behind these a `/` begins a regular expression. */
const beforeRegex =
  /^(?:[([{,;=:?!&|^~+\-*/%<>]|=>|\.\.\.|[^\w\s)\]}'"`]+=?|return|typeof|case|in|of|do|else|void|delete|throw|await|yield)$/;

function split(text: string): Piece[] {
  const pieces: Piece[] = [];
  /** For each open brace, whether it is one of a template. */
  const braces: boolean[] = [];
  let position = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) position += found.length;
    return found;
  };
  let last: string | undefined;
  for (;;) {
    const space = take(spaceOrComment) ?? '';
    if (position >= text.length) {
      if (space !== '') pieces.push({ space, text: '', key: undefined, isComment: false });
      return pieces;
    }
    const note = take(comment);
    if (note !== undefined) {
      pieces.push({ space, text: note, key: note.replaceAll(/\s*\n\s*/g, '\n').trimEnd(), isComment: true });
      continue;
    }
    const push = (piece: string, key: string): void => {
      pieces.push({ space, text: piece, key, isComment: false });
      last = piece;
    };
    const string = take(quoted);
    if (string !== undefined) {
      push(string, stringKey(string.slice(1, -1)));
      continue;
    }
    const next = text[position];
    if (next === '`' || (next === '}' && braces.at(-1) === true)) {
      const part = take(templatePart);
      if (part !== undefined) {
        if (next === '}') braces.pop();
        if (part.endsWith('${')) braces.push(true);
        push(part, part);
        continue;
      }
    }
    const pattern = next === '/' && (last === undefined || beforeRegex.test(last)) ? take(regex) : undefined;
    if (pattern !== undefined) {
      push(pattern, pattern);
      continue;
    }
    const digits = take(number);
    if (digits !== undefined) {
      push(
        digits,
        digits
          .toLowerCase()
          .replace(/^(\d*\.\d*?)0+$/, '$1')
          .replace(/\.$/, ''),
      );
      continue;
    }
    const piece = take(word) ?? take(operator) ?? '';
    if (piece === '{') braces.push(false);
    if (piece === '}') braces.pop();
    push(piece, piece);
  }
}

/** One key for a string, whichever quotes it has and whichever of them it escapes. */
function stringKey(inner: string): string {
  return `'${inner.replaceAll(/\\(['"])/g, '$1')}`;
}

const opening = new Set(['(', '[', '{']);
const closing = new Set([')', ']', '}']);
const beforeUnion = new Set(['=', ':', '(', '<', ',', '[', '=>', '?', 'extends', 'as', 'satisfies', '&', '|']);
/** What goes on with an expression that ended in parentheses. */
const goesOn = /^(?:[^\w\s)\]},'"`@#;]+|\(|\[|`.*|as|satisfies|in|of|instanceof)$/s;

/** Takes the keys of those that say nothing. */
function markSpace(all: Piece[]): void {
  const pieces = all.filter(({ isComment, text }) => !isComment && text !== '');
  const open: number[] = [];
  const pairs: [number, number][] = [];
  for (const [index, piece] of pieces.entries()) {
    const { text } = piece;
    const [previous, next] = [pieces[index - 1], pieces[index + 1]];
    if (opening.has(text) && piece.key === text) open.push(index);
    else if (closing.has(text) && piece.key === text) {
      const start = open.pop();
      if (start !== undefined && text === ')') pairs.push([start, index]);
    } else if (text === ';') {
      // Those in the head of a loop divide it.
      if (pieces[open.at(-1) ?? -1]?.text !== '(') piece.key = undefined;
    } else if (text === ',') {
      const isLast = next !== undefined && (closing.has(next.text) || next.text === '>');
      // `[,]` has a hole.
      if (isLast && previous?.text !== '[' && previous?.text !== ',') piece.key = undefined;
    } else if (text === '|' || text === '&') {
      if (previous !== undefined && beforeUnion.has(previous.text)) piece.key = undefined;
    }
  }
  for (const [start, end] of pairs) {
    if (!isOneParameter(pieces, start, end) && !isWhole(pieces, start, end)) continue;
    for (const index of [start, end]) {
      const piece = pieces[index];
      if (piece !== undefined) piece.key = undefined;
    }
  }
}

/** `(one) =>` */
function isOneParameter(pieces: readonly Piece[], start: number, end: number): boolean {
  return (
    end === start + 2 && pieces[end + 1]?.text === '=>' && /^[\p{ID_Start}$_]/u.test(pieces[start + 1]?.text ?? '')
  );
}

/** What is returned or thrown stands in parentheses where it takes several lines. */
function isWhole(pieces: readonly Piece[], start: number, end: number): boolean {
  const [before, first, next] = [pieces[start - 1]?.text ?? '', pieces[start + 1]?.text, pieces[end + 1]];
  if (!['return', 'throw', '=>'].includes(before) || first === '{' || end === start + 1) return false;
  return next === undefined || next.text === ';' || next.space.includes('\n') || !goesOn.test(next.text);
}

/** Names of properties are quoted or not. */
function withPropertyKey(token: Token, previous: Token | undefined, [next, second]: readonly Token[]): Token {
  const isKey = next?.key === ':' || (next?.key === '?' && second?.key === ':');
  if (!isKey || !/^'[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(token.key)) return token;
  const isFirst = previous === undefined || previous.key === '{' || previous.key === ',' || token.before.includes(';');
  return isFirst ? { ...token, key: token.key.slice(1) } : token;
}

/** The keys of a module in which imports, and what they name, stand in the order of the alphabet: formatters sort them. */
export function sortedImports(tokens: readonly Token[]): string[] {
  const imports: { readonly key: string; readonly keys: string[] }[] = [];
  let position = 0;
  for (;;) {
    let start = position;
    while (isComment(tokens[start])) start++;
    if (tokens[start]?.key !== 'import' || tokens[start + 1]?.key === '(' || tokens[start + 1]?.key === '.') break;
    let end = start;
    while (end < tokens.length && !tokens[end]?.key.startsWith("'")) end++;
    const statement = sortedNames(tokens.slice(start, end + 1).map(({ key }) => key));
    const notes = tokens.slice(position, start).map(({ key }) => key);
    imports.push({ key: [statement.at(-1), ...statement].join(' '), keys: [...notes, ...statement] });
    position = end + 1;
  }
  const sorted = imports.toSorted((a, b) => (a.key < b.key ? -1 : 1)).flatMap(({ keys }) => keys);
  return [...sorted, ...tokens.slice(position).map(({ key }) => key)];
}

function isComment(token: Token | undefined): boolean {
  return token !== undefined && /^(?:\/\/|\/\*)/.test(token.key);
}

function sortedNames(statement: readonly string[]): string[] {
  const [start, end] = [statement.indexOf('{'), statement.indexOf('}')];
  if (start === -1 || end < start) return [...statement];
  const names = statement
    .slice(start + 1, end)
    .join(' ')
    .split(' , ')
    .toSorted();
  return [...statement.slice(0, start + 1), ...names, ...statement.slice(end)];
}
