import { describe, expect, it } from 'vitest';
import { firstError } from './install.ts';

describe('firstError', () => {
  it.each([
    [
      'npm error code ECONNREFUSED\nnpm error syscall connect\nnpm error FetchError: request to http://localhost:9/a failed, reason: connect ECONNREFUSED 127.0.0.1:9\n',
      'npm cannot reach its registry: connect ECONNREFUSED 127.0.0.1:9',
    ],
    [
      'npm error code E404\nnpm error 404 Not Found - GET http://localhost/a\n',
      '404 Not Found - GET http://localhost/a',
    ],
    ['', 'npm failed'],
  ])('of %j', (output, expected) => {
    expect(firstError(output)).toBe(expected);
  });
});
