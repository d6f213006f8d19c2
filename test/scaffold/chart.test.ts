// The chart of a scaffolded project renders what kustomize makes of its config/default: object by object, with all that can be switched on.
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Manifest, parseManifests } from '../../src/testing/manifests.ts';
import { startTestEnvironment } from '../../src/testing/index.ts';
import { runChecked } from '../../tools/repository.ts';
import { findProgram, findPrograms, withoutPrograms } from '../conformance/kubernetes/programs.ts';
import { findHelm } from './helm.ts';
import { LinkedProject } from './shipped/project.ts';

const minute = 60_000;
const name = 'my-operator';
const helm = await findHelm();
const kubectl = await findProgram('kubectl');
const missing = helm === undefined ? 'helm' : kubectl === undefined ? 'kubectl' : undefined;
const skipped = missing === undefined ? '' : ` (skipped: there is no ${missing})`;

let project: LinkedProject;
beforeAll(async () => {
  if (missing !== undefined) return;
  project = await LinkedProject.create(name, [
    ['--kind', 'Widget'],
    ['--kind', 'Policy', '--scope', 'Cluster'],
  ]);
}, 2 * minute);
afterAll(() => project?.remove());

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(project.path(path), 'utf8');
  const after = change(before);
  expect(after, path).not.toBe(before);
  writeFileSync(project.path(path), after);
}

async function kustomize({ root }: LinkedProject): Promise<Map<string, Manifest>> {
  return objects(await runChecked(kubectl ?? '', ['kustomize', 'config/default'], { cwd: root }));
}

async function template({ root }: LinkedProject, ...values: string[]): Promise<Map<string, Manifest>> {
  const args = ['template', name, 'dist/chart', '--namespace', `${name}-system`];
  for (const value of ['namespace.create=true', ...values]) args.push('--set', value);
  return objects(await runChecked(helm ?? '', args, { cwd: root }));
}

/** The objects by kind, namespace and name, without what tells only who made them. */
function objects(text: string): Map<string, Manifest> {
  return new Map(
    parseManifests(text).map((object) => {
      const { annotations = {}, labels, ...metadata } = object.metadata as Manifest['metadata'] & Metadata;
      const { 'helm.sh/resource-policy': _, ...others } = annotations;
      const managed = labels?.['app.kubernetes.io/managed-by'] !== undefined;
      const plain = {
        ...object,
        metadata: {
          ...metadata,
          annotations: others,
          ...(labels === undefined
            ? {}
            : { labels: managed ? { ...labels, 'app.kubernetes.io/managed-by': 'anybody' } : labels }),
        },
      };
      return [`${object.kind} ${metadata.namespace ?? ''}/${metadata.name}`, plain];
    }),
  );
}

interface Metadata {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

function expectSame(rendered: Map<string, Manifest>, expected: Map<string, Manifest>): void {
  expect([...rendered.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [key, object] of expected) expect(rendered.get(key), key).toEqual(object);
}

describe('generate', () => {
  it(
    'removes from a chart what it no longer makes, and all of it once the chart is gone',
    async () => {
      const other = await LinkedProject.create(name, [['--kind', 'Widget']]);
      try {
        const folder = other.path('dist/chart/templates');
        const definition = join(folder, 'crd/example.com_widgets.yaml');
        const text = readFileSync(definition, 'utf8');
        writeFileSync(join(folder, 'crd/example.com_carts.yaml'), text);
        writeFileSync(join(folder, 'crd/mine.yaml'), text.replace(/^.*\n/, ''));
        await expect(other.run('generate', '--check')).rejects.toThrow('crd/example.com_carts.yaml');
        await other.run('generate');
        expect(readdirSync(join(folder, 'crd')).sort()).toEqual(['example.com_widgets.yaml', 'mine.yaml']);
        await other.run('generate', '--check');

        await other.run('edit', '--no-helm');
        await other.run('generate');
        expect(globSync('**/*.yaml', { cwd: other.path('dist/chart') })).toEqual(['templates/crd/mine.yaml']);
      } finally {
        other.remove();
      }
    },
    minute,
  );
});

describe(`the chart of a project with kinds${skipped}`, () => {
  it.skipIf(missing !== undefined)('passes the linter of Helm', async () => {
    await runChecked(helm ?? '', ['lint', '--strict', 'dist/chart'], { cwd: project.root });
  });

  it.skipIf(missing !== undefined)('renders the objects of config/default', async () => {
    const expected = await kustomize(project);
    expect(expected.size).toBeGreaterThan(17);
    expectSame(await template(project), expected);
  });

  it.skipIf(missing !== undefined)('renders them for an operator of one namespace, too', async () => {
    const other = await LinkedProject.create(name, [['--kind', 'Widget']], '--namespaced');
    try {
      const expected = await kustomize(other);
      expect([...expected.keys()]).toContain(`Role ${name}-system/${name}-manager-role`);
      expectSame(await template(other), expected);
    } finally {
      other.remove();
    }
  });

  it.skipIf(missing !== undefined)('renders CRDs that can be left out, and that outlive a release or not', async () => {
    const definitions = async (...values: string[]): Promise<Manifest[]> => {
      const args = ['template', name, 'dist/chart', ...values.flatMap((value) => ['--set', value])];
      const rendered = parseManifests(await runChecked(helm ?? '', args, { cwd: project.root }));
      return rendered.filter(({ kind }) => kind === 'CustomResourceDefinition');
    };
    const policies = (found: readonly Manifest[]): unknown[] =>
      found.map(({ metadata }) => (metadata as Metadata).annotations?.['helm.sh/resource-policy']);
    expect(policies(await definitions())).toEqual(['keep', 'keep']);
    expect(policies(await definitions('crd.keep=false'))).toEqual([undefined, undefined]);
    expect(await definitions('crd.enable=false')).toEqual([]);
  });

  it.skipIf(missing !== undefined)('takes all values that it names', async () => {
    const values = {
      image: { repository: 'registry.example.com:5000/a/b', tag: 'v2', pullPolicy: 'Always' },
      imagePullSecrets: [{ name: 'pull' }],
      serviceAccount: { annotations: { 'a.b/c': 'd' } },
      rbac: { kindRoles: false },
      manager: {
        replicas: 2,
        args: ['--kubeconfig=/x'],
        env: [{ name: 'A', value: 'b' }],
        watchNamespace: 'one,two',
        maxOldSpaceSize: 400,
        resources: { limits: { memory: '512Mi' } },
        podAnnotations: { 'a.b/c': 'd' },
        nodeSelector: { a: 'b' },
        tolerations: [{ key: 'a', operator: 'Exists' }],
        affinity: { nodeAffinity: {} },
        priorityClassName: 'high',
      },
      metrics: { enable: false },
    };
    const file = join(project.folder, 'values.yaml');
    writeFileSync(file, JSON.stringify(values));
    const args = ['template', 'other', 'dist/chart', '--namespace', 'ns', '--values', file];
    const rendered = objects(await runChecked(helm ?? '', args, { cwd: project.root }));
    expect([...rendered.keys()].filter((key) => /Service |metrics|admin-role|Namespace /.test(key))).toEqual([]);
    const deployment = rendered.get(`Deployment ns/other-${name}-controller-manager`);
    expect(deployment).toMatchObject({
      spec: {
        replicas: 2,
        template: {
          metadata: { annotations: { 'a.b/c': 'd' } },
          spec: {
            serviceAccountName: `other-${name}-controller-manager`,
            imagePullSecrets: [{ name: 'pull' }],
            priorityClassName: 'high',
            nodeSelector: { a: 'b' },
            tolerations: [{ key: 'a', operator: 'Exists' }],
            affinity: { nodeAffinity: {} },
            containers: [
              {
                image: 'registry.example.com:5000/a/b:v2',
                imagePullPolicy: 'Always',
                args: ['--leader-elect', '--health-probe-bind-address=:8081', '--kubeconfig=/x'],
                env: [
                  expect.objectContaining({ name: 'POD_NAMESPACE' }),
                  { name: 'WATCH_NAMESPACE', value: 'one,two' },
                  {
                    name: 'NODE_OPTIONS',
                    value: '--max-old-space-size=400 --max-semi-space-size=4 --enable-source-maps',
                  },
                  { name: 'A', value: 'b' },
                ],
                ports: [{ name: 'health', containerPort: 8081 }],
                resources: { limits: { memory: '512Mi' } },
              },
            ],
          },
        },
      },
    });
  });
});

describe(`the chart of a project with everything${skipped}`, () => {
  beforeAll(async () => {
    if (missing !== undefined) return;
    const marker = (namespace: string): string =>
      `@Rbac({ groups: [''], resources: ['configmaps'], verbs: ['get'], namespace: '${namespace}' })\nexport class WidgetReconciler`;
    edit('src/controllers/widget-controller.ts', (text) =>
      text
        .replace('export class WidgetReconciler', marker('zoo'))
        .replace('export class WidgetReconciler', marker('ark')),
    );
    edit('src/api/v1/widget.types.ts', (text) =>
      text.replace('export class WidgetSpec', '/** Written as {{ .Values.a }} or {{{b}}}. */\nexport class WidgetSpec'),
    );
    const webhooks = ['Mutating', 'Validating'].map(
      (type) => `@${type}Webhook({
  name: '${type.toLowerCase()}.example.com',
  path: '/${type.toLowerCase()}',
  groups: ['example.com'],
  versions: ['v1'],
  resources: ['widgets'],
  verbs: ['create'],
  matchConditions: [{ name: 'braces', expression: "object.metadata.name != '{{a}}'" }],
})
export class ${type}Widgets {}
`,
    );
    const imports = "import { MutatingWebhook, ValidatingWebhook } from 'operator-runtime/markers';\n";
    project.write('src/webhooks/widget.ts', `${imports}\n${webhooks.join('\n')}`);
    edit('operator.json', (text) =>
      text.replace('"kind": "Widget",', '"kind": "Widget",\n"webhooks": { "conversion": true },'),
    );
    await project.run('generate');
    edit('config/webhook/kustomization.yaml', (text) => `${text}  - manifests.yaml\n`);
    // All lines that are there to be switched on.
    const switchOn = (text: string): string =>
      text.replaceAll(/^( *)# (- |  target|    kind|    name|patches|  - path)/gm, '$1$2');
    edit('config/default/kustomization.yaml', (text) =>
      switchOn(text).replace('  - ../manager\n', '  - ../manager\n  - ../webhook\n'),
    );
    edit('config/prometheus/kustomization.yaml', (text) =>
      text.replaceAll(/^# (patches:|  - path|    target|      kind)/gm, '$1'),
    );
  }, minute);

  const values = [
    'webhook.enable=true',
    'prometheus.enable=true',
    'networkPolicy.enable=true',
    'metrics.certificateSecret=metrics-server-cert',
  ];

  it.skipIf(missing !== undefined)('renders the objects of config/default', async () => {
    const expected = await kustomize(project);
    for (const key of [
      'Role zoo/my-operator-manager-role',
      'RoleBinding ark/my-operator-manager-rolebinding',
      'ServiceMonitor my-operator-system/my-operator-controller-manager-metrics-monitor',
      'NetworkPolicy my-operator-system/my-operator-allow-metrics-traffic',
      'Service my-operator-system/my-operator-webhook-service',
      'ValidatingWebhookConfiguration /my-operator-validating-webhook-configuration',
    ]) {
      expect([...expected.keys()]).toContain(key);
    }
    expect(JSON.stringify([...expected.values()])).not.toMatch(/"(namespace|name)":"system"/);
    expect(JSON.stringify(expected.get('CustomResourceDefinition /widgets.example.com'))).toContain(
      `"service":{"name":"${name}-webhook-service","namespace":"${name}-system","path":"/convert"}`,
    );
    expectSame(await template(project, ...values), expected);
  });

  describe.each([
    { server: 'the embedded API server', assets: '', absent: false },
    {
      server: `a real kube-apiserver${withoutPrograms}`,
      assets: findPrograms() ?? '',
      absent: findPrograms() === undefined,
    },
  ])('on $server', ({ assets, absent }) => {
    it.skipIf(missing !== undefined || absent)(
      'is taken, but for what another operator defines',
      async () => {
        await using environment = await startTestEnvironment({ project: false, assets });
        const namespace = (text: string): Manifest => ({
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: text },
        });
        const all = [...(await template(project, ...values)).values()].filter(({ kind }) => kind !== 'ServiceMonitor');
        await environment.install(namespace('zoo'), namespace('ark'), ...all);
        const path = `/apis/apps/v1/namespaces/${name}-system/deployments/${name}-controller-manager`;
        expect((await environment.request({ path })).status).toBe(200);
      },
      minute,
    );
  });
});
