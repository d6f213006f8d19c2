import { describe, expect, it } from 'vitest';
import { parseRequestUri, parseUrl } from './uri.ts';

describe('parseUrl', () => {
  it('gives the parts as they stand', () => {
    expect(parseUrl('HTTPS://u:p@host:8443/a%20b?q=1#f')).toEqual({
      scheme: 'https',
      userInfo: 'u:p',
      host: 'host:8443',
      path: '/a%20b',
      query: 'q=1',
      fragment: 'f',
    });
    expect(parseUrl('//host/a')).toMatchObject({ scheme: '', host: 'host', path: '/a' });
    expect(parseRequestUri('/a#f')).toMatchObject({ path: '/a#f', fragment: '' });
  });

  it.each([
    ['https://exa mple.com', 'parse "https://exa mple.com": invalid character " " in host name'],
    ['https://a:b', 'parse "https://a:b": invalid port ":b" after host'],
    ['https://a/%zz', 'parse "https://a/%zz": invalid URL escape "%zz"'],
    ['a:b/c\n', 'parse "a:b/c\\n": net/url: invalid control character in URL'],
    ['1a:b', 'parse "1a:b": first path segment in URL cannot contain colon'],
    ['https://[::1', 'parse "https://[::1": missing \']\' in host'],
    ['https://a/#%z', 'parse "https://a/#%z": invalid URL escape "%z"'],
  ])('refuses %j', (text, problem) => {
    expect(parseUrl(text)).toEqual({ problem });
  });
});
