import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compareCorpus } from './compare.ts';
import { corpusFolder, readDifferences, readJson, run } from './suite.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures/schema');

function wrong(folder: string): string[] {
  const known = new Map(readDifferences().map(({ id, actual }) => [id, actual] as const));
  return compareCorpus(readJson(join(folder, 'corpus.json')), readJson(join(folder, 'corpus.results.json')))
    .filter(({ id, expected, actual }) => actual !== expected && known.get(id) !== actual)
    .map(({ id, expected, actual }) => `${id}: expected ${expected}, got ${actual}`);
}

describe('the schema corpus', () => {
  it('of the fixtures equals what the API server says', () => {
    expect(wrong(fixtures)).toEqual([]);
  });

  it.skipIf(corpusFolder === fixtures)(
    'beside the checkout (skipped without it) equals what the API server says',
    () => {
      expect(wrong(corpusFolder)).toEqual([]);
    },
  );

  it('gives each difference a reason', () => {
    for (const { id, reason } of readDifferences()) expect([id, reason.length > 20]).toEqual([id, true]);
  });
});

describe('run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'schema-suite-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('counts and names what differs', async () => {
    const [corpus, results] = [join(folder, 'corpus.json'), join(folder, 'results.json')];
    const schema = { type: 'object', properties: { spec: { type: 'integer' } } };
    writeFileSync(corpus, JSON.stringify([{ id: 'one', schema, objects: [{ spec: 1 }, { spec: 'x' }] }]));
    const object = (spec: unknown) => ({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'thing' },
      spec,
    });
    writeFileSync(results, JSON.stringify([{ id: 'one', objects: [{ result: object(1) }, { result: object('x') }] }]));
    const lines: string[] = [];
    const counts = await run({ corpus, results, json: false, print: (line) => lines.push(line) });
    expect(counts).toEqual({ passed: 2, failed: 1, skipped: 0 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^one\/object 1: expected .* got .*must be of type integer/);
  });
});
