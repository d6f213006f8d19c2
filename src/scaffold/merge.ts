import { posix } from 'node:path';
import { mergeKustomizations } from './kustomization.ts';
import { inLayoutOfOurs, type LaidOut } from './layout/layout.ts';
import { mergeJsonText, sayTheSame } from './merge-json.ts';
import { type ConflictLabels, type MergedText, mergeText } from './merge-text.ts';

/**
 * Merges what the user made of a file (`ours`) with what the scaffold makes of it now (`theirs`); `base` is what the scaffold made of it
 * before. Line by line, but `package.json` by members and kustomizations by resources, where lines alone would conflict or give nonsense.
 * Where the user formatted the file, what the formatter did counts for nothing.
 */
export function mergeFile(
  path: string,
  base: string,
  ours: string,
  theirs: string,
  labels: ConflictLabels,
): MergedText {
  const text = mergeText(base, ours, theirs, labels);
  if (path.endsWith('.json')) {
    const content = mergeJsonText(base, ours, theirs);
    // The user's layout stays where the merged lines say the same.
    if (content !== undefined) {
      return text.conflicts === 0 && sayTheSame(text.content, content) ? text : { content, conflicts: 0 };
    }
  }
  if (text.conflicts > 0 && /^kustomization\.ya?ml$/.test(posix.basename(path))) {
    const content = mergeKustomizations(base, ours, theirs);
    if (content !== undefined) return { content, conflicts: 0 };
  }
  return text.conflicts === 0 ? text : mergeLaidOut(path, { base, ours, theirs }, labels, text);
}

function mergeLaidOut(path: string, texts: LaidOut, labels: ConflictLabels, text: MergedText): MergedText {
  const laidOut = inLayoutOfOurs(path, texts);
  if (laidOut === undefined) return text;
  const merged = mergeText(laidOut.base, laidOut.ours, laidOut.theirs, labels);
  // A text that was written anew to be compared is none to show conflicts in.
  return merged.conflicts === 0 || laidOut.ours === texts.ours ? merged : text;
}
