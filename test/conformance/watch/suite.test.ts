import { describe, expect, it } from 'vitest';
import { isPlayable, playOverSockets, playVirtually } from './play.ts';
import { playRandomly } from './random.ts';
import { runtimeAdapter } from './runtime-adapter.ts';
import { scripts } from './scripts.ts';

it('has unique names, and enough of them', () => {
  expect(new Set(scripts.map(({ name }) => name)).size).toBe(scripts.length);
  expect(scripts.length).toBeGreaterThanOrEqual(60);
});

describe('in virtual time', () => {
  it.each(scripts.filter((script) => isPlayable(script, 'virtual')))('$name', async (script) => {
    expect(await playVirtually(script, runtimeAdapter)).toBeUndefined();
  });
});

it('over sockets, all at once', async () => {
  const playable = scripts.filter((script) => isPlayable(script, 'sockets'));
  const wrong = await Promise.all(
    playable.map(async (script) => `${script.name}: ${(await playOverSockets(script, runtimeAdapter)) ?? 'passed'}`),
  );
  expect(wrong.filter((line) => !line.endsWith(': passed'))).toEqual([]);
  expect(wrong.length).toBeGreaterThanOrEqual(60);
}, 120_000);

it('random lives end equal to the server', async () => {
  // The last one adds a handler in the moment in which a list comes in.
  for (const seed of [...Array.from({ length: 300 }, (_, index) => index + 1), 8739])
    expect([seed, await playRandomly(seed, runtimeAdapter)]).toEqual([seed, undefined]);
}, 120_000);
