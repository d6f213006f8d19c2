import { expect, it } from 'vitest';
import { objectAttributes, pathTemplate } from './attributes.ts';

it.each([
  ['/api/v1/pods', '/api/v1/pods', undefined],
  ['/api/v1/namespaces', '/api/v1/namespaces', undefined],
  ['/api/v1/namespaces/a', '/api/v1/namespaces/{name}', 'a'],
  ['/api/v1/namespaces/a/pods', '/api/v1/namespaces/{namespace}/pods', 'a'],
  ['/api/v1/namespaces/a/pods/b', '/api/v1/namespaces/{namespace}/pods/{name}', 'a'],
  ['/api/v1/namespaces/a/pods/b/log', '/api/v1/namespaces/{namespace}/pods/{name}/log', 'a'],
  ['/apis/apps/v1/deployments', '/apis/apps/v1/deployments', undefined],
  [
    '/apis/apps/v1/namespaces/a/deployments/b/scale',
    '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
    'a',
  ],
  ['/apis/example.com/v1/widgets/b', '/apis/example.com/v1/widgets/{name}', undefined],
  ['/apis', '/apis', undefined],
  ['/version', '/version', undefined],
])('the path %s has the template %s', (path, template, namespace) => {
  expect(pathTemplate(path)).toEqual({ template, ...(namespace === undefined ? {} : { namespace }) });
});

it('says of an object what is known of it', () => {
  expect(objectAttributes({ kind: 'Node', namespace: '', name: 'n', uid: undefined })).toEqual({
    'k8s.object.kind': 'Node',
    'k8s.object.name': 'n',
  });
});
