import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { cachedCredentials } from './cached-credentials.ts';
import { inClusterConfiguration } from './in-cluster.ts';
import { loadConfiguration } from './load.ts';
import { ConfigurationError, type Credentials } from './types.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'operator-runtime-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

const put = (name: string, content: string): Promise<void> => writeFile(join(directory, name), content);
const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

describe('in a cluster', () => {
  const putAll = async (): Promise<void> => {
    await put('token', 'one\n');
    await put('ca.crt', 'PEM');
    await put('namespace', 'here');
  };

  it('reads address, token, CA and namespace, and the token again after a minute or a refusal', async () => {
    await putAll();
    const environment = createVirtualEnvironment();
    const { clock } = environment;
    const configuration = await inClusterConfiguration({ clock, env, directory });
    expect(configuration).toMatchObject({ server: 'https://10.0.0.1:443', namespace: 'here' });
    const first = await configuration.credentials.current();
    expect(first).toEqual({ token: 'one', certificateAuthority: 'PEM' });
    await put('token', 'two');
    expect(await configuration.credentials.current()).toBe(first);
    await environment.advance(60_000);
    const second = await configuration.credentials.current();
    expect(second.token).toBe('two');
    await put('token', 'three');
    configuration.credentials.invalidate(first);
    expect((await configuration.credentials.current()).token).toBe('two');
    configuration.credentials.invalidate(second);
    expect((await configuration.credentials.current()).token).toBe('three');
  });

  it('writes an IPv6 address in brackets', async () => {
    await putAll();
    const { clock } = createVirtualEnvironment();
    const configuration = await inClusterConfiguration({
      clock,
      env: { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' },
      directory,
    });
    expect(configuration.server).toBe('https://[fd00::1]:443');
  });

  it.each([
    ['nothing is set', {}, undefined, 'KUBERNETES_SERVICE_HOST'],
    ['there is no token', env, undefined, /cannot read .*token \(ENOENT\).*ServiceAccount/],
    ['the token is empty', env, '', /token is empty/],
  ])('says what is missing when %s', async (_name, variables, token, message) => {
    if (token !== undefined) await putAll().then(() => put('token', token));
    const { clock } = createVirtualEnvironment();
    await expect(inClusterConfiguration({ clock, env: variables, directory })).rejects.toThrow(message);
  });
});

describe('cachedCredentials', () => {
  it('shares one read, and keeps the old when a later read fails', async () => {
    const environment = createVirtualEnvironment();
    const answers: (Credentials | Error)[] = [{ token: 'one' }, new Error('busy'), { token: 'two' }];
    let reads = 0;
    const source = cachedCredentials(
      () => {
        const answer = answers[reads++];
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? {});
      },
      environment.clock,
      1000,
    );
    const both = await Promise.all([source.current(), source.current()]);
    expect(both).toEqual([{ token: 'one' }, { token: 'one' }]);
    await environment.advance(1000);
    expect(await source.current()).toEqual({ token: 'one' });
    await environment.advance(1000);
    expect(await source.current()).toEqual({ token: 'two' });
    expect(reads).toBe(3);
  });

  it('rejects when there is nothing to keep, and tries again', async () => {
    let reads = 0;
    const source = cachedCredentials(
      () => (reads++ === 0 ? Promise.reject(new Error('busy')) : Promise.resolve({})),
      createVirtualEnvironment().clock,
      1000,
    );
    await expect(source.current()).rejects.toThrow('busy');
    expect(await source.current()).toEqual({});
  });
});

describe('a kubeconfig', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const kubeconfig = (user: object, cluster: object = {}): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'first',
      clusters: [
        {
          name: 'c',
          cluster: { server: 'https://example.test:6443', 'certificate-authority-data': base64('CA'), ...cluster },
        },
        { name: 'd', cluster: { server: 'http://other.test' } },
      ],
      users: [{ name: 'u', user }],
      contexts: [
        { name: 'first', context: { cluster: 'c', user: 'u', namespace: 'here' } },
        { name: 'second', context: { cluster: 'd', user: 'u' } },
        { name: 'nobody', context: { cluster: 'c' } },
      ],
    });
  const load = async (user: object, cluster?: object, context?: string) => {
    await put('config', kubeconfig(user, cluster));
    return loadConfiguration({ kubeconfig: join(directory, 'config'), ...(context === undefined ? {} : { context }) });
  };

  it.each<[string, object, Credentials]>([
    ['a token', { token: 't' }, { token: 't' }],
    [
      'a client certificate',
      { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      { clientCertificate: 'CERT', clientKey: 'KEY' },
    ],
    ['name and password', { username: 'a', password: 'b:c' }, { basic: { username: 'a', password: 'b:c' } }],
  ])('with %s', async (_name, user, expected) => {
    const configuration = await load(user);
    expect(configuration).toMatchObject({ server: 'https://example.test:6443', namespace: 'here' });
    expect(await configuration.credentials.current()).toEqual({ ...expected, certificateAuthority: 'CA' });
  });

  it('with an exec plugin, which is asked again after a refusal', async () => {
    await put('count', '0');
    await put(
      'plugin.mjs',
      `import { readFileSync, writeFileSync } from 'node:fs';
       const file = new URL('count', import.meta.url);
       const count = Number(readFileSync(file, 'utf8')) + 1;
       writeFileSync(file, String(count));
       console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'token-' + count } }));`,
    );
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: [join(directory, 'plugin.mjs')],
      interactiveMode: 'Never',
    };
    const { credentials } = await load({ exec });
    const first = await credentials.current();
    expect(first.token).toBe('token-1');
    expect(await credentials.current()).toBe(first);
    credentials.invalidate(first);
    expect((await credentials.current()).token).toBe('token-2');
  });

  it('with a token file, beside the kubeconfig, which is read again after a refusal', async () => {
    await put('the-token', 'one\n');
    const { credentials } = await load({ tokenFile: 'the-token', token: 'not this' });
    const first = await credentials.current();
    expect(first.token).toBe('one');
    await put('the-token', 'two');
    expect((await credentials.current()).token).toBe('one');
    credentials.invalidate(first);
    expect((await credentials.current()).token).toBe('two');
  });

  it('with a proxy, and a user to act as', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://env:3128');
    expect(await load({}, { 'proxy-url': 'http://proxy:3128' })).toMatchObject({ proxyUrl: 'http://proxy:3128' });
    expect(
      await load({ as: 'jane', 'as-uid': 'u', 'as-groups': ['devs'], 'as-user-extra': { scopes: ['view'] } }),
    ).toMatchObject({
      proxyUrl: 'http://env:3128',
      impersonate: { user: 'jane', uid: 'u', groups: ['devs'], extra: { scopes: ['view'] } },
    });
  });

  it('takes another context, TLS settings, and a context without a user', async () => {
    expect((await load({ token: 't' }, {}, 'second')).server).toBe('http://other.test');
    expect(await load({}, { 'insecure-skip-tls-verify': true, 'tls-server-name': 'x' })).toMatchObject({
      insecureSkipTlsVerify: true,
      tlsServerName: 'x',
    });
    const { credentials } = await load({}, {}, 'nobody');
    expect(await credentials.current()).toEqual({ certificateAuthority: 'CA' });
  });

  it('says what is wrong', async () => {
    await expect(load({}, {}, 'third')).rejects.toThrow(
      'no context third in the kubeconfig; there are: first, second, nobody',
    );
    await expect(load({}, { 'proxy-url': 'socks5://proxy' })).rejects.toThrow(
      /^the proxy of cluster \S+ has the scheme socks5: only HTTP proxies/,
    );
    const { credentials } = await load({ tokenFile: 'none' });
    await expect(credentials.current()).rejects.toThrow(/tokenFile .*none \(ENOENT\)/);
    await expect(loadConfiguration({ kubeconfig: join(directory, 'none') })).rejects.toThrow(ConfigurationError);
    await put('bad', 'a: [');
    await expect(loadConfiguration({ kubeconfig: join(directory, 'bad') })).rejects.toThrow(/cannot read .*bad/);
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
    vi.stubEnv('HOME', directory);
    await expect(loadConfiguration()).rejects.toThrow('no cluster is configured');
  });
});
