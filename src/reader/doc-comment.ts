/** One tag of a doc comment: its name, and all that follows it up to the next tag. */
export interface DocTag {
  readonly name: string;
  /** Offset of the `@` in the file. */
  readonly offset: number;
  /** The raw text behind the name, without the `*` of its lines. Strings and patterns undo an escaped end of comment themselves. */
  readonly text: string;
  /** The pieces of the file that `text` is made of: each begins at an index of it and at an offset of the file. */
  readonly pieces: readonly Piece[];
}

interface Piece {
  readonly index: number;
  readonly offset: number;
}

/** The offset in the file of a character of a tag's text; that of the tag for what lies outside. */
export function offsetIn({ text, pieces, offset }: DocTag, index: number): number {
  const piece = index < text.length ? pieces.findLast((each) => each.index <= index) : undefined;
  return piece === undefined ? offset : piece.offset + index - piece.index;
}

export interface DocComment {
  /** The text before the first tag, as it stands. */
  readonly text: string;
  readonly tags: readonly DocTag[];
}

interface Line {
  readonly text: string;
  /** Of its first character. */
  readonly offset: number;
}

/**
 * Reads a doc comment from its raw text. A tag starts at the beginning of a line only, outside the strings and brackets of the tag
 * before it and outside code fences.
 *
 * `start` is the offset of the comment's first character in the file; `isMarker` says whether a tag's text is an expression (whose
 * strings and brackets count) or prose.
 */
export function parseDocComment(comment: string, start: number, isMarker: (tag: string) => boolean): DocComment {
  const summary: string[] = [];
  const tags: DocTag[] = [];
  let open: { name: string; offset: number; text: string; pieces: Piece[]; state: ExpressionState } | undefined;
  let fence: string | undefined;
  const close = (): void => {
    if (open !== undefined) tags.push({ name: open.name, offset: open.offset, text: open.text, pieces: open.pieces });
    open = undefined;
  };
  for (const line of commentLines(comment, start)) {
    const inside = fence !== undefined || (open !== undefined && isMarker(open.name) && !open.state.balanced());
    const tag = inside ? null : /^(\s*)@([A-Za-z][\w:.-]*)/.exec(line.text);
    if (tag !== null) {
      close();
      const [whole, indent = '', name = ''] = tag;
      open = {
        name,
        offset: line.offset + indent.length,
        text: '',
        pieces: [],
        state: new ExpressionState(),
      };
      append(open, line.text.slice(whole.length), line.offset + whole.length);
      continue;
    }
    if (open === undefined || !isMarker(open.name)) {
      const mark = /^\s*(```|~~~)/.exec(line.text)?.[1];
      if (fence === undefined) fence = mark;
      else if (mark === fence) fence = undefined;
    }
    if (open === undefined) summary.push(line.text);
    else {
      // The line break stands for what is between the lines.
      append(open, '\n', line.offset);
      append(open, line.text, line.offset);
    }
  }
  close();
  return { text: summary.join('\n'), tags };
}

function append(tag: { text: string; pieces: Piece[]; state: ExpressionState }, text: string, offset: number): void {
  tag.pieces.push({ index: tag.text.length, offset });
  tag.text += text;
  tag.state.read(text);
}

/** The lines of a comment without its frame: both ends with all their `*`, and on each line the blanks, the `*` and one blank behind it. */
function commentLines(comment: string, start: number): Line[] {
  const lines: Line[] = [];
  let from = 3;
  while (comment[from] === '*' && comment[from + 1] !== '/') from++;
  const end = endOfText(comment, from);
  while (from <= end) {
    const newline = comment.indexOf('\n', from);
    const to = newline === -1 || newline > end ? end : newline;
    const last = comment[to - 1] === '\r' ? to - 1 : to;
    lines.push(unframed(comment.slice(from, Math.max(from, last)), start + from, lines.length === 0));
    from = to + 1;
  }
  return lines;
}

/** Where the frame's end begins: with all its asterisks where they stand apart from the text, else with the last. */
function endOfText(comment: string, from: number): number {
  const end = comment.endsWith('*/') ? comment.length - 2 : comment.length;
  let first = end;
  while (first > from && comment[first - 1] === '*') first--;
  return first <= from || /\s/.test(comment[first - 1] ?? '') ? first : end;
}

function unframed(raw: string, offset: number, first: boolean): Line {
  const frame = first ? /^[ \t]?/.exec(raw) : /^[ \t]*\*(?!\/)[ \t]?|^[ \t]*/.exec(raw);
  const { length } = frame?.[0] ?? '';
  return { text: raw.slice(length), offset: offset + length };
}

/** Whether an expression that is read piece by piece is inside a string, a template, a regular expression or brackets. */
class ExpressionState {
  #depth = 0;
  #quote: string | undefined;
  #inClass = false;
  #before = '';

  read(text: string): void {
    for (let index = 0; index < text.length; index++) {
      const character = text[index] ?? '';
      if (this.#quote !== undefined) {
        if (character === '\\') index++;
        else this.#readQuoted(character, this.#quote);
      } else {
        this.#readPlain(character);
        if (character.trim() !== '') this.#before = character;
      }
    }
  }

  #readQuoted(character: string, quote: string): void {
    if (quote === '/' && character === '[') this.#inClass = true;
    else if (quote === '/' && character === ']') this.#inClass = false;
    else if ((character === quote && !this.#inClass) || (character === '\n' && quote !== '`')) {
      this.#quote = undefined;
      this.#inClass = false;
      this.#before = character;
    }
  }

  #readPlain(character: string): void {
    const startsValue = this.#before === '' || '([{,:'.includes(this.#before);
    if (character === "'" || character === '"' || character === '`') this.#quote = character;
    else if (character === '/' && startsValue) this.#quote = character;
    else if ('([{'.includes(character)) this.#depth++;
    else if (')]}'.includes(character)) this.#depth = Math.max(0, this.#depth - 1);
  }

  balanced(): boolean {
    return this.#depth === 0 && this.#quote === undefined;
  }
}

/**
 * The description that a comment's text gives, by controller-gen's rules: lines that start with TODO go, a line that starts with
 * `---` ends it, except inside code fences; blank ends go, line breaks and indentation stay.
 */
export function descriptionOf(text: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of text.replaceAll('*\\/', '*/').split('\n')) {
    const trimmed = line.trim();
    const mark = /^(```|~~~)/.exec(trimmed)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    if (fence === undefined && mark === undefined) {
      if (trimmed.startsWith('---')) break;
      if (trimmed.startsWith('TODO')) continue;
    }
    kept.push(line.trimEnd());
  }
  while (kept.length > 0 && kept[0] === '') kept.shift();
  while (kept.length > 0 && kept.at(-1) === '') kept.pop();
  return kept.join('\n');
}
