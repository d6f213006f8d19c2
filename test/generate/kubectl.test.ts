// What kubectl, whose YAML reader is go-yaml, makes of the texts that we write.
import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emitFile } from '../../src/generate/yaml/emit.ts';
import { TestProject } from './project.ts';

const kubectl = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).status === 0;

let project: TestProject;
beforeEach(() => {
  project = new TestProject();
});
afterEach(() => project.remove());

const numberish = /^[-+]?[0-9._:]{1,8}([eE][-+]?[0-9]{1,3})?$/;
const indicators = /^[-+.0-9eExXoObB_: \n#'"~=<nyNYtruefalsno!&*|>%@`,[\]{}?]{0,8}$/;
const words =
  'yes NO On off y N null ~ << = true TRUE 1:20 0o7 017 0x1f 0b1 1e3 e0 +_5 .inf .NaN 2001-01-01 1_000 1. +1 -.5 0778 - # * &a !b'.split(
    ' ',
  );
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.stringMatching(numberish),
  fc.stringMatching(indicators),
  fc.constantFrom(
    ...words,
    '',
    ' ',
    '2001-12-14t21:59:43.10-05:00',
    '\ufeffx',
    'x\u0085y',
    '\u2028',
    'a\n\nb',
    'a\n  b\n\tc',
    'a: b',
    'a #b',
    '--- a',
  ),
);

describe.skipIf(!kubectl)('kubectl (skipped where it is not installed)', () => {
  it('reads every text as it was written, as value and as key', () => {
    const texts = fc.sample(text, { numRuns: 3000, seed: 20260101 });
    const entries: [string, string][] = texts.map((value, index) => [`key${index}`, value]);
    const keys: [string, string][] = texts.filter((key) => key !== '__proto__').map((key) => [key, 'value']);
    const data = Object.fromEntries([...entries, ...keys]);
    project.put('texts.yaml', emitFile([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'texts' }, data }]));
    // Works without a server: it only reads, labels and prints.
    const run = spawnSync('kubectl', ['label', '--local', '-f', project.path('texts.yaml'), '-o', 'json', 'a=b'], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { ...process.env, KUBECONFIG: project.path('none'), HOME: project.root },
    });
    expect(run.stderr).toBe('');
    expect((JSON.parse(run.stdout) as { data: unknown }).data).toEqual(data);
  });
});
