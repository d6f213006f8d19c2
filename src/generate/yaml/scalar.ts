import { Float } from '../../model/index.ts';

/**
 * Writes a string as a YAML scalar that YAML 1.1 readers (kubectl, go-yaml) and YAML 1.2 readers give back unchanged: plain where
 * that is beyond doubt, as a literal block where it has several lines, else in double quotes. Lines are never folded.
 *
 * `indent` is the indentation of a block's lines; `undefined` where no block may stand (keys).
 *
 * @throws RangeError for a text with half a surrogate pair: no UTF-8 file can hold it.
 */
export function writeString(value: string, indent: string | undefined): string {
  if (!value.isWellFormed()) throw new RangeError(`text with half a surrogate pair: ${JSON.stringify(value)}`);
  if (isPlain(value)) return value;
  if (indent !== undefined && isBlock(value)) return `|-\n${indentLines(value, indent)}`;
  return writeDoubleQuoted(value);
}

/** Writes a number such that its kind (integer or float) survives: `1`, `1.0`, `0.5`, `1.0e+21`. */
export function writeNumber(value: number | bigint | Float): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Float) return writeFloat(value.value);
  return Number.isSafeInteger(value) ? String(value) : writeFloat(value);
}

function writeFloat(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no number of JSON`);
  const [mantissa = '', exponent] = String(value).split('e');
  // YAML 1.1 takes an exponent only after a point and with a sign.
  const pointed = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  return exponent === undefined ? pointed : `${pointed}e${/^[-+]/.test(exponent) ? '' : '+'}${exponent}`;
}

/** Words that some YAML 1.1 reader takes for a boolean or null, in any case. */
const words = new Set([
  '',
  '~',
  'null',
  'true',
  'false',
  'yes',
  'no',
  'on',
  'off',
  'y',
  'n',
  '.inf',
  '+.inf',
  '-.inf',
  '.nan',
]);

/**
 * All that begins like a number and consists of the characters of integers, floats, base-60 numbers and dates. `+_5` is 5 to
 * go-yaml, `e0` is a number to others.
 */
const numeric = /^([-+.0-9]|[eE][-+]?[0-9])[0-9a-fA-F_.:xXoObBeEtTzZ+\- ]*$/;

const indicator = /^[-?:,[\]{}#&*!|>'"%@`=<~ ]/;

/** ASCII and the letters beyond it, without line breaks, controls, no-break blanks and byte order marks. */
const printable = /^[ -~\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

function isPlain(value: string): boolean {
  return (
    printable.test(value) &&
    !words.has(value.toLowerCase()) &&
    !numeric.test(value) &&
    !indicator.test(value) &&
    !value.startsWith('...') &&
    !value.endsWith(' ') &&
    !value.endsWith(':') &&
    !value.includes(': ') &&
    !value.includes(' #')
  );
}

function isBlock(value: string): boolean {
  return (
    value.includes('\n') &&
    !value.endsWith('\n') &&
    // The first line sets the indentation, so it may neither be empty nor begin with a blank.
    !/^[\s]/.test(value) &&
    value.split('\n').every((line) => printable.test(line))
  );
}

function indentLines(value: string, indent: string): string {
  return value
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join('\n');
}

const escapes: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function writeDoubleQuoted(value: string): string {
  let text = '';
  for (const character of value) {
    const escape = escapes[character];
    if (escape !== undefined) text += escape;
    else if (printable.test(character)) text += character;
    else text += `\\u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  }
  return `"${text}"`;
}
