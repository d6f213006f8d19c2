import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../environment/environment.ts';
import { cachedCredentials } from './cached-credentials.ts';
import { proxyFromEnvironment } from './proxy.ts';
import { ConfigurationError, type ClusterConfiguration, type Credentials } from './types.ts';

/** Where the kubelet puts a ServiceAccount's files. */
export const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly clock: Clock;
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: `serviceAccountDirectory`. */
  readonly directory?: string;
}

/** Whether the process seems to run in a pod: the service's address is in its environment. */
export function isInCluster(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST']) && Boolean(env['KUBERNETES_SERVICE_PORT']);
}

/**
 * The configuration of a pod (as `rest.InClusterConfig`): address from KUBERNETES_SERVICE_HOST and _PORT, token, CA and namespace from
 * the ServiceAccount's files. Token and CA are read again at most once a minute, and at once after a 401, since the kubelet rotates
 * them.
 */
export async function inClusterConfiguration(options: InClusterOptions): Promise<ClusterConfiguration> {
  const env = options.env ?? process.env;
  const directory = options.directory ?? serviceAccountDirectory;
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new ConfigurationError('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  }
  const read = async (): Promise<Credentials> => {
    const token = await readServiceAccountFile(directory, 'token');
    const certificateAuthority = await readServiceAccountFile(directory, 'ca.crt');
    return { token: token.trim(), certificateAuthority };
  };
  const credentials = cachedCredentials(read, options.clock, 60_000);
  // A pod without its files should fail now and say why, not at the first request.
  await credentials.current();
  const namespace = (await readServiceAccountFile(directory, 'namespace')).trim();
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const proxyUrl = proxyFromEnvironment(server, env);
  return {
    server,
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(namespace === '' ? {} : { namespace }),
    credentials,
  };
}

async function readServiceAccountFile(directory: string, name: string): Promise<string> {
  const file = join(directory, name);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ConfigurationError(
      `cannot read ${file} (${code}): the pod needs a ServiceAccount whose token is mounted (automountServiceAccountToken)`,
    );
  }
  if (text.trim() === '') throw new ConfigurationError(`${file} is empty`);
  return text;
}
