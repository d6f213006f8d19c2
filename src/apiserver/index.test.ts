import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { Agent, request } from 'node:https';
import { describe, expect, it } from 'vitest';
import { RestClient } from '../testing/rest.ts';
import { startApiServer, type ApiServer } from './index.ts';

const withServer = async (
  options: Parameters<typeof startApiServer>[0],
  test: (server: ApiServer) => Promise<void>,
): Promise<void> => {
  const server = await startApiServer(options);
  try {
    await test(server);
  } finally {
    await server.stop();
  }
};

const clientOf = (server: ApiServer, token: string): RestClient =>
  new RestClient({ url: server.url, caCertificate: server.caCertificate, token });

describe('startApiServer', () => {
  it('answers over HTTPS with its own authority, and knows the administrator by his token', async () => {
    await withServer({}, async (server) => {
      expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      const client = clientOf(server, server.adminToken);
      const answer = await client.send({ path: '/api/v1/namespaces' });
      client.close();
      expect(answer.status).toBe(200);
      const { items } = answer.json() as { items: { metadata: { name: string } }[] };
      expect(items.map(({ metadata }) => metadata.name)).toEqual([
        'default',
        'kube-node-lease',
        'kube-public',
        'kube-system',
      ]);
      expect(server.kubeconfig()).toContain(`server: ${server.url}`);
      expect(server.kubeconfig()).toContain(`token: ${server.adminToken}`);
    });
  });

  it('counts its requests', async () => {
    await withServer({}, async (server) => {
      const client = clientOf(server, server.adminToken);
      await client.send({ path: '/api/v1/namespaces/default/pods' });
      await client.send({ path: '/api/v1/namespaces/default/pods' });
      await client.send({ method: 'POST', path: '/api/v1/namespaces?dryRun=All', body: { metadata: { name: '-' } } });
      const { text, headers } = await client.send({ path: '/metrics' });
      client.close();
      expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(text.split('\n')).toEqual(
        expect.arrayContaining([
          '# TYPE apiserver_request_total counter',
          'apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1"} 2',
          'apiserver_request_total{code="422",component="apiserver",dry_run="All",group="",resource="namespaces",scope="resource",subresource="",verb="POST",version="v1"} 1',
        ]),
      );
    });
  });

  it('answers over plain HTTP when asked to', async () => {
    await withServer({ insecure: true }, async (server) => {
      const client = clientOf(server, server.adminToken);
      expect((await client.send({ path: '/readyz' })).text).toBe('ok');
      client.close();
      expect(server.caCertificate).toBe('');
      expect(server.kubeconfig()).not.toContain('certificate-authority-data');
    });
  });

  it.each([
    ['a wrong token', 'wrong', 401, 'Unauthorized'],
    [
      'a user without permissions',
      undefined,
      403,
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope',
    ],
  ])('refuses %s', async (_name, token, status, message) => {
    await withServer({ users: [{ name: 'alice' }] }, async (server) => {
      const client = clientOf(server, token ?? server.token('alice'));
      const answer = await client.send({ path: '/api/v1/pods' });
      client.close();
      expect(answer.status).toBe(status);
      expect((answer.json() as { message: string }).message).toBe(message);
    });
  });

  it('lets everybody do everything without authorization', async () => {
    await withServer({ authorization: false }, async (server) => {
      const client = clientOf(server, server.token('alice'));
      expect((await client.send({ path: '/api/v1/pods' })).status).toBe(200);
      client.close();
    });
  });

  it('knows users by certificates that it signed, and takes others for nobody', async () => {
    const other = await startApiServer();
    await withServer({}, async (server) => {
      const whoIs = (signer: ApiServer): Promise<string> =>
        new Promise((resolve, reject) => {
          const { certificate, key } = signer.clientCertificate('alice', ['team', 'system:masters']);
          const agent = new Agent({ ca: server.caCertificate, cert: certificate, key });
          const body = '{}';
          const sent = request(
            new URL('/apis/authentication.k8s.io/v1/selfsubjectreviews', server.url),
            { method: 'POST', agent, headers: { 'Content-Type': 'application/json', 'Content-Length': body.length } },
            (response) => {
              let text = '';
              response.setEncoding('utf8');
              response.on('data', (chunk: string) => (text += chunk));
              response.on('end', () => {
                agent.destroy();
                resolve(text);
              });
            },
          );
          sent.on('error', reject);
          sent.end(body);
        });
      expect(JSON.parse(await whoIs(server))).toMatchObject({
        status: { userInfo: { username: 'alice', groups: ['team', 'system:masters', 'system:authenticated'] } },
      });
      expect(await whoIs(other)).toContain('User \\"system:anonymous\\" cannot create');
    });
    await other.stop();
  });

  it('knows service accounts by the tokens that it issued, as long as the account exists', async () => {
    await withServer({}, async (server) => {
      const admin = clientOf(server, server.adminToken);
      const path = '/api/v1/namespaces/default/serviceaccounts';
      await admin.send({ method: 'POST', path, body: { metadata: { name: 'robot' } } });
      const issued = await admin.send({ method: 'POST', path: `${path}/robot/token`, body: { spec: {} } });
      const robot = clientOf(server, (issued.json() as { status: { token: string } }).status.token);
      const who = { method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: {} };
      expect((await robot.send(who)).json()).toMatchObject({
        status: { userInfo: { username: 'system:serviceaccount:default:robot' } },
      });
      await admin.send({ method: 'DELETE', path: `${path}/robot` });
      expect((await robot.send(who)).status).toBe(401);
      admin.close();
      robot.close();
    });
  });

  it('keeps integers beyond 2^53 as they are', async () => {
    await withServer({}, async (server) => {
      const client = clientOf(server, server.adminToken);
      const body = '{"metadata":{"name":"a"},"value":2147483647,"description":"x"}';
      expect(
        (await client.send({ method: 'POST', path: '/apis/scheduling.k8s.io/v1/priorityclasses', body })).text,
      ).toContain('2147483647');
      const event = '{"metadata":{"name":"e","generation":9007199254740993},"involvedObject":{"namespace":"default"}}';
      const patched = await client.send({
        method: 'POST',
        path: '/apis/apps/v1/namespaces/default/controllerrevisions',
        body: `{"metadata":{"name":"r"},"revision":9007199254740993,"data":${event}}`,
      });
      expect(patched.text).toContain('"revision":9007199254740993');
      expect(patched.text).toContain('"generation":9007199254740993');
      client.close();
    });
  });

  it('leaves nothing behind: no socket, no timer, no port', async () => {
    const sockets = (): number => readdirSync('/proc/self/fd').length;
    const warm = await startApiServer();
    await warm.stop();
    const before = sockets();
    const server = await startApiServer();
    const client = clientOf(server, server.adminToken);
    const watch = client.send({ path: '/api/v1/pods?watch=true' });
    await client.send({ path: '/api/v1/pods' });
    await server.stop();
    await server.stop();
    await watch.catch(() => undefined);
    client.close();
    await expect(
      new Promise((resolve, reject) => {
        const { port } = new URL(server.url);
        connect(Number(port), '127.0.0.1').once('connect', resolve).once('error', reject);
      }),
    ).rejects.toThrow(/ECONNREFUSED/);
    expect(sockets()).toBeLessThanOrEqual(before);
  });
});
