import { addRanges, fixed, multiplyRanges, type Range, scaleRange } from './estimates.ts';

/** What reading a text once costs for each of its characters. */
export const textFactor = 0.1;
/** What a pattern costs for each of its characters. */
export const patternFactor = 0.25;

/** The estimate of a pattern against a text: an empty text still costs something. */
export function estimatePattern(text: Range, pattern: Range): Range {
  return multiplyRanges(scaleRange(addRanges(text, fixed(1n)), textFactor), scaleRange(pattern, patternFactor));
}

/** What reading this many characters costs. */
export function readingCost(size: number, times = 1): number {
  return Math.ceil(size * times * textFactor);
}

/** What a pattern of one size against a text of another costs. */
export function matchingCost(textSize: number, patternSize: number): number {
  return Math.ceil((1 + textSize) * textFactor) * Math.ceil(patternSize * patternFactor);
}
