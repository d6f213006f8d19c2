import { describe, expect, it } from 'vitest';
import { readableLogLine } from './log-line.ts';

describe('readableLogLine', () => {
  it.each([
    [
      '{"level":"info","time":"2026-11-30T17:32:02.431Z","controller":"widget","controllerGroup":"e.com","controllerKind":"Widget","Widget":{"namespace":"default","name":"a"},"namespace":"default","name":"a","reconcileID":"x","finalizer":"e.com/cleanup","msg":"finalizer added"}',
      '17:32:02 widget default/a: finalizer added finalizer=e.com/cleanup',
    ],
    [
      '{"level":"error","time":"2026-11-30T17:32:02.431Z","error":{"message":"it broke","stack":"at ..."},"msg":"Failed"}',
      '17:32:02 ERROR Failed error="it broke"',
    ],
    ['{"level":"info","controller":"policy","name":"p","n":3,"msg":"done"}', 'policy p: done n=3'],
    ['{"level":"warn","msg":"two words","text":"a b"}', 'WARN two words text="a b"'],
    ['no JSON', 'no JSON'],
    ['{"other":1}', '{"other":1}'],
    ['null', 'null'],
  ])('shows %s', (line, expected) => {
    expect(readableLogLine(line)).toBe(expected);
  });
});
