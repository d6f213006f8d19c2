import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListScanner, ListSyntaxError } from './list-scanner.ts';

const scan = (text: string, size = Infinity): { items: unknown[]; envelope: unknown } => {
  const bytes = Buffer.from(text, 'utf8');
  const scanner = new ListScanner();
  const items: unknown[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const item of scanner.push(bytes.subarray(at, at + size)))
      items.push(JSON.parse(Buffer.from(item).toString()));
  }
  return { items, envelope: JSON.parse(scanner.envelope()) };
};

describe('ListScanner', () => {
  it.each<[string, string, unknown[], unknown]>([
    [
      'metadata first',
      '{"metadata":{"a":1},"items":[{"x":1},{"y":[{}]}]}',
      [{ x: 1 }, { y: [{}] }],
      { metadata: { a: 1 }, items: [] },
    ],
    [
      'metadata last',
      '{"items":[{"x":1}],"kind":"L","metadata":{"b":"}"}}',
      [{ x: 1 }],
      { items: [], kind: 'L', metadata: { b: '}' } },
    ],
    ['no items', '{"items":[],"a":1}', [], { items: [], a: 1 }],
    ['null', '{"items":null,"a":1}', [], { items: null, a: 1 }],
    ['spaces', ' { "items" : [ { "x" : 1 } ,\n\t{ } ] , "a" : [ ] } \n', [{ x: 1 }, {}], { items: [], a: [] }],
    [
      'items elsewhere',
      '{"metadata":{"items":[{"a":1}]},"x":"items","items":[{"b":2}]}',
      [{ b: 2 }],
      { metadata: { items: [{ a: 1 }] }, x: 'items', items: [] },
    ],
    [
      'brackets and quotes in strings',
      '{"items":[{"s":"}]\\"\\\\"},{"t":"{[\\u0022"}]}',
      [{ s: '}]"\\' }, { t: '{["' }],
      { items: [] },
    ],
    ['no list', '{"kind":"Widget"}', [], { kind: 'Widget' }],
  ])('%s, cut anywhere', (_name, text, items, envelope) => {
    for (let size = 1; size <= text.length; size++) expect(scan(text, size)).toEqual({ items, envelope });
  });

  it('gives back any items, by any cuts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.jsonValue(),
        fc.integer({ min: 1, max: 50 }),
        (items, metadata, size) => {
          // As JSON, since -0 and the like do not come back.
          const text = JSON.stringify({ metadata, items });
          expect(scan(text, size).items).toEqual((JSON.parse(text) as { items: unknown }).items);
          expect(scan(text, size).envelope).toEqual({ ...(JSON.parse(text) as object), items: [] });
        },
      ),
    );
  });

  it.each([
    ['an item that is no object', '{"items":[1]}'],
    ['items twice', '{"items":[],"items":[{}]}'],
    ['a bracket too many', '{}}'],
  ])('refuses %s', (_name, text) => {
    expect(() => scan(text)).toThrow(ListSyntaxError);
  });

  it.each(['{"items":[{"a":1', '{"items":[{"a":1}', '{"items":[{"a":1}]'])('knows that %s is not all', (text) => {
    expect(() => scan(text)).toThrow('ends before its end');
  });

  it.each([
    ['an item', '{"items":[{"a":"', 'an item is longer than 1000 bytes'],
    ['an envelope', '{"metadata":{"continue":"', 'there are 1000 bytes beside its items'],
  ])('refuses %s without end', (_name, beginning, message) => {
    const scanner = new ListScanner(1000);
    const feed = (text: string): unknown[] => [...scanner.push(Buffer.from(text))];
    feed(beginning);
    expect(() => {
      for (let chunk = 0; chunk < 11; chunk++) feed('x'.repeat(100));
    }).toThrow(message);
    const small = new ListScanner(20);
    const chunks = ['{"items":[', ...Array.from({ length: 50 }, () => '{"a":"xxxx"'.concat('},'))];
    expect(chunks.flatMap((chunk) => [...small.push(Buffer.from(chunk))])).toHaveLength(50);
  });
});
