import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineFramer, LineTooLongError } from './line-framer.ts';

const feed = (bytes: Uint8Array, cuts: readonly number[]): string[] => {
  const framer = new LineFramer();
  const lines: string[] = [];
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    for (const line of framer.push(bytes.subarray(start, cut))) lines.push(line.toString('utf8').trim());
    start = cut;
  }
  return [...lines, framer.rest().toString('utf8')];
};

describe('LineFramer', () => {
  it('gives the same lines wherever the chunks are cut', () => {
    const text = '{"a":"äöü"}\n{"b":"🦀\\n"}\n\n{"c":1}\r\n{"d"';
    const bytes = Buffer.from(text, 'utf8');
    const expected = ['{"a":"äöü"}', '{"b":"🦀\\n"}', '{"c":1}', '{"d"'];
    for (let one = 0; one <= bytes.length; one++) {
      for (let other = one; other <= bytes.length; other++) expect(feed(bytes, [one, other])).toEqual(expected);
    }
  });

  it('gives back any lines, by any cuts', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc
            .json()
            .map((json) => json.trim())
            .filter((json) => json !== ''),
        ),
        fc.array(fc.nat(200)),
        (lines, steps) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
          let at = 0;
          const cuts = steps.map((step) => (at = Math.min(bytes.length, at + step)));
          expect(feed(bytes, cuts)).toEqual([...lines, '']);
        },
      ),
    );
  });

  it('refuses a line without end', () => {
    const framer = new LineFramer(1000);
    const send = (): void => {
      for (let count = 0; count < 100; count++) Array.from(framer.push(Buffer.alloc(100, 'x')));
    };
    expect(send).toThrow(LineTooLongError);
  });
});
