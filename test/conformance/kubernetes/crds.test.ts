import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, runChecked } from '../../../tools/repository.ts';
import { generatedDefinitions, samples, sortCauses, type Cause } from '../../fixtures.ts';
import { createClient, isStatus, type ApiClient, type ApiResponse } from './client.ts';
import { collectionPath, install, remove } from './definitions.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { findPrograms, findProgram, withoutPrograms } from './programs.ts';
import { sharedKubernetes } from './shared.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const generated = findPrograms() === undefined ? [] : await generatedDefinitions();
const definitions = generated.map(({ definition }) => definition);
const strict = { query: { fieldValidation: 'Strict' } };
const namespace = 'samples';

function causes({ status, body }: ApiResponse): Cause[] {
  expect(status, JSON.stringify(body)).toBe(422);
  if (!isStatus(body)) throw new Error('a refusal is no Status');
  return sortCauses(
    (body.details?.causes ?? []).map(({ reason = '', field = '', message = '' }) => ({ reason, field, message })),
  );
}

describe.skipIf(findPrograms() === undefined)(`a real kube-apiserver${withoutPrograms}`, () => {
  let client: ApiClient;

  beforeAll(async () => {
    client = createClient(await sharedKubernetes());
    const response = await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
    expect(response.status).toBe(201);
  });
  afterAll(() => client?.close());

  const installCompute = async (): Promise<void> => {
    for (const { source, definition } of generated) {
      if (source === 'compute/decorators') await install(client, definition);
    }
  };

  describe('definitions', () => {
    it.each(generated)('serves $name from fixtures/$source, and warns of nothing', async ({ definition }) => {
      // Two notations of one API give one definition: each is created anew.
      await remove(client, definition);
      expect(await install(client, definition)).toEqual([]);
    });

    it('has definitions of fixtures/compute in both notations', () => {
      const sources = generated.map(({ source }) => source);
      for (const source of ['compute/decorators', 'compute/jsdoc']) {
        expect(sources.filter((each) => each === source)).toHaveLength(3);
      }
    });
  });

  describe('samples of fixtures/compute', () => {
    beforeAll(async () => {
      await installCompute();
    });

    it.each(samples('compute', 'valid'))('accepts $name', async ({ objects: [object] }) => {
      if (object === undefined) throw new Error('the sample is empty');
      await client.expect('POST', collectionPath(definitions, object, namespace), { ...strict, body: object });
    });

    it.each(samples('compute', 'refused'))('refuses $name', async ({ objects: [object], causes: expected }) => {
      if (object === undefined) throw new Error('the sample is empty');
      const path = collectionPath(definitions, object, namespace);
      expect(causes(await client.request('POST', path, { ...strict, body: object }))).toEqual(expected);
    });

    it.each(samples('compute', 'refused-update'))('refuses $name', async ({ objects, causes: expected }) => {
      const [old, object] = objects;
      if (old === undefined || object === undefined) throw new Error('the sample needs two objects');
      const path = collectionPath(definitions, object, namespace);
      const created = await client.expect('POST', path, { ...strict, body: old });
      const { resourceVersion } = (created as typeof old).metadata;
      const body = { ...object, metadata: { ...object.metadata, resourceVersion } };
      const refusal = await client.request('PUT', `${path}/${object.metadata.name}`, { ...strict, body });
      expect(causes(refusal)).toEqual(expected);
    });

    it.each(samples('compute', 'refused-status'))('refuses $name', async ({ objects: [object], causes: expected }) => {
      if (object === undefined) throw new Error('the sample is empty');
      const path = collectionPath(definitions, object, namespace);
      const created = await client.expect('POST', path, { ...strict, body: { ...object, status: undefined } });
      const body = { ...(created as typeof object), status: object['status'] };
      const refusal = await client.request('PUT', `${path}/${object.metadata.name}/status`, { ...strict, body });
      expect(causes(refusal)).toEqual(expected);
    });
  });

  describe('kubectl', async () => {
    const kubectl = await findProgram('kubectl');
    const folder = mkdtempSync(join(tmpdir(), 'create-operator-kubectl-'));
    const kubeconfig = join(folder, 'kubeconfig');
    afterAll(() => rmSync(folder, { recursive: true }));

    const call = async (args: readonly string[], input?: string): Promise<string> =>
      await runChecked(kubectl ?? '', [`--kubeconfig=${kubeconfig}`, ...args], input === undefined ? {} : { input });

    it.skipIf(kubectl === undefined)(
      `applies a sample and prints its columns${kubectl === undefined ? ' (skipped: there is no kubectl)' : ''}`,
      async () => {
        writeKubeconfig(kubeconfig, { ...(await sharedKubernetes()), namespace: 'default' });
        await installCompute();
        const sample = samples('compute', 'valid').find(({ name }) => name === 'ec2instance-minimal')?.objects[0];
        const applied = await call(['apply', '--validate=strict', '-f', '-'], JSON.stringify(sample));
        expect(applied.trim()).toBe('ec2instance.compute.cloud.com/minimal created');
        const status = { status: { state: 'running', publicIP: '192.0.2.7', instanceID: 'i-0123456789abcdef0' } };
        await call(['patch', 'ec2', 'minimal', '--subresource=status', '--type=merge', '-p', JSON.stringify(status)]);
        const rows = (await call(['get', 'ec2']))
          .trim()
          .split('\n')
          .map((line) => line.split(/\s+/));
        expect(rows).toEqual([
          ['NAME', 'STATE', 'PUBLICIP', 'INSTANCEID'],
          ['minimal', 'running', '192.0.2.7', 'i-0123456789abcdef0'],
        ]);
        // What kubectl reads back has the defaults of the definition.
        const stored = JSON.parse(await call(['get', 'ec2', 'minimal', '-o', 'json'])) as { spec: object };
        expect(stored.spec).toMatchObject({ instanceType: 't3.micro' });
        const again = await run(kubectl ?? '', [`--kubeconfig=${kubeconfig}`, 'diff', '-f', '-'], {
          input: JSON.stringify(sample),
        });
        expect(again).toMatchObject({ code: 0, stdout: '' });
      },
    );
  });
});
