import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, ClusterConfiguration } from 'operator-runtime';
import { startApiServer, type ApiServer, type ApiServerOptions, type ServerUser } from '../apiserver/index.ts';
import { kubeconfigText } from '../apiserver/server/kubeconfig.ts';
import { installManifests, parseManifests, readManifests, type Manifest } from './manifests.ts';
import { findProject, type InstalledProject, readProject } from './project.ts';
import { startRealServer } from './real-server.ts';
import { createRuntimeClient, type RuntimeClient } from './runtime-client.ts';
import { RestClient, type Connection, type RestRequest, type RestResponse } from './rest.ts';

export type {
  ApiServer,
  AuditEvent,
  Fault,
  FaultAction,
  FaultMatch,
  Faults,
  RestartOptions,
  ServerClock,
  ServerUser,
} from '../apiserver/index.ts';
export { StateError } from '../apiserver/index.ts';
export { ManifestError, type Manifest } from './manifests.ts';
export type { Connection, RestRequest, RestResponse } from './rest.ts';

export interface TestEnvironmentOptions {
  /**
   * The scaffolded project whose definitions and RBAC are installed (default: the one that the working directory is in, unless the
   * options name anything to install); `false` for none.
   */
  readonly project?: string | false;
  /** Files, or folders of files, with CustomResourceDefinitions; other objects in them are installed, too. */
  readonly crdPaths?: readonly string[];
  /** Files, or folders of files, with other objects: RBAC above all. */
  readonly manifestPaths?: readonly string[];
  /** Objects, or texts of YAML documents. */
  readonly manifests?: readonly (Manifest | string)[];
  /** Users beside the administrator; with real binaries only these can be used. */
  readonly users?: readonly ServerUser[];
  /** Where etcd and kube-apiserver are (default: the variable KUBEBUILDER_ASSETS); `''` for the embedded server in any case. */
  readonly assets?: string;
  /** How long starting and installing may take, in milliseconds (default 60,000). */
  readonly timeout?: number;
  /** Settings of the embedded server. */
  readonly server?: Omit<ApiServerOptions, 'users' | 'adminToken'>;
}

export interface TestEnvironment {
  readonly url: string;
  /** PEM. */
  readonly caCertificate: string;
  /** The embedded server with its faults and controls; nothing with real binaries. */
  readonly server: ApiServer | undefined;
  /** The administrator's client. It has no cache: `get` and `list` ask the server. Needs operator-runtime. */
  readonly client: Client;
  /** The user of the project's ServiceAccount, who may do what its roles say; `admin` where there is no project. */
  readonly operatorUser: string;
  /** What `createManager({ configuration })` takes, for the administrator or another user. */
  configuration(user?: string): ClusterConfiguration;
  /** How the administrator or another user reaches the server. */
  connection(user?: string): Connection;
  /** The text of a kubeconfig. */
  kubeconfig(user?: string): string;
  /** The path of a file with the kubeconfig; it goes away with the environment. */
  kubeconfigFile(user?: string): Promise<string>;
  /** One request as the administrator, or as `user`. */
  request(request: RestRequest & { readonly user?: string }): Promise<RestResponse>;
  /** Creates or replaces objects, as `manifests` of the options. */
  install(...manifests: readonly (Manifest | string)[]): Promise<void>;
  /** Stops the server and removes its files. Nothing is left running when the promise resolves. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an API server for tests, with definitions and RBAC installed: the embedded one, or etcd and kube-apiserver when
 * `KUBEBUILDER_ASSETS` names a folder with them. What was started is stopped again when the installation fails.
 */
export async function startTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const timeout = options.timeout ?? 60_000;
  const project = await projectOf(options);
  const manifests = [
    ...(project?.manifests ?? []),
    ...(await readManifests([...(options.crdPaths ?? []), ...(options.manifestPaths ?? [])])),
    ...objectsOf(options.manifests ?? []),
  ];
  const users = [
    { name: 'admin', groups: ['system:masters'], token: randomToken() },
    ...(project === undefined
      ? []
      : [{ name: project.user, groups: serviceAccountGroups(project), token: randomToken() }]),
    ...(options.users ?? []).map(({ name, groups, token }) => ({
      name,
      groups: groups ?? [],
      token: token ?? randomToken(),
    })),
  ];
  const assets = options.assets ?? process.env['KUBEBUILDER_ASSETS'] ?? '';
  const environment = assets === '' ? await embedded(options, users) : await real(assets, users, timeout);
  environment.operatorUser = project?.user ?? 'admin';
  try {
    await environment.connect();
    await environment.installAll(manifests, timeout);
    return environment;
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

type User = { readonly name: string; readonly groups: readonly string[]; readonly token: string };

async function projectOf(options: TestEnvironmentOptions): Promise<InstalledProject | undefined> {
  if (options.project === false) return undefined;
  if (options.project !== undefined) return readProject(options.project);
  if (options.crdPaths !== undefined || options.manifestPaths !== undefined || options.manifests !== undefined)
    return undefined;
  const root = findProject(process.cwd());
  return root === undefined ? undefined : readProject(root);
}

function serviceAccountGroups({ namespace }: InstalledProject): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

async function embedded(options: TestEnvironmentOptions, users: readonly User[]): Promise<Environment> {
  const [admin, ...others] = users;
  const server = await startApiServer({
    ...options.server,
    users: others,
    ...(admin !== undefined && { adminToken: admin.token }),
  });
  return new Environment(
    { url: server.url, caCertificate: server.caCertificate, stop: () => server.stop() },
    server,
    (user) => server.token(user),
    timeoutOf(options),
  );
}

async function real(assets: string, users: readonly User[], timeout: number): Promise<Environment> {
  const server = await startRealServer(assets, users, timeout);
  const tokens = new Map(users.map(({ name, token }) => [name, token]));
  const token = (user: string): string => {
    const found = tokens.get(user);
    if (found === undefined)
      throw new Error(`user ${user} is not known: with real binaries all users must stand in the option users`);
    return found;
  };
  return new Environment(server, undefined, token, timeout);
}

const timeoutOf = (options: TestEnvironmentOptions): number => options.timeout ?? 60_000;

interface Running {
  readonly url: string;
  readonly caCertificate: string;
  stop(): Promise<void>;
}

class Environment implements TestEnvironment {
  readonly url: string;
  readonly caCertificate: string;
  readonly server: ApiServer | undefined;
  operatorUser = 'admin';
  #administrator: RuntimeClient | undefined;
  readonly #running: Running;
  readonly #token: (user: string) => string;
  readonly #timeout: number;
  readonly #clients = new Map<string, RestClient>();
  readonly #folders: string[] = [];
  #stopped: Promise<void> | undefined;

  constructor(running: Running, server: ApiServer | undefined, token: (user: string) => string, timeout: number) {
    this.url = running.url;
    this.caCertificate = running.caCertificate;
    this.server = server;
    this.#running = running;
    this.#token = token;
    this.#timeout = timeout;
  }

  get client(): Client {
    if (this.#administrator === undefined) {
      throw new Error('environment.client needs operator-runtime: npm install operator-runtime');
    }
    return this.#administrator.client;
  }

  /** Makes the client, where operator-runtime is installed. */
  async connect(): Promise<void> {
    this.#administrator = await createRuntimeClient(this.configuration());
  }

  configuration(user = 'admin'): ClusterConfiguration {
    const { url, caCertificate, token } = this.connection(user);
    const credentials = { token, certificateAuthority: caCertificate };
    return { server: url, credentials: { current: () => Promise.resolve(credentials), invalidate() {} } };
  }

  connection(user = 'admin'): Connection {
    return { url: this.url, caCertificate: this.caCertificate, token: this.#token(user) };
  }

  kubeconfig(user = 'admin'): string {
    return kubeconfigText({ server: this.url, caCertificate: this.caCertificate, user, token: this.#token(user) });
  }

  async kubeconfigFile(user = 'admin'): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'create-operator-kubeconfig-'));
    this.#folders.push(folder);
    const file = join(folder, 'kubeconfig');
    await writeFile(file, this.kubeconfig(user), { mode: 0o600 });
    return file;
  }

  async request({ user = 'admin', ...request }: RestRequest & { readonly user?: string }): Promise<RestResponse> {
    return this.#client(user).send(request);
  }

  async install(...manifests: readonly (Manifest | string)[]): Promise<void> {
    await this.installAll(objectsOf(manifests), this.#timeout);
  }

  async installAll(manifests: readonly Manifest[], timeout: number): Promise<void> {
    if (manifests.length > 0) await installManifests(this.#client('admin'), manifests, timeout);
  }

  stop(): Promise<void> {
    this.#stopped ??= (async () => {
      for (const client of this.#clients.values()) client.close();
      await this.#administrator?.close();
      await this.#running.stop();
      for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
    })();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #client(user: string): RestClient {
    let client = this.#clients.get(user);
    if (client === undefined) this.#clients.set(user, (client = new RestClient(this.connection(user))));
    return client;
  }
}

function objectsOf(manifests: readonly (Manifest | string)[]): readonly Manifest[] {
  return manifests.flatMap((manifest) => (typeof manifest === 'string' ? parseManifests(manifest) : [manifest]));
}

function randomToken(): string {
  return randomBytes(24).toString('base64url');
}
