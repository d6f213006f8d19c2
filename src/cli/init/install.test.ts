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
    expect(firstError('npm', output)).toBe(expected);
  });

  it.each([
    ['pnpm', 'Progress: resolved 4\nError: ERR_PNPM_FETCH_404\n', 'Error: ERR_PNPM_FETCH_404'],
    [
      'pnpm',
      'Error: ERR_PNPM_IGNORED_BUILDS\n\n  × installing dependencies\n  ╰─▶ Ignored build scripts: esbuild@0.28.2\n',
      'Ignored build scripts: esbuild@0.28.2',
    ],
    ['yarn', '➤ YN0000: ┌ Resolution step\n➤ YN0035: │ a@npm:1: not found\n', 'YN0035: │ a@npm:1: not found'],
    ['bun', 'bun install v1\nerror: a@1 failed to resolve\n', 'error: a@1 failed to resolve'],
    ['bun', 'killed\n', 'killed'],
    ['yarn', '', 'yarn failed'],
  ] as const)('of %s, which prints %j', (manager, output, expected) => {
    expect(firstError(manager, output)).toBe(expected);
  });
});
