import { expect, it } from 'vitest';
import { proxyFromEnvironment } from './proxy.ts';

const api = 'https://api.example.com:6443';

it.each<[string, string, Record<string, string>, string | undefined]>([
  ['nothing set', api, {}, undefined],
  ['by scheme', api, { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:1' }, 'http://p:1'],
  ['by scheme, plain', 'http://api.example.com', { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:1' }, 'http://q:1'],
  ['lower case', api, { https_proxy: 'http://p:1' }, 'http://p:1'],
  ['upper case first', api, { https_proxy: 'http://q:1', HTTPS_PROXY: 'http://p:1' }, 'http://p:1'],
  ['without scheme', api, { HTTPS_PROXY: 'p:1' }, 'http://p:1'],
  ['this machine', 'https://127.0.0.1:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['this machine by name', 'https://localhost', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['this machine, IPv6', 'https://[::1]:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ...(
    [
      ['*', false],
      ['api.example.com', false],
      ['example.com', false],
      ['.example.com', false],
      ['*.example.com', false],
      ['.api.example.com', true],
      ['xample.com', true],
      [' other , API.example.com:6443 ', false],
      ['api.example.com:443', true],
      ['', true],
    ] as const
  ).map(([NO_PROXY, proxied]): [string, string, Record<string, string>, string | undefined] => [
    `NO_PROXY=${NO_PROXY}`,
    api,
    { HTTPS_PROXY: 'http://p:1', NO_PROXY },
    proxied ? 'http://p:1' : undefined,
  ]),
  ...(
    [
      ['10.96.0.0/12', false],
      ['10.96.0.1', false],
      ['10.96.0.1:443', false],
      ['10.96.0.1:80', true],
      ['10.0.0.0/33', true],
      ['fd00::/8', true],
    ] as const
  ).map(([NO_PROXY, proxied]): [string, string, Record<string, string>, string | undefined] => [
    `in a cluster, NO_PROXY=${NO_PROXY}`,
    'https://10.96.0.1:443',
    { HTTPS_PROXY: 'http://p:1', NO_PROXY },
    proxied ? 'http://p:1' : undefined,
  ]),
  ['IPv6 block', 'https://[fd00::1]:443', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'fd00::/8' }, undefined],
  [
    'IPv6 address with port',
    'https://[fd00::1]:443',
    { HTTPS_PROXY: 'http://p:1', NO_PROXY: '[fd00::1]:443' },
    undefined,
  ],
])('%s', (_name, server, env, expected) => {
  expect(proxyFromEnvironment(server, env)).toBe(expected);
});

it.each([
  ['socks5://u:secret@p:1080', /^the proxy of HTTPS_PROXY has the scheme socks5: only HTTP proxies/],
  ['ftp://p', /has the scheme ftp/],
  ['http://', /is no URL/],
])('%s is refused, without its password', (HTTPS_PROXY, message) => {
  expect(() => proxyFromEnvironment(api, { HTTPS_PROXY })).toThrow(message);
  expect(() => proxyFromEnvironment(api, { HTTPS_PROXY })).not.toThrow('secret');
  expect(proxyFromEnvironment(api, { HTTPS_PROXY, NO_PROXY: '*' })).toBeUndefined();
});
