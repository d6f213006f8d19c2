import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.ts';
import { RestClient } from '../../src/testing/rest.ts';
import { startKubernetes } from '../conformance/kubernetes/server.ts';
import { policiesPath, shapes, typedPolicies } from './policies/types.ts';
import { mergePatch } from './sequence.ts';

/** What a real kube-controller-manager 1.37.2 noted: written anew with RECORD_ANSWERS=1 and KUBEBUILDER_ASSETS. */
const recorded = fileURLToPath(new URL('../../fixtures/apiserver/policy-types.json', import.meta.url));
const record = process.env['RECORD_ANSWERS'] === '1';
const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';

interface Policy {
  readonly metadata: {
    readonly generation: number;
    readonly managedFields: readonly { readonly manager: string; readonly time?: string }[];
  };
  readonly status?: { readonly observedGeneration?: number };
}

/** A policy's status and who wrote it. */
interface Noted {
  readonly status: unknown;
  readonly managers: readonly unknown[];
}
type Notes = Readonly<Record<string, Noted>>;

/** Objects' types get the name of their kind and a number, another one each time. */
const unnumbered = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/\bDeployment\d+\b/g, 'Object')) as unknown;

async function notesOf(client: RestClient): Promise<Notes> {
  const send = async (method: string, path: string, body?: unknown, headers = {}): Promise<Policy> => {
    const { status, text } = await client.send({ method, path, body, headers });
    expect(status, text).toBeLessThan(300);
    return JSON.parse(text) as Policy;
  };
  const noted = async (name: string): Promise<Noted> =>
    vi.waitFor(
      async () => {
        const { metadata, status } = await send('GET', `${policiesPath}/${name}`);
        if (status?.observedGeneration !== metadata.generation) throw new Error(`${name} was not looked at`);
        const managers = metadata.managedFields.map((manager) => ({ ...manager, time: undefined }));
        return unnumbered({ status, managers }) as Noted;
      },
      { timeout: 60_000, interval: 100 },
    );
  await send('POST', shapes.path, shapes.body);
  await vi.waitFor(() => send('GET', '/apis/example.com/v1/shapes'), { timeout: 10_000 });
  await vi.waitFor(
    async () => {
      const { text } = await client.send({ path: '/openapi/v3' });
      expect(text).toContain('apis/example.com/v1');
    },
    { timeout: 20_000 },
  );
  for (const { path, body } of typedPolicies) await send('POST', path, body);
  const notes: Record<string, Noted> = {};
  for (const { name } of typedPolicies) notes[name] = await noted(name);
  for (const [name, expression] of [
    ['fine', 'object.nix == 1'],
    ['field', 'true'],
  ] as const) {
    await send('PATCH', `${policiesPath}/${name}`, { spec: { validations: [{ expression }] } }, mergePatch);
    notes[`${name} changed`] = await noted(name);
  }
  return notes;
}

const readRecorded = (): Notes => (existsSync(recorded) ? (JSON.parse(readFileSync(recorded, 'utf8')) as Notes) : {});

describe.skipIf(!existsSync(join(assets, 'kube-controller-manager')))(
  'the recorded types of policies (needs KUBEBUILDER_ASSETS with kube-controller-manager)',
  () => {
    it('are those of a real cluster', { timeout: 120_000 }, async () => {
      const kubernetes = await startKubernetes({ assets, controllerManager: true });
      const { server, certificateAuthority, token } = kubernetes.access();
      const client = new RestClient({ url: server, caCertificate: certificateAuthority, token });
      try {
        const notes = await notesOf(client);
        if (record) writeFileSync(recorded, `${JSON.stringify(notes, undefined, 1)}\n`);
        expect(notes).toEqual(readRecorded());
      } finally {
        client.close();
        await kubernetes.stop();
      }
    });
  },
);

describe('the status of a policy, with the workloads of the embedded server,', () => {
  let notes: Notes = {};
  const errors: unknown[] = [];

  beforeAll(async () => {
    const server = await startApiServer({ workloads: true, onError: (error) => void errors.push(error) });
    const client = new RestClient({ url: server.url, caCertificate: server.caCertificate, token: server.adminToken });
    try {
      notes = await notesOf(client);
    } finally {
      client.close();
      await server.stop();
    }
  }, 60_000);

  const expected = readRecorded();
  it.each(Object.keys(expected))('says what a real one says: %s', (name) => {
    expect(notes[name]).toEqual(expected[name]);
  });
  it('is there for every policy, without errors', () => {
    expect(Object.keys(notes)).toEqual(Object.keys(expected));
    expect(errors).toEqual([]);
  });
});
