/** A place in the text of a rule. `offset` counts UTF-16 units from 0, `line` and `column` (in code points) from 1. */
export interface RulePosition {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** One problem that the compiler found in an expression; without `position` it concerns the whole expression. */
export interface CompileIssue {
  readonly message: string;
  readonly position?: RulePosition;
}

/** The text of an expression with its line starts. */
export class Source {
  readonly text: string;
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.text = text;
    const starts = [0];
    for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
    this.#lineStarts = starts;
  }

  /** The place of an offset; -1 is no place, which the server prints as line 1, column 0. */
  positionAt(offset: number): RulePosition {
    if (offset < 0) return { offset: 0, line: 1, column: 0 };
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const start = this.#lineStarts[low] ?? 0;
    return { offset, line: low + 1, column: codePointCount(this.text.slice(start, offset)) + 1 };
  }

  /** The problems as cel-go prints them, in order of their places, each with the line and a caret. */
  display(issues: readonly CompileIssue[]): string {
    const reported = issues.slice(0, maximumIssues);
    const sorted = reported
      .map((issue, index) => ({ issue, index }))
      .sort((a, b) => line(a.issue) - line(b.issue) || column(a.issue) - column(b.issue) || a.index - b.index);
    const texts = sorted.map(({ issue }) => this.#displayOne(issue));
    if (issues.length > maximumIssues) texts.push(`${issues.length - maximumIssues} more errors were truncated`);
    return texts.join('\n');
  }

  #displayOne(issue: CompileIssue): string {
    const { position } = issue;
    const head = `ERROR: <input>:${position?.line ?? -1}:${position?.column ?? 0}: ${issue.message}`;
    if (position === undefined) return head;
    const start = this.#lineStarts[position.line - 1] ?? 0;
    const next = this.#lineStarts[position.line];
    const snippet = this.text.slice(start, next === undefined ? undefined : next - 1);
    if (utf8Length(snippet) > maximumSnippetBytes) return head;
    const characters = Array.from(snippet.replaceAll('\t', ' '));
    let indicator = '';
    for (const character of characters.slice(0, position.column - 1)) indicator += isWide(character) ? '\uff0e' : '.';
    const under = characters[position.column - 1];
    indicator += under !== undefined && isWide(under) ? '\uff3e' : '^';
    return `${head}\n | ${characters.join('')}\n | ${indicator}`;
  }
}

const maximumIssues = 100;
const maximumSnippetBytes = 16_384;

function line(issue: CompileIssue): number {
  return issue.position?.line ?? -1;
}

function column(issue: CompileIssue): number {
  return issue.position?.column ?? 0;
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}

/** How many code points a text has: what CEL's `size()` of a string is. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        count -= 1;
        index += 1;
      }
    }
  }
  return count;
}

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.codePointAt(index) ?? 0;
    if (code > 0xffff) index += 1;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}
