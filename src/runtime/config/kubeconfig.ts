import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Clock } from '../environment/environment.ts';
import { cachedCredentials } from './cached-credentials.ts';
import { readUserExtras } from './kubeconfig-user.ts';
import { httpProxy, proxyFromEnvironment } from './proxy.ts';
import { ConfigurationError, type ClusterConfiguration, type Credentials } from './types.ts';

export interface KubeconfigOptions {
  readonly clock: Clock;
  /** A file; default: the files of `$KUBECONFIG`, or `~/.kube/config`. */
  readonly file?: string;
  /** Default: the file's current context. */
  readonly context?: string;
}

/** What client-node fills in for a request; only the members that are read here. */
interface AppliedOptions {
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
  auth?: string | null;
  headers?: Record<string, unknown>;
}

/**
 * The configuration of a kubeconfig file, read by `@kubernetes/client-node`, which is loaded only here: it costs half a second. Exec
 * plugins and OIDC are its work; what they give, and what stands in a token file, is asked for again at most once a minute, and at once
 * after a 401.
 */
export async function kubeconfigConfiguration(options: KubeconfigOptions): Promise<ClusterConfiguration> {
  if (options.file === undefined && !process.env['KUBECONFIG'] && !existsSync(join(homedir(), '.kube', 'config'))) {
    throw new ConfigurationError('no cluster is configured: give --kubeconfig, set KUBECONFIG, or run in a pod');
  }
  const { KubeConfig, loadYaml } = await import('@kubernetes/client-node');
  const load = (): InstanceType<typeof KubeConfig> => {
    const config = new KubeConfig();
    try {
      if (options.file === undefined) config.loadFromDefault();
      else config.loadFromFile(options.file);
    } catch (error) {
      const name = options.file ?? 'the default kubeconfig';
      throw new ConfigurationError(`cannot read ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (options.context !== undefined) {
      if (config.getContextObject(options.context) === null) {
        const known = config.getContexts().map((context) => context.name);
        throw new ConfigurationError(`no context ${options.context} in the kubeconfig; there are: ${known.join(', ')}`);
      }
      config.setCurrentContext(options.context);
    }
    return config;
  };

  let config = load();
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new ConfigurationError('the kubeconfig has no current context, or its cluster is missing');
  const proxyUrl = cluster.proxyUrl
    ? httpProxy(cluster.proxyUrl, `cluster ${cluster.name}`)
    : proxyFromEnvironment(cluster.server);
  const { impersonate, tokenFile } = await readUserExtras(
    kubeconfigFiles(options.file),
    config.getCurrentUser()?.name ?? '',
    (text) => loadYaml<unknown>(text),
  );

  let stale = false;
  const read = async (): Promise<Credentials> => {
    if (stale) {
      // A new object, since client-node keeps what an exec plugin gave until it expires, refused or not.
      config = load();
      stale = false;
    }
    const applied: AppliedOptions = {};
    await config.applyToHTTPSOptions(applied as Parameters<typeof config.applyToHTTPSOptions>[0]);
    const found = {
      ...credentialsOf(applied),
      ...(tokenFile === undefined ? {} : { token: await readToken(tokenFile) }),
    };
    // client-node leaves the CA out when the context has no user.
    if (found.certificateAuthority !== undefined) return found;
    const certificateAuthority = await authorityOf(config.getCurrentCluster());
    return certificateAuthority === undefined ? found : { ...found, certificateAuthority };
  };
  const credentials = cachedCredentials(read, options.clock, 60_000);
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace;
  return {
    server: cluster.server,
    ...(namespace ? { namespace } : {}),
    ...(cluster.tlsServerName ? { tlsServerName: cluster.tlsServerName } : {}),
    ...(cluster.skipTLSVerify ? { insecureSkipTlsVerify: true } : {}),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(impersonate === undefined ? {} : { impersonate }),
    credentials: {
      current: () => credentials.current(),
      invalidate(refused) {
        stale = true;
        credentials.invalidate(refused);
      },
    },
  };
}

/** As client-go: the file given, those of `$KUBECONFIG`, or the one in the home directory. */
function kubeconfigFiles(file: string | undefined): readonly string[] {
  if (file !== undefined) return [file];
  const listed = (process.env['KUBECONFIG'] ?? '').split(delimiter).filter((name) => name !== '');
  return listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')];
}

async function readToken(file: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ConfigurationError(`cannot read the kubeconfig's tokenFile ${file} (${code})`);
  }
  if (token === '') throw new ConfigurationError(`the kubeconfig's tokenFile ${file} is empty`);
  return token;
}

function credentialsOf(applied: AppliedOptions): Credentials {
  const certificateAuthority = pem(applied.ca);
  const clientCertificate = pem(applied.cert);
  const clientKey = pem(applied.key);
  const token = bearer(applied.headers?.['Authorization']);
  const colon = applied.auth?.indexOf(':') ?? -1;
  return {
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(clientKey === undefined ? {} : { clientKey }),
    ...(token === undefined ? {} : { token }),
    ...(applied.auth && colon >= 0
      ? { basic: { username: applied.auth.slice(0, colon), password: applied.auth.slice(colon + 1) } }
      : {}),
  };
}

async function authorityOf(cluster: { caFile?: string; caData?: string } | null): Promise<string | undefined> {
  if (cluster?.caFile) return readFile(cluster.caFile, 'utf8');
  return cluster?.caData ? Buffer.from(cluster.caData, 'base64').toString('utf8') : undefined;
}

function pem(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : undefined;
}

function bearer(header: unknown): string | undefined {
  const match = typeof header === 'string' ? /^Bearer (.+)$/.exec(header) : null;
  return match?.[1];
}
