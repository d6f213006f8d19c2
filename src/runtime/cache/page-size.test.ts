import { expect, it } from 'vitest';
import { PageSize } from './page-size.ts';

const mebibyte = 1024 * 1024;

it('shrinks to what makes 8 MB, and grows back by doubling', () => {
  const size = new PageSize(500);
  size.learn(500, 7 * mebibyte);
  expect(size.limit).toBe(500);
  size.learn(500, 100 * mebibyte);
  expect(size.limit).toBe(40);
  size.learn(40, 8 * mebibyte);
  expect(size.limit).toBe(40);
  size.learn(0, 100);
  size.learn(40, 2 * mebibyte);
  expect(size.limit).toBe(80);
  size.learn(80, 0.1 * mebibyte);
  size.learn(160, 0.1 * mebibyte);
  size.learn(320, 0.1 * mebibyte);
  expect(size.limit).toBe(500);
  size.learn(2, 100 * mebibyte);
  expect(size.limit).toBe(1);
});
