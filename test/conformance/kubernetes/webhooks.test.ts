// Whether a kube-apiserver takes the webhook configurations that fixtures/webhook gives.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { main } from '../../../src/cli/main.ts';
import { recordingIo } from '../../../src/cli/testing/io.ts';
import { root } from '../../../tools/repository.ts';
import { fixtures, type Manifest } from '../../fixtures.ts';
import { type ApiClient, createClient } from './client.ts';
import { findPrograms, withoutPrograms } from './programs.ts';
import { sharedKubernetes } from './shared.ts';

describe.skipIf(findPrograms() === undefined)(`webhooks at a real kube-apiserver${withoutPrograms}`, () => {
  let client: ApiClient;
  beforeAll(async () => {
    client = createClient(await sharedKubernetes());
  });
  afterAll(() => client?.close());

  it.each(globSync('*/*', { cwd: join(fixtures, 'webhook/sources') }).sort())('are accepted: %s', async (source) => {
    const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    try {
      const sources = join('fixtures/webhook/sources', source);
      expect(await main(['generate', '--source', sources, '--webhook-dir', folder], recordingIo(root).io)).toBe(0);
      const manifests = readFileSync(join(folder, 'manifests.yaml'), 'utf8');
      const objects = parseAllDocuments(manifests).map((document) => document.toJS() as Manifest);
      expect(objects).toHaveLength(2);
      for (const body of objects) {
        const path = `/apis/${body.apiVersion}/${body.kind.toLowerCase()}s`;
        // Nothing is stored: no request of another test is to wait for a server that does not exist.
        const query = { fieldValidation: 'Strict', dryRun: 'All' };
        const { status, body: answer } = await client.request('POST', path, { body, query });
        expect(status, JSON.stringify(answer)).toBe(201);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
