// Whether a kube-apiserver takes the definitions of fixtures/import/types, which are to come back from their types as they are.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { fixtures, type Manifest } from '../../fixtures.ts';
import { type ApiClient, createClient } from './client.ts';
import { findPrograms, withoutPrograms } from './programs.ts';
import { sharedKubernetes } from './shared.ts';

const definitions = globSync('import/types/*.yaml', { cwd: fixtures })
  .sort()
  .flatMap((file) => parseAllDocuments(readFileSync(join(fixtures, file), 'utf8')))
  .map((document) => document.toJS() as Manifest);

describe.skipIf(findPrograms() === undefined)(`imported definitions at a real kube-apiserver${withoutPrograms}`, () => {
  let client: ApiClient;
  beforeAll(async () => {
    client = createClient(await sharedKubernetes());
  });
  afterAll(() => client?.close());

  it.each(definitions)('are accepted: $metadata.name', async (body) => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const query = { fieldValidation: 'Strict', dryRun: 'All' };
    const { status, body: answer } = await client.request('POST', path, { body, query });
    expect(status, JSON.stringify(answer)).toBe(201);
  });
});
