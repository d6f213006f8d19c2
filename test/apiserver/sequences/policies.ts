import { mergePatch, type Sequence, type Step } from '../sequence.ts';

type Spec = Record<string, unknown>;

const registration = '/apis/admissionregistration.k8s.io/v1';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

function policy(kind: 'Validating' | 'Mutating', name: string, spec: Spec): Step {
  return {
    path: `${registration}/${kind.toLowerCase()}admissionpolicies`,
    body: { metadata: { name }, spec: { matchConstraints: { resourceRules: [rule] }, ...spec } },
  };
}

function binding(kind: 'Validating' | 'Mutating', name: string, spec: Spec): Step {
  return {
    path: `${registration}/${kind.toLowerCase()}admissionpolicybindings`,
    body: { metadata: { name }, spec },
  };
}

function webhook(kind: 'Validating' | 'Mutating', name: string, webhooks: readonly Spec[]): Step {
  return { path: `${registration}/${kind.toLowerCase()}webhookconfigurations`, body: { metadata: { name }, webhooks } };
}

const hook: Spec = {
  name: 'hook.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/hook' },
  rules: [{ ...rule, apiGroups: ['nowhere.example.com'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

const expressions = [
  'true',
  'object.spec.replicas',
  'object.spec ==',
  "request.operation == 'CREATE' && request.userInfo.groups.exists(g, g == 'x')",
  'request.object == null',
  'request.userInfo.nothing',
  'params.x == 1',
  'variables.x == 1',
  "namespaceObject.metadata.labels['a'] == 'b'",
  'namespaceObject.metadata.uid == ""',
  "authorizer.group('').resource('pods').check('get').allowed()",
  "authorizer.requestResource.check('get').reason() == ''",
  'Object{spec: Object.spec{}} == object',
  "jsonpatch.escapeKey('a') == 'a'",
  '[1, "a"].size() == 2',
  "object.metadata.name.matches('[')",
];

export const policiesSequences: readonly Sequence[] = [
  {
    name: 'expressions of validating policies',
    steps: expressions.map((expression, index) =>
      policy('Validating', `expression-${index}`, { validations: [{ expression }] }),
    ),
  },
  {
    name: 'validating policies',
    steps: [
      policy('Validating', 'empty', {}),
      { path: `${registration}/validatingadmissionpolicies`, body: { metadata: { name: 'bare' }, spec: {} } },
      policy('Validating', 'choices', {
        failurePolicy: 'Maybe',
        paramKind: { apiVersion: 'a/b/c', kind: '' },
        validations: [{ expression: 'true', reason: 'Gone', message: 'two\nlines', messageExpression: '1' }],
      }),
      policy('Validating', 'kinds', {
        paramKind: { apiVersion: 'Example.com/V1', kind: 'Wrong_Kind' },
        validations: [{ expression: ' ', message: '  ', messageExpression: ' ' }],
      }),
      policy('Validating', 'variables', {
        variables: [
          { name: 'good', expression: '1 + 1' },
          { name: 'for', expression: '1' },
          { name: 'list', expression: '[1, 2].map(x, string(x))' },
          { name: 'bad', expression: 'object.' },
          { name: 'later', expression: 'variables.good + size(variables.list)' },
        ],
        validations: [
          { expression: 'variables.later > 1' },
          { expression: 'variables.good' },
          { expression: 'variables.list[0] == 1' },
          { expression: 'variables.missing' },
        ],
      }),
      policy('Validating', 'annotations', {
        auditAnnotations: [
          { key: 'fine', valueExpression: "'a'" },
          { key: 'fine', valueExpression: 'null' },
          { key: 'not fine', valueExpression: '1' },
          { key: 'empty', valueExpression: '' },
        ],
      }),
      policy('Validating', 'conditions', {
        matchConditions: [
          { name: 'one', expression: 'object.x' },
          { name: 'one', expression: 'variables.x == 1' },
          { name: '', expression: '' },
          { name: 'not a name', expression: 'params == null' },
        ],
        validations: [{ expression: 'true' }],
      }),
      policy('Validating', 'rules', {
        matchConstraints: {
          matchPolicy: 'Fuzzy',
          namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] },
          objectSelector: { matchLabels: { 'not a key': 'x' } },
          resourceRules: [
            {},
            { ...rule, operations: ['*', 'CREATE'], apiGroups: ['*', 'a'], apiVersions: ['*', ''] },
            { ...rule, operations: ['PATCH'], resources: ['*', 'pods', 'pods/*', 'pods/log', '*/*'], scope: 'Global' },
            { ...rule, resourceNames: ['a', 'a', 'b/c'] },
          ],
        },
        validations: [{ expression: 'true' }],
      }),
      policy('Validating', 'good', { validations: [{ expression: 'true' }] }),
      { path: `${registration}/validatingadmissionpolicies/good` },
      {
        method: 'PATCH',
        path: `${registration}/validatingadmissionpolicies/good`,
        headers: mergePatch,
        body: { spec: { validations: [{ expression: 'tru' }] } },
      },
    ],
  },
  {
    name: 'bindings of policies',
    steps: [
      binding('Validating', 'empty', {}),
      binding('Validating', 'actions', {
        policyName: 'Not_A_Name',
        validationActions: ['Deny', 'Warn', 'Deny', 'Log'],
      }),
      binding('Validating', 'params', {
        policyName: 'a',
        validationActions: ['Audit'],
        paramRef: { name: 'x/y', selector: { matchLabels: { a: 'b' } } },
      }),
      binding('Validating', 'no-params', {
        policyName: 'a',
        validationActions: ['Audit'],
        paramRef: { parameterNotFoundAction: 'Ask' },
      }),
      binding('Validating', 'good', {
        policyName: 'a',
        validationActions: ['Deny', 'Audit'],
        matchResources: { resourceRules: [rule] },
      }),
      binding('Mutating', 'deletes', {
        policyName: 'a',
        matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] },
      }),
      binding('Mutating', 'good', { policyName: 'a' }),
    ],
  },
  {
    name: 'mutating policies',
    steps: [
      policy('Mutating', 'empty', {}),
      policy('Mutating', 'types', {
        reinvocationPolicy: 'Always',
        mutations: [
          {},
          { patchType: 'Merge' },
          { patchType: 'JSONPatch' },
          { patchType: 'ApplyConfiguration', jsonPatch: { expression: '[]' } },
          { patchType: 'JSONPatch', jsonPatch: { expression: '' }, applyConfiguration: { expression: 'Object{}' } },
        ],
      }),
      policy('Mutating', 'expressions', {
        reinvocationPolicy: 'Never',
        mutations: [
          'Object{spec: Object.spec{replicas: 3}}',
          'Object.spec{replicas: 3}',
          '{"a": 1}',
          'Object{spec: nothing}',
          'Wrong{a: 1}',
        ].map((expression) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })),
      }),
      policy('Mutating', 'patches', {
        reinvocationPolicy: 'IfNeeded',
        mutations: [
          '[JSONPatch{op: "add", path: "/a", value: 1}]',
          'JSONPatch{op: "add"}',
          '[JSONPatch{op: 1}]',
          '[]',
        ].map((expression) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })),
      }),
      policy('Mutating', 'deletes', {
        matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'DELETE'] }] },
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
      }),
      policy('Mutating', 'good', {
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
      }),
    ],
  },
  {
    name: 'webhook configurations',
    steps: [
      webhook('Validating', 'good', [hook]),
      webhook('Mutating', 'good', [hook]),
      webhook('Validating', 'bare', [{}]),
      webhook('Mutating', 'twice', [hook, hook]),
      webhook('Validating', 'choices', [
        {
          ...hook,
          name: 'short.name',
          sideEffects: 'Some',
          failurePolicy: 'Maybe',
          matchPolicy: 'Fuzzy',
          timeoutSeconds: 31,
          admissionReviewVersions: ['v2', 'v2', 'V3'],
        },
      ]),
      ...[
        { url: 'http://example.com/path?query#fragment' },
        { url: 'https://user:pass@/x' },
        { url: 'https://a', service: { name: 'x', namespace: 'y' } },
        { service: { name: '', namespace: '', path: 'a//b', port: 0 } },
        { service: { name: 'x', namespace: 'y', path: '/a/B_/' } },
      ].map((clientConfig, index) => webhook('Validating', `client-${index}`, [{ ...hook, clientConfig }])),
      webhook('Mutating', 'conditions', [
        {
          ...hook,
          matchConditions: [
            { name: 'a', expression: 'params.x == 1' },
            { name: 'a', expression: "request.kind.kind == 'Pod'" },
            { name: 'b', expression: "authorizer.requestResource.check('x').allowed()" },
            { name: 'c', expression: 'variables == null' },
          ],
        },
      ]),
      { path: `${registration}/mutatingwebhookconfigurations/good` },
    ],
  },
];
