import { describe, expect, it } from 'vitest';
import { violations } from '../rules.testing.ts';

/** Rules that hold. */
const holding: Readonly<Record<string, readonly string[]>> = {
  strings: [
    "'tacocat'.replace('', '_') == '_t_a_c_o_c_a_t_'",
    "'tacocat'.replace('a', 'o', 1) == 'tococat'",
    "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'abc'.split('') == ['a', 'b', 'c'] && 'a'.split('', 0) == []",
    "'a\\U0001F600b'.charAt(1) == '\\U0001F600' && 'a\\U0001F600b'.size() == 3",
    "'hello'.lastIndexOf('l') == 3 && 'hello'.indexOf('l', 3) == 3 && 'a'.indexOf('') == 0",
    "' \\u00a0x '.trim() == 'x' && '\\u00c0B'.lowerAscii() == '\\u00c0b'",
    "strings.quote('a\"b') == '\"a\\\\\"b\"' && ['a', 'b'].join('-') == 'a-b'",
  ],
  format: [
    "'%s %d %x %X %o %b'.format(['a', 5, 255, 255, 8, true]) == 'a 5 ff FF 10 1'",
    "'%.2f %.0f %.0f'.format([1234567.891, 0.5, 1.5]) == '1,234,567.89 0 2'",
    "'%e'.format([1234.5]) == '1.234500\\u00d710\\u2070\\u00b3'",
    "'%s'.format([[1, 2]]) == '[1, 2]' && '%s'.format([{'b': 1, 'a': 'x'}]) == '{\"a\":\"x\", \"b\":1}'",
    "'%s'.format([duration('90s')]) == '90s' && '%s'.format([[duration('90s')]]) == '[duration(\"90s\")]'",
  ],
  lists: [
    "[3, 1, 2].sort() == [1, 2, 3] && ['bb', 'a'].sortBy(x, x.size()) == ['a', 'bb']",
    '[1, 1, 2].distinct() == [1, 2] && [[1], [2]].flatten() == [1, 2] && lists.range(2) == [0, 1]',
    '[1, 2, 3].slice(1, 2) == [2] && [1, 2].reverse() == [2, 1] && [1, 2].first().value() == 1',
    '[1, 3].isSorted() && [1, 3].sum() == 4 && [1, 3].max() == 3 && [1, 3].indexOf(3) == 1 && [1, 3].includes(1)',
  ],
  sets: ['sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [2])'],
  patterns: [
    "'abcabc'.find('b.') == 'bc' && 'abcabc'.findAll('b.', 1) == ['bc'] && 'x'.find('y') == ''",
    "'Straße'.matches('^\\\\pL+$') && 'A'.matches('(?i)a')",
  ],
  urls: [
    "url('https://u@h.io:80/a%20b?x=1&x=2').getHost() == 'h.io:80' && url('http://[::1]:80/').getHostname() == '::1'",
    "url('https://h/a%20b?x=1&x=2').getQuery()['x'] == ['1', '2'] && url('/a b').getEscapedPath() == '/a%20b'",
    "isURL('/a') && !isURL('a') && !isURL('http://h:x/') && !isURL('http://%zz/')",
  ],
  ip: [
    "ip('::1').isLoopback() && ip('10.0.0.1').family() == 4 && string(ip('2001:DB8:0:0:0:0:0:1')) == '2001:db8::1'",
    "!isIP('01.2.3.4') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && !ip.isCanonical('2001:DB8::1')",
    "ip('169.254.0.1').isLinkLocalUnicast() && ip('224.0.0.1').isLinkLocalMulticast() && !ip('255.255.255.255').isGlobalUnicast()",
  ],
  cidr: [
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7')",
    "string(cidr('10.1.2.3/9').masked()) == '10.0.0.0/9' && cidr('fd00::/64').prefixLength() == 64 && !isCIDR('1.2.3.4/33')",
  ],
  quantity: [
    "quantity('1Ki').isGreaterThan(quantity('1k')) && quantity('1500m').asApproximateFloat() == 1.5 && sign(quantity('-1')) == -1",
    "quantity('1').add(quantity('2')).sub(1) == quantity('2') && !quantity('1.5').isInteger() && !isQuantity('1ki')",
  ],
  semver: [
    "semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && semver('v1.02', true).minor() == 2 && !isSemver('v1.2.3')",
    "semver('1.2.3+a') == semver('1.2.3+b') && semver('1.0.0-alpha.1').compareTo(semver('1.0.0-alpha.beta')) == -1",
  ],
  formats: [
    "!format.dns1123Label().validate('web-1').hasValue() && format.dns1123Label().validate('A').hasValue()",
    "format.named('uuid').hasValue() && !format.named('nope').hasValue() && format.qualifiedName().validate('a/b/c').hasValue()",
  ],
  optionals: [
    "self.?s.orValue('none') == 'none' && [1][?5].hasValue() == false && optional.ofNonZeroValue('') == optional.none()",
    'optional.of(1).optMap(x, x + 1).value() == 2 && [?optional.none(), optional.of(2).value()] == [2]',
    'optional.of(1).optFlatMap(x, optional.none()).or(optional.of(3)).value() == 3 && [optional.of(1), optional.none()].unwrapOpt() == [1]',
  ],
  'two variables': [
    "{'a': 1}.all(k, v, k == 'a' && v == 1) && [5].exists(i, v, i == 0 && v == 5) && [1, 2].existsOne(i, v, v == 2)",
    "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && [4].transformList(i, v, v + i) == [4]",
    "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
  ],
  times: [
    "timestamp('2024-02-29T23:30:00Z').getHours('+02:00') == 1 && timestamp('2024-07-01T00:00:00Z').getHours('Europe/Berlin') == 2",
    "timestamp('2024-01-01T00:00:00.5Z').getMilliseconds() == 500 && duration('90m').getHours() == 1",
    "string(timestamp('2024-01-01T00:00:00.120+05:30')) == '2024-01-01T00:00:00.12+05:30' && string(duration('1.5s')) == '1.5s'",
    "timestamp('2024-03-01T00:00:00Z') - timestamp('2024-02-29T00:00:00Z') == duration('24h')",
  ],
  conversions: [
    "bool('T') && int('+5') == 5 && double('inf') > 1e308 && string(1e6) == '1e+06' && int(-1.9) == -1 && double('1_000') == 1000.0",
    "bytes('é').size() == 2 && string(b'\\xc3\\xa9') == 'é' && uint(3) == 3u",
  ],
  numbers: [
    'dyn(1) == 1.0 && 1u < 1.5 && dyn(1) == 1u && 2 in [dyn(2.0)] && 9223372036854775807 > -9223372036854775808 && -7 % 3 == -1',
    '!(0.0 / 0.0 == 0.0 / 0.0) && 5.0 / 0.0 > 1.0 && {1: 2}[dyn(1.0)] == 2',
  ],
};

describe('functions of the libraries', () => {
  for (const [library, rules] of Object.entries(holding)) {
    it.each(rules)(`${library}: %s`, (rule) => {
      expect(violations(rule)).toEqual([]);
    });
  }
});

describe('what fails when it is evaluated', () => {
  it.each([
    ['self.i / 0 == 1', { i: 1 }, 'division by zero'],
    ['self.i % 0 == 1', { i: 1 }, 'modulus by zero'],
    ['self.i + 9223372036854775807 == 1', { i: 1 }, 'integer overflow'],
    ['uint(self.i) == 1u', { i: -1 }, 'unsigned integer overflow'],
    ["self.s.charAt(9) == ''", { s: 'a' }, 'index out of range: 9'],
    ["self.l[3] == ''", { l: [] }, 'index out of bounds: 3'],
    ['self.i == 1', {}, 'no such key: i'],
    ['self.n < 0.0 / 0.0', { n: 1 }, 'NaN values cannot be ordered'],
    [
      'quantity(self.s).isInteger()',
      { s: 'x' },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'ip(self.s).family() == 4',
      { s: '1.2.3' },
      'IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): IPv4 address too short',
    ],
    [
      "url(self.s).getHost() == ''",
      { s: 'a' },
      'URL parse error during conversion from string: parse "a": invalid URI for request',
    ],
    ['semver(self.s).major() == 1', { s: '01.2.3' }, 'Major number must not contain leading zeroes "01"'],
    ['self.l.map(x, int(x)).max() == 1', { l: [] }, 'max called on empty list'],
  ])('%s', (rule, self, message) => {
    expect(violations(rule, self)).toEqual([`${message} evaluating rule: ${rule}`]);
  });

  it.each([
    ['dyn(self.s) - 1 == 1', { s: 'a' }, 'no such overload'],
    ["self.p > 'a'", { p: 1 }, 'no such overload'],
    ['dyn(self.i).family() == 4', { i: 1 }, 'no such overload: family(int)'],
  ])('has no overload: %s', (rule, self, message) => {
    expect(violations(rule, self)).toEqual([
      `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`,
    ]);
  });

  it('keeps faults of the server that no operator absorbs', () => {
    const [text] = violations("['c'].filter(x, self.i > 1).sort().isSorted() || true", {});
    expect(text).toContain('internal error: interface conversion: *types.Err is not traits.Lister: missing method Add');
  });
});
