/** How a quantity is written: with a power of two (`Mi`), of ten (`M`), or an exponent (`e6`). */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** A text that is no quantity. The message is that of the Go type `resource.Quantity`. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numericWrong = 'unable to parse numeric part of quantity';
const suffixWrong = "unable to parse quantity's suffix";

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);
/** Larger shifts than this would fill the memory: the Go type has no limit here and would do just that. */
const maxShift = 100_000;

const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/**
 * `resource.Quantity` of the Go libraries, exact: `unscaled * 10^exponent`. Immutable.
 *
 * The Go type has two forms inside, an int64 with a scale and an unbounded decimal, and some answers depend on the form
 * (`asInteger` of a decimal fails even where the value is whole), so the form is kept here, too.
 */
export class Quantity {
  readonly #unscaled: bigint;
  readonly #exponent: number;
  readonly #decimal: boolean;
  readonly #text: string | undefined;
  readonly format: QuantityFormat;

  private constructor(unscaled: bigint, exponent: number, decimal: boolean, format: QuantityFormat, text?: string) {
    this.#unscaled = unscaled;
    this.#exponent = exponent;
    this.#decimal = decimal;
    this.#text = text;
    this.format = format;
  }

  /** Reads a quantity, without white space around it. Throws a {@link QuantityError}. */
  static parse(text: string): Quantity {
    if (text === '') throw new QuantityError(formatWrong);
    if (text === '0') return new Quantity(0n, 0, false, 'DecimalSI', '0');
    const parts = split(text);
    const suffix = interpretSuffix(parts.suffix);
    const small = parseSmall(text, parts, suffix);
    if (small !== undefined) return new Quantity(small.unscaled, small.exponent, false, suffix.format, small.text);
    const large = parseLarge(parts.value, suffix);
    return new Quantity(large.unscaled, large.exponent, true, large.format);
  }

  /** A quantity of a whole number, written in the decimal form. */
  static fromInteger(value: bigint): Quantity {
    return new Quantity(value, 0, value > maxInt64 || value < minInt64, 'DecimalSI');
  }

  get sign(): -1 | 0 | 1 {
    return this.#unscaled === 0n ? 0 : this.#unscaled < 0n ? -1 : 1;
  }

  /** -1, 0 or 1 as this is less than, equal to or greater than the other. */
  compare(other: Quantity): -1 | 0 | 1 {
    if (this.sign !== other.sign) return this.sign < other.sign ? -1 : 1;
    if (this.sign === 0) return 0;
    const magnitude = (quantity: Quantity) => digits(quantity.#unscaled) + quantity.#exponent;
    const difference = magnitude(this) - magnitude(other);
    if (difference !== 0) return difference < 0 === this.sign > 0 ? -1 : 1;
    const exponent = Math.min(this.#exponent, other.#exponent);
    const left = shift(this.#unscaled, this.#exponent - exponent);
    const right = shift(other.#unscaled, other.#exponent - exponent);
    return left === right ? 0 : left < right ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** The sum. It is written as this quantity is, or as the other one when this is zero. */
  add(other: Quantity): Quantity {
    const format = this.sign === 0 ? other.format : this.format;
    if (!this.#decimal && !other.#decimal) {
      if (other.#unscaled === 0n) return new Quantity(this.#unscaled, this.#exponent, false, format);
      if (this.#unscaled === 0n) return new Quantity(other.#unscaled, other.#exponent, false, format);
    }
    const exponent = Math.min(this.#exponent, other.#exponent);
    const left = shift(this.#unscaled, this.#exponent - exponent);
    const right = shift(other.#unscaled, other.#exponent - exponent);
    const small = !this.#decimal && !other.#decimal && isInt64(left) && isInt64(right) && isInt64(left + right);
    return new Quantity(left + right, exponent, !small, format);
  }

  sub(other: Quantity): Quantity {
    return this.add(new Quantity(-other.#unscaled, other.#exponent, other.#decimal, other.format));
  }

  /** The value when it is a whole number that the Go type can give as int64 without loss, else undefined. */
  asInteger(): bigint | undefined {
    if (this.#decimal || this.#exponent < 0) return undefined;
    if (this.#unscaled === 0n) return 0n;
    if (this.#exponent > 18) return undefined;
    const value = shift(this.#unscaled, this.#exponent);
    return isInt64(value) ? value : undefined;
  }

  isInteger(): boolean {
    return this.asInteger() !== undefined;
  }

  /** The nearest double as Go computes it: the mantissa times a power of ten, each rounded. */
  asApproximateFloat(): number {
    const base = Number(this.#unscaled);
    return this.#exponent === 0 ? base : base * powerOfTen(this.#exponent);
  }

  /** The quantity with no more than three places behind the dot, rounded away from zero: what the server keeps of resources. */
  roundUpToMilli(): Quantity {
    if (this.#exponent >= -3) return this;
    const amount = roundUp(this.#unscaled < 0n ? -this.#unscaled : this.#unscaled, this.#exponent + 3);
    return new Quantity(this.#unscaled < 0n ? -amount : this.sign === 0 ? 0n : amount, -3, this.#decimal, this.format);
  }

  /** The canonical form, such as `1500m` for `1.5`. */
  toString(): string {
    return this.#text ?? this.#canonical();
  }

  toJSON(): string {
    return this.toString();
  }

  #canonical(): string {
    if (this.#unscaled === 0n) return '0';
    if (this.format === 'BinarySI' && !this.#isWithin(1024n)) {
      const whole =
        this.#exponent >= 0 ? shift(this.#unscaled, this.#exponent) : divideExactly(this.#unscaled, -this.#exponent);
      if (whole !== undefined) {
        const [mantissa, times] = removeFactors(whole, 1024n);
        return `${mantissa}${binarySuffixes[times] ?? ''}`;
      }
    }
    let [mantissa, times] = removeFactors(this.#unscaled, 10n);
    let exponent = this.#exponent + times;
    for (; exponent % 3 !== 0; exponent--) mantissa *= 10n;
    if (this.format === 'DecimalExponent') return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
    // Beyond the table the Go type writes no suffix at all.
    return `${mantissa}${decimalSuffixes[exponent / 3 + 3] ?? ''}`;
  }

  #isWithin(limit: bigint): boolean {
    const bound = Quantity.fromInteger(limit);
    return this.compare(bound) < 0 && this.compare(Quantity.fromInteger(-limit)) > 0;
  }
}

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

interface Parts {
  readonly positive: boolean;
  /** Sign and number as they stand, without the suffix. */
  readonly value: string;
  /** The digits before the dot without leading zeros. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

function split(text: string): Parts {
  const match = /^([+-]?)(0*)(\d*)(?:(\.)(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  if (match === null) throw new QuantityError(formatWrong);
  const [, sign = '', zeros = '', whole = '', dot = '', fraction = '', suffix = ''] = match;
  const positive = sign !== '-';
  // As in Go, a sign alone or zeros alone are the number 0.
  if (whole === '' && dot === '' && suffix === '')
    return { positive, value: '0', whole: '0', fraction: '', suffix: '' };
  return {
    positive,
    value: sign + zeros + whole + dot + fraction,
    whole: whole === '' ? '0' : whole,
    fraction,
    suffix,
  };
}

function interpretSuffix(text: string): Suffix {
  const binary = text === '' ? -1 : binarySuffixes.indexOf(text);
  if (binary > 0) return { base: 2, exponent: binary * 10, format: 'BinarySI' };
  const decimal = decimalSuffixes.indexOf(text);
  if (decimal >= 0) return { base: 10, exponent: (decimal - 3) * 3, format: 'DecimalSI' };
  if (!/^[eE][+-]?\d+$/.test(text)) throw new QuantityError(suffixWrong);
  const exponent = BigInt(text.slice(1).replace('+', ''));
  if (!isInt64(exponent)) throw new QuantityError(suffixWrong);
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: 'DecimalExponent' };
}

/** The int64 form, or undefined when the number does not fit it. */
function parseSmall(
  text: string,
  parts: Parts,
  suffix: Suffix,
): { unscaled: bigint; exponent: number; text?: string } | undefined {
  let exponent = 0;
  let mantissa = 1n;
  let precision: number;
  if (suffix.format !== 'BinarySI') {
    exponent = suffix.exponent;
    precision = 18 - parts.whole.length - parts.fraction.length;
  } else if (parts.fraction === '') {
    mantissa = 1n << BigInt(suffix.exponent);
    precision = 15 - parts.whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1;
  } else {
    return undefined;
  }
  exponent -= parts.fraction.length;
  if (precision < 0 || exponent < -9) return undefined;
  const shifted = parts.whole + parts.fraction;
  const value = BigInt(shifted);
  const product = value * mantissa;
  if (!isInt64(product)) return undefined;
  const isCanonical =
    suffix.format === 'BinarySI'
      ? suffix.exponent % 10 === 0 && (value & 7n) !== 0n
      : exponent % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  const unscaled = parts.positive ? product : -product;
  // A number in canonical form keeps its text, and so a sign + or a dot, as in Go.
  return isCanonical ? { unscaled, exponent, text } : { unscaled, exponent };
}

/** The decimal form: rounded up (away from zero) to nano, binary ones capped at the largest int64. */
function parseLarge(value: string, suffix: Suffix): { unscaled: bigint; exponent: number; format: QuantityFormat } {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(value);
  const whole = match?.[2] ?? '';
  const fraction = match?.[3] ?? '';
  if (whole + fraction === '') throw new QuantityError(numericWrong);
  let amount = BigInt(whole + fraction);
  let exponent = -fraction.length;
  let format = suffix.format;
  if (suffix.base === 10) exponent += suffix.exponent;
  else amount <<= BigInt(suffix.exponent);
  if (amount !== 0n) {
    amount = roundUp(amount, exponent + 9);
    exponent = -9;
  }
  if (format === 'BinarySI') {
    if (amount > maxInt64 * 10n ** 9n) [amount, exponent] = [maxInt64, 0];
    else if (amount > 0n && amount < 10n ** 9n && exponent === -9) format = 'DecimalSI';
  }
  return { unscaled: match?.[1] === '-' ? -amount : amount, exponent, format };
}

function isInt64(value: bigint): boolean {
  return value >= minInt64 && value <= maxInt64;
}

function digits(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

/** `value * 10^places`. */
function shift(value: bigint, places: number): bigint {
  if (places > maxShift) throw new QuantityError(numericWrong);
  return value * 10n ** BigInt(places);
}

/** `value * 10^places` of a positive value, rounded up when places is negative. */
function roundUp(value: bigint, places: number): bigint {
  if (places >= 0) return shift(value, places);
  if (-places > digits(value)) return 1n;
  const divisor = 10n ** BigInt(-places);
  return (value + divisor - 1n) / divisor;
}

function divideExactly(value: bigint, places: number): bigint | undefined {
  const divisor = 10n ** BigInt(places);
  return value % divisor === 0n ? value / divisor : undefined;
}

function removeFactors(value: bigint, factor: bigint): [result: bigint, times: number] {
  let result = value;
  let times = 0;
  while (result !== 0n && result % factor === 0n) {
    result /= factor;
    times++;
  }
  return [result, times];
}

/** `math.Pow10`, which multiplies two table entries and so is not always the nearest double. */
function powerOfTen(exponent: number): number {
  if (exponent > 308) return Infinity;
  if (exponent < -323) return 0;
  const places = Math.abs(exponent);
  const large = Number(`1e${Math.sign(exponent) * (places - (places % 32))}`);
  const small = Number(`1e${places % 32}`);
  return exponent < 0 ? large / small : large * small;
}
