import { describe, expect, it } from 'vitest';
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
} from './names.ts';

describe('names', () => {
  it.each([
    [checkDns1123Label, ['a', '0-a', 'a'.repeat(63)], ['', 'A', '-a', 'a'.repeat(64)]],
    [checkDns1035Label, ['a', 'a-0'], ['', '0a', 'a-', 'a.b']],
    [checkDns1123Subdomain, ['a.b', '1.2', 'a'.repeat(253)], ['', 'a..b', 'A.b', 'a'.repeat(254)]],
    [checkQualifiedName, ['a', 'a.b/C_d', 'a'.repeat(63)], ['', '/a', 'a/', 'a/b/c', 'a b', 'A.b/c', 'a'.repeat(64)]],
    [checkLabelValue, ['', 'A_b.c'], ['-a', 'a b', 'a'.repeat(64)]],
  ])('%o accepts and refuses', (check, valid, wrong) => {
    expect(valid.flatMap((text) => check(text))).toEqual([]);
    for (const text of wrong) expect(check(text), text).not.toEqual([]);
  });

  it('says what is wrong in the words of the server', () => {
    expect(checkDns1035Label('Bad')).toEqual([
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(checkDns1123Label('a.b')).toEqual(['must not contain dots']);
    expect(checkQualifiedName(`${'a'.repeat(254)}/b`)).toEqual(['prefix part must be no more than 253 bytes']);
    expect(checkPathSegment('..', false)).toEqual(["may not be '..'"]);
    expect(checkPathSegment('..', true)).toEqual([]);
    expect(checkPathSegment('a/%', true)).toEqual(["may not contain '/'", "may not contain '%'"]);
  });
});
