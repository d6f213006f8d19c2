import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import {
  differencesOf,
  MutationRun,
  readRecorded,
  recordedFile,
  recordOf,
  type RecordedAnswers,
} from './mutations/answers.ts';
import { bases } from './mutations/kinds.ts';
import { differences } from './table.ts';

const record = process.env['RECORD_ANSWERS'] === '1';
const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
const namespace = 'mutations';

describe.skipIf(assets === '')('the recorded answers to mutations (needs KUBEBUILDER_ASSETS)', () => {
  it('are those of a real API server', { timeout: 600_000 }, async () => {
    const environment = await startTestEnvironment({ assets, project: false, timeout: 120_000 });
    try {
      const run = new MutationRun((step) => environment.request(step), namespace);
      await run.start();
      const recorded: Record<string, RecordedAnswers> = {};
      const found: string[] = [];
      const before = record ? {} : readRecorded();
      for (const base of bases) {
        const answers = await run.answers(base);
        recorded[base.name] = recordOf(answers);
        found.push(...differencesOf(answers, record ? recordOf(answers) : before[base.name]));
      }
      if (record) writeFileSync(recordedFile, `${JSON.stringify(recorded, undefined, 1)}\n`);
      expect(found).toEqual([]);
    } finally {
      await environment.stop();
    }
  });
});

it('has mutations of the twenty kinds that operators own most', () => {
  expect(new Set(bases.map(({ object }) => object['kind'])).size).toBeGreaterThanOrEqual(20);
  expect(new Set(bases.map(({ name }) => name)).size).toBe(bases.length);
});

describe('the embedded server answers to mutations as a real one', () => {
  let environment: TestEnvironment;
  let run: MutationRun;
  const recorded = readRecorded();

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', project: false });
    run = new MutationRun((step) => environment.request(step), namespace);
    await run.start();
  });
  afterAll(async () => {
    await environment.stop();
  });

  it.each(bases.map((base) => [base.name, base] as const))('of %s', { timeout: 60_000 }, async (name, base) => {
    const found = differencesOf(await run.answers(base), recorded[name]);
    const listed = Object.keys(differences).filter((id) => id.startsWith(`mutation of ${name}: `));
    const isListed = (difference: string, id: string): boolean =>
      `mutation of ${name}: ${difference}`.startsWith(`${id}: `);
    expect(found.filter((difference) => !listed.some((id) => isListed(difference, id)))).toEqual([]);
    const gone = listed.filter((id) => !found.some((difference) => isListed(difference, id)));
    expect(gone, 'no difference any more: take it off the list').toEqual([]);
  });
});
