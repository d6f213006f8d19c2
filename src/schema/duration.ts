const units = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

/** Go's `time.ParseDuration`: nanoseconds, or undefined when the text is no duration or does not fit int64. */
export function parseGoDuration(text: string): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  const limit = 2n ** 63n;
  let total = 0n;
  while (rest !== '') {
    const match = /^(\d*)(?:(\.)(\d*))?([^.\d]+)/.exec(rest);
    if (match === null) return undefined;
    const [part, whole = '', , fraction = '', unitName = ''] = match;
    const unit = units.get(unitName);
    if (whole + fraction === '' || unit === undefined) return undefined;
    let value = BigInt(whole);
    if (value > limit / unit) return undefined;
    value *= unit;
    if (fraction !== '') {
      // Go counts digits only as long as they fit int64, and multiplies as doubles.
      const digits = leadingFraction(fraction);
      value += BigInt(Math.trunc(Number(digits) * (Number(unit) / 10 ** digits.length)));
    }
    total += value;
    if (value > limit || total > limit) return undefined;
    rest = rest.slice(part.length);
  }
  if (sign > 0n && total > limit - 1n) return undefined;
  return sign * total;
}

function leadingFraction(digits: string): string {
  let taken = digits.slice(0, 19);
  while (BigInt(taken) > 2n ** 63n) taken = taken.slice(0, -1);
  return taken;
}

const longUnits: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', '\u00b5s', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/**
 * Whether the format `duration` accepts the text: a Go duration, or else a text in which some number with a known unit stands
 * (`3 days`, but also `1h1`: what does not match is passed over).
 */
export function isDuration(text: string): boolean {
  if (parseGoDuration(text) !== undefined) return true;
  let isFound = false;
  for (const [, factor = '', name = ''] of text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-z\u00b5]+)/g)) {
    if (BigInt(factor) > 2n ** 63n - 1n) return false;
    const unit = name.toLowerCase();
    isFound ||= longUnits.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit));
  }
  return isFound;
}
