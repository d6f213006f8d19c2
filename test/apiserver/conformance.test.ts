import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { runSequence, type Answer } from './sequence.ts';
import { sequences } from './sequences/index.ts';
import { answersOf, describeStep, differences, installed, readRecorded, recordedFile } from './table.ts';

const record = process.env['RECORD_ANSWERS'] === '1';
const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';

describe.skipIf(assets === '')('the recorded answers (needs KUBEBUILDER_ASSETS)', () => {
  it('are those of a real API server', { timeout: 300_000 }, async () => {
    const environment = await startTestEnvironment({ assets, ...installed, timeout: 120_000 });
    try {
      const answers = await answersOf((step) => environment.request(step));
      if (record) writeFileSync(recordedFile, `${JSON.stringify(answers, undefined, 1)}\n`);
      expect(answers).toEqual(readRecorded());
    } finally {
      await environment.stop();
    }
  });
});

it('are asked for by at least 500 requests, of which at most 20 are answered otherwise', () => {
  expect(sequences.flatMap(({ steps }) => steps).length).toBeGreaterThanOrEqual(500);
  expect(new Set(sequences.map(({ name }) => name)).size).toBe(sequences.length);
  const ids = sequences.flatMap(({ name, steps }) => steps.map((_, index) => `${name} ${index}`));
  const known = (id: string): boolean => ids.includes(id) || id.startsWith('mutation of ');
  expect(Object.keys(differences).filter((id) => !known(id))).toEqual([]);
  expect(Object.keys(differences).length).toBeLessThanOrEqual(20);
});

describe('the embedded server answers as a real one', () => {
  let environment: TestEnvironment;
  const expected = readRecorded();

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', ...installed });
  });
  afterAll(async () => {
    await environment.stop();
  });

  for (const sequence of sequences) {
    describe(sequence.name, () => {
      let answers: readonly Answer[] = [];
      beforeAll(async () => {
        answers = await runSequence(sequence, (step) => environment.request(step));
      });
      sequence.steps.forEach((step, index) => {
        const id = `${sequence.name} ${index}`;
        const title = `${index} ${describeStep(step)}`;
        if (differences[id] === undefined) {
          it(title, () => {
            expect(answers[index]).toEqual(expected[sequence.name]?.[index]);
          });
        } else {
          it(`${title} differs: ${differences[id]}`, () => {
            expect(answers[index], 'no difference any more: take it off the list').not.toEqual(
              expected[sequence.name]?.[index],
            );
          });
        }
      });
    });
  }
});
