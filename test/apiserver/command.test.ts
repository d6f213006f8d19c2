import { createServer } from 'node:net';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';
import { recordingIo } from '../../src/cli/testing/io.ts';
import { RestClient } from '../../src/testing/rest.ts';

describe('create-operator apiserver', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'create-operator-command-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('prints one line when it is ready, writes a kubeconfig, and ends when it is told to', async () => {
    const { io, printed } = recordingIo(folder);
    let end: () => void = () => undefined;
    const interrupted = new Promise<void>((resolve) => (end = resolve));
    const running = main(['apiserver', '--kubeconfig', 'admin.conf'], {
      ...io,
      interrupted: () => interrupted,
    } satisfies Io);
    await expect.poll(() => printed.stdout, { timeout: 20_000 }).toContain('\n');
    expect(printed.stdout).toMatch(/^API server ready on https:\/\/127\.0\.0\.1:\d+ \(KUBECONFIG=.*admin\.conf\)\n$/);
    const file = join(folder, 'admin.conf');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const kubeconfig = await readFile(file, 'utf8');
    const field = (name: string): string => new RegExp(`${name}: (.*)`).exec(kubeconfig)?.[1] ?? '';
    const caCertificate = Buffer.from(field('certificate-authority-data'), 'base64').toString('utf8');
    const client = new RestClient({ url: field('server'), caCertificate, token: field('token') });
    expect((await client.send({ path: '/readyz' })).text).toBe('ok');
    end();
    expect(await running).toBe(0);
    expect(printed.stderr).toBe('');
    await expect(client.send({ path: '/readyz' })).rejects.toThrow();
    client.close();
  });

  /** Runs the command until `use` is through with the client that it is given. */
  const running = async (args: readonly string[], use: (client: RestClient) => Promise<void>): Promise<void> => {
    const { io, printed } = recordingIo(folder);
    const end = Promise.withResolvers<void>();
    const code = main(['apiserver', '--kubeconfig', 'admin.conf', ...args], { ...io, interrupted: () => end.promise });
    await expect.poll(() => printed.stdout + printed.stderr, { timeout: 20_000 }).toContain('\n');
    const kubeconfig = await readFile(join(folder, 'admin.conf'), 'utf8');
    const field = (name: string): string => new RegExp(`${name}: (.*)`).exec(kubeconfig)?.[1] ?? '';
    const caCertificate = Buffer.from(field('certificate-authority-data'), 'base64').toString('utf8');
    const client = new RestClient({ url: field('server'), caCertificate, token: field('token') });
    try {
      await use(client);
    } finally {
      client.close();
      end.resolve();
    }
    expect([await code, printed.stderr]).toEqual([0, '']);
  };
  const configMaps = '/api/v1/namespaces/default/configmaps';

  it('keeps the state in a file, and starts with it', async () => {
    let version = '';
    await running(['--state', 'state.json'], async (client) => {
      const made = await client.send({ method: 'POST', path: configMaps, body: { metadata: { name: 'a' } } });
      version = (made.json() as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
      // It is written while the server runs, too: a crash loses little.
      await expect
        .poll(() => readFile(join(folder, 'state.json'), 'utf8'), { timeout: 10_000 })
        .toContain('"configmaps"');
    });
    expect((await stat(join(folder, 'state.json'))).mode & 0o777).toBe(0o600);
    await running(['--state', 'state.json'], async (client) => {
      const found = (await client.send({ path: `${configMaps}/a` })).json();
      expect(found).toMatchObject({ metadata: { name: 'a', resourceVersion: version } });
      const made = await client.send({ method: 'POST', path: configMaps, body: { metadata: { name: 'b' } } });
      const { metadata } = made.json() as { metadata: { resourceVersion: string } };
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(version));
    });
  });

  it.each([
    ['state.json', 'nothing', /cannot start with the state in .*state\.json: it is no JSON/],
    ['.', undefined, /cannot read the state in \.: /],
    ['missing/state.json', undefined, /cannot write .*missing.*state\.json/],
  ])('says what is wrong with the state in %s', async (file, text, message) => {
    if (text !== undefined) await writeFile(join(folder, file), text);
    const { io, printed } = recordingIo(folder);
    expect(await main(['apiserver', '--state', file], io)).toBe(2);
    expect(printed.stderr).toMatch(message);
  });

  it('makes workloads look alive, and can be controlled over HTTP', async () => {
    await running(['--workloads', '--admin-endpoint'], async (client) => {
      const spec = {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx' }] } },
      };
      const path = '/apis/apps/v1/namespaces/default/deployments';
      await client.send({ method: 'POST', path, body: { metadata: { name: 'web' }, spec } });
      expect((await client.send({ method: 'POST', path: '/_admin/idle' })).status).toBe(200);
      expect((await client.send({ path: `${path}/web` })).json()).toMatchObject({ status: { availableReplicas: 1 } });
    });
  });

  it.each([['abc'], ['-1'], ['70000']])('refuses the port %s', async (port) => {
    const { io, printed } = recordingIo(folder);
    expect(await main(['apiserver', `--port=${port}`], io)).toBe(2);
    expect(printed.stderr).toContain(`--port must be a number from 0 to 65535, not ${port}`);
  });

  it('says that a port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { io, printed } = recordingIo(folder);
    expect(await main(['apiserver', '--port', String(port)], io)).toBe(2);
    expect(printed.stderr).toContain(`cannot listen on port ${port}: it is in use`);
    await new Promise((resolve) => other.close(resolve));
  });

  it('says when the kubeconfig cannot be written', async () => {
    const { io, printed } = recordingIo(folder);
    expect(await main(['apiserver', '--kubeconfig', 'missing/admin.conf'], io)).toBe(2);
    expect(printed.stderr).toMatch(/cannot write .*admin\.conf: /);
  });
});
