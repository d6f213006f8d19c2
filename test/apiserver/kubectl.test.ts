import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { widgets } from './definitions.ts';
import { Kubectl, kubectls } from './kubectl.testing.ts';

const sample = (size: number): string =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: sample\nspec:\n  size: ${size}\n`;
const configMap = (value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  key: ${value}\n`;

it.skipIf(kubectls.length > 0)('kubectl (skipped: none in PATH or KUBEBUILDER_ASSETS)', () => undefined);

describe.each(kubectls)('kubectl $version', ({ path, version }) => {
  let environment: TestEnvironment;
  let folder: string;
  let client: Kubectl;

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', manifests: [widgets], users: [{ name: 'bob' }] });
    folder = await mkdtemp(join(tmpdir(), 'create-operator-kubectl-'));
    client = new Kubectl(path, await environment.kubeconfigFile(), folder);
  });
  afterAll(async () => {
    await environment.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (args: readonly string[], input = '') => client.run(args, input);
  const ok = (...args: readonly string[]) => client.ok(...args);
  const piped = (input: string, ...args: readonly string[]) => client.piped(input, ...args);

  it('works with a custom resource from apply to delete', async () => {
    expect(await piped(sample(3), 'apply')).toBe('widget.example.com/sample created');
    expect(await piped(sample(3), 'apply')).toBe('widget.example.com/sample unchanged');
    expect(await piped(sample(4), 'apply')).toBe('widget.example.com/sample configured');
    expect(await ok('get', 'wd', 'sample', '--no-headers')).toMatch(/^sample +4/);
    expect(await ok('get', 'all', '-o', 'name')).toBe('service/kubernetes\nwidget.example.com/sample');
    expect(await ok('explain', 'widget.spec')).toMatch(/size\t<integer> -required-/);
    expect(await ok('label', 'wd', 'sample', 'a=b')).toBe('widget.example.com/sample labeled');
    expect(await ok('annotate', 'wd', 'sample', 'a=b')).toMatch(/^widget\.example\.com\/sample annotate/);
    expect(await ok('scale', 'wd', 'sample', '--replicas=5')).toBe('widget.example.com/sample scaled');
    expect(await ok('edit', 'wd', 'sample')).toBe('widget.example.com/sample edited');
    await ok(
      'patch',
      'wd',
      'sample',
      '--type=merge',
      '--subresource=status',
      '-p',
      '{"status":{"phase":"Ready","size":5}}',
    );
    expect(await ok('wait', '--for=jsonpath={.status.phase}=Ready', 'wd/sample', '--timeout=10s')).toMatch(
      /condition met/,
    );
    expect(await ok('get', 'wd', 'sample', '--no-headers')).toMatch(/^sample +5 +Ready/);
    expect(await ok('get', 'wd', 'sample', '-o', 'jsonpath={.metadata.generation} {.spec.color}')).toBe('4 green');
    expect(await ok('describe', 'wd', 'sample')).toMatch(/Phase: +Ready/);
    expect(await ok('delete', 'wd', 'sample', '--timeout=10s')).toMatch(/deleted/);
    expect((await run(['get', 'wd', 'sample'])).stderr).toMatch(/widgets\.example\.com "sample" not found/);
  });

  it('shows why an object is refused', async () => {
    const { stderr } = await run(['apply', '-f', '-'], sample(100));
    expect(stderr).toMatch(/spec\.size: Invalid value: 100: spec\.size in body should be less than or equal to 10/);
    const strict = await run(['create', '-f', '-'], `${sample(1)}  nope: 1\n`);
    expect(strict.stderr).toMatch(/strict decoding error: unknown field "spec\.nope"/);
  });

  it('works with built-in kinds, in protobuf where it likes that', async () => {
    expect(await ok('create', 'namespace', 'team')).toBe('namespace/team created');
    expect(await ok('create', 'configmap', 'made', '--from-literal=a=b', '-n', 'team')).toBe('configmap/made created');
    expect(await ok('create', 'secret', 'generic', 'hidden', '--from-literal=a=b', '-n', 'team')).toBe(
      'secret/hidden created',
    );
    expect(await ok('get', 'secret', 'hidden', '-n', 'team', '-o', 'jsonpath={.data.a}')).toBe('Yg==');
    expect(await ok('create', 'deployment', 'web', '--image=nginx', '-n', 'team')).toBe('deployment.apps/web created');
    expect(await ok('set', 'image', 'deployment/web', 'nginx=nginx:2', '-n', 'team')).toBe(
      'deployment.apps/web image updated',
    );
    expect(await ok('get', 'deployment', 'web', '-n', 'team', '-o', 'wide', '--no-headers')).toMatch(
      /nginx:2 +app=web/,
    );
    expect(await ok('create', 'serviceaccount', 'robot', '-n', 'team')).toBe('serviceaccount/robot created');
    expect((await ok('create', 'token', 'robot', '-n', 'team')).split('.')).toHaveLength(3);
    expect(await ok('delete', 'namespace', 'team', '--timeout=10s')).toMatch(/deleted/);
  });

  it('applies on either side', async () => {
    expect(await piped(configMap('one'), 'apply')).toBe('configmap/settings created');
    expect(await piped(configMap('two'), 'apply', '--server-side')).toBe('configmap/settings serverside-applied');
    expect(await ok('get', 'configmap', 'settings', '-o', 'jsonpath={.data.key}')).toBe('two');
    const conflict = await run(['apply', '--server-side', '--field-manager=other', '-f', '-'], configMap('three'));
    expect(conflict.stderr).toMatch(/conflict with "kubectl": \.data\.key/);
    expect(
      await piped(configMap('three'), 'apply', '--server-side', '--field-manager=other', '--force-conflicts'),
    ).toBe('configmap/settings serverside-applied');
  });

  it('knows who may do what', async () => {
    expect(await ok('auth', 'can-i', 'delete', 'pods')).toBe('yes');
    expect((await run(['auth', 'can-i', 'list', 'pods', '--as', 'bob'])).stdout.trim()).toBe('no');
    // kubectl 1.27 asks for versions of the API that no server of today has.
    if (!version.startsWith('1.27'))
      expect(await ok('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe('admin');
    expect((await run(['get', 'pods', '--as', 'bob'])).stderr).toMatch(
      /User "bob" cannot list resource "pods" in API group "" in the namespace "default"/,
    );
  });

  it('reads the documents of older clients, too', async () => {
    const explain = (what: string) => ok('explain', what, '--output=plaintext-openapiv2');
    expect(await explain('widget.spec')).toMatch(/size\t<integer> -required-/);
    expect(await explain('deployment.spec.strategy.rollingUpdate')).toMatch(/maxSurge\t<string>/);
  });

  it('installs a kustomization', async () => {
    await writeFile(join(folder, 'kustomization.yaml'), 'namePrefix: pre-\nresources:\n- map.yaml\n');
    await writeFile(join(folder, 'map.yaml'), configMap('one'));
    expect(await ok('apply', '-k', folder)).toBe('configmap/pre-settings created');
  });
});
