import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestEnvironment } from '../../src/testing/index.ts';
import { widgets } from './definitions.ts';
import { create, sequenceOf, validating } from './policies/parts.ts';
import { mutatingCases } from './policies/mutating.ts';
import { validatingCases } from './policies/validating.ts';
import { runSequence, type Answer } from './sequence.ts';

/** What a real kube-apiserver 1.37.2 answered: written anew with RECORD_ANSWERS=1 and KUBEBUILDER_ASSETS. */
const recorded = fileURLToPath(new URL('../../fixtures/apiserver/policy-answers.json', import.meta.url));
const record = process.env['RECORD_ANSWERS'] === '1';
const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';

const cases = [...validatingCases, ...mutatingCases];
type Recorded = Readonly<Record<string, readonly Answer[]>>;

/** Puts all policies up, waits until they are in force, and runs the requests of each in its own namespace. */
async function answersOf(folder: string): Promise<Recorded> {
  const environment = await startTestEnvironment({ assets: folder, manifests: [widgets], timeout: 120_000 });
  try {
    const last = validating('last', { validations: [{ expression: 'false', message: 'ready' }] });
    for (const { path, body } of [...cases.flatMap(({ objects }) => objects), ...last]) {
      const { status, text } = await environment.request({ method: 'POST', path, body });
      expect(status, text).toBe(201);
    }
    // A real server reads its policies once in a while.
    const probe = create('last', 'probe');
    await vi.waitFor(
      async () => {
        const path = `${String(probe.path)}?dryRun=All`;
        const { status, text } = await environment.request({ method: 'POST', path, body: probe.body });
        if (status !== 422) throw new Error(`the policies are not in force: ${text}`);
      },
      { timeout: 30_000 },
    );
    // And it learns of new kinds only then.
    await vi.waitFor(
      async () => {
        const path = '/apis/example.com/v1/namespaces/mutating-custom/widgets?dryRun=All';
        const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'probe' }, spec: { size: 1 } };
        const { status, text } = await environment.request({ method: 'POST', path, body });
        if (status !== 201) throw new Error(`the kind is not known: ${text}`);
      },
      { timeout: 30_000, interval: 200 },
    );
    const result: Record<string, readonly Answer[]> = {};
    for (const found of cases)
      result[found.name] = await runSequence(sequenceOf(found), (step) => environment.request(step));
    return result;
  } finally {
    await environment.stop();
  }
}

const readRecorded = (): Recorded =>
  existsSync(recorded) ? (JSON.parse(readFileSync(recorded, 'utf8')) as Recorded) : {};

describe.skipIf(assets === '')('the recorded answers of policies (needs KUBEBUILDER_ASSETS)', () => {
  it('are those of a real API server', { timeout: 180_000 }, async () => {
    const answers = await answersOf(assets);
    if (record) writeFileSync(recorded, `${JSON.stringify(answers, undefined, 1)}\n`);
    expect(answers).toEqual(readRecorded());
  });
});

describe('policies of the embedded server', () => {
  let answers: Recorded = {};
  beforeAll(async () => {
    answers = await answersOf('');
  });
  it.each(cases.map(({ name }) => name))('%s', (name) => {
    expect(answers[name]).toBeDefined();
    expect(answers[name]).toEqual(readRecorded()[name]);
  });
});
