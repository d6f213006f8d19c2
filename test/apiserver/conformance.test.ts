import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { widgets } from './definitions.ts';
import { runSequence, type Answer } from './sequence.ts';
import { sequences } from './sequences/index.ts';

/** What a real kube-apiserver 1.37.2 answered to the sequences: written anew with RECORD_ANSWERS=1 and KUBEBUILDER_ASSETS. */
const recorded = fileURLToPath(new URL('../../fixtures/apiserver/answers.json', import.meta.url));
const differencesFile = fileURLToPath(new URL('../../fixtures/apiserver/differences.json', import.meta.url));
const record = process.env['RECORD_ANSWERS'] === '1';
const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';

type Recorded = Readonly<Record<string, readonly Answer[]>>;

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Steps whose answer differs from a real server's, with the reason. */
const differences = existsSync(differencesFile) ? (readJson(differencesFile) as Readonly<Record<string, string>>) : {};

const users = [{ name: 'bob', groups: ['devs'] }];

async function answersOf(environment: TestEnvironment): Promise<Recorded> {
  const result: Record<string, readonly Answer[]> = {};
  for (const sequence of sequences)
    result[sequence.name] = await runSequence(sequence, (step) => environment.request(step));
  return result;
}

describe.skipIf(assets === '')('the recorded answers (needs KUBEBUILDER_ASSETS)', () => {
  it('are those of a real API server', { timeout: 180_000 }, async () => {
    const environment = await startTestEnvironment({ assets, users, manifests: [widgets], timeout: 120_000 });
    try {
      const answers = await answersOf(environment);
      if (record) writeFileSync(recorded, `${JSON.stringify(answers, undefined, 1)}\n`);
      expect(answers).toEqual(readJson(recorded) as Recorded);
    } finally {
      await environment.stop();
    }
  });
});

describe('the embedded server answers as a real one', () => {
  let environment: TestEnvironment;
  const expected = existsSync(recorded) ? (readJson(recorded) as Recorded) : {};

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', users, manifests: [widgets] });
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
        const title = `${index} ${step.method ?? ''} ${typeof step.path === 'string' ? step.path : '(made of earlier answers)'}`;
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
