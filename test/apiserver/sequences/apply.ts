import { namespace, core, custom, widget, labels } from './parts.ts';
import { apply, mergePatch, type Sequence } from '../sequence.ts';

export const applySequences: readonly Sequence[] = [
  {
    name: 'server-side apply',
    steps: [
      namespace('applied'),
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1', y: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1', y: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '2' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '2', y: '2' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1', z: '2' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two&force=true'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '2' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=three'),
        body: { data: { w: '3' }, metadata: { labels: { a: 'b' } } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { w: '4' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=three'),
        body: { data: { w: null } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, nope: 1 },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'Secret' },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields: [] } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } },
        headers: apply,
      },
      {
        method: 'PUT',
        path: core('applied', 'configmaps/a?fieldManager=four'),
        body: { metadata: { name: 'a' }, data: { v: '1' } },
      },
      {
        method: 'PUT',
        path: core('applied', 'configmaps/a?fieldManager=four'),
        body: { metadata: { name: 'a', managedFields: [] }, data: { v: '1' } },
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { v: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web?fieldManager=one',
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: {
            replicas: 2,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: {
                containers: [
                  {
                    name: 'app',
                    image: 'nginx:1',
                    ports: [{ containerPort: 80 }],
                    env: [
                      { name: 'A', value: '1' },
                      { name: 'B', value: '2' },
                    ],
                  },
                ],
              },
            },
          },
        },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web?fieldManager=two',
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'app', env: [{ name: 'C', value: '3' }] },
                  { name: 'side', image: 'busybox' },
                ],
              },
            },
          },
        },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web?fieldManager=one',
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: {
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { containers: [{ name: 'app', image: 'nginx:2', env: [{ name: 'B', value: '2' }] }] },
            },
          },
        },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web/scale?fieldManager=scaler',
        body: { spec: { replicas: 5 } },
        headers: mergePatch,
      },
      { path: '/apis/apps/v1/namespaces/applied/deployments/web' },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web/status?fieldManager=controller',
        body: { status: { replicas: 1, conditions: [{ type: 'Available', status: 'True' }] } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=one'),
        body: widget('a', { size: 1 }),
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=two'),
        body: widget('a', { size: 2 }),
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=two'),
        body: widget('a', { color: 'green' }),
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a/status?fieldManager=one'),
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, status: { phase: 'Ready' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=one'),
        body: widget('a', { nope: 1 }),
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=two'),
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/missing/status?fieldManager=one'),
        body: {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'missing' },
          status: { phase: 'Ready' },
        },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/b?fieldManager=one&dryRun=All'),
        body: widget('b', { size: 1 }),
        headers: apply,
      },
      { path: custom('applied', '/b') },
    ],
  },
];
