import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { Kubectl, kubectls } from './kubectl.testing.ts';

it.skipIf(kubectls.length > 0)('kubectl and workloads (skipped: none in PATH or KUBEBUILDER_ASSETS)', () => undefined);

describe.each(kubectls)('kubectl and workloads $version', ({ path }) => {
  let environment: TestEnvironment;
  let folder: string;
  let client: Kubectl;

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', project: false, server: { workloads: true } });
    folder = await mkdtemp(join(tmpdir(), 'create-operator-kubectl-'));
    client = new Kubectl(path, await environment.kubeconfigFile(), folder);
  });
  afterAll(async () => {
    await environment.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ok = (...args: readonly string[]) => client.ok(...args);

  it('rolls a deployment out, back, up and down', async () => {
    await ok('create', 'deployment', 'web', '--image=nginx:1', '--replicas=3');
    expect(await ok('rollout', 'status', 'deployment/web', '--timeout=20s')).toContain('successfully rolled out');
    expect(await ok('wait', '--for=condition=Available', 'deployment/web', '--timeout=20s')).toContain('condition met');
    expect(await ok('get', 'deployment', 'web', '--no-headers')).toMatch(/^web +3\/3 +3 +3 /);
    expect(await ok('get', 'pods', '-l', 'app=web', '--no-headers')).toMatch(
      /^(web-\w+-\w{5} +1\/1 +Running +0 .*\n?){3}$/,
    );
    await ok('set', 'image', 'deployment/web', 'nginx=nginx:2');
    expect(await ok('rollout', 'status', 'deployment/web', '--timeout=20s')).toContain('successfully rolled out');
    expect(await ok('get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[0].image}')).toBe(
      'nginx:2 nginx:2 nginx:2',
    );
    expect(await ok('rollout', 'history', 'deployment/web')).toMatch(/REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>/);
    await ok('rollout', 'undo', 'deployment/web');
    expect(await ok('rollout', 'status', 'deployment/web', '--timeout=20s')).toContain('successfully rolled out');
    expect(await ok('get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe(
      'nginx:1',
    );
    await ok('rollout', 'restart', 'deployment/web');
    expect(await ok('rollout', 'status', 'deployment/web', '--timeout=20s')).toContain('successfully rolled out');
    await ok('scale', 'deployment/web', '--replicas=1');
    await environment.server?.idle();
    expect((await ok('get', 'pods', '-o', 'name')).split('\n')).toHaveLength(1);
    await ok('expose', 'deployment/web', '--port=80');
    await environment.server?.idle();
    expect(await ok('get', 'endpointslices', '--no-headers')).toMatch(/^web-\w{5} +IPv4 +80 +10\.244\.\d+\.\d+ /);
    expect(await ok('delete', 'deployment/web', '--cascade=foreground', '--timeout=20s')).toContain('deleted');
    expect(await ok('get', 'pods', '-o', 'name')).toBe('');
  });

  it('runs jobs and pods to their ends', async () => {
    await ok('create', 'job', 'once', '--image=busybox', '--', 'true');
    expect(await ok('wait', '--for=condition=Complete', 'job/once', '--timeout=20s')).toContain('condition met');
    expect(await ok('get', 'job', 'once', '--no-headers')).toMatch(/^once +Complete +1\/1 /);
    await ok('run', 'shell', '--image=busybox', '--restart=Never');
    expect(await ok('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/shell', '--timeout=20s')).toContain('met');
    const logs = await client.run(['logs', 'shell']);
    expect([logs.code, logs.stderr]).toEqual([1, expect.stringContaining('runs no containers') as string]);
  });

  it('drains the node', async () => {
    await ok('create', 'deployment', 'moved', '--image=nginx:1', '--replicas=2');
    await ok('rollout', 'status', 'deployment/moved', '--timeout=20s');
    expect(await ok('get', 'nodes', '--no-headers')).toMatch(/^embedded +Ready +<none> .* +v1\.37\.2$/);
    const before = await ok('get', 'pods', '-o', 'name', '-l', 'app=moved');
    expect(await ok('drain', 'embedded', '--ignore-daemonsets', '--force', '--timeout=20s')).toContain('drained');
    await environment.server?.idle();
    const after = await ok('get', 'pods', '-o', 'name', '-l', 'app=moved');
    expect(after.split('\n')).toHaveLength(2);
    for (const name of before.split('\n')) expect(after).not.toContain(name);
    expect(await ok('get', 'pods', '-l', 'app=moved', '--no-headers')).toMatch(/^(moved-\S+ +0\/1 +Pending .*\n?){2}$/);
    expect(await ok('uncordon', 'embedded')).toContain('uncordoned');
    expect(await ok('rollout', 'status', 'deployment/moved', '--timeout=20s')).toContain('successfully rolled out');
  });

  it('is told what policies have against a request', async () => {
    await client.piped(
      `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: replicas.example.com }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments, deployments/scale] }]
  validations:
  - expression: object.spec.replicas <= 5
    messageExpression: "'not ' + string(object.spec.replicas) + ' replicas'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: replicas.example.com }
spec: { policyName: replicas.example.com, validationActions: [Deny] }
`,
      'apply',
    );
    const refused = await client.run(['create', 'deployment', 'many', '--image=nginx', '--replicas=6']);
    expect(refused.stderr).toContain(
      `deployments.apps "many" is forbidden: ValidatingAdmissionPolicy 'replicas.example.com' with binding 'replicas.example.com' denied request: not 6 replicas`,
    );
    await ok('create', 'deployment', 'few', '--image=nginx', '--replicas=1');
    const scaled = await client.run(['scale', 'deployment/few', '--replicas=7']);
    expect(scaled.stderr).toContain('not 7 replicas');
    expect(await ok('get', 'validatingadmissionpolicies', '--no-headers')).toMatch(
      /^replicas\.example\.com +1 +<unset> /,
    );
  });
});
