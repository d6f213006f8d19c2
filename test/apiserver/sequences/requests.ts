import { namespace, core } from './parts.ts';
import { type Sequence } from '../sequence.ts';

export const requestsSequences: readonly Sequence[] = [
  {
    name: 'unknown paths',
    steps: [
      '/nope',
      '/apis/nope',
      '/apis/nope/v1',
      '/apis/nope/v1/foo',
      '/api/v1/foo',
      '/api/v2',
      '/apis/apps/v2',
      '/apis/apps/v2/deployments',
      '/apis/apps/v1/foo',
      '/api/v1/namespaces/default/configmaps/a/b',
      '/healthz',
      '/livez',
      '/readyz',
      '/readyz/ping',
      '/readyz/nope',
    ].map((path) => ({ path })),
  },
  {
    name: 'methods that are not served',
    steps: [
      { method: 'PUT', path: '/api/v1/namespaces/default/configmaps', body: {} },
      { method: 'POST', path: '/api/v1/namespaces/default/configmaps/x', body: {} },
      { method: 'DELETE', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' },
      { method: 'GET', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' },
      { method: 'POST', path: '/api/v1/configmaps', body: {} },
      { method: 'POST', path: '/version', body: {} },
    ],
  },
  {
    name: 'names and metadata',
    steps: [
      namespace('names'),
      namespace('Names'),
      namespace('a.b'),
      { path: core('names', 'configmaps'), body: { metadata: { name: 'A' } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a'.repeat(254) } } },
      { path: core('names', 'configmaps'), body: { metadata: {} } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', namespace: 'default' } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', resourceVersion: '5' } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', labels: { 'a b': 'c' } } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', labels: { a: 'b c' } } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', labels: { '/a': 'b' } } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', annotations: { 'a b': 'c' } } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', finalizers: ['nope'] } } },
      {
        path: core('names', 'configmaps'),
        body: { metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }] } },
      },
      {
        path: core('names', 'configmaps'),
        body: { metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' }] } },
      },
      {
        path: core('names', 'configmaps'),
        body: {
          metadata: {
            name: 'a',
            ownerReferences: [
              { apiVersion: 'v1', kind: 'A', name: 'x', uid: 'u', controller: true },
              { apiVersion: 'v1', kind: 'B', name: 'y', uid: 'v', controller: true },
            ],
          },
        },
      },
      { path: core('names', 'configmaps?dryRun=All'), body: { metadata: { name: 'dry' } } },
      { path: core('names', 'configmaps/dry') },
      { path: core('nowhere', 'configmaps'), body: { metadata: { name: 'a' } } },
      { path: core('nowhere', 'configmaps') },
      { path: core('names', 'configmaps?dryRun=x&fieldValidation=y'), body: { metadata: { name: 'a' } } },
      { path: core('names', 'configmaps?fieldManager=' + 'x'.repeat(129)), body: { metadata: { name: 'a' } } },
      { path: '/apis/rbac.authorization.k8s.io/v1/clusterroles', body: { metadata: { name: 'a:b%c' } } },
    ],
  },
  {
    name: 'decoding and field validation',
    steps: [
      namespace('decoding'),
      { path: core('decoding', 'configmaps'), body: 'xx', headers: { 'Content-Type': 'application/json' } },
      {
        method: 'POST',
        path: core('decoding', 'configmaps'),
        body: '',
        headers: { 'Content-Type': 'application/json' },
      },
      { path: core('decoding', 'configmaps'), body: '[]', headers: { 'Content-Type': 'application/json' } },
      {
        path: core('decoding', 'configmaps'),
        body: { metadata: { name: 'a' } },
        headers: { 'Content-Type': 'text/plain' },
      },
      { path: core('decoding', 'configmaps'), body: { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } } },
      { path: core('decoding', 'configmaps'), body: { metadata: { name: 'a' }, data: { a: 1 } } },
      { path: core('decoding', 'configmaps'), body: { metadata: { name: 'a', labels: [] } } },
      { path: core('decoding', 'configmaps'), body: { metadata: { name: 'a', nope: 1 }, data: { a: 'b' }, nope: 1 } },
      {
        path: core('decoding', 'configmaps?fieldValidation=Strict'),
        body: { metadata: { name: 'b', nope: 1 }, nope: 1 },
      },
      {
        path: core('decoding', 'configmaps?fieldValidation=Ignore'),
        body: { metadata: { name: 'b', nope: 1 }, nope: 1 },
      },
      {
        path: core('decoding', 'configmaps?fieldValidation=Strict'),
        body: '{"metadata":{"name":"c","name":"d"},"data":{"a":"1","a":"2"}}',
      },
      { path: core('decoding', 'configmaps'), body: '{"metadata":{"name":"c","name":"d"},"data":{"a":"1","a":"2"}}' },
      {
        path: core('decoding', 'configmaps'),
        body: 'metadata:\n  name: yaml\ndata:\n  a: "1"\n',
        headers: { 'Content-Type': 'application/yaml' },
      },
      { path: core('decoding', 'secrets'), body: { metadata: { name: 's' }, data: { a: '!!' } } },
      {
        path: core('decoding', 'secrets'),
        body: { metadata: { name: 's' }, stringData: { a: 'x' }, data: { b: 'eA==' } },
      },
      { path: core('decoding', 'secrets'), body: { metadata: { name: 't' }, type: 'kubernetes.io/tls' } },
      { path: core('decoding', 'configmaps/a'), headers: { Accept: 'text/plain' } },
      {
        path: core('decoding', 'configmaps/a'),
        headers: { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
      },
      {
        path: core('decoding', 'configmaps?fieldSelector=metadata.name%3Da'),
        headers: { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
      },
      {
        path: core('decoding', 'configmaps/a'),
        headers: { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
      },
    ],
  },
];
