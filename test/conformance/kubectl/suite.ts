import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { startApiServer, type ApiServer } from '../../../src/apiserver/index.ts';
import { RestClient } from '../../../src/testing/rest.ts';
import { run as runProgram, runChecked } from '../../../tools/repository.ts';
import { findGoModule } from '../kubernetes/go-module.ts';
import { findProgram, kubernetesVersion } from '../kubernetes/programs.ts';
import type { SuiteOptions, SuiteResult } from '../suite.ts';
import { leftOut } from './left-out.ts';

/** What the suite needs of the module. */
const folders = [
  'hack/lib',
  'hack/testdata',
  'test/cmd',
  'test/e2e/testing-manifests',
  'test/fixtures',
  'third_party/forked/shell2junit',
];
const driver = join(import.meta.dirname, 'drive.sh');
/** Functions at a time: they mostly wait for kubectl to start. */
const workers = 2;
/** How long one function may take, in milliseconds. */
const limit = 480_000;

interface Played {
  readonly name: string;
  readonly passed: boolean;
  readonly output: string;
}

/**
 * Runs the parts of kubectl's own shell suite that concern what a server serves, as they stand in the Kubernetes module, with the kubectl
 * that was built from it. Every function of the suite is either run or on the list of what is left out, with the reason; the variable
 * KUBECTL_TESTS asks for some of them only, left out or not.
 */
export async function run({ json, print }: SuiteOptions): Promise<SuiteResult> {
  const module = await findGoModule('k8s.io/kubernetes', kubernetesVersion);
  const kubectl = await findProgram('kubectl');
  const reason = typeof module !== 'string' ? module.reason : kubectl === undefined ? 'there is no kubectl' : undefined;
  if (typeof module !== 'string' || kubectl === undefined) {
    print(`skipped: ${reason ?? ''}`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const all = await functionsOf(module);
  const unknown = Object.keys(leftOut).filter((name) => !all.includes(name));
  for (const name of unknown) print(`${name} is left out, and the suite has no such function`);
  const only = process.env['KUBECTL_TESTS']?.split(' ');
  const queue = all.filter((name) => only?.includes(name) ?? leftOut[name] === undefined);
  const played: Played[] = [];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      await playFrom(queue, module, kubectl, (result) => {
        played.push(result);
        if (json) print(JSON.stringify(result));
        else print(result.passed ? `passed: ${result.name}` : `failed: ${result.name}\n${result.output}`);
      });
    }),
  );
  for (const [name, why] of Object.entries(leftOut)) if (!json) print(`left out: ${name}: ${why}`);
  const passed = played.filter((result) => result.passed).length;
  return { passed, failed: played.length - passed + unknown.length, skipped: all.length - played.length };
}

/** The functions that the suite runs, without what stands around their names. */
async function functionsOf(module: string): Promise<readonly string[]> {
  const script = await readFile(join(module, 'test', 'cmd', 'legacy-script.sh'), 'utf8');
  return [...new Set([...script.matchAll(/^\s*record_command run_(\w+)/gm)].map(([, name = '']) => name))];
}

async function playFrom(
  queue: string[],
  module: string,
  kubectl: string,
  note: (result: Played) => void,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'create-operator-kubectl-'));
  try {
    for (const folder of folders) {
      await mkdir(dirname(join(root, folder)), { recursive: true });
      await cp(join(module, folder), join(root, folder), { recursive: true });
    }
    await runChecked('chmod', ['-R', 'u+w', root]);
    await readOwnFiles(join(root, 'test', 'cmd', 'generic-resources.sh'));
    await mkdir(join(root, '_output', 'bin'), { recursive: true });
    const path = kubectl.includes('/') ? resolve(kubectl) : (await runChecked('which', [kubectl])).trim();
    await symlink(path, join(root, '_output', 'bin', 'kubectl'));
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      // As the suite's own: everybody may do everything, and beside the server is a controller manager, but nothing that runs pods. Each
      // function has a new one, so that none finds what another one left.
      const server = await startApiServer({ adminToken: 'admin-token', authorization: false, workloads: 'pending' });
      try {
        await makeNode(server);
        note(await play(name, root, new URL(server.url).port));
      } finally {
        await server.stop();
      }
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** One function reads a file of the module from the network: it gets the module's own. */
async function readOwnFiles(script: string): Promise<void> {
  const source = await readFile(script, 'utf8');
  const own = source.replaceAll('https://raw.githubusercontent.com/kubernetes/kubernetes/master/', '');
  if (own === source) throw new Error(`${script} does not read from the network any more`);
  await writeFile(script, own);
}

/** The one node of the suite's own setup, with what a controller manager says of nodes that no kubelet reports. */
async function makeNode({ url, caCertificate, adminToken }: ApiServer): Promise<void> {
  const client = new RestClient({ url, caCertificate, token: adminToken });
  const node = {
    metadata: { name: '127.0.0.1', annotations: { 'save-managers': 'true' } },
    status: {
      capacity: { memory: '1Gi' },
      conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
      })),
    },
  };
  const { status, text } = await client.send({ method: 'POST', path: '/api/v1/nodes', body: node });
  client.close();
  if (status !== 201) throw new Error(`the node was not made: ${text}`);
}

async function play(name: string, root: string, port: string): Promise<Played> {
  const signal = AbortSignal.timeout(limit);
  try {
    const { code, stdout, stderr } = await runProgram('bash', [driver, root, port, name], { signal });
    return { name, passed: code === 0, output: code === 0 ? '' : `${stdout}${stderr}`.slice(-9000) };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { name, passed: false, output: `it did not end within ${limit / 1000} s` };
  }
}
