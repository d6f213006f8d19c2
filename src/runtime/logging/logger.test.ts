import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { createLogger } from './logger.ts';
import type { LoggerOptions } from './logger.ts';

function capture(options: LoggerOptions = {}): {
  lines: Record<string, unknown>[];
  raw: string[];
  log: ReturnType<typeof createLogger>;
} {
  const raw: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    clock: createVirtualEnvironment({ wall: 1_700_000_000_123 }).clock,
    ...options,
    write: (line) => {
      raw.push(line);
      lines.push(JSON.parse(line) as Record<string, unknown>);
    },
  });
  return { lines, raw, log };
}

describe('the logger', () => {
  it('writes one line of JSON with level, time, fields and message', () => {
    const { raw, log } = capture();
    log.info('Starting workers', { workerCount: 2 });
    expect(raw).toEqual([
      '{"level":"info","time":"2023-11-14T22:13:20.123Z","workerCount":2,"msg":"Starting workers"}\n',
    ]);
  });

  it('gives the fields of its parents to a child', () => {
    const { lines, log } = capture();
    log.child({ controller: 'widget' }).child({ name: 'a' }).warn('one', { name: 'b' });
    expect(lines).toMatchObject([{ level: 'warn', controller: 'widget', name: 'b', msg: 'one' }]);
  });

  it('writes errors with message, stack and causes', () => {
    const { lines, log } = capture();
    log.error('failed', { error: new Error('outer', { cause: new TypeError('inner') }) });
    expect(lines).toMatchObject([{ error: { message: 'outer', cause: { type: 'TypeError', message: 'inner' } } }]);
    expect(lines).toMatchObject([{ error: { stack: expect.stringContaining('logger.test.ts') as string } }]);
  });

  it.each([
    [undefined, ['info', 'warn', 'error']],
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ] as const)('at level %s writes %j', (level, expected) => {
    const { lines, log } = capture(level === undefined ? {} : { level });
    for (const name of ['debug', 'info', 'warn', 'error'] as const) {
      log[name]('x');
    }
    expect(lines.map((line) => line['level'])).toEqual(expected);
  });
});
