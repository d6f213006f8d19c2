// The operator as it is shipped: the bundle started as the Dockerfile and the Deployment say, without node_modules, on a read-only root, as
// user 65532, with a ServiceAccount's token, CA and namespace, against a cluster set up from `kubectl kustomize config/default`.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { run, runChecked } from '../../tools/repository.ts';
import { findProgram, findPrograms, withoutPrograms } from '../conformance/kubernetes/programs.ts';
import { endAll, type Running } from './project.ts';
import {
  buildImage,
  findContainerEngine,
  startInEngine,
  startInNamespaces,
  withoutNamespaces,
} from './shipped/container.ts';
import { podOf, type PodSpec, readDockerfile, tokenOf } from './shipped/pod.ts';
import { LinkedProject } from './shipped/project.ts';

const minute = 60_000;
const kubectl = await findProgram('kubectl');
const engine = await findContainerEngine();
const noNamespaces = await withoutNamespaces();

afterEach(endAll, minute);

const servers = [
  { server: 'the embedded API server', assets: '', missing: undefined },
  {
    server: 'a real kube-apiserver',
    assets: findPrograms() ?? '',
    missing: findPrograms() === undefined ? withoutPrograms.replace(/^ \(skipped: (.*)\)$/, '$1') : undefined,
  },
];
const noEngine = engine === undefined ? 'there is no container engine that answers' : undefined;
const forms = [
  { form: 'its bundle in a root file system of its own', image: false, missing: noNamespaces },
  { form: 'its image, built and run by a container engine', image: true, missing: noEngine },
];
const cases = forms.flatMap((form) =>
  servers.map((server) => {
    const missing = kubectl === undefined ? 'there is no kubectl' : (form.missing ?? server.missing);
    return { ...server, ...form, missing };
  }),
);

const operators = [
  {
    operator: 'an operator of all namespaces',
    name: 'my-operator',
    flags: [],
    kinds: [
      ['--kind', 'Widget'],
      ['--kind', 'Policy', '--scope', 'Cluster'],
    ],
  },
  {
    operator: 'an operator of one namespace',
    name: 'my-other',
    flags: ['--namespaced'],
    kinds: [['--kind', 'Widget']],
  },
];

/** What `make deploy` runs. */
const deploy = ['apply', '--server-side', '-k', 'config/default'];

/** A project that was bundled. */
interface Shipped {
  readonly name: string;
  readonly kinds: number;
  readonly namespace: string;
  readonly account: string;
  readonly project: LinkedProject;
}

describe.each(operators)('$operator', ({ name, flags, kinds }) => {
  let shipped: Shipped;
  beforeAll(async () => {
    if (kubectl === undefined) return;
    const project = await LinkedProject.create(name, kinds, ...flags);
    await project.bundle();
    const account = `${name}-controller-manager`;
    shipped = { name, kinds: kinds.length, namespace: `${name}-system`, account, project };
  }, 2 * minute);
  afterAll(() => shipped?.project.remove());

  // Whole titles, with the reason why a case is skipped: those that vitest puts together would be cut.
  for (const { form, image, server, assets, missing } of cases) {
    const skipped = missing === undefined ? '' : ` (skipped: ${missing})`;
    it.skipIf(missing !== undefined)(
      `does its work and ends in order: ${form}, on ${server}${skipped}`,
      () => runsShipped(shipped, image, assets),
      5 * minute,
    );
  }
});

async function runsShipped(shipped: Shipped, image: boolean, assets: string): Promise<void> {
  await using environment = await startTestEnvironment({ project: false, assets });
  const { project, namespace, account } = shipped;
  const folder = mkdtempSync(join(project.folder, 'run-'));
  const env = { KUBECONFIG: await environment.kubeconfigFile() };
  const deployed = await runChecked(kubectl ?? '', deploy, { cwd: project.root, env });
  expect(deployed).toContain(`deployment.apps/${account} serverside-applied`);
  // As make deploy does again after a change.
  await runChecked(kubectl ?? '', deploy, { cwd: project.root, env });
  const pod = await podOf(environment, namespace, account);
  const operator = await start(image, folder, shipped, pod);
  try {
    await probesAnswer(pod, operator);
    await samplesGetReady(environment, folder, shipped, operator);
    await leaseIsHeld(environment, shipped);
    await metricsAreGuarded(environment, shipped, pod, operator);
    if (!image) expectModest(operator, pod);
  } catch (error) {
    throw new Error(`${String(error)}\nThe operator said:\n${operator.output}`, { cause: error });
  }
  expect(await operator.end('SIGTERM'), operator.output).toBe(0);
  expect(operator.output).not.toMatch(/forbidden|"level":"error"|"code":403|Warning:|EROFS|EACCES/i);
}

async function start(asImage: boolean, folder: string, { project }: Shipped, pod: PodSpec): Promise<Running> {
  if (asImage && engine !== undefined) {
    await buildImage(engine, project.root, pod.image);
    return startInEngine(engine, pod.image, folder, pod);
  }
  const image = readDockerfile(readFileSync(project.path('Dockerfile'), 'utf8'));
  expect(image.user).toBe('65532:65532');
  return startInNamespaces(project.root, folder, image, pod);
}

async function probesAnswer({ ports, probes }: PodSpec, operator: Running): Promise<void> {
  expect(probes).toEqual(['/healthz', '/readyz']);
  for (const path of probes) {
    const answers = async (): Promise<void> =>
      expect((await fetch(`http://127.0.0.1:${ports['health']}${path}`)).status, operator.output).toBe(200);
    const ended = operator.ended.then((code) => {
      throw new Error(`the operator ended: ${code}`);
    });
    await Promise.race([vi.waitFor(answers, { timeout: minute, interval: 200 }), ended]);
  }
}

/** Runs the project's own end-to-end test, for an operator that runs already. */
async function samplesGetReady(
  environment: TestEnvironment,
  folder: string,
  { project, kinds }: Shipped,
  operator: Running,
): Promise<void> {
  const kubeconfig = await environment.kubeconfigFile();
  const context = await runChecked(kubectl ?? '', ['config', 'current-context'], { env: { KUBECONFIG: kubeconfig } });
  const vitest = join(project.root, 'node_modules/vitest/vitest.mjs');
  const { code, stdout, stderr } = await run(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.e2e.config.ts', '--no-color'],
    {
      cwd: project.root,
      env: {
        KUBECONFIG: kubeconfig,
        KUBECTL: kubectl,
        E2E_CONTEXT: context.trim(),
        E2E_DEPLOYED: 'true',
        TMPDIR: folder,
        VITEST: undefined,
      },
    },
  );
  expect(code, `${stdout}${stderr}\n${operator.output}`).toBe(0);
  expect(stdout).toMatch(/Tests\s+1 passed \| 2 skipped/);
  for (const step of ['finalizer added', 'external resource created', 'status written', 'finalizer removed']) {
    expect(operator.output.split(step).length, step).toBeGreaterThan(kinds);
  }
}

async function leaseIsHeld(environment: TestEnvironment, { namespace }: Shipped): Promise<void> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const list = (await environment.request({ path })).json() as { items: { spec: { holderIdentity?: string } }[] };
  expect(list.items).toHaveLength(1);
  expect(list.items[0]?.spec.holderIdentity).toEqual(expect.stringMatching(/./));
}

/** 401 for nobody, 403 for somebody, and metrics for who is bound to the reader's role, as config/rbac has it. */
async function metricsAreGuarded(
  environment: TestEnvironment,
  { name, namespace, account }: Shipped,
  pod: PodSpec,
  operator: Running,
): Promise<void> {
  const port = pod.ports['https'] ?? 0;
  expect((await getMetrics(port)).status).toBe(401);
  const token = await tokenOf(environment, namespace, account);
  expect((await getMetrics(port, token)).status).toBe(403);
  await environment.install({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `${name}-metrics-reader` },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  });
  // A refusal is remembered for a while.
  const shown = async (): Promise<void> => {
    const { status, text } = await getMetrics(port, await tokenOf(environment, namespace, account));
    expect(status, operator.output).toBe(200);
    expect(text).toMatch(/controller_runtime_reconcile_total\{[^}]*\} [1-9]/);
  };
  await vi.waitFor(shown, { timeout: minute, interval: 500 });
}

function getMetrics(port: number, token?: string): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  request(
    { host: '127.0.0.1', port, path: '/metrics', headers, rejectUnauthorized: false, agent: false },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject).once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    },
  )
    .once('error', reject)
    .end();
  return promise;
}

/** The process is who the image says, sees what the image holds and can change none of it, and has kept below the memory limit. */
function expectModest(operator: Running, pod: PodSpec): void {
  const status = readFileSync(`/proc/${operator.pid}/status`, 'utf8');
  const field = (key: string): string => new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  expect(field('Uid').split(/\s+/)).toEqual(['65532', '65532', '65532', '65532']);
  expect(field('Gid').split(/\s+/)).toEqual(['65532', '65532', '65532', '65532']);
  expect(field('NoNewPrivs')).toBe('1');
  expect(field('CapEff')).toMatch(/^0+$/);
  const command = readFileSync(`/proc/${operator.pid}/cmdline`, 'utf8').split('\0');
  expect(command.slice(0, 3)).toEqual(['/nodejs/bin/node', '--enable-source-maps', '/app/main.js']);
  expect(readdirSync(`/proc/${operator.pid}/root${dirname(command[2] ?? '')}`)).toEqual(['main.js', 'main.js.map']);
  const mounts = readFileSync(`/proc/${operator.pid}/mountinfo`, 'utf8').split('\n');
  const options = mounts
    .map((line) => line.split(' '))
    .flatMap(([, , , , point, flags]) => (point === '/' ? [flags] : []));
  expect(options).toEqual([expect.stringMatching(/^ro\b/)]);
  const heap = Number(/--max-old-space-size=(\d+)/.exec(pod.environment['NODE_OPTIONS'] ?? '')?.[1]);
  const limit = Number(/^(\d+)Mi$/.exec(pod.memoryLimit)?.[1]);
  const peak = Number(/^(\d+) kB$/.exec(field('VmHWM'))?.[1]) / 1024;
  // Beside a full heap about 60 MiB are needed: young generation, stacks, buffers, compiled code.
  expect(heap + 64).toBeLessThanOrEqual(limit);
  expect(peak).toBeLessThan(limit);
}
