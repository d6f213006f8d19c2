import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RestClient } from './rest.ts';

/** A user that a real server knows from its start. */
export interface RealServerUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly token: string;
}

export interface RealServer {
  readonly url: string;
  readonly caCertificate: string;
  /** Ends both processes and removes their files. */
  stop(): Promise<void>;
}

interface Program {
  readonly process: ChildProcess;
  readonly name: string;
  /** The end of what it printed. */
  readonly output: () => string;
}

/**
 * Starts etcd and kube-apiserver from a folder, as controller-runtime's envtest does.
 *
 * @throws Error with the last lines of the program that did not start in time
 */
export async function startRealServer(
  assets: string,
  users: readonly RealServerUser[],
  timeout: number,
): Promise<RealServer> {
  const folder = await mkdtemp(join(tmpdir(), 'create-operator-testing-'));
  const programs: Program[] = [];
  const stop = async (): Promise<void> => {
    // The API server first: without its store it would only complain.
    for (const program of programs.toReversed()) await end(program);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [clientPort = 0, peerPort = 0, securePort = 0] = await freePorts(3);
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'sec1', format: 'pem' },
    });
    const keyFile = join(folder, 'service-account.key');
    const tokenFile = join(folder, 'tokens.csv');
    await writeFile(keyFile, privateKey, { mode: 0o600 });
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    await writeFile(
      tokenFile,
      users.map(({ name, groups, token }) => [token, name, name, groups.join(',')].map(quoted).join(',')).join('\n'),
      { mode: 0o600 },
    );
    const etcdUrl = `http://127.0.0.1:${clientPort}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    programs.push(
      start(join(assets, 'etcd'), [
        '--data-dir',
        join(folder, 'etcd'),
        '--listen-client-urls',
        etcdUrl,
        '--advertise-client-urls',
        etcdUrl,
        '--listen-peer-urls',
        peerUrl,
        '--initial-advertise-peer-urls',
        peerUrl,
        '--initial-cluster',
        `default=${peerUrl}`,
        '--unsafe-no-fsync',
        '--log-level',
        'error',
      ]),
      start(join(assets, 'kube-apiserver'), [
        '--etcd-servers',
        etcdUrl,
        '--secure-port',
        String(securePort),
        '--bind-address',
        '127.0.0.1',
        '--advertise-address',
        '127.0.0.1',
        '--endpoint-reconciler-type',
        'none',
        // As clusters have it, and envtest.
        '--allow-privileged=true',
        '--cert-dir',
        join(folder, 'certificates'),
        '--service-account-key-file',
        keyFile,
        '--service-account-signing-key-file',
        keyFile,
        '--service-account-issuer',
        'https://localhost',
        '--service-cluster-ip-range',
        '10.0.0.0/24',
        '--token-auth-file',
        tokenFile,
        '--authorization-mode',
        'RBAC',
        '--disable-admission-plugins',
        'ServiceAccount',
      ]),
    );
    const url = `https://127.0.0.1:${securePort}`;
    const caCertificate = await waitUntilReady(
      url,
      join(folder, 'certificates', 'apiserver.crt'),
      users[0]?.token ?? '',
      programs,
      timeout,
    );
    return { url, caCertificate, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function start(path: string, args: readonly string[]): Program {
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const keep = (chunk: Buffer): void => {
    lines.push(
      ...chunk
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== ''),
    );
    lines.splice(0, Math.max(0, lines.length - 20));
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (error) => lines.push(error.message));
  return { process: child, name: path, output: () => lines.join('\n') };
}

async function end({ process: child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = new AbortController();
  const late = sleep(5000, undefined, { signal: patience.signal }).then(
    () => child.kill('SIGKILL'),
    () => false,
  );
  await ended;
  patience.abort();
  await late;
}

async function waitUntilReady(
  url: string,
  certificate: string,
  token: string,
  programs: readonly Program[],
  timeout: number,
): Promise<string> {
  const deadline = performance.now() + timeout;
  let last = 'it did not answer';
  while (performance.now() < deadline) {
    for (const { process: child, name, output } of programs) {
      if (child.exitCode !== null || child.pid === undefined)
        throw new Error(`${name} ended before it was ready:\n${output()}`);
    }
    try {
      // The server signs its own certificate when it starts.
      const caCertificate = await readFile(certificate, 'utf8');
      const client = new RestClient({ url, caCertificate, token });
      try {
        const answer = await client.send({ path: '/readyz', timeout: 2000 });
        if (answer.status === 200) return caCertificate;
        last = answer.text;
      } finally {
        client.close();
      }
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await sleep(50);
  }
  throw new Error(
    `the API server was not ready within ${timeout} ms: ${last}\n${programs.map(({ output }) => output()).join('\n')}`,
  );
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) ports.push(address.port);
  }
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}
