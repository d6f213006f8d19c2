/**
 * Orders two resource versions as the API server does since it made their order official: digit strings as integers of any length
 * (negative: `one` is older, 0: equal). Undefined when either is not a digit string: then nothing can be said.
 */
export function compareResourceVersions(one: string, other: string): number | undefined {
  if (!/^\d+$/.test(one) || !/^\d+$/.test(other)) return undefined;
  const a = one.replace(/^0+(?=\d)/, '');
  const b = other.replace(/^0+(?=\d)/, '');
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}
