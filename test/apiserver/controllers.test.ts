import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { RestClient } from '../../src/testing/rest.ts';
import { startKubernetes } from '../conformance/kubernetes/server.ts';
import { runSequence, type Answer, type SentStep, type Sequence } from './sequence.ts';
import { controllersSequences } from './sequences/controllers.ts';
import type { RestResponse } from '../../src/testing/rest.ts';

const record = process.env['RECORD_ANSWERS'] === '1';
const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
const complete = assets !== '' && existsSync(join(assets, 'kube-controller-manager'));

/** What a real server with kube-controller-manager 1.37.2 beside it answered: written anew with RECORD_ANSWERS=1 and KUBEBUILDER_ASSETS. */
const recordedFile = fileURLToPath(new URL('../../fixtures/apiserver/controller-answers.json', import.meta.url));
const readRecorded = (): Record<string, readonly Answer[]> =>
  JSON.parse(readFileSync(recordedFile, 'utf8')) as Record<string, readonly Answer[]>;

async function answersOf(send: (step: SentStep) => Promise<RestResponse>): Promise<Record<string, readonly Answer[]>> {
  const result: Record<string, readonly Answer[]> = {};
  for (const sequence of controllersSequences) result[sequence.name] = await runSequence(sequence, send);
  return result;
}

describe.skipIf(!complete)('the recorded work of controllers (needs KUBEBUILDER_ASSETS with all programs)', () => {
  it('is that of kube-controller-manager', { timeout: 300_000 }, async () => {
    const cluster = await startKubernetes({ assets, controllerManager: true });
    const access = cluster.access();
    const client = new RestClient({
      url: access.server,
      caCertificate: access.certificateAuthority,
      token: access.token,
    });
    try {
      const answers = await answersOf((step) => client.send(step));
      if (record) writeFileSync(recordedFile, `${JSON.stringify(answers, undefined, 1)}\n`);
      expect(answers).toEqual(readRecorded());
    } finally {
      client.close();
      await cluster.stop();
    }
  });
});

describe('the controllers of the embedded server do what kube-controller-manager does', () => {
  let environment: TestEnvironment;
  const expected = readRecorded();

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', project: false });
  });
  afterAll(async () => {
    await environment.stop();
  });

  it.each(controllersSequences.map((sequence): [string, Sequence] => [sequence.name, sequence]))(
    '%s',
    { timeout: 60_000 },
    async (name, sequence) => {
      expect(await runSequence(sequence, (step) => environment.request(step))).toEqual(expected[name]);
    },
  );
});
