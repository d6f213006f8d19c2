// A real etcd and kube-apiserver for tests: on loopback, with data that is thrown away, never outliving this process.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient, type ApiClient } from './client.ts';
import { writeKubeconfig, type Access } from './kubeconfig.ts';
import { freePorts, startProcess, type BackgroundProcess } from './process.ts';
import { findPrograms } from './programs.ts';

/** Milliseconds from the start of a program to its being ready; 3.5 s is usual on two cores. */
const startDeadline = 60_000;

export interface KubernetesUser {
  /** `jane`, or `system:serviceaccount:<namespace>:<name>`. */
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface KubernetesOptions {
  /** The folder of etcd and kube-apiserver. Default: {@link findPrograms}. */
  readonly assets?: string;
  /** Users besides `admin` (of `system:masters`); what they may do is up to RBAC. */
  readonly users?: readonly KubernetesUser[];
  /** Starts kube-controller-manager, too (garbage collection, namespaces, built-in workloads). Default false. */
  readonly controllerManager?: boolean;
  /** Writes one line of JSON for each request that changes something, with what was sent, into `Kubernetes.auditLog`. Default false. */
  readonly audit?: boolean;
}

/** A running server. */
export interface Kubernetes {
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  /** How a user reaches it. Default user: `admin`, who may do everything. */
  readonly access: (user?: string) => Access;
  /** A client for a user; `stop` closes it. */
  readonly client: (user?: string) => ApiClient;
  /** Writes a kubeconfig of a user (default `admin`) into the server's temporary folder and returns its path. */
  readonly kubeconfig: (user?: string) => string;
  /** The file of the audit log; it stays empty unless `audit` was asked for. */
  readonly auditLog: string;
  /** Kills kube-apiserver as a crash would; the data stays. */
  readonly killApiServer: () => Promise<void>;
  /** Starts it again on the same port and waits until it is ready. */
  readonly startApiServer: () => Promise<void>;
  /** Makes etcd forget all states but the present one: what asks for an older one, or goes on with an older list, is refused. */
  readonly compact: () => Promise<void>;
  /** Kills everything and removes all data. */
  readonly stop: () => Promise<void>;
}

interface Token {
  readonly user: KubernetesUser;
  readonly token: string;
}

const controllerManagerUser = 'system:kube-controller-manager';

export async function startKubernetes(options: KubernetesOptions = {}): Promise<Kubernetes> {
  const assets = options.assets ?? findPrograms();
  if (assets === undefined) throw new Error('there are no etcd and kube-apiserver: see test/conformance/kubernetes');
  // A port that was free can be taken by the time a program listens on it.
  for (let attempt = 1; ; attempt++) {
    const folder = await mkdtemp(join(tmpdir(), 'create-operator-kubernetes-'));
    const processes: BackgroundProcess[] = [];
    try {
      return await start(assets, folder, options, processes);
    } catch (error) {
      await stopAll(processes, folder);
      if (attempt === 3 || !(error instanceof Error) || !error.message.includes('address already in use')) throw error;
    }
  }
}

/** By the JSON gateway of etcd (its API reference: `maintenance.Status`, `kv.Compact`). */
async function compact(etcdUrl: string): Promise<void> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${etcdUrl}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { header } = (await post('maintenance/status', {})) as { readonly header: { readonly revision: string } };
  await post('kv/compaction', { revision: header.revision, physical: true });
}

async function stopAll(processes: BackgroundProcess[], folder: string): Promise<void> {
  // The last started goes first, so that none logs the loss of the one it depends on.
  for (const started of processes.splice(0).reverse()) await started.kill();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function start(
  assets: string,
  folder: string,
  options: KubernetesOptions,
  processes: BackgroundProcess[],
): Promise<Kubernetes> {
  const [etcdPort = 0, etcdPeerPort = 0, port = 0] = await freePorts(3);
  const server = `https://127.0.0.1:${port}`;
  const tokens = createTokens(options);
  const keyFile = join(folder, 'service-account.key');
  const tokenFile = join(folder, 'tokens.csv');
  writeFileSync(keyFile, rsaKey(), { mode: 0o600 });
  writeFileSync(tokenFile, tokens.map(tokenLine).join(''), { mode: 0o600 });

  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${etcdPeerPort}`;
  processes.push(
    startProcess(
      'etcd',
      join(assets, 'etcd'),
      // prettier-ignore
      ['--name', 'test', '--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcdUrl,
       '--advertise-client-urls', etcdUrl, '--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl,
       '--initial-cluster', `test=${peerUrl}`, '--unsafe-no-fsync'],
      join(folder, 'etcd.log'),
      folder,
    ),
  );

  const auditLog = join(folder, 'audit.log');
  const auditPolicy = join(folder, 'audit-policy.json');
  writeFileSync(auditLog, '');
  writeFileSync(auditPolicy, JSON.stringify(writesOnly));

  const launchApiServer = (): BackgroundProcess =>
    startProcess(
      'kube-apiserver',
      join(assets, 'kube-apiserver'),
      // prettier-ignore
      ['--etcd-servers', etcdUrl, '--secure-port', String(port), '--bind-address', '127.0.0.1',
       '--advertise-address', '127.0.0.1', '--endpoint-reconciler-type', 'none', '--allow-privileged=true', '--cert-dir', join(folder, 'certificates'),
       '--service-account-key-file', keyFile, '--service-account-signing-key-file', keyFile,
       '--service-account-issuer', 'https://localhost', '--service-cluster-ip-range', '10.0.0.0/24',
       '--token-auth-file', tokenFile, '--authorization-mode', 'RBAC', '--disable-admission-plugins', 'ServiceAccount',
       ...(options.audit === true ? ['--audit-policy-file', auditPolicy, '--audit-log-path', auditLog] : [])],
      join(folder, 'kube-apiserver.log'),
    );
  let apiServer = launchApiServer();
  processes.push(apiServer);

  const certificate = join(folder, 'certificates', 'apiserver.crt');
  // The file appears when the server has made its certificate; the authority that signed it stands in it, too.
  const access = (user = 'admin'): Access => {
    const found = tokens.find((token) => token.user.name === user);
    if (found === undefined) throw new Error(`the server was started without a user "${user}"`);
    return { server, certificateAuthority: readFileSync(certificate, 'utf8'), user, token: found.token };
  };
  const clients: ApiClient[] = [];
  const client = (user?: string): ApiClient => {
    const created = createClient(access(user));
    clients.push(created);
    return created;
  };
  const kubeconfig = (user = 'admin'): string => {
    const path = join(folder, `${user.replaceAll(/[^a-z0-9-]/gi, '_')}.kubeconfig`);
    writeKubeconfig(path, access(user));
    return path;
  };
  await ready(processes, apiServer, access);

  if (options.controllerManager === true) {
    processes.push(
      startProcess(
        'kube-controller-manager',
        join(assets, 'kube-controller-manager'),
        // prettier-ignore
        ['--kubeconfig', kubeconfig(controllerManagerUser), '--leader-elect=false', '--secure-port', '0',
         '--use-service-account-credentials=true', '--service-account-private-key-file', keyFile, '--root-ca-file', certificate],
        join(folder, 'kube-controller-manager.log'),
      ),
    );
  }

  return {
    server,
    access,
    client,
    kubeconfig,
    auditLog,
    compact: async () => await compact(etcdUrl),
    killApiServer: async () => await apiServer.kill(),
    startApiServer: async () => {
      processes.splice(processes.indexOf(apiServer), 1);
      apiServer = launchApiServer();
      processes.push(apiServer);
      await ready(processes, apiServer, access);
    },
    stop: async () => {
      for (const created of clients) created.close();
      await stopAll(processes, folder);
    },
  };
}

const writesOnly = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Request', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] }, { level: 'None' }],
};

function createTokens(options: KubernetesOptions): Token[] {
  const users: KubernetesUser[] = [{ name: 'admin', groups: ['system:masters'] }, ...(options.users ?? [])];
  if (options.controllerManager === true) users.push({ name: controllerManagerUser });
  return users.map((user) => ({ user, token: randomUUID() }));
}

/** A line of a static token file: token, user, uid, groups. */
function tokenLine({ user, token }: Token, index: number): string {
  const groups = user.groups === undefined || user.groups.length === 0 ? '' : `,"${user.groups.join(',')}"`;
  return `${token},"${user.name}",${index + 1}${groups}\n`;
}

function rsaKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}

/** Waits until the server says that it is ready and has its default namespace; fails as soon as a program ends. */
async function ready(
  processes: readonly BackgroundProcess[],
  apiServer: BackgroundProcess,
  access: () => Access,
): Promise<void> {
  const deadline = performance.now() + startDeadline;
  let last = 'it did not answer';
  while (performance.now() < deadline) {
    for (const started of processes) {
      if (!started.running) throw new Error(`${started.name} has ended:\n${started.lastOutput()}`);
    }
    try {
      const client = createClient(access());
      try {
        const health = await client.request('GET', '/readyz', { timeout: 5000 });
        const namespace = await client.request('GET', '/api/v1/namespaces/default', { timeout: 5000 });
        if (health.status === 200 && namespace.status === 200) return;
        last = `/readyz said ${health.status} ${JSON.stringify(health.body)}`;
      } finally {
        client.close();
      }
    } catch (error) {
      // No certificate yet, or nothing listens yet.
      last = error instanceof Error ? error.message : String(error);
    }
    await wait(50);
  }
  throw new Error(
    `kube-apiserver was not ready within ${startDeadline / 1000} s (${last}):\n${apiServer.lastOutput()}`,
  );
}
