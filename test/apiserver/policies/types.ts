import type { Manifest } from './parts.ts';

type Spec = Readonly<Record<string, unknown>>;

const rule = (group: string, version: string, ...resources: readonly string[]): Spec => ({
  apiGroups: [group],
  apiVersions: [version],
  operations: ['CREATE', 'UPDATE'],
  resources,
});
const deployments = [rule('apps', 'v1', 'deployments')];

/** Validations by their expressions, some with an expression for the message. */
const checks = (...expressions: readonly (string | readonly [string, string])[]): readonly Spec[] =>
  expressions.map((found) =>
    typeof found === 'string' ? { expression: found } : { expression: found[0], messageExpression: found[1] },
  );

const specs: readonly (readonly [name: string, rules: readonly Spec[], validations: readonly Spec[], more?: Spec])[] = [
  ['fine', deployments, checks('object.spec.replicas > 1')],
  ['field', deployments, checks('object.spec.replicaz > 1')],
  ['type', deployments, checks('object.spec.replicas > "1"')],
  [
    'selections',
    deployments,
    checks(
      'oldObject == null || oldObject.spec.foo == 1',
      ['true', 'string(object.metadata.foo)'],
      'object != null && object.spec == null',
      'object == oldObject',
      'object.spec == object.metadata',
      'has(object.spec.foo)',
      'has(object.spec.replicas)',
      'object.spec.?foo.orValue(1) == 1',
      'object.spec.__namespace__ == 1',
      'object.namespace == 1',
      '[object.spec, object.metadata].size() == 2',
      'type(object) == int',
      'dyn(object).foo == 1',
      'object.spec.template.spec.volumes[0].persistentVolumeClaim.foo == 1',
      'object.spec.template.spec.containers.map(c, c.image).exists(i, i == 1)',
    ),
  ],
  [
    'several-kinds',
    [rule('apps', 'v1', 'statefulsets', 'deployments', 'replicasets')],
    checks('object.spec.strategy.type == "x"'),
  ],
  ['wild', [rule('apps', '*', 'deployments')], checks('object.foo == 1')],
  ['wild-resources', [rule('apps', 'v1', '*')], checks('object.foo == 1')],
  ['subresources', [rule('apps', 'v1', 'deployments/scale', 'deployments')], checks('object.foo == 1')],
  ['unknown', [rule('nope.example.com', 'v1', 'nopes')], checks('object.foo == 1')],
  [
    'groups',
    [{ apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods', 'deployments'] }],
    checks('object.spec.nodeName == "x"'),
  ],
  [
    'meta',
    deployments,
    checks(
      'object.metadata.labels.app == "x" && object.metadata.creationTimestamp > timestamp("2020-01-01T00:00:00Z")',
      'object.metadata.creationTimestamp > 1',
    ),
  ],
  [
    'template',
    deployments,
    checks(
      'object.spec.template.spec.containers.all(c, c.imagex == "y")',
      'object.spec.template.spec.containers.all(c, c.resources.limits.cpu > 1)',
      'object.spec.strategy.rollingUpdate.maxSurge > 1',
    ),
  ],
  [
    'variables',
    deployments,
    checks(
      'variables.r > "x"',
      'variables.bad == 1',
      'variables.s == 1',
      'variables.s.foo == 1',
      'variables.l.all(x, x.foo == 1)',
      'variables.t > 1',
      'variables.l == 1',
      'variables.bad2 == 1',
      'variables.m.a == 1',
      'variables.m.a.foo == 1',
      'variables.m.b > 1 || variables.r == 1',
    ),
    {
      variables: [
        { name: 'r', expression: 'object.spec.replicas' },
        { name: 'bad', expression: 'object.nope' },
        { name: 's', expression: 'object.spec.selector' },
        { name: 'l', expression: 'object.spec.template.spec.containers' },
        { name: 't', expression: 'object.metadata.creationTimestamp' },
        { name: 'bad2', expression: 'variables.bad + variables.r' },
        { name: 'm', expression: '{"a": object.spec}' },
      ],
    },
  ],
  [
    'params',
    deployments,
    checks('params.data.x == 1', 'params.nope == 1'),
    { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
  ],
  [
    'unknown-params',
    deployments,
    checks('params.data.x == 1', 'object.nope == 1', 'params.data.x == object.nope'),
    { paramKind: { apiVersion: 'x.y/v1', kind: 'ConfigMap' } },
  ],
  [
    'authorizer',
    deployments,
    checks(
      'authorizer.requestResource.check("create").allowed()',
      'authorizer.group("").resource("pods").check("create").allowed() && object.x',
    ),
  ],
  ['twice', deployments, checks('object.foo == 1 && object.bar == 1')],
  [
    'custom',
    [rule('example.com', 'v1', 'shapes')],
    checks(
      'object.spec.size > "1"',
      'object.spec.nope == 1',
      'object.spec.any.thing == 1',
      'object.spec.port == 1',
      'object.metadata.labels.x == 1',
      'object.status.x == 1',
      'object.spec.list.all(i, i.b == 1)',
      'object.spec.m["x"] == 1',
      'object.spec.u.x == 1',
      'object.spec.emb.metadata.labels == 1',
    ),
  ],
  [
    'match-conditions',
    deployments,
    checks('true'),
    { matchConditions: [{ name: 'x', expression: 'object.foo == 1' }] },
  ],
  ['audit', deployments, checks('true'), { auditAnnotations: [{ key: 'x', valueExpression: 'string(object.foo)' }] }],
  [
    'several-groups',
    [...deployments, rule('', 'v1', 'configmaps', 'secrets', 'events')],
    checks('object.data.x == 1', 'object.data.x == "y"', 'object.data.y == b"abc"'),
  ],
  ['raw-data', [rule('apps', 'v1', 'controllerrevisions')], checks('object.data.x == 1')],
  [
    'recursive',
    [rule('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')],
    checks(
      'object.spec.versions.all(v, v.schema.openAPIV3Schema.properties["x"].properties["y"].foo == 1)',
      'object.spec.versions.all(v, v.schema.openAPIV3Schema.foo == 1)',
    ),
  ],
  [
    'pods',
    [rule('', 'v1', 'pods')],
    checks(
      'object.spec.containers[0].ports[0].hostPort > "x"',
      'object.spec.containers[0].livenessProbe.httpGet.port == 1',
      'object.spec.containers[0].livenessProbe.httpGet.port == {}',
      'object.metadata.managedFields[0].fieldsV1.x == 1',
      'object.spec.overhead == "x"',
      'object.metadata.namespace == 1',
    ),
  ],
  [
    'many',
    [
      rule('apps', 'v1', 'deployments', 'statefulsets', 'daemonsets', 'replicasets', 'controllerrevisions'),
      rule('', 'v1', 'pods', 'services', 'secrets', 'configmaps', 'nodes', 'events', 'endpoints'),
    ],
    checks('object.kindd == "x"'),
  ],
  [
    'custom-params',
    [rule('example.com', 'v1', 'shapes')],
    checks('params.spec.size == "x"', 'params.spec.nope == 1'),
    { paramKind: { apiVersion: 'example.com/v1', kind: 'Shape' } },
  ],
  [
    'singular',
    [rule('apps', 'v1', 'deployment', 'Deployments'), rule('app', 'v1', 'deployments'), rule('', 'v1', 'statefulsets')],
    checks('object.foo == 1'),
  ],
  ['reviews', [rule('authentication.k8s.io', 'v1', 'tokenreviews')], checks('object.foo == 1')],
  ['messages', deployments, checks('object.foo == 1', ['false', '"a" + string(object.foo)'])],
  [
    'events',
    [
      {
        apiGroups: ['', 'events.k8s.io'],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: ['events', 'bindings', 'serviceaccounts'],
      },
    ],
    checks('object.foo == 1'),
  ],
];

export const policiesPath = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

/** Policies whose expressions do and do not fit the types of the objects that they are for. */
export const typedPolicies: readonly (Manifest & { readonly name: string })[] = specs.map(
  ([name, resourceRules, validations, more]) => ({
    name,
    path: policiesPath,
    body: {
      metadata: { name },
      spec: { matchConstraints: { resourceRules }, validations, failurePolicy: 'Fail', ...more },
    },
  }),
);

/** A kind with schemas of every sort. */
export const shapes: Manifest = {
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  body: {
    metadata: { name: 'shapes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'shapes', kind: 'Shape' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    size: { type: 'integer' },
                    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                    port: { 'x-kubernetes-int-or-string': true },
                    list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
                    m: { type: 'object', additionalProperties: { type: 'string' } },
                    u: { 'x-kubernetes-preserve-unknown-fields': true },
                    emb: {
                      type: 'object',
                      'x-kubernetes-embedded-resource': true,
                      'x-kubernetes-preserve-unknown-fields': true,
                    },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
};
