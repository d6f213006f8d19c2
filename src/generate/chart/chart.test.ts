import { describe, expect, it } from 'vitest';
import { type Json, yamlHeader } from '../../model/index.ts';
import { emitFile } from '../yaml/emit.ts';
import { chartTemplates } from './chart.ts';

const none = { definitions: [], roles: [], kindRoles: [], webhooks: [], chartDir: 'chart', ownNamespace: 'p-system' };
const file = (path: string, ...objects: Json[]) => ({ path, content: emitFile(objects) });
const rbac = (kind: string, name: string, namespace?: string): { [member: string]: Json } => ({
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
const fullname = '{{ include "chart.fullname" . }}';

describe('chartTemplates', () => {
  it.each([
    ['{{ .Values.a }}', '{{ "{{" }} .Values.a }}'],
    ['{{- a -}}', '{{ "{{" }}- a -}}'],
    ['{{{a}}}', '{{ "{{" }}{a}}}'],
    ['a {b} {{', 'a {b} {{ "{{" }}'],
    ['__FULLNAME__ and __NAMESPACE__', '__FULLNAME__ and __NAMESPACE__'],
  ])('keeps %s in a description', (description, expected) => {
    const [template] = chartTemplates({ ...none, definitions: [file('config/a.yaml', { description })] });
    expect(template?.content).toContain(expected);
    expect(template?.path).toBe('chart/templates/crd/a.yaml');
  });

  it.each([
    [
      { name: 'a' },
      '  {{- if .Values.crd.keep }}\n  annotations:\n    helm.sh/resource-policy: keep\n  {{- end }}\n  name: a\n',
    ],
    [
      { name: 'a', annotations: { 'b.c/d': 'e' } },
      '  annotations:\n    {{- if .Values.crd.keep }}\n    helm.sh/resource-policy: keep\n    {{- end }}\n    b.c/d: e\n  name: a\n',
    ],
    [
      { name: 'a', annotations: { 'helm.sh/resource-policy': 'own' } },
      '  annotations:\n    helm.sh/resource-policy: own\n  name: a\n',
    ],
  ])('lets definitions with the metadata %j outlive the release', (metadata, expected) => {
    const [template] = chartTemplates({ ...none, definitions: [file('a.yaml', { metadata })] });
    expect(template?.content).toBe(
      `${yamlHeader}\n{{- if .Values.crd.enable }}\n---\nmetadata:\n${expected}{{- end }}\n`,
    );
  });

  it('names roles and bindings by the release, and leaves namespaces that are not its own', () => {
    const subjects = [
      { kind: 'ServiceAccount', name: 'controller-manager' },
      { kind: 'ServiceAccount', name: 'prometheus', namespace: 'monitoring' },
    ];
    const roles = [
      file('role.yaml', rbac('ClusterRole', 'a'), rbac('Role', 'a', 'zoo'), rbac('Role', 'a', 'p-system')),
      file('role_binding.yaml', { ...rbac('RoleBinding', 'b', 'zoo'), roleRef: { kind: 'Role', name: 'a' }, subjects }),
    ];
    const [role, binding] = chartTemplates({ ...none, roles }).map(({ content }) => content.split('---\n').slice(1));
    expect(role).toEqual([
      `kind: ClusterRole\nmetadata:\n  name: ${fullname}-a\n`,
      `kind: Role\nmetadata:\n  name: ${fullname}-a\n  namespace: zoo\n`,
      `kind: Role\nmetadata:\n  name: ${fullname}-a\n  namespace: {{ .Release.Namespace }}\n`,
    ]);
    expect(binding?.[0]).toBe(`kind: RoleBinding
metadata:
  name: ${fullname}-b
  namespace: zoo
roleRef:
  kind: Role
  name: ${fullname}-a
subjects:
- kind: ServiceAccount
  name: ${fullname}-controller-manager
  namespace: {{ .Release.Namespace }}
- kind: ServiceAccount
  name: prometheus
  namespace: monitoring
`);
  });

  it('leads webhooks to the Service of the release, and to no other', () => {
    const webhook = (clientConfig: Json): Json => ({ clientConfig, timeoutSeconds: 3 });
    const configuration = {
      ...rbac('ValidatingWebhookConfiguration', 'c'),
      webhooks: [
        webhook({ service: { name: 'webhook-service', namespace: 'system', path: '/a' } }),
        webhook({ service: { name: 'other', namespace: 'system' } }),
        webhook({ url: 'https://a.b' }),
      ],
    };
    const [template] = chartTemplates({ ...none, webhooks: [file('manifests.yaml', configuration)] });
    expect(template?.content).toContain('{{- if .Values.webhook.enable }}');
    expect(template?.content).toContain(
      `      name: ${fullname}-webhook-service\n      namespace: {{ .Release.Namespace }}\n      path: /a\n`,
    );
    expect(template?.content).toContain('      name: other\n      namespace: system\n');
    expect(template?.content).toContain('    url: https://a.b\n');
  });

  it('leads the conversion of a definition to the Service of the release', () => {
    const conversion = { webhook: { clientConfig: { service: { name: 'webhook-service', namespace: 'system' } } } };
    const [template] = chartTemplates({ ...none, definitions: [file('a.yaml', { spec: { conversion } })] });
    expect(template?.content).toMatch(
      /^ +name: \{\{ include "chart.fullname" \. \}\}-webhook-service\n +namespace: \{\{ .Release.Namespace \}\}$/m,
    );
  });
});
