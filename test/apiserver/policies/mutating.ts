import { mergePatch } from '../sequence.ts';
import { create, mutating, type PolicyCase } from './parts.ts';

const json = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const configuration = (expression: string) => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});

const deploymentRules = [
  { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
];

const deployment = (namespace: string, more: Record<string, unknown> = {}) => ({
  path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
  body: {
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'app', image: 'nginx' }] },
      },
      ...more,
    },
  },
});

export const mutatingCases: readonly PolicyCase[] = [
  {
    name: 'apply-map',
    objects: mutating('apply-map', {
      variables: [{ name: 'color', expression: "object.data[?'color'].orValue('none')" }],
      mutations: [
        configuration("Object{metadata: Object.metadata{labels: {'color': variables.color, 'by': 'policy'}}}"),
        configuration("Object{data: {'seen': object.metadata.labels.by}}"),
      ],
    }),
    steps: [
      create('apply-map', 'one', { color: 'red' }),
      create('apply-map', 'two'),
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/apply-map/configmaps/one',
        headers: mergePatch,
        body: { data: { color: 'blue' } },
      },
    ],
  },
  {
    name: 'apply-containers',
    objects: mutating(
      'apply-containers',
      {
        mutations: [
          configuration(
            `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
              containers: [Object.spec.template.spec.containers{name: 'sidecar', image: 'busybox'},
                Object.spec.template.spec.containers{name: 'app', env: [Object.spec.template.spec.containers.env{name: 'A', value: 'b'}]}]}}}}`,
          ),
        ],
      },
      {},
      deploymentRules,
    ),
    steps: [deployment('apply-containers')],
  },
  {
    name: 'apply-atomic',
    objects: mutating(
      'apply-atomic',
      {
        mutations: [
          configuration(
            "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}, template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'app', args: ['x']}]}}}}",
          ),
        ],
      },
      {},
      deploymentRules,
    ),
    steps: [deployment('apply-atomic')],
  },
  {
    name: 'apply-unknown',
    objects: mutating('apply-unknown', { mutations: [configuration('Object{spec: Object.spec{nothing: 1}}')] }),
    steps: [create('apply-unknown', 'one')],
  },
  {
    name: 'apply-names',
    objects: mutating('apply-names', {
      mutations: [configuration("Object{metadata: Object.wrong{labels: {'a': 'b'}}}")],
    }),
    steps: [create('apply-names', 'one')],
  },
  {
    name: 'json-patch',
    objects: mutating('json-patch', {
      mutations: [
        json(
          "[JSONPatch{op: 'test', path: '/data/color', value: 'red'}, JSONPatch{op: 'add', path: '/metadata/labels', value: {'color': object.data.color}}, JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a/b~c'), value: 'x'}]",
        ),
      ],
    }),
    steps: [
      create('json-patch', 'red', { color: 'red' }),
      create('json-patch', 'blue', { color: 'blue' }),
      create('json-patch', 'none', { other: 'x' }),
    ],
  },
  {
    name: 'json-objects',
    objects: mutating(
      'json-objects',
      {
        mutations: [
          json(
            "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/-', value: Object.spec.template.spec.containers{name: 'more', image: 'busybox:1', ports: [Object.spec.template.spec.containers.ports{containerPort: 80}]}}, JSONPatch{op: 'replace', path: '/spec/replicas', value: object.spec.replicas + 2}]",
          ),
        ],
      },
      {},
      deploymentRules,
    ),
    steps: [deployment('json-objects')],
  },
  {
    name: 'json-bad-path',
    objects: mutating('json-bad-path', {
      mutations: [json("[JSONPatch{op: 'remove', path: '/metadata/labels/nothing'}]")],
    }),
    steps: [create('json-bad-path', 'one', {}, { metadata: { labels: { a: 'b' } } })],
  },
  {
    name: 'json-ignored',
    objects: mutating('json-ignored', {
      failurePolicy: 'Ignore',
      mutations: [json("[JSONPatch{op: 'add', path: '/a/b', value: object.data.nothing}]")],
    }),
    steps: [create('json-ignored', 'one')],
  },
  {
    name: 'mutation-fails',
    objects: mutating('mutation-fails', {
      mutations: [configuration("Object{data: {'a': object.data.nothing}}")],
    }),
    steps: [create('mutation-fails', 'one')],
  },
  {
    name: 'mutating-condition',
    objects: mutating('mutating-condition', {
      matchConditions: [{ name: 'only', expression: "object.metadata.name == 'only' || object.data.x == '1'" }],
      mutations: [configuration("Object{data: {'added': 'yes'}}")],
    }),
    steps: [
      create('mutating-condition', 'only'),
      create('mutating-condition', 'other', { x: '2' }),
      create('mutating-condition', 'broken', { y: '2' }),
    ],
  },
  {
    name: 'mutating-params',
    objects: [
      ...mutating(
        'mutating-params',
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          mutations: [configuration("Object{metadata: Object.metadata{labels: {'from-params': params.data.label}}}")],
        },
        { paramRef: { name: 'settings', namespace: 'mutating-home', parameterNotFoundAction: 'Deny' } },
      ),
      { path: '/api/v1/namespaces', body: { metadata: { name: 'mutating-home' } } },
      {
        path: '/api/v1/namespaces/mutating-home/configmaps',
        body: { metadata: { name: 'settings' }, data: { label: 'given' } },
      },
    ],
    steps: [create('mutating-params', 'one')],
  },
  {
    name: 'mutating-custom',
    objects: mutating(
      'mutating-custom',
      { mutations: [configuration("Object{spec: Object.spec{color: 'green'}}")] },
      {},
      [{ apiGroups: ['example.com'], apiVersions: ['*'], operations: ['CREATE'], resources: ['widgets'] }],
    ),
    steps: [
      {
        path: '/apis/example.com/v1/namespaces/mutating-custom/widgets',
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } },
      },
    ],
  },
];
