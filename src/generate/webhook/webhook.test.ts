import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Webhook, WebhookConfiguration } from '../../model/index.ts';
import { at, kind } from '../testing/model.ts';
import { checkWebhooks } from './check.ts';
import { emitWebhooks } from './manifests.ts';

function webhook(parts: Partial<Webhook> = {}): Webhook {
  return {
    type: 'Validating',
    name: 'vwidget-v1.kb.io',
    path: '/validate-example-com-v1-widget',
    groups: ['example.com'],
    versions: ['v1'],
    resources: ['widgets'],
    verbs: ['create'],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    matchConditions: [],
    position: at(1),
    ...parts,
  };
}

/** A webhook by a URL, or by nothing. */
function elsewhere(parts: Partial<Webhook>): Webhook {
  const { path: _, ...rest } = webhook();
  return { ...rest, ...parts };
}

const check = (webhooks: readonly Webhook[], webhookConfigurations: readonly WebhookConfiguration[] = []): string[] =>
  checkWebhooks({ kinds: [], webhooks, webhookConfigurations }, { major: 1, minor: 34 }).map(
    ({ code, message }) => `${code} ${message}`,
  );

describe('checkWebhooks', () => {
  it.each<[string, Partial<Webhook>]>([
    ['the least', {}],
    ['the root as path', { path: '/' }],
    ['a slash at the end', { path: '/a/b/' }],
    ['everything', { groups: ['*'], versions: ['*'], resources: ['*/*'], verbs: ['*'] }],
    ['resources and all their subresources', { resources: ['*', '*/status', 'pods/exec'] }],
    ['a CEL expression', { matchConditions: [{ name: 'a/b', expression: "object.spec.size > 1 && 'a' in ['a']" }] }],
    ['selectors', { objectSelector: { matchExpressions: [{ key: 'a.b/c', operator: 'DoesNotExist' }] } }],
  ])('takes %s', (_name, parts) => {
    expect(check([webhook(parts)])).toEqual([]);
  });

  it.each<[Partial<Webhook>, string]>([
    [{ name: 'a.b' }, "CO2501 ValidatingWebhook: the name 'a.b' has fewer than three labels"],
    [{ name: 'A.b.c' }, "CO2501 ValidatingWebhook: the name 'A.b.c' is no domain name"],
    [{ url: 'https://a.b' }, 'CO2502 ValidatingWebhook: it has a path and a url'],
    [{ path: 'a' }, "CO2503 ValidatingWebhook: the path 'a' does not begin with '/'"],
    [{ path: '/a//b' }, "CO2503 ValidatingWebhook: the path '/a//b' has an empty part"],
    [{ path: '/A' }, "CO2503 ValidatingWebhook: the path '/A' has the part 'A'"],
    [{ groups: [] }, 'CO2505 ValidatingWebhook: groups is empty, so that nothing is asked about'],
    [{ verbs: ['create', 'create'] }, "CO2505 ValidatingWebhook: 'create' stands twice in verbs"],
    [{ verbs: ['create', '*'] }, "CO2505 ValidatingWebhook: verbs has '*' and others beside it"],
    [{ groups: ['apps/v1'] }, "CO2505 ValidatingWebhook: 'apps/v1' is no API group"],
    [{ versions: [''] }, 'CO2505 ValidatingWebhook: a version is empty'],
    [{ resources: ['Widgets'] }, "CO2506 ValidatingWebhook: 'Widgets' is no resource"],
    [{ resources: ['*', 'pods'] }, "CO2506 ValidatingWebhook: 'pods' is covered by '*' beside it"],
    [{ resources: ['pods/*', 'pods/exec'] }, "CO2506 ValidatingWebhook: 'pods/exec' is covered by 'pods/*' beside it"],
    [
      { admissionReviewVersions: ['v2'] },
      'CO2507 ValidatingWebhook: admissionReviewVersions has neither v1 nor v1beta1, and Kubernetes knows no other',
    ],
    [{ timeoutSeconds: 0 }, 'CO2508 ValidatingWebhook: timeoutSeconds is 0, and must be from 1 to 30'],
    [{ timeoutSeconds: 31 }, 'CO2508 ValidatingWebhook: timeoutSeconds is 31, and must be from 1 to 30'],
    [
      { objectSelector: { matchLabels: { 'a b': 'c' } } },
      "CO2509 ValidatingWebhook: objectSelector: 'a b' is no key of a label",
    ],
    [
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      'CO2509 ValidatingWebhook: namespaceSelector: the operator In needs values',
    ],
    [
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      'CO2509 ValidatingWebhook: namespaceSelector: the operator Exists takes no values',
    ],
    [
      { matchConditions: [{ name: 'a', expression: ' ' }] },
      "CO2510 ValidatingWebhook: matchConditions: the expression of 'a' is no condition: it is empty",
    ],
    [{ servicePort: 0 }, 'CO2515 ValidatingWebhook: servicePort is 0, and must be from 1 to 65535'],
    [{ serviceName: 'A' }, "CO2515 ValidatingWebhook: 'A' is no name of a Service"],
  ])('refuses %j', (parts, problem) => {
    expect(check([webhook(parts)])).toEqual([problem]);
  });

  it.each([
    ['http://a.b', 'does not begin with https://'],
    ['https:///a', 'has no host'],
    ['https://me@a.b', 'names a user, which the API server refuses'],
    ['https://a.b/?c=d', 'has a query, which the API server refuses'],
    ['https://a.b/#c', 'has a fragment, which the API server refuses'],
  ])('refuses the url %s', (url, problem) => {
    expect(check([elsewhere({ url })])).toEqual([`CO2504 ValidatingWebhook: the url '${url}' ${problem}`]);
  });

  it('warns of resources that no known kind has', () => {
    const found = (parts: Partial<Webhook>): unknown =>
      checkWebhooks(
        { kinds: [kind()], webhooks: [webhook(parts)], webhookConfigurations: [] },
        { major: 1, minor: 34 },
      );
    expect(found({ resources: ['widgts'] })).toMatchObject([
      {
        code: 'CO2516',
        severity: 'warning',
        message: 'ValidatingWebhook: there is no resource "widgts" in the group example.com',
        remedy: 'did you mean "widgets"?',
      },
    ]);
    expect(found({ groups: ['apps'], resources: ['deploymnts'] })).toMatchObject([
      { remedy: 'did you mean "deployments"?' },
    ]);
    expect(found({ groups: ['apps', 'other.com'], resources: ['anything'] })).toEqual([]);
    expect(found({ groups: ['*'], resources: ['anything'] })).toEqual([]);
  });

  it('wants a path or a url, and no service beside a url', () => {
    expect(check([elsewhere({})])).toEqual(['CO2502 ValidatingWebhook: it has neither a path nor a url']);
    expect(check([elsewhere({ url: 'https://a.b', servicePort: 1 })])).toEqual([
      'CO2502 ValidatingWebhook: servicePort says nothing beside a url',
    ]);
  });

  it.each([
    "!request.userInfo.groups.exists(g, g == 'system:nodes')",
    "request.resource.group == 'apps' && request.operation in ['CREATE'] && !request.dryRun",
    'has(object.spec) && object.metadata.name.startsWith(oldObject.metadata.name)',
    "authorizer.group('').resource('pods').check('create').allowed()",
    "authorizer.requestResource.check('custom').allowed()",
    "'a' in request.userInfo.extra && request.options.fieldManager == 'x'",
    "object.spec.flag == true && namespaceObject.metadata.name == 'a'",
  ])('takes the condition %s', (expression) => {
    expect(check([webhook({ matchConditions: [{ name: 'a', expression }] })])).toEqual([]);
  });

  it.each([
    ['object.', /Syntax error/],
    ["request.user.name == 'a'", /undefined field 'user'/],
    ['objekt.spec == 1', /undeclared reference to 'objekt'/],
    ["request.userInfo.groups == 'a'", /no matching overload/],
    ['object.spec.flag', /must be true or false/],
    ['request.operation', /must be true or false/],
  ])('refuses the condition %s', (expression, problem) => {
    const [found] = check([webhook({ matchConditions: [{ name: 'a', expression }] })]);
    expect(found).toMatch(/^CO2510 ValidatingWebhook: matchConditions: the expression of 'a' is no condition: /);
    expect(found).toMatch(problem);
  });

  it('refuses one name twice in one object, and takes it in both', () => {
    expect(check([webhook(), webhook({ type: 'Mutating' })])).toEqual([]);
    expect(check([webhook(), webhook({ position: at(9) })])).toEqual([
      "CO2511 ValidatingWebhook: the name 'vwidget-v1.kb.io' is taken by the webhook at src/api/v1/widget.types.ts:1",
    ]);
  });

  it('refuses names of configurations that are wrong, double or none, and warns of those without webhooks', () => {
    const configurations = [
      { validating: 'A', position: at(1) },
      { validating: 'b', mutating: 'c', position: at(2) },
      { position: at(3) },
    ];
    expect(check([webhook()], configurations)).toEqual([
      "CO2514 WebhookConfiguration: there is no mutating webhook, so that 'c' is not written",
      "CO2512 WebhookConfiguration: 'A' is no name of an object",
      'CO2513 WebhookConfiguration: the validating configuration has its name from src/api/v1/widget.types.ts:1',
      'CO2512 WebhookConfiguration: it names neither the mutating nor the validating configuration',
    ]);
  });
});

describe('emitWebhooks', () => {
  const emitted = (webhooks: readonly Webhook[], configurations: readonly WebhookConfiguration[] = []): unknown[] =>
    parseAllDocuments(emitWebhooks({ webhooks, webhookConfigurations: configurations }) ?? '').map(
      (document) => document.toJS() as unknown,
    );

  it('writes nothing without webhooks', () => {
    expect(emitWebhooks({ webhooks: [], webhookConfigurations: [{ mutating: 'a', position: at(1) }] })).toBeUndefined();
  });

  it('writes the mutating object first, each with its webhooks by name', () => {
    const webhooks = [webhook({ name: 'b.b.b' }), webhook({ name: 'a.a.a' }), webhook({ type: 'Mutating' })];
    expect(emitted(webhooks, [{ validating: 'mine', position: at(1) }])).toMatchObject([
      { kind: 'MutatingWebhookConfiguration', metadata: { name: 'mutating-webhook-configuration' } },
      { metadata: { name: 'mine' }, webhooks: [{ name: 'a.a.a' }, { name: 'b.b.b' }] },
    ]);
  });

  it('writes the scope of a rule', () => {
    expect(emitted([webhook({ scope: 'Cluster' })])).toMatchObject([{ webhooks: [{ rules: [{ scope: 'Cluster' }] }] }]);
  });
});
