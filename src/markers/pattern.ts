import { type MarkerProblem, RegularExpression } from './marker.ts';

/**
 * The RE2 pattern that a string or a RegExp literal stands for. Of a literal it is the source with `\/` as `/`; the flags i, m and s
 * become `(?ims)`, u changes nothing, and the others have no meaning in a pattern.
 */
export function patternOf(value: string | RegularExpression): string | MarkerProblem {
  if (typeof value === 'string') return value;
  for (const flag of value.flags) {
    if (!'imsu'.includes(flag)) {
      return {
        problem: `the flag ${flag} of a regular expression has no meaning in a pattern`,
        remedy: 'use only the flags i, m, s and u',
      };
    }
  }
  const flags = ['i', 'm', 's'].filter((flag) => value.flags.includes(flag)).join('');
  const source = value.source.replace(/\\([\s\S])/g, (pair: string, character: string) =>
    character === '/' ? '/' : pair,
  );
  return (flags === '' ? '' : `(?${flags})`) + source;
}

export function isRegularExpression(value: unknown): value is RegularExpression {
  return value instanceof RegularExpression;
}
