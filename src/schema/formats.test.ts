import { describe, expect, it } from 'vitest';
import { isRecognizedFormat, isStringFormat, matchesFormat } from './formats.ts';

/** Texts that are of a format, and texts that are not. */
const cases: Record<string, readonly [valid: readonly string[], wrong: readonly string[]]> = {
  bsonobjectid: [['507f1f77bcf86cd799439011'], ['507f1f77bcf86cd79943901', 'g07f1f77bcf86cd799439011']],
  uri: [
    ['*', '/a', 'http://[fe80::1%25en0]/', 'mailto:a@b', 'ftp://a:b:1/', 'http://h/?%zz', 'http://é/'],
    ['', 'a', ':a', 'http://a b/', 'http://h/%zz', 'http://a:b:c/', 'http://[1.2.3.4]/', 'http://a%41/'],
  ],
  email: [
    ['a@b', 'Name <a@b>', '"x y" <a@b>', 'a@b (comment)', 'g: a@b;', 'a@[1.2.3.4]', '=?utf-8?q?x?= <a@b>'],
    ['', 'a', 'a@', 'a..b@c', '<a@b', 'g:;', 'g: a@b, c@d;', '=?foo?q?x?= <a@b>', 'a@[x]', '""@b'],
  ],
  hostname: [
    ['a', 'a.bc', '1', 'é.com', `${'a'.repeat(63)}.com`],
    ['', '-a', 'a_b', `${'a'.repeat(64)}.com`],
  ],
  ipv4: [
    ['1.2.3.4', '01.002.3.4', '::1.2.3.4'],
    ['256.1.1.1', '1.2.3', '::1'],
  ],
  ipv6: [
    ['::', '::1', '::1.2.3.4', '1:2:3:4:5:6:7::'],
    ['1.2.3.4', '12345::', '1::2::3', 'fe80::1%eth0', '::01.2.3.4'],
  ],
  cidr: [
    ['1.2.3.4/8', '01.2.3.4/08', '00001::/8'],
    ['1.2.3.4', '1.2.3.4/33', '::/129', '1.2.3.4/+1'],
  ],
  mac: [
    ['01:23:45:67:89:ab', '0123.4567.89AB', '01-23-45-67-89-ab-cd-ef'],
    ['01:23-45:67:89:ab', '01:23:45:67:89'],
  ],
  uuid: [['123E4567e89b12d3a456426614174000'], ['123e4567-e89b-12d3-a456-42661417400', '']],
  uuid3: [['123e4567-e89b-32d3-a456-426614174000'], ['123e4567-e89b-42d3-a456-426614174000']],
  uuid4: [['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-42d3-c456-426614174000']],
  uuid5: [['123e4567-e89b-52d3-a456-426614174000'], ['123e4567-e89b-42d3-a456-426614174000']],
  isbn: [
    ['3836221195', '978-3-8362-2119-1', '3 401 01319 X'],
    ['3836221194', ''],
  ],
  isbn10: [['3836221195'], ['978-3-8362-2119-1']],
  isbn13: [['978-3-8362-2119-1'], ['3836221195']],
  creditcard: [
    ['4220-8554-2622-2389', '374953669708156'],
    ['4220855426222388', ''],
  ],
  ssn: [
    ['191-60-2869', '191 60 2869'],
    ['191602869', '1916028690'],
  ],
  hexcolor: [
    ['#fff', 'FFAA00'],
    ['#ffff', 'ggg'],
  ],
  rgbcolor: [
    ['rgb(0,1,255)', 'rgb( 1 , 22 , 255 )'],
    ['rgb(01,1,1)', 'rgb(1,349,2)'],
  ],
  byte: [
    ['YQ==', 'YWJj'],
    ['', 'YQ=', 'Y_-='],
  ],
  password: [[''], []],
  date: [
    ['2024-02-29', '0000-02-29'],
    ['2023-02-29', '2024-1-1', '2024-00-10', '2024-04-31'],
  ],
  duration: [
    ['0', '1h', '-1.5h', '1.s', '1h1', '3 weeks', '1 NANO', '9223372036854775807ns'],
    ['', '1', '.s', 'P1Y', '1 xs', '99999999999999999999s'],
  ],
  'date-time': [
    ['2024-01-01T00:00:00Z', '2024-01-01t00:00:00+99:99', '2024-01-01T00:00:00.5z', '2024-01-01T00:00:00ZT'],
    ['2024-01-01T23:59:60Z', '2024-01-01T24:00:00Z', '2024-01-01 00:00:00Z', '2024-01-01T00:00:00'],
  ],
  'k8s-short-name': [
    ['a-b', 'a'.repeat(63)],
    ['', 'A', '-a', 'a'.repeat(64), 'a.b'],
  ],
  'k8s-long-name': [
    ['a.b', 'a'.repeat(253)],
    ['', 'a..b', 'a-.b', 'a'.repeat(254)],
  ],
};

describe('matchesFormat', () => {
  const rows = Object.entries(cases).flatMap(([format, [valid, wrong]]) => [
    ...valid.map((text) => [format, text, true] as const),
    ...wrong.map((text) => [format, text, false] as const),
  ]);
  it.each(rows)('%s %j: %s', (format, text, isValid) => {
    expect(matchesFormat(format, text)).toBe(isValid);
  });

  it('takes no notice of dashes in names', () => {
    expect(isStringFormat('datetime')).toBe(true);
    expect(isStringFormat('u-u-i-d')).toBe(true);
    expect(matchesFormat('unknown', 'x')).toBe(false);
  });
});

describe('isRecognizedFormat', () => {
  it.each([
    ['uuid', 'string', true],
    ['uuid', '', true],
    ['int32', 'string', false],
    ['int32', 'integer', true],
    ['int16', 'integer', false],
    ['double', 'number', true],
    ['int32', 'number', false],
    ['uuid', 'object', false],
  ])('%s of %j: %s', (format, type, isRecognized) => {
    expect(isRecognizedFormat(format, type)).toBe(isRecognized);
  });
});
