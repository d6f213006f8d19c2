import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withLock } from './lock.ts';
import { run } from './repository.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'create-operator-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('does one thing after the other, and tells who waits for whom', async () => {
  const file = join(folder, 'below', 'lock');
  const events: string[] = [];
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const first = withLock(
    file,
    () => {},
    async () => {
      events.push('first begins');
      await told;
      events.push('first ends');
    },
  );
  const waiting = (owner: number): void => {
    events.push(`second waits for ${owner === process.pid ? 'first' : owner}`);
    tell();
  };
  await Promise.all([first, withLock(file, waiting, async () => void events.push('second'))]);
  expect(events).toEqual(['first begins', 'second waits for first', 'first ends', 'second']);
  expect(existsSync(file)).toBe(false);
});

it('takes the lock of a process that is gone', async () => {
  const file = join(folder, 'lock');
  const gone = await run(process.execPath, ['--eval', 'console.log(process.pid)']);
  writeFileSync(file, gone.stdout.trim());
  expect(
    await withLock(
      file,
      () => {},
      async () => 'done',
    ),
  ).toBe('done');
});

it('gives the lock back when the action fails', async () => {
  const file = join(folder, 'lock');
  const fails = async (): Promise<never> => await Promise.reject(new Error('no'));
  await expect(withLock(file, () => {}, fails)).rejects.toThrow('no');
  expect(existsSync(file)).toBe(false);
});
