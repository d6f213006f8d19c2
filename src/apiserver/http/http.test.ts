import { describe, expect, it } from 'vitest';
import { ApiError } from '../status.ts';
import { contentType, negotiate, parseAccept } from './negotiation.ts';
import { requestInfo } from './request-info.ts';

describe('requestInfo', () => {
  const info = (method: string, url: string): string => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const found = requestInfo(method, pathname, searchParams);
    return found.isResourceRequest
      ? [found.verb, found.group, found.version, found.namespace, found.resource, found.name, found.subresource].join(
          ' ',
        )
      : `- ${found.verb}`;
  };

  it.each([
    ['GET', '/healthz', '- get'],
    ['GET', '/api/v1', '- get'],
    ['GET', '/apis/apps/v1', '- get'],
    ['GET', '/api/v1/pods', 'list  v1  pods  '],
    ['GET', '/api/v1/pods?watch=true', 'watch  v1  pods  '],
    ['GET', '/api/v1/pods?watch=0', 'list  v1  pods  '],
    ['GET', '/api/v1/watch/namespaces/a/pods/p', 'watch  v1 a pods p '],
    ['GET', '/api/v1/namespaces/a/pods/p', 'get  v1 a pods p '],
    ['GET', '/api/v1/namespaces/a/pods/p?watch=true', 'get  v1 a pods p '],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', 'create apps v1 a deployments  '],
    ['PUT', '/apis/apps/v1/namespaces/a/deployments/d/status', 'update apps v1 a deployments d status'],
    ['PATCH', '/api/v1/namespaces/a', 'patch  v1 a namespaces a '],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update  v1 a namespaces a finalize'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection  v1 a pods  '],
    ['DELETE', '/api/v1/nodes/n', 'delete  v1  nodes n '],
    ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp', 'list  v1 a pods p '],
    ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name!%3Dp', 'list  v1 a pods  '],
  ])('%s %s', (method, url, expected) => {
    expect(info(method, url)).toBe(expected);
  });
});

describe('negotiate', () => {
  it.each([
    [undefined, 'json '],
    ['*/*', 'json '],
    ['application/yaml', 'yaml '],
    ['application/vnd.kubernetes.protobuf,application/json', 'json '],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'json Table'],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 'json '],
    ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'json PartialObjectMetadata'],
    ['application/yaml;q=0.5,application/json;q=0.1', 'yaml '],
  ])('%s', (header, expected) => {
    const form = negotiate(header);
    expect(`${form.media} ${form.as}`).toBe(expected);
  });

  it('refuses what cannot be served', () => {
    expect(() => negotiate('text/plain')).toThrow(ApiError);
    expect(() => negotiate('application/json;as=Table;v=v2;g=meta.k8s.io')).toThrow(/only the following media types/);
  });

  it('keeps parameters apart', () => {
    expect(parseAccept('application/json;v=v2;q=0.9,text/plain').map(({ type }) => type)).toEqual([
      'text/plain',
      'application/json',
    ]);
    expect(contentType('application/json; charset=utf-8').type).toBe('application/json');
    expect(contentType(undefined).type).toBe('application/json');
  });
});
