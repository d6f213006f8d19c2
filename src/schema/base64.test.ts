import { describe, expect, it } from 'vitest';
import { findBase64Error } from './base64.ts';

describe('findBase64Error', () => {
  it.each([
    ['', undefined],
    ['YQ==', undefined],
    ['YW\nJj\r\n', undefined],
    ['YQ=\n=\n', undefined],
    ['not base64', 3],
    ['anVuaw==-', 8],
    ['YQ', 0],
    ['YWJjYQ', 4],
    ['YQ=', 3],
    ['YQ=x', 2],
    ['=', 0],
    ['Y=', 1],
  ])('%j: %s', (text, position) => {
    expect(findBase64Error(text)).toBe(position);
  });
});
