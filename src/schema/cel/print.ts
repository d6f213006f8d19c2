import { goFloat, goQuote } from '../go-format.ts';

/** A double as Go's `%g` prints it: the shortest text that reads back as the same number. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return Object.is(value, -0) ? '-0' : goFloat(value);
}

/** A text as Go's `%q` quotes it. */
export const quoteText = goQuote;
