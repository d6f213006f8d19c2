// The quickstart with the three kinds of fixtures/compute: generate and check from the tarballs, then the example operator.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readManifests } from '../../src/testing/manifests.ts';
import { findPrograms, kubernetesVersion } from '../../test/conformance/kubernetes/programs.ts';
import { startKubernetes } from '../../test/conformance/kubernetes/server.ts';
import { pack } from '../pack.ts';
import { root } from '../repository.ts';
import { startApiServer } from './api-server.ts';
import { Cluster } from './cluster.ts';
import { OperatorLog } from './operator-log.ts';
import { command, excerpt, fact, heading, say, show, tree } from './screen.ts';
import { eventually, type Session } from './session.ts';
import type { Kept } from './widget.ts';

const fixture = join(root, 'fixtures', 'compute');
const collection = '/apis/compute.cloud.com/v1/namespaces/default/ec2instances';
const instance = `${collection}/full`;
const account = { namespace: 'compute-system', name: 'controller-manager' };

/** What `generate` is asked for. */
// prettier-ignore
const generateArguments = [
  'generate', '--source', 'src/api/v1/*.types.ts', '--crd-dir', 'config/crd/bases', '--rbac-dir', 'config/rbac',
  '--role-name', 'manager-role', '--client-dir', 'src/generated',
];

export async function computeQuickstart(session: Session, keep: boolean): Promise<Kept> {
  const project = await generate(session);
  const kubeconfig = await startServer(session, project);
  const cluster = await Cluster.open(session, project, kubeconfig);
  try {
    await install(project, cluster);
    return await runOperator(session, project, cluster, kubeconfig, keep);
  } finally {
    cluster.close();
  }
}

/** Installs the tarballs beside the fixture's types and generates; returns the folder of the project. */
async function generate(session: Session): Promise<string> {
  heading('Pack both packages');
  const tarballs = await pack(join(session.folder, 'tarballs'));
  for (const { path, size } of tarballs) {
    say(`${path.slice(session.folder.length + 1)}  ${(size / 1000).toFixed(0)} kB`);
  }

  heading('Install them into a fresh project');
  const project = join(session.folder, 'project');
  mkdirSync(join(project, 'src', 'api'), { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'quickstart', private: true, type: 'module' }));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }, undefined, 2));
  const files = tarballs.map(({ path }) => path);
  command(
    'npm install',
    files.map((path) => `..${path.slice(session.folder.length)}`),
  );
  await session.run('npm', ['install', '--prefer-offline', ...files], { cwd: project });
  cpSync(join(fixture, 'decorators'), join(project, 'src', 'api', 'v1'), { recursive: true });
  say('The API: three kinds of compute.cloud.com/v1 with markers in their types.');
  show(
    excerpt(readFileSync(join(project, 'src', 'api', 'v1', 'ec2-instance.types.ts'), 'utf8'), 'class BlockDevice', 19),
  );

  heading('Generate');
  const createOperator = join(project, 'node_modules', '.bin', 'create-operator');
  command('npx create-operator', generateArguments);
  show(await session.run(createOperator, generateArguments, { cwd: project }));
  show(tree(project, ['node_modules', 'package-lock.json']));
  say('');
  say('config/crd/bases/compute.cloud.com_ec2instances.yaml:');
  const definition = readFileSync(join(project, 'config/crd/bases/compute.cloud.com_ec2instances.yaml'), 'utf8');
  show(excerpt(definition, 'blockDevices:', 24));

  heading('Check, as CI would');
  command('npx create-operator', ['generate', '--check', '...']);
  show(await session.run(createOperator, [...generateArguments, '--check'], { cwd: project }));
  return project;
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  experimentalDecorators: true,
  useDefineForClassFields: false,
};

/** A real API server where its programs are, else the embedded one; returns the administrator's kubeconfig. */
async function startServer(session: Session, project: string): Promise<string> {
  const assets = findPrograms();
  if (assets === undefined) {
    heading('Start the embedded API server');
    const kubeconfig = join(session.folder, 'kubeconfig');
    await startApiServer(session, join(project, 'node_modules', '.bin', 'create-operator'), kubeconfig);
    return kubeconfig;
  }
  heading('Start a real API server');
  session.signal.throwIfAborted();
  const started = performance.now();
  const kubernetes = await startKubernetes({ assets });
  session.defer(() => kubernetes.stop());
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`etcd and kube-apiserver ${kubernetesVersion} are ready after ${seconds} s.`);
  return kubernetes.kubeconfig();
}

async function install(project: string, cluster: Cluster): Promise<void> {
  heading('Install definitions and permissions');
  for (const set of ['valid', 'refused']) {
    cpSync(join(fixture, 'samples', set), join(project, 'samples', set), { recursive: true });
  }
  const access = join(project, 'config', 'operator');
  mkdirSync(access);
  cpSync(join(fixture, 'operator', 'config', 'rbac', 'role.yaml'), join(access, 'role.yaml'));
  writeFileSync(join(access, 'account.yaml'), accountManifests.map((manifest) => stringify(manifest)).join('---\n'));
  const folders = ['config/crd/bases', 'config/operator'];
  const read = () => readManifests(folders.map((folder) => join(project, folder)));
  await cluster.apply(['--validate=strict', ...folders.flatMap((folder) => ['-f', folder])], read);
  say('An instance with a disk that is too large breaks a validation:');
  await cluster.refused('samples/refused/ec2instance-size-above.yaml', collection);
}

/** What a deployment has besides the generated role. */
const accountManifests = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: account.namespace } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
  binding('ClusterRole', {}),
  binding('Role', { namespace: account.namespace }),
];

function binding(kind: 'Role' | 'ClusterRole', scope: { readonly namespace?: string }) {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: `${kind}Binding`,
    metadata: { name: 'manager-rolebinding', ...scope },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'manager-role' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
}

async function runOperator(
  session: Session,
  project: string,
  cluster: Cluster,
  kubeconfig: string,
  keep: boolean,
): Promise<Kept> {
  const { signal } = session;
  heading('Run the operator of fixtures/compute as its ServiceAccount');
  const operatorConfig = join(session.folder, 'operator.kubeconfig');
  const text = await cluster.serviceAccountKubeconfig(account.namespace, account.name);
  writeFileSync(operatorConfig, text, { mode: 0o600 });
  const cloud = join(project, 'cloud');
  const args = ['--kubeconfig', operatorConfig, '--cloud', cloud];
  command('npm run example --', ['--kubeconfig', '../operator.kubeconfig', '--cloud', 'cloud']);
  const log = new OperatorLog();
  const operator = session.start(process.execPath, [join(root, 'tools', 'example.ts'), ...args], {
    cwd: root,
    line: log.line,
  });
  await log.says('Starting workers', signal, operator);

  heading('Create an instance, a bucket and a queue');
  const names = ['ec2instance-full', 's3bucket-full', 'sqsqueue-fifo'];
  const files = names.map((name) => `samples/valid/${name}.yaml`);
  const read = () => readManifests(files.map((file) => join(project, file)));
  await cluster.apply(['--validate=strict', ...files.flatMap((file) => ['-f', file])], read);
  const running = await eventually('an instance that runs', signal, async () => {
    const object = await cluster.object(instance);
    return object?.status?.['state'] === 'running' ? object : undefined;
  });
  await eventually('three resources in the cloud', signal, () => (resources(cloud).length === 3 ? true : undefined));
  fact('finalizer', running.metadata.finalizers?.join(', ') ?? 'none');
  for (const file of resources(cloud)) fact('external resource', `cloud/${file}`);
  await cluster.columns('ec2instances', collection);
  await cluster.columns('s3buckets', collection.replace('ec2instances', 's3buckets'));
  await cluster.columns('sqsqueues', collection.replace('ec2instances', 'sqsqueues'));
  const kept = {
    kubeconfig,
    commands: ['kubectl get ec2,s3buckets,sqsqueues', 'kubectl describe ec2 full'],
    operator,
    log,
  };
  if (keep) return kept;

  heading('Delete them');
  const objects = [
    ['ec2instance', instance],
    ['s3bucket', instance.replace('ec2instances', 's3buckets')],
    ['sqsqueue', `${collection.replace('ec2instances', 'sqsqueues')}/fifo`],
  ] as const;
  for (const [resource, path] of objects) await cluster.delete(resource, path);
  for (const [resource, path] of objects) {
    await eventually(`the end of the ${resource}`, signal, async () =>
      (await cluster.object(path)) === undefined ? true : undefined,
    );
  }
  const left = resources(cloud);
  if (left.length > 0) throw new Error(`the operator left ${left.join(', ')} in the cloud`);
  fact('external resources', 'gone');
  fact('objects', 'gone');

  heading('Stop the operator');
  await operator.stop();
  const ending = await operator.ended;
  if (ending !== 'exit code 0') throw new Error(`the operator ended with ${ending}\n${log.tail()}`);
  fact('operator', 'ended in order, exit code 0');
  return kept;
}

/** The files that stand for resources, `<kind>/<id>.json`, sorted. */
function resources(cloud: string): string[] {
  if (!existsSync(cloud)) return [];
  return readdirSync(cloud, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort();
}
