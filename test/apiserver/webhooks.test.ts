import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../src/apiserver/access/certificates.ts';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { widgets } from './definitions.ts';
import { mergePatch } from './sequence.ts';
import { WatchStream } from './stream.ts';

const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
const servers = [{ kind: 'embedded', folder: '' }, ...(assets === '' ? [] : [{ kind: 'real', folder: assets }])];

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly subResource?: string;
    readonly dryRun: boolean;
    readonly userInfo: { readonly username: string };
    readonly kind: unknown;
    readonly object: { readonly spec?: { readonly size?: number } } | null;
    readonly oldObject: unknown;
  };
}

type Answer = Record<string, unknown>;

/** The same on both servers. */
describe.each(servers)('webhooks of the $kind server', ({ folder }) => {
  let environment: TestEnvironment;
  let server: Server;
  let url: string;
  let own: string;
  let answer: (review: Review, path: string) => Answer | undefined = () => ({ allowed: true });
  const reviews: Review[] = [];
  const authority = new CertificateAuthority(Date.now());
  const caBundle = Buffer.from(authority.certificate).toString('base64');

  beforeAll(async () => {
    const { certificate, key } = authority.issue({ commonName: 'webhook', hosts: ['127.0.0.1'], usage: 'server' });
    own = certificate;
    server = createServer({ cert: certificate, key }, (request, response) => {
      let text = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        const review = JSON.parse(text) as Review;
        reviews.push(review);
        const made = answer(review, new URL(request.url ?? '/', 'https://localhost').pathname);
        if (made === undefined) {
          response.writeHead(500).end('broken');
          return;
        }
        response.setHeader('Content-Type', 'application/json');
        response.end(
          JSON.stringify({
            apiVersion: review.apiVersion,
            kind: review.kind,
            response: { uid: review.request.uid, ...made },
          }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    environment = await startTestEnvironment({ assets: folder, manifests: [widgets], timeout: 120_000 });
  }, 120_000);
  afterAll(async () => {
    await environment.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const configurations = '/apis/admissionregistration.k8s.io/v1';
  const installed: string[] = [];
  const configure = async (
    kind: 'Mutating' | 'Validating',
    name: string,
    webhook: Record<string, unknown> = {},
  ): Promise<void> => {
    const path = `${configurations}/${kind.toLowerCase()}webhookconfigurations`;
    const created = await environment.request({
      method: 'POST',
      path,
      body: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: `${kind}WebhookConfiguration`,
        metadata: { name },
        webhooks: [
          {
            name: `${name}.example.com`,
            clientConfig: { url: `${url}/${name}`, caBundle },
            rules: [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['*'], resources: ['widgets'] }],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            ...webhook,
          },
        ],
      },
    });
    expect(created.status).toBe(201);
    installed.push(`${path}/${name}`);
    // A real server takes a moment to see its configuration.
    await expect
      .poll(
        async () => {
          reviews.length = 0;
          await environment.request({ method: 'POST', path: `${widgetsPath}?dryRun=All`, body: widget('probe', 1) });
          return reviews.length;
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0);
    reviews.length = 0;
  };
  const widgetsPath = '/apis/example.com/v1/namespaces/default/widgets';
  const widget = (name: string, size: number) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { size },
  });
  const create = (name: string, size = 1) =>
    environment.request({ method: 'POST', path: widgetsPath, body: widget(name, size) });
  const patch = (operations: unknown): Answer => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  });

  afterEach(async () => {
    answer = () => ({ allowed: true });
    for (const path of installed.splice(0)) await environment.request({ method: 'DELETE', path });
    await expect
      .poll(
        async () => {
          reviews.length = 0;
          await environment.request({ method: 'POST', path: `${widgetsPath}?dryRun=All`, body: widget('probe', 1) });
          return reviews.length;
        },
        { timeout: 10_000 },
      )
      .toBe(0);
    await environment.request({ method: 'DELETE', path: widgetsPath });
  });

  it('are told who does what to which object', async () => {
    await configure('Validating', 'look');
    await create('a');
    await environment.request({
      method: 'PATCH',
      path: `${widgetsPath}/a`,
      body: { spec: { size: 2 } },
      headers: mergePatch,
    });
    await environment.request({
      method: 'PATCH',
      path: `${widgetsPath}/a/status`,
      body: { status: { phase: 'x' } },
      headers: mergePatch,
    });
    await environment.request({ method: 'DELETE', path: `${widgetsPath}/a` });
    expect(
      reviews.map(({ request }) => [
        request.operation,
        request.name,
        request.object === null,
        request.oldObject === null,
      ]),
    ).toEqual([
      ['CREATE', 'a', false, true],
      ['UPDATE', 'a', false, false],
      ['DELETE', 'a', true, false],
    ]);
    expect(reviews[0]).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      request: {
        namespace: 'default',
        userInfo: { username: 'admin' },
        kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
        resource: { group: 'example.com', version: 'v1', resource: 'widgets' },
        dryRun: false,
        object: { spec: { size: 1, color: 'red' } },
      },
    });
  });

  it('are trusted when their own certificate is the bundle, and are asked where joined paths lead', async () => {
    // As envtest installs them.
    const clientConfig = { url: `${url}//own/`, caBundle: Buffer.from(own).toString('base64') };
    await configure('Validating', 'own', { clientConfig });
    const paths: string[] = [];
    answer = (_, path) => {
      paths.push(path);
      return { allowed: true };
    };
    expect((await create('own')).status).toBe(201);
    expect(paths).toEqual(['/own']);
  });

  it('that cannot be reached, or trusted, say so in the words of Go', async () => {
    const post = async (clientConfig: unknown, name: string): Promise<string> => {
      const path = `${configurations}/validatingwebhookconfigurations`;
      const webhook = {
        name: `${name}.example.com`,
        clientConfig,
        rules: [{ operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['*'], resources: ['widgets'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      };
      await environment.request({ method: 'POST', path, body: { metadata: { name }, webhooks: [webhook] } });
      await expect.poll(async () => (await create(name)).status, { timeout: 10_000 }).toBe(500);
      const { message } = (await create(name)).json() as { readonly message: string };
      await environment.request({ method: 'DELETE', path: `${path}/${name}` });
      await expect.poll(async () => (await create(name)).status, { timeout: 10_000 }).not.toBe(500);
      return message;
    };
    const called = (name: string, where: string): string =>
      `Internal error occurred: failed calling webhook "${name}.example.com": failed to call webhook: Post "${where}?timeout=10s": `;
    expect(await post({ url: 'https://127.0.0.1:1/gone', caBundle }, 'gone')).toBe(
      `${called('gone', 'https://127.0.0.1:1/gone')}dial tcp 127.0.0.1:1: connect: connection refused`,
    );
    const other = Buffer.from(new CertificateAuthority(Date.now()).certificate).toString('base64');
    expect(await post({ url: `${url}/other`, caBundle: other }, 'other')).toContain(
      `${called('other', `${url}/other`)}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
  });

  it('deny with their own words, and warn', async () => {
    await configure('Validating', 'deny');
    answer = ({ request }) =>
      request.object?.spec?.size === 3
        ? { allowed: false, status: { code: 403, message: 'no threes' }, warnings: ['careful'] }
        : { allowed: true };
    const refused = await create('three', 3);
    expect(refused.status).toBe(403);
    expect(refused.json()).toMatchObject({
      message: 'admission webhook "deny.example.com" denied the request: no threes',
      code: 403,
    });
    expect(refused.headers['warning']).toBe('299 - "careful"');
    expect((await create('two', 2)).status).toBe(201);
    answer = () => ({ allowed: false });
    const silent = await create('four', 4);
    expect(silent.status).toBe(400);
    expect(silent.json()).toMatchObject({
      message: 'admission webhook "deny.example.com" denied the request without explanation',
    });
  });

  it('change objects before they are validated, and the generation counts what they change', async () => {
    await configure('Mutating', 'change');
    answer = ({ request }) =>
      request.operation === 'DELETE' ? { allowed: true } : patch([{ op: 'replace', path: '/spec/size', value: 7 }]);
    const created = (await create('a', 2)).json();
    expect(created).toMatchObject({ spec: { size: 7, color: 'red' }, metadata: { generation: 1 } });
    answer = () => patch([{ op: 'replace', path: '/spec/size', value: 6 }]);
    const updated = await environment.request({
      method: 'PATCH',
      path: `${widgetsPath}/a`,
      body: { metadata: { labels: { a: 'b' } } },
      headers: mergePatch,
    });
    expect(updated.json()).toMatchObject({ spec: { size: 6 }, metadata: { generation: 2, labels: { a: 'b' } } });
    answer = () => patch([{ op: 'replace', path: '/spec/size', value: 100 }]);
    expect((await create('b', 2)).status).toBe(422);
  });

  it('are asked in the order of their names, and again when others changed the object and they want that', async () => {
    answer = (_review, path) =>
      path === '/b' ? patch([{ op: 'replace', path: '/spec/size', value: 5 }]) : { allowed: true };
    await configure('Mutating', 'b');
    await configure('Mutating', 'a', { reinvocationPolicy: 'IfNeeded' });
    await create('x', 2);
    expect(reviews.map(({ request }) => request.object?.spec?.size)).toEqual([2, 2, 5]);
  });

  it('fail or are passed over when they cannot be asked', async () => {
    answer = () => ({ allowed: true });
    await configure('Validating', 'broken');
    answer = () => undefined;
    const failed = await create('a');
    expect(failed.status).toBe(500);
    expect(failed.json()).toMatchObject({
      reason: 'InternalError',
      message:
        'Internal error occurred: failed calling webhook "broken.example.com": failed to call webhook: an error on the server ("broken") has prevented the request from succeeding',
    });
  });

  it('are passed over with the failure policy Ignore', async () => {
    await configure('Validating', 'ignored', { failurePolicy: 'Ignore' });
    answer = () => undefined;
    expect((await create('a')).status).toBe(201);
  });

  it('see only what their selectors and rules take in', async () => {
    await configure('Validating', 'some', {
      rules: [
        {
          operations: ['CREATE'],
          apiGroups: ['example.com'],
          apiVersions: ['v1'],
          resources: ['widgets', 'widgets/status'],
        },
      ],
      objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
    });
    await environment.request({
      method: 'POST',
      path: widgetsPath,
      body: { ...widget('skipped', 1), metadata: { name: 'skipped', labels: { skip: 'yes' } } },
    });
    await environment.request({
      method: 'POST',
      path: '/apis/example.com/v1/namespaces/kube-system/widgets?dryRun=All',
      body: widget('elsewhere', 1),
    });
    await create('seen');
    await environment.request({
      method: 'PATCH',
      path: `${widgetsPath}/seen`,
      body: { spec: { size: 2 } },
      headers: mergePatch,
    });
    expect(reviews.map(({ request }) => request.name)).toEqual(['seen']);
  });

  it('with side effects stop dry runs', async () => {
    await configure('Validating', 'pure');
    await environment.request({ method: 'POST', path: `${widgetsPath}?dryRun=All`, body: widget('dry', 1) });
    expect(reviews[0]?.request.dryRun).toBe(true);
    expect((await environment.request({ path: `${widgetsPath}/dry` })).status).toBe(404);
  });

  it('are asked only where their match conditions hold; a condition that fails denies', async () => {
    await configure('Validating', 'conditions', {
      matchConditions: [
        { name: 'no-status', expression: '!has(request.subResource)' },
        {
          name: 'marked-or-probe',
          expression: "object.metadata.name == 'probe' || object.metadata.labels['ask'] == 'yes'",
        },
        { name: 'allowed', expression: "authorizer.requestResource.check('delete').allowed()" },
      ],
    });
    const labelled = (name: string, labels: Record<string, string>) =>
      environment.request({
        method: 'POST',
        path: widgetsPath,
        body: { ...widget(name, 1), metadata: { name, labels } },
      });
    expect((await labelled('asked', { ask: 'yes' })).status).toBe(201);
    expect((await labelled('skipped', { ask: 'no' })).status).toBe(201);
    const failed = await labelled('failed', { other: 'x' });
    expect([failed.status, failed.json()]).toMatchObject([
      403,
      {
        reason: 'Forbidden',
        message:
          "widgets.example.com \"failed\" is forbidden: expression 'object.metadata.name == 'probe' || object.metadata.labels['ask'] == 'yes'' resulted in error: no such key: ask",
      },
    ]);
    expect(reviews.map(({ request }) => request.name)).toEqual(['asked']);
  });

  it('see a Scale where the scale of an object is written, and may change it', async () => {
    await configure('Mutating', 'scales', {
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: ['example.com'],
          apiVersions: ['*'],
          resources: ['widgets', 'widgets/scale'],
        },
      ],
    });
    await create('a', 2);
    reviews.length = 0;
    answer = ({ request }) =>
      request.subResource === 'scale'
        ? patch([{ op: 'replace', path: '/spec/replicas', value: 4 }])
        : { allowed: true };
    const scaled = await environment.request({
      method: 'PATCH',
      path: `${widgetsPath}/a/scale`,
      body: { spec: { replicas: 3 } },
      headers: mergePatch,
    });
    expect(scaled.json()).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
    expect(reviews.map(({ request }) => request)).toMatchObject([
      {
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        requestKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        resource: { group: 'example.com', version: 'v1', resource: 'widgets' },
        subResource: 'scale',
        operation: 'UPDATE',
        name: 'a',
        object: { kind: 'Scale', spec: { replicas: 3 } },
        oldObject: { kind: 'Scale', spec: { replicas: 2 } },
      },
    ]);
    const after = await environment.request({ path: `${widgetsPath}/a` });
    expect(after.json()).toMatchObject({ spec: { size: 4 } });
  });

  it('are not asked again about what they made themselves', async () => {
    answer = () => patch([{ op: 'replace', path: '/spec/size', value: 5 }]);
    await configure('Mutating', 'only', { reinvocationPolicy: 'IfNeeded' });
    await create('x', 2);
    expect(reviews.map(({ request }) => request.object?.spec?.size)).toEqual([2]);
  });

  it('are told the options of a request', async () => {
    await configure('Validating', 'options');
    await environment.request({
      method: 'POST',
      path: `${widgetsPath}?fieldManager=me&fieldValidation=Strict`,
      body: widget('a', 1),
    });
    await environment.request({
      method: 'DELETE',
      path: `${widgetsPath}/a`,
      body: { propagationPolicy: 'Background', gracePeriodSeconds: 0 },
    });
    expect(reviews.map(({ request }) => (request as { readonly options?: unknown }).options)).toEqual([
      { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', fieldValidation: 'Strict' },
      {
        kind: 'DeleteOptions',
        apiVersion: 'meta.k8s.io/v1',
        propagationPolicy: 'Background',
        gracePeriodSeconds: 0,
      },
    ]);
  });

  it('convert between the versions of a definition: on reads, writes, lists and watches', async () => {
    interface Stored {
      readonly apiVersion: string;
      readonly spec: { readonly size?: number; readonly width?: number };
    }
    answer = (review) => {
      const { objects, desiredAPIVersion } = (
        review as unknown as { request: { objects: Stored[]; desiredAPIVersion: string } }
      ).request;
      const value = ({ spec }: Stored): number => spec.size ?? spec.width ?? 0;
      const convertedObjects = objects.map((found) => ({
        ...found,
        apiVersion: desiredAPIVersion,
        spec: desiredAPIVersion.endsWith('/v1') ? { size: value(found) } : { width: value(found) },
      }));
      return { convertedObjects, result: { status: 'Success' } };
    };
    const version = (name: string, field: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' } } } },
        },
      },
    });
    await environment.install({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boxes.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'boxes', kind: 'Box' },
        versions: [version('v1', 'size', true), version('v1beta1', 'width', false)],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: `${url}/convert`, caBundle }, conversionReviewVersions: ['v1'] },
        },
      },
    });
    const old = '/apis/example.com/v1beta1/boxes';
    const now = '/apis/example.com/v1/boxes';
    const box = (apiVersion: string, name: string, spec: unknown) => ({
      apiVersion,
      kind: 'Box',
      metadata: { name },
      spec,
    });
    const patch = (path: string, spec: unknown) =>
      environment.request({ method: 'PATCH', path, body: { spec }, headers: mergePatch });
    const created = await environment.request({
      method: 'POST',
      path: old,
      body: box('example.com/v1beta1', 'a', { width: 3 }),
    });
    expect(created.json()).toMatchObject({
      apiVersion: 'example.com/v1beta1',
      spec: { width: 3 },
      metadata: { generation: 1 },
    });
    const read = await environment.request({ path: `${now}/a` });
    expect(read.json()).toMatchObject({ apiVersion: 'example.com/v1', spec: { size: 3 } });
    expect((await patch(`${old}/a`, { width: 4 })).json()).toMatchObject({
      spec: { width: 4 },
      metadata: { generation: 2 },
    });
    await environment.request({ method: 'POST', path: now, body: box('example.com/v1', 'b', { size: 5 }) });
    const { items, metadata } = (await environment.request({ path: old })).json() as {
      items: Stored[];
      metadata: { resourceVersion: string };
    };
    expect(items.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual([
      ['example.com/v1beta1', { width: 4 }],
      ['example.com/v1beta1', { width: 5 }],
    ]);
    const stream = await WatchStream.open(
      environment.connection(),
      `${old}?watch=true&resourceVersion=${metadata.resourceVersion}`,
    );
    await patch(`${now}/b`, { size: 6 });
    await environment.request({ method: 'DELETE', path: `${now}/b` });
    expect([await stream.next(), await stream.next()]).toMatchObject([
      { type: 'MODIFIED', object: { apiVersion: 'example.com/v1beta1', spec: { width: 6 } } },
      { type: 'DELETED', object: { apiVersion: 'example.com/v1beta1', spec: { width: 6 } } },
    ]);
    stream.close();
    answer = () => undefined;
    await patch(`${now}/a`, { size: 7 });
    const failed = await environment.request({ path: `${old}/a` });
    expect(failed.status).toBe(500);
    expect((failed.json() as { message: string }).message).toMatch(
      /^Internal error occurred: StorageError: corrupt object, Code: 7, Key: \/example\.com\/boxes\/a, .*: conversion webhook for example\.com\/v1, Kind=Box failed: /,
    );
  });
});
