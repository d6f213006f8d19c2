import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

describe('shellWord', () => {
  it('leaves an ordinary path as it is', () => {
    expect(shellWord('/home/me/my-op_1/dev.kubeconfig')).toBe('/home/me/my-op_1/dev.kubeconfig');
  });

  it.skipIf(process.platform === 'win32').each(['', 'a b', "it's", '$HOME', '~/x', 'a;b&c', '"*"', '\\', 'ü\n'])(
    'says the same to a shell: %j',
    (text) => {
      expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
    },
  );
});
