import { describe, expect, it } from 'vitest';
import { Float, jsonObject } from '../../model/index.ts';
import { call, type MarkerCall, writeCall } from './marker-call.ts';

const write = (marker: MarkerCall, indent = ''): string => writeCall(marker, indent, (name) => name);

describe('writeCall', () => {
  it.each<[MarkerCall, string]>([
    [call('StatusSubresource'), 'StatusSubresource()'],
    [call('Minimum', -0.5), 'Minimum(-0.5)'],
    [call('Default', 9_007_199_254_740_993n), 'Default(9007199254740993)'],
    [call('Default', new Float(1)), 'Default(1.0)'],
    [call('Default', []), 'Default([])'],
    [call('Default', {}), 'Default({})'],
    [call('Default', { a: [1, null, true], 'b-c': "it's" }), `Default({ a: [1, null, true], 'b-c': "it's" })`],
    [call('Default', `both ' and "`), `Default('both \\' and "')`],
    [call('Default', 'a\nb\\'), "Default('a\\nb\\\\')"],
    [call('Default', jsonObject([['__proto__', 1]])), "Default({ ['__proto__']: 1 })"],
    [
      call('Items', call('MinLength', 1), call('Items', call('Pattern', '^a$'))),
      "Items(MinLength(1), Items(Pattern('^a$')))",
    ],
  ])('writes %o', (marker, expected) => {
    expect(write(marker)).toBe(expected);
  });

  it('puts what is too long onto lines of its own', () => {
    const long = 'x'.repeat(60);
    expect(write(call('Metadata', { labels: { a: long }, annotations: { b: long } }), '  ')).toBe(`Metadata({
    labels: { a: '${long}' },
    annotations: { b: '${long}' },
  })`);
    expect(write(call('Items', call('Pattern', long), call('Title', long)))).toBe(`Items(
  Pattern('${long}'),
  Title('${long}'),
)`);
    expect(write(call('Default', [long, long]))).toBe(`Default([
  '${long}',
  '${long}',
])`);
  });

  it('goes by the names that a file imports', () => {
    expect(writeCall(call('Items', call('Schema', {})), '', (name) => `${name}Marker`)).toBe(
      'ItemsMarker(SchemaMarker({}))',
    );
  });
});
