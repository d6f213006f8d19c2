import { mergePatch } from '../sequence.ts';
import { configMaps, create, validating, type PolicyCase } from './parts.ts';

const deny = (expression: string, more: Record<string, unknown> = {}) => ({ validations: [{ expression, ...more }] });

/** One policy with one expression, and a request that it refuses or lets through. */
function single(name: string, expression: string, data: Record<string, unknown> = {}): PolicyCase {
  return { name, objects: validating(name, deny(expression)), steps: [create(name, 'one', data)] };
}

export const validatingCases: readonly PolicyCase[] = [
  {
    name: 'plain',
    objects: validating('plain', deny("has(object.data) && object.data.color == 'red'")),
    steps: [
      create('plain', 'good', { color: 'red' }),
      create('plain', 'bad', { color: 'blue' }),
      { ...create('plain', 'dry', { color: 'blue' }), path: '/api/v1/namespaces/plain/configmaps?dryRun=All' },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/plain/configmaps/good',
        headers: mergePatch,
        body: { data: { color: 'blue' } },
      },
      { method: 'DELETE', path: '/api/v1/namespaces/plain/configmaps/good' },
    ],
  },
  {
    name: 'messages',
    objects: validating('messages', {
      variables: [
        { name: 'size', expression: "int(object.data[?'size'].orValue('0'))" },
        { name: 'double', expression: 'variables.size * 2' },
      ],
      validations: [
        { expression: 'variables.size < 10', message: '  too big  ', reason: 'Forbidden' },
        {
          expression: 'variables.double != 4',
          message: 'fallback',
          messageExpression: "'double is ' + string(variables.double) + ' in ' + namespaceObject.metadata.name",
        },
        { expression: 'variables.size != 3', message: 'fallback', messageExpression: "object.data.missing + 'x'" },
        { expression: 'variables.size != 5', messageExpression: "'two\\nlines'", reason: 'RequestEntityTooLarge' },
        { expression: 'variables.size != 6', messageExpression: "'  '" },
      ],
    }),
    steps: ['1', '2', '3', '5', '6', '11', 'x'].map((size) => create('messages', `size-${size}`, { size })),
  },
  {
    name: 'warn',
    objects: validating('warn', deny("object.metadata.name.startsWith('w')", { message: 'not with w' }), {
      validationActions: ['Warn', 'Audit'],
    }),
    steps: [create('warn', 'web'), create('warn', 'app')],
  },
  {
    name: 'conditions',
    objects: validating('conditions', {
      matchConditions: [
        { name: 'not-skipped', expression: "object.metadata.name != 'skipped'" },
        { name: 'has-data', expression: "object.data.mode == 'on'" },
      ],
      ...deny('false', { message: 'always' }),
    }),
    steps: [
      create('conditions', 'skipped'),
      create('conditions', 'matched', { mode: 'on' }),
      create('conditions', 'unmatched', { mode: 'off' }),
      create('conditions', 'broken', { other: 'x' }),
    ],
  },
  {
    name: 'ignored',
    objects: validating('ignored', {
      failurePolicy: 'Ignore',
      matchConditions: [{ name: 'has-data', expression: "object.data.mode == 'on'" }],
      validations: [{ expression: "object.data.level == 'high'" }],
    }),
    steps: [
      create('ignored', 'broken-condition', { other: 'x' }),
      create('ignored', 'broken-validation', { mode: 'on' }),
      create('ignored', 'refused', { mode: 'on', level: 'low' }),
    ],
  },
  {
    name: 'params',
    objects: [
      ...validating(
        'params',
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          ...deny(
            "object.metadata.labels[?'role'].orValue('') == 'param' || object.data.value == params.data.allowed",
            {
              messageExpression:
                "'allowed by ' + params.metadata.name + ' of kind ' + params.kind + ': ' + params.data.allowed",
            },
          ),
        },
        {
          validationActions: ['Deny'],
          paramRef: { selector: { matchLabels: { role: 'param' } }, parameterNotFoundAction: 'Deny' },
        },
      ),
    ],
    steps: [create('params', 'none-yet', { value: 'a' })],
  },
  {
    name: 'param-name',
    objects: [
      ...validating(
        'param-name',
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          ...deny('object.data.value == params.data.allowed', { message: 'value differs' }),
        },
        {
          validationActions: ['Deny'],
          paramRef: { name: 'limits', namespace: 'param-home', parameterNotFoundAction: 'Allow' },
        },
      ),
      { path: '/api/v1/namespaces', body: { metadata: { name: 'param-home' } } },
      {
        path: '/api/v1/namespaces/param-home/configmaps',
        body: { metadata: { name: 'limits' }, data: { allowed: 'yes' } },
      },
    ],
    steps: [create('param-name', 'fits', { value: 'yes' }), create('param-name', 'differs', { value: 'no' })],
  },
  {
    name: 'param-unknown',
    objects: validating(
      'param-unknown',
      { paramKind: { apiVersion: 'nowhere.example.com/v1', kind: 'Missing' }, ...deny('true') },
      { validationActions: ['Deny'], paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } },
    ),
    steps: [create('param-unknown', 'one')],
  },
  {
    name: 'param-null',
    objects: validating('param-null', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...deny('params == null'),
    }),
    steps: [create('param-null', 'one')],
  },
  {
    name: 'authorized',
    objects: validating('authorized', {
      validations: [
        {
          expression: "authorizer.requestResource.check('create').allowed()",
          messageExpression: "'may not create ' + request.resource.resource + ' as ' + request.userInfo.username",
        },
        {
          expression: "authorizer.group('apps').resource('deployments').namespace('default').check('delete').allowed()",
        },
        { expression: "authorizer.path('/healthz').check('get').allowed()" },
        {
          expression:
            "!authorizer.serviceAccount('default', 'nobody').group('').resource('secrets').namespace('x').name('y').check('get').allowed()",
        },
      ],
    }),
    steps: [create('authorized', 'one')],
  },
  {
    name: 'costly',
    objects: validating(
      'costly',
      deny(
        "authorizer.group('').resource('pods').check('get').allowed()".concat(
          " && authorizer.group('').resource('pods').check('list').allowed()",
          " && authorizer.group('').resource('pods').check('watch').allowed()",
        ),
      ),
    ),
    steps: [create('costly', 'one')],
  },
  {
    name: 'audit-annotations',
    objects: validating('audit-annotations', {
      auditAnnotations: [
        { key: 'color', valueExpression: "object.data[?'color'].orValue('none')" },
        { key: 'broken', valueExpression: "object.metadata.name == 'broken' ? string(object.data.nothing) : ' '" },
      ],
    }),
    steps: [create('audit-annotations', 'fine'), create('audit-annotations', 'broken', { color: 'red' })],
  },
  {
    name: 'rules',
    objects: validating('rules', deny('false', { message: 'never' }), { validationActions: ['Deny'] }, [
      { ...configMaps, operations: ['UPDATE'], resourceNames: ['guarded'] },
    ]),
    steps: [
      create('rules', 'guarded'),
      create('rules', 'free'),
      ...['guarded', 'free'].map((name) => ({
        method: 'PATCH',
        path: `/api/v1/namespaces/rules/configmaps/${name}`,
        headers: mergePatch,
        body: { data: { a: 'b' } },
      })),
    ],
  },
  {
    name: 'deletion',
    objects: validating(
      'deletion',
      deny("oldObject.metadata.?annotations['keep'].orValue('') != 'yes' && object == null", { message: 'is kept' }),
      { validationActions: ['Deny'] },
      [{ ...configMaps, operations: ['DELETE'] }],
    ),
    steps: [
      create('deletion', 'kept', {}, { metadata: { annotations: { keep: 'yes' } } }),
      create('deletion', 'gone'),
      { method: 'DELETE', path: '/api/v1/namespaces/deletion/configmaps/kept' },
      { method: 'DELETE', path: '/api/v1/namespaces/deletion/configmaps/gone' },
    ],
  },
  {
    name: 'request',
    objects: validating(
      'request',
      deny("request.options.?fieldManager.orValue('') == 'expected'", {
        messageExpression:
          "[request.operation, request.kind.kind, request.resource.resource, request.name, request.namespace, request.userInfo.username, request.dryRun ? 'dry' : 'wet', request.requestKind.version, string(request.options.kind)].join(' ')",
      }),
    ),
    steps: [
      create('request', 'unexpected'),
      { ...create('request', 'named'), path: '/api/v1/namespaces/request/configmaps?fieldManager=expected' },
      {
        ...create('request', 'dry'),
        path: '/api/v1/namespaces/request/configmaps?fieldManager=other&dryRun=All&fieldValidation=Strict',
      },
    ],
  },
  {
    name: 'scale',
    objects: validating(
      'scale',
      deny('object.spec.replicas <= 3', {
        messageExpression:
          "[request.kind.kind, request.subResource, request.requestKind.group, string(object.kind), string(oldObject.spec.replicas), string(object.metadata.name)].join(' ')",
      }),
      { validationActions: ['Deny'] },
      [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] }],
    ),
    steps: [
      {
        path: '/apis/apps/v1/namespaces/scale/deployments',
        body: {
          metadata: { name: 'web' },
          spec: {
            replicas: 2,
            selector: { matchLabels: { app: 'web' } },
            template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx' }] } },
          },
        },
      },
      ...[3, 4].map((replicas) => ({
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/scale/deployments/web/scale',
        headers: mergePatch,
        body: { spec: { replicas } },
      })),
    ],
  },
  {
    name: 'custom-kinds',
    objects: validating(
      'custom-kinds',
      deny("object.spec.size < 5 && object.spec.color == 'red' && type(object.spec.size) == int"),
      { validationActions: ['Deny'] },
      [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['*'], resources: ['widgets', 'widgets/scale'] }],
    ),
    steps: [3, 6].map((size) => ({
      path: '/apis/example.com/v1/namespaces/custom-kinds/widgets',
      body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: `w${size}` }, spec: { size } },
    })),
  },
  single('missing-key', 'object.data.nothing == 1'),
  single('missing-field', 'object.nothing.more == 1'),
  single('wrong-index', 'object.metadata.managedFields[99] == null'),
  single('division', '1 / int(object.data.zero) == 1', { zero: '0' }),
  single(
    'zero-values',
    "!has(object.metadata.labels) && !has(object.immutable) && has(object.metadata.uid) && object.metadata.uid == ''",
  ),
  single('kinds', "object.kind == 'ConfigMap' && object.apiVersion == 'v1'"),
  single('times', 'type(object.metadata.creationTimestamp) == string'),
  single(
    'namespace-type',
    "namespaceObject.metadata.labels.team == 'blue' && namespaceObject.status.phase == 'Active'",
  ),
  single('quantities', "quantity('1Gi').isGreaterThan(quantity(object.data.size))", { size: '2Gi' }),
  single('maps', "object.data.all(k, object.data[k].size() < 3) && object.data.exists_one(k, k == 'a')", {
    a: 'x',
    b: 'long',
  }),
  single('equality', "object.data == {'a': 'x'} && object.data != {'a': 'y'}", { a: 'x' }),
];
