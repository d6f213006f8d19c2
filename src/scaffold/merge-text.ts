import { diffArrays } from 'diff';

/** What came out of two changes of one text. */
export interface MergedText {
  /** With conflict markers, as git writes them, where both changed the same lines. */
  readonly content: string;
  readonly conflicts: number;
}

export interface ConflictLabels {
  readonly ours: string;
  readonly theirs: string;
}

/** A part of the base that one side replaced: its lines from `start` up to `end`, and what stands there now. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Merges two changes of one base line by line, as `git merge-file` does. Changes of neighbouring lines conflict unless they are the same. */
export function mergeText(base: string, ours: string, theirs: string, labels: ConflictLabels): MergedText {
  const lines = linesOf(base);
  const sides = { ours: hunksOf(lines, linesOf(ours)), theirs: hunksOf(lines, linesOf(theirs)) };
  const merged: string[] = [];
  let conflicts = 0;
  let position = 0;
  let ourNext = 0;
  let theirNext = 0;
  for (;;) {
    const ourHunk = sides.ours[ourNext];
    const theirHunk = sides.theirs[theirNext];
    const first = earlier(ourHunk, theirHunk);
    if (first === undefined) break;
    const start = first.start;
    let end = first.end;
    const ourGroup: Hunk[] = [];
    const theirGroup: Hunk[] = [];
    // All hunks of either side that touch what is in the group already.
    for (;;) {
      const nextOurs = sides.ours[ourNext];
      const nextTheirs = sides.theirs[theirNext];
      if (nextOurs !== undefined && nextOurs.start <= end) {
        ourGroup.push(nextOurs);
        end = Math.max(end, nextOurs.end);
        ourNext++;
      } else if (nextTheirs !== undefined && nextTheirs.start <= end) {
        theirGroup.push(nextTheirs);
        end = Math.max(end, nextTheirs.end);
        theirNext++;
      } else break;
    }
    merged.push(...lines.slice(position, start));
    position = end;
    const ourLines = applied(lines, start, end, ourGroup);
    const theirLines = applied(lines, start, end, theirGroup);
    if (theirGroup.length === 0 || same(ourLines, theirLines)) merged.push(...ourLines);
    else if (ourGroup.length === 0) merged.push(...theirLines);
    else {
      conflicts++;
      merged.push(...conflict(ourLines, theirLines, labels));
    }
  }
  merged.push(...lines.slice(position));
  return { content: merged.join(''), conflicts };
}

/** Whether a text holds conflict markers that nobody has resolved. */
export function hasConflictMarkers(text: string): boolean {
  return /^<{7} .*\n(?:.*\n)*?={7}\n(?:.*\n)*?>{7} /m.test(text);
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function hunksOf(base: readonly string[], changed: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let position = 0;
  let open: { start: number; end: number; lines: string[] } | undefined;
  for (const { added, removed, value } of diffArrays([...base], [...changed])) {
    if (!added && !removed) {
      if (open !== undefined) hunks.push(open);
      open = undefined;
      position += value.length;
      continue;
    }
    open ??= { start: position, end: position, lines: [] };
    if (removed) {
      position += value.length;
      open.end = position;
    } else open.lines.push(...value);
  }
  if (open !== undefined) hunks.push(open);
  return hunks;
}

function earlier(a: Hunk | undefined, b: Hunk | undefined): Hunk | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.start < a.start ? b : a;
}

/** The lines of the base from `start` up to `end` after the hunks of one side. */
function applied(base: readonly string[], start: number, end: number, hunks: readonly Hunk[]): string[] {
  const lines: string[] = [];
  let position = start;
  for (const hunk of hunks) {
    lines.push(...base.slice(position, hunk.start), ...hunk.lines);
    position = hunk.end;
  }
  return [...lines, ...base.slice(position, end)];
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** Both sides between markers; what they have in common at their ends stands outside. */
function conflict(ours: readonly string[], theirs: readonly string[], labels: ConflictLabels): string[] {
  const most = Math.min(ours.length, theirs.length);
  let head = 0;
  while (head < most && ours[head] === theirs[head]) head++;
  let tail = 0;
  while (tail < most - head && ours.at(-1 - tail) === theirs.at(-1 - tail)) tail++;
  return [
    ...ours.slice(0, head),
    `<<<<<<< ${labels.ours}\n`,
    ...ended(ours.slice(head, ours.length - tail)),
    '=======\n',
    ...ended(theirs.slice(head, theirs.length - tail)),
    `>>>>>>> ${labels.theirs}\n`,
    ...ours.slice(ours.length - tail),
  ];
}

/** A marker stands on a line of its own, also behind a last line without an end. */
function ended(lines: readonly string[]): string[] {
  return lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`));
}
