import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Quantity, QuantityError } from './quantity.ts';

describe('Quantity.parse', () => {
  it.each([
    ['0', '0'],
    ['1.5', '1500m'],
    ['1.5Gi', '1536Mi'],
    ['0.1m', '100u'],
    ['1000', '1k'],
    ['1024Ki', '1Mi'],
    ['1e3', '1e3'],
    ['1e4', '10e3'],
    ['+5', '+5'],
    ['.5', '500m'],
    ['5.', '5.'],
    ['-0.5Ki', '-512'],
    ['0.0000000001', '1n'],
    ['9223372036854775807Ki', '9223372036854775807'],
    ['12345678901234567890', '12345678901234567890'],
    ['00100', '00100'],
    ['1E', '1E'],
  ])('writes %s as %s', (text, canonical) => {
    expect(Quantity.parse(text).toString()).toBe(canonical);
  });

  it.each([
    ['', 'quantities must match'],
    ['a', 'quantities must match'],
    ['1 Gi', 'quantities must match'],
    ['1.2.3', 'quantities must match'],
    ['1i', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
    ['1ee3', "unable to parse quantity's suffix"],
    ['.e-20', 'unable to parse numeric part of quantity'],
  ])('refuses %j', (text, message) => {
    expect(() => Quantity.parse(text)).toThrow(message);
  });

  it('refuses exponents that would fill the memory', () => {
    expect(() => Quantity.parse('1e2000000000').add(Quantity.parse('1'))).toThrow(QuantityError);
  });
});

describe('Quantity', () => {
  const parse = (text: string) => Quantity.parse(text);

  it.each([
    ['1', '1000m', 0],
    ['1Ki', '1k', 1],
    ['-1', '1', -1],
    ['1e2000000000', '1', 1],
    ['0', '-0', 0],
    ['999m', '1', -1],
  ])('compares %s and %s', (left, right, result) => {
    expect(parse(left).compare(parse(right))).toBe(result);
  });

  it.each([
    ['1', '1', '2'],
    ['1Gi', '500Mi', '1524Mi'],
    ['0', '1Gi', '1Gi'],
    ['1', '500m', '1500m'],
    ['9223372036854775807', '1', '9223372036854775808'],
  ])('adds %s and %s', (left, right, sum) => {
    expect(parse(left).add(parse(right)).toString()).toBe(sum);
    expect(parse(sum).sub(parse(right)).equals(parse(left))).toBe(true);
  });

  it.each([
    ['5', 5n],
    ['5k', 5000n],
    ['1.0', undefined],
    ['500m', undefined],
    ['9223372036854775808', undefined],
    ['1e30', undefined],
  ])('gives %s as an integer where the Go type does', (text, value) => {
    expect(parse(text).asInteger()).toBe(value);
    expect(parse(text).isInteger()).toBe(value !== undefined);
  });

  it('gives a double as Go computes it', () => {
    expect(parse('0.1').asApproximateFloat()).toBe(0.1);
    expect(parse('1e400').asApproximateFloat()).toBe(Infinity);
    expect(parse('1Mi').asApproximateFloat()).toBe(1_048_576);
  });

  it('reads its canonical form as the same amount', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-3');
    const amount = fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 999 }), suffix);
    fc.assert(
      fc.property(amount, ([whole, fraction, unit]) => {
        const quantity = parse(`${whole}.${fraction}${unit}`);
        const canonical = parse(quantity.toString());
        expect(canonical.equals(quantity)).toBe(true);
        expect(canonical.toString()).toBe(quantity.toString());
      }),
    );
  });
});
