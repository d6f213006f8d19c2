const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5, micro sign
  μs: 1e-3, // U+03BC, Greek letter mu
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const whole = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;

/**
 * Milliseconds of a duration in Go's notation (`time.ParseDuration`): `30s`, `1h30m`, `1.5s`, `-2m`, `0`. Throws a RangeError for
 * anything else.
 */
export function parseDuration(text: string): number {
  const match = whole.exec(text);
  if (match === null) {
    throw new RangeError(
      `not a duration: ${JSON.stringify(text)}; write numbers with units, such as "30s", "1h30m" or "1.5s"`,
    );
  }
  let milliseconds = 0;
  for (const [, number = '', unit = ''] of (match[2] ?? '').matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    milliseconds += Number(number) * (units[unit] ?? 0);
  }
  return match[1] === '-' ? -milliseconds : milliseconds;
}

/** The milliseconds of an option, whose name stands in front of what the RangeError says. */
export function millisecondsOf(option: string, delay: number | string): number {
  try {
    return milliseconds(delay);
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(`${option}: ${error.message}`) : error;
  }
}

/** Milliseconds of a number of milliseconds or of a duration. Throws a RangeError for NaN, infinite numbers and other text. */
export function milliseconds(delay: number | string): number {
  if (typeof delay === 'string') {
    return parseDuration(delay);
  }
  if (typeof delay !== 'number' || !Number.isFinite(delay)) {
    throw new RangeError(
      `a delay must be a finite number of milliseconds or a duration such as "30s", not ${String(delay)}`,
    );
  }
  return delay;
}
