/**
 * Orders two resource versions as the API server does since it made their order official: digit strings as integers of any length
 * (negative: `one` is older, 0: equal). Undefined when either is not a digit string: then nothing can be said.
 */
export function compareResourceVersions(one: string, other: string): number | undefined {
  if (!isDigits(one) || !isDigits(other)) return undefined;
  const a = withoutZeros(one);
  const b = withoutZeros(other);
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Without a regular expression: several are compared for each event of a watch. */
function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return text !== '';
}

function withoutZeros(digits: string): string {
  return digits.startsWith('0') ? digits.replace(/^0+(?=\d)/, '') : digits;
}
