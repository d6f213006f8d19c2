import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as markers from './index.ts';

const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace(/package\.json$/, 'bin/tsc');

async function compile(project: string): Promise<string> {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', project], { cwd: folder });
    return stdout;
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout);
    throw error;
  }
}

describe('the decorators', () => {
  it.each(['tsconfig.standard.json', 'tsconfig.legacy.json'])('fit what they may stand on, by %s', async (project) => {
    expect(await compile(project)).toBe('');
  });

  it('have a right and a wrong use each in the type tests', () => {
    const tests = readFileSync(new URL('markers.test-d.ts', import.meta.url), 'utf8');
    for (const name of Object.keys(markers)) {
      expect(tests.split(`@m.${name}(`).length, name).toBeGreaterThanOrEqual(3);
    }
  });

  it('do nothing at run time, in both systems', () => {
    const context = { kind: 'field' } as ClassFieldDecoratorContext<object, number>;
    expect(markers.Minimum(1)(undefined, context)).toBeUndefined();
    expect(markers.Minimum(1)({ size: 1 }, 'size')).toBeUndefined();
    expect(markers.StatusSubresource()(Error)).toBeUndefined();
  });

  it('come from a module without imports', () => {
    expect(readFileSync(new URL('index.ts', import.meta.url), 'utf8')).not.toMatch(/^\s*(import|export .* from) /m);
  });
});
