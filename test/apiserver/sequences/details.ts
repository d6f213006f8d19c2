import type { Sequence, Step } from '../sequence.ts';
import { core, namespace } from './parts.ts';

const quantities = [
  '1000m',
  '0.5',
  '1024Mi',
  '1.5Gi',
  '2000',
  '1e3',
  '0.0001',
  '1500m',
  '+1',
  '01',
  '0m',
  '100u',
  '1e-1',
];
const wrongQuantities = ['abc', '', '1 Gi', '1gi', '--1', '1.2.3', '1K', true, null];

const podWith = (name: string, resources: readonly unknown[]): Step => ({
  path: core('details', 'pods'),
  body: {
    metadata: { name },
    spec: {
      containers: resources.map((found, index) => ({ name: `c${index}`, image: 'nginx:1', resources: found })),
    },
  },
});

let definitions = 0;

/** A definition whose `spec` has a schema with a default. */
function definitionWith(schema: Record<string, unknown>): Step {
  definitions++;
  const group = 'defaults.example.com';
  const plural = `thing${definitions}s`;
  return {
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
    body: {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, kind: `Thing${definitions}` },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
          },
        ],
      },
    },
  };
}

const rules = (rule: string, more = {}) => ({ 'x-kubernetes-validations': [{ rule, ...more }] });

const bind = (path: string, name: string | undefined, target: unknown, annotations?: unknown): Step => ({
  path: core('details', path),
  body: {
    metadata: { ...(name !== undefined && { name }), ...(annotations !== undefined && { annotations }) },
    target,
  },
});

export const detailsSequences: readonly Sequence[] = [
  {
    name: 'quantities',
    steps: [
      namespace('details'),
      podWith(
        'forms',
        quantities.map((cpu) => ({ requests: { cpu } })),
      ),
      podWith(
        'cpu',
        ['1000m', 0.5, 2, '10001u'].map((cpu) => ({ limits: { cpu } })),
      ),
      ...wrongQuantities.map((cpu, index) => podWith(`wrong-${index}`, [{ limits: { cpu } }])),
      {
        path: core('details', 'limitranges'),
        body: {
          metadata: { name: 'limits' },
          spec: {
            limits: [{ type: 'Container', default: { cpu: '1000m' }, max: { memory: '2048Mi' }, min: { cpu: '0.1' } }],
          },
        },
      },
      { method: 'DELETE', path: core('details', 'limitranges/limits') },
    ],
  },
  {
    name: 'rules on defaults',
    steps: [
      definitionWith({ type: 'object', properties: { a: { type: 'integer', default: 5, ...rules('self < 5') } } }),
      definitionWith({ type: 'object', properties: { a: { type: 'integer', default: 4, ...rules('self < 5') } } }),
      definitionWith({
        type: 'object',
        default: { a: 7 },
        properties: { a: { type: 'integer', ...rules('self < 5', { message: 'too big' }) } },
      }),
      definitionWith({
        type: 'object',
        default: { a: 7 },
        properties: { a: { type: 'integer' } },
        ...rules('self.a < 5', { messageExpression: '"a is big"', reason: 'FieldValueForbidden', fieldPath: '.a' }),
      }),
      definitionWith({ type: 'array', default: [1, 9], maxItems: 5, items: { type: 'integer', ...rules('self < 5') } }),
      definitionWith({
        type: 'object',
        properties: { a: { type: 'integer', default: 5, ...rules('self == oldSelf') } },
      }),
      definitionWith({
        type: 'object',
        properties: { a: { type: 'integer', default: 5, ...rules('1 / (self - 5) == 1') } },
      }),
    ],
  },
  {
    name: 'bindings and evictions',
    steps: [
      ...['a', 'b', 'c'].map((name) => podWith(name, [{}])),
      bind('bindings', 'a', { kind: 'Node', name: 'n1' }),
      bind('bindings', 'a', { kind: 'Node', name: 'n1' }),
      bind('bindings', undefined, { kind: 'Node', name: 'n1' }),
      bind('bindings', 'zzz', { kind: 'Node', name: 'n1' }),
      bind('bindings', 'b', { kind: 'Node' }),
      bind('pods/b/binding', 'b', { kind: 'Nodes', name: 'x' }),
      bind('pods/b/binding', 'other', { kind: 'Node', name: 'x' }),
      bind('pods/b/binding', 'b', { kind: 'Node', name: 'n2' }, { note: 'this' }),
      { path: core('details', 'pods/b') },
      { path: core('details', 'pods/c/eviction?dryRun=All'), body: { metadata: { name: 'c' } } },
      { path: core('details', 'pods/c/eviction'), body: { metadata: { name: 'd' } } },
      { path: core('details', 'pods/zz/eviction'), body: { metadata: { name: 'zz' } } },
      { path: core('details', 'pods/c/eviction'), body: { metadata: { name: 'c' } } },
      { path: core('details', 'pods/c') },
      { path: core('details', 'bindings') },
    ],
  },
];
