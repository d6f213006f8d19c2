import { isDuration } from './duration.ts';
import { isEmail } from './email.ts';
import { parseIp, parseIpv4, parseIpv6 } from './ip.ts';
import { isRequestUri } from './uri.ts';

/** The string formats that Kubernetes 1.37 checks, by their name without dashes. */
const formats = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', matching(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseIp(text, { sloppy: true }) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseIp(text) !== undefined],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', isRgbColor],
  ['byte', matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)],
  [
    'k8slongname',
    (text) =>
      text.length <= 253 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(text),
  ],
]);

/** A format's name as it is looked up: dashes mean nothing (`date-time` is `datetime`). */
export function normalizeFormat(name: string): string {
  return name.replaceAll('-', '');
}

/** Whether a string format of this name is checked. */
export function isStringFormat(name: string): boolean {
  return formats.has(normalizeFormat(name));
}

/** Whether the text is of the format; false for a format that is not known. */
export function matchesFormat(name: string, text: string): boolean {
  return formats.get(normalizeFormat(name))?.(text) ?? false;
}

/** Whether the server checks the format on values of the type ('' when the schema names none); others are ignored with a warning. */
export function isRecognizedFormat(format: string, type: string): boolean {
  switch (type) {
    case '':
    case 'string':
      return isStringFormat(format);
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}

function matching(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

const hostname =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255 || !hostname.test(text)) return false;
  return text.split('.').every((label) => Buffer.byteLength(label) <= 63);
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0 || !/^\d+$/.test(text.slice(slash + 1))) return false;
  const address = text.slice(0, slash);
  const bits = Number(text.slice(slash + 1));
  if (parseIpv4(address, { sloppy: true }) !== undefined) return bits <= 32;
  return parseIpv6(address, { sloppy: true }) !== undefined && bits <= 128;
}

/** 6, 8 or 20 bytes, by colons, dashes or in dotted pairs. */
function isMac(text: string): boolean {
  const match =
    /^[0-9a-f]{2}(?:(?::[0-9a-f]{2})+|(?:-[0-9a-f]{2})+)$/i.exec(text) ?? /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.exec(text);
  return match !== null && [6, 8, 20].includes(text.replace(/[:.-]/g, '').length / 2);
}

function withoutBlanks(text: string): string {
  return text.replace(/[\t\n\f\r -]+/g, '');
}

function isIsbn10(text: string): boolean {
  const digits = withoutBlanks(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = withoutBlanks(text);
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!creditCard.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 0 ? digit : digit * 2;
    sum += doubled >= 10 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const colorPart = String.raw`(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])`;
const blanks = String.raw`[\t\n\f\r ]*`;
const rgbColor = new RegExp(
  `^rgb\\(${blanks}${colorPart}${blanks},${blanks}${colorPart}${blanks},${blanks}${colorPart}${blanks}\\)$`,
);

function isRgbColor(text: string): boolean {
  return rgbColor.test(text);
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** A date, `t`, and a time with a zone. What follows a second `t` is not looked at, and the zone is not checked for its range. */
function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t');
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:[^\n]\d+)?(?:z|[+-]\d{2}:\d{2})$/u.exec(time);
  return match !== null && (match[1] ?? '') <= '23' && (match[2] ?? '') <= '59' && (match[3] ?? '') <= '59';
}
