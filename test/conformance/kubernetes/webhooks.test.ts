// Whether a kube-apiserver takes the webhook configurations that fixtures/webhook gives.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { main } from '../../../src/cli/main.ts';
import { recordingIo } from '../../../src/cli/testing/io.ts';
import { checkWebhooks } from '../../../src/generate/webhook/check.ts';
import { emitWebhooks } from '../../../src/generate/webhook/manifests.ts';
import type { Webhook } from '../../../src/model/index.ts';
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

  const webhook = {
    type: 'Validating',
    name: 'vwidget-v1.kb.io',
    path: '/validate-example-com-v1-widget',
    groups: ['example.com'],
    versions: ['v1'],
    resources: ['widgets'],
    verbs: ['create'],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    matchConditions: [],
    position: { file: 'x.ts', line: 1, column: 1 },
  } as const satisfies Webhook;
  const { path: _, ...elsewhere } = webhook;
  const condition = (expression: string): Webhook => ({ ...webhook, matchConditions: [{ name: 'a', expression }] });

  it.each<[string, Webhook]>([
    ['the least', webhook],
    ['a name of two labels', { ...webhook, name: 'a.b' }],
    ['a path without a slash', { ...webhook, path: 'a' }],
    ['a path with an empty part', { ...webhook, path: '/a//b' }],
    ['a path with capitals', { ...webhook, path: '/A' }],
    ['the root', { ...webhook, path: '/' }],
    ['a url', { ...elsewhere, url: 'https://a.b:8443/c' }],
    ['a url without TLS', { ...elsewhere, url: 'http://a.b' }],
    ['a url with a query', { ...elsewhere, url: 'https://a.b/?c=d' }],
    ['a url with a user', { ...elsewhere, url: 'https://me@a.b/' }],
    ['a url with a fragment', { ...elsewhere, url: 'https://a.b/#c' }],
    ['no groups', { ...webhook, groups: [] }],
    ['all groups and one', { ...webhook, groups: ['*', 'apps'] }],
    ['all verbs and one', { ...webhook, verbs: ['*', 'create'] }],
    ['all versions', { ...webhook, versions: ['*'] }],
    ['an empty version', { ...webhook, versions: [''] }],
    ['all resources and one', { ...webhook, resources: ['*', 'pods'] }],
    ['all resources and all of one subresource', { ...webhook, resources: ['*', '*/status'] }],
    ['all subresources and one', { ...webhook, resources: ['pods/*', 'pods/exec'] }],
    ['everything', { ...webhook, resources: ['*/*'] }],
    ['everything and more', { ...webhook, resources: ['*/*', 'pods'] }],
    ['an unknown review version', { ...webhook, admissionReviewVersions: ['v2'] }],
    ['an unknown review version beside a known one', { ...webhook, admissionReviewVersions: ['v2', 'v1'] }],
    ['the longest time', { ...webhook, timeoutSeconds: 30 }],
    ['a longer time', { ...webhook, timeoutSeconds: 31 }],
    ['a selector', { ...webhook, objectSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } }],
    ['a selector without values', { ...webhook, objectSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }],
    ['a selector with a wrong key', { ...webhook, namespaceSelector: { matchLabels: { 'a b': 'c' } } }],
    ['a condition', condition("!request.userInfo.groups.exists(g, g == 'system:nodes')")],
    ['a condition about the requested resource', condition("authorizer.requestResource.check('custom').allowed()")],
    ['a condition about options', condition("request.options.fieldManager == 'x' && has(object.spec)")],
    ['a condition of any type', condition('object.spec.flag')],
    ['a condition that is no CEL', condition('object.')],
    ['a condition about an unknown member', condition("request.user.name == 'a'")],
    ['a condition about an unknown name', condition('objekt.spec == 1')],
    ['a condition about the namespace', condition("namespaceObject.metadata.name == 'a'")],
    ['a text as condition', condition('request.operation')],
    ['a wrong port', { ...webhook, servicePort: 70_000 }],
  ])('are judged as the server does: %s', async (_name, judged) => {
    const model = { kinds: [], webhooks: [judged], webhookConfigurations: [] };
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const [body] = parseAllDocuments(emitWebhooks(model) ?? '').map((document) => document.toJS() as Manifest);
    const query = { fieldValidation: 'Strict', dryRun: 'All' };
    const { status, body: answer } = await client.request('POST', path, { body, query });
    const ours = checkWebhooks(model, { major: 1, minor: 37 }).map(({ message }) => message);
    expect({ accepted: ours.length === 0, ours }, JSON.stringify(answer)).toEqual({ accepted: status === 201, ours });
  });
});
