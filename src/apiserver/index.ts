import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CertificateAuthority, type CertificatePair } from './access/certificates.ts';
import { ServiceAccountTokens } from './access/service-account-tokens.ts';
import { makeUser, serviceAccountOf, type User } from './access/user.ts';
import { loadEngine } from './engine.ts';
import { WatchRegistry } from './handlers/watch.ts';
import type { Sources } from './objects/operations.ts';
import { Admin } from './server/admin.ts';
import type { AuditEvent } from './server/audit-event.ts';
import { ServerClock } from './server/clock.ts';
import { createCore, type CoreParts } from './server/core.ts';
import { Faults } from './server/faults.ts';
import { kubeconfigText } from './server/kubeconfig.ts';
import { Listener } from './server/listener.ts';
import { parseState, printState } from './storage/state.ts';
import { loadTypes, type TypeCatalogue } from './typed/types.ts';

export type { AuditEvent } from './server/audit-event.ts';
export type { ServerClock } from './server/clock.ts';
export type { Fault, FaultAction, FaultMatch, Faults } from './server/faults.ts';
export type { CertificatePair } from './access/certificates.ts';
export { StateError } from './storage/state.ts';

/** A user that a token stands for. */
export interface ServerUser {
  /** `alice`, or `system:serviceaccount:<namespace>:<name>`, whose groups come by themselves. */
  readonly name: string;
  readonly groups?: readonly string[];
  /** Default: a random one. */
  readonly token?: string;
}

export interface ApiServerOptions {
  /** 0 (default): any free port. */
  readonly port?: number;
  /** Address to listen on (default 127.0.0.1). */
  readonly host?: string;
  /** Plain HTTP instead of HTTPS (default false): kubectl then sends no credentials. */
  readonly insecure?: boolean;
  /** Users beside the administrator. */
  readonly users?: readonly ServerUser[];
  /** The administrator's token (default: random). */
  readonly adminToken?: string;
  /** Whether RBAC decides (default true); otherwise everybody may do everything. */
  readonly authorization?: boolean;
  /** Plugins that are off by default, as in kube-apiserver. */
  readonly enableAdmissionPlugins?: readonly 'OwnerReferencesPermissionEnforcement'[];
  /** Whether owned objects go with their owners (default true). */
  readonly garbageCollection?: boolean;
  /**
   * Whether workloads look alive (default false): Deployments roll out, StatefulSets, DaemonSets and Jobs make pods, pods run and
   * become ready at once on the node `embedded`, services get endpoints, claims are bound; the status of
   * a ValidatingAdmissionPolicy tells where its expressions do not fit the objects' types. No container runs. With `pending` there is no
   * node that runs pods: they and claims stay pending, as where only a controller manager stands beside a server.
   */
  readonly workloads?: boolean | 'pending';
  /** Events kept of each resource for watches and reads of the past (default 10,000). */
  readonly historyLimit?: number;
  /**
   * Where webhooks of services listen in fact, as `https://127.0.0.1:<port>`: nothing is behind a service here. Their certificate is
   * checked against the service's name.
   */
  readonly resolveService?: (namespace: string, name: string, port: number) => string | undefined;
  /** The wall clock, in milliseconds since 1970; `clock` of the server sets it while it runs. */
  readonly now?: () => number;
  /**
   * A state that `snapshot` gave: the server starts with its objects, and its revisions go on from there. Tokens of service accounts
   * and certificates that were issued before are not known any more.
   *
   * @throws StateError when it is none
   */
  readonly state?: string;
  /** Whether administrators can control the server over HTTP, under `/_admin` and from this machine only (default false). */
  readonly adminEndpoint?: boolean;
  /** Called after each write: the state is not the same any more. */
  readonly onChange?: () => void;
  /** Called with each request when it is over. */
  readonly onRequest?: (event: AuditEvent) => void;
  /** Called with errors that nobody expected; without it `stop` rejects with them. */
  readonly onError?: (error: unknown) => void;
}

export interface RestartOptions {
  /**
   * `kept` (default): the objects are there again, but no history, so that older watches and continue tokens get 410; `lost`: a new
   * cluster; or a text that `snapshot` gave.
   */
  readonly state?: 'kept' | 'lost' | (string & {});
  /** How long nothing listens, in milliseconds (default 0). */
  readonly downtime?: number;
}

export interface ApiServer {
  /** `https://127.0.0.1:<port>`. */
  readonly url: string;
  /** PEM; `''` with plain HTTP. */
  readonly caCertificate: string;
  /** The administrator's token. */
  readonly adminToken: string;
  readonly faults: Faults;
  /** The server's time: what objects, tokens and controllers go by. */
  readonly clock: ServerClock;
  /** The token of a user; a user that is not known yet is made, a service account need not exist. */
  token(user: string, groups?: readonly string[]): string;
  /** The text of a kubeconfig file, for the administrator or another user. */
  kubeconfig(user?: string, groups?: readonly string[]): string;
  /** A client certificate for a user and groups, signed by the server's authority. HTTPS only. */
  clientCertificate(user: string, groups?: readonly string[]): CertificatePair;
  /** The latest revision. */
  readonly revision: number;
  /** Forgets history up to a revision (default: all of it): older watches and continue tokens get 410. */
  compact(revision?: number): void;
  /** All objects with their revisions, as text for the option `state`. */
  snapshot(): string;
  /**
   * Ends as a server that is killed and comes back on the same port: connections are cut and, for a while, refused. Its users stay.
   *
   * @throws StateError when the state is none; the server then goes on with what it had
   */
  restart(options?: RestartOptions): Promise<void>;
  /** Resolves when the controllers have done what there is to do. */
  idle(): Promise<void>;
  /**
   * Ends watches, closes connections and resolves when nothing is left running. Rejects with an AggregateError when the server met
   * errors that nobody expected, and nobody took them by `onError`.
   */
  stop(): Promise<void>;
}

/** Starts an API server in this process; it answers when the promise resolves. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const host = options.host ?? '127.0.0.1';
  const state = options.state === undefined ? undefined : parseState(options.state);
  const unexpected: unknown[] = [];
  const onError = options.onError ?? ((error: unknown) => void unexpected.push(error));
  const clock = new ServerClock(options.now ?? (() => Date.now()));
  const sources: Sources = { now: () => clock.now(), random: Math.random, uuid: randomUUID };
  const authority = options.insecure === true ? undefined : new CertificateAuthority(Date.now());
  const caCertificate = authority?.certificate ?? '';

  let types: TypeCatalogue | undefined;
  let loading: Promise<TypeCatalogue> | undefined;
  const typesLoaded = (): Promise<TypeCatalogue> =>
    (loading ??= Promise.all([loadTypes(), loadEngine()]).then(([loaded]) => (types = loaded)));
  const loadedTypes = (): TypeCatalogue => {
    if (types === undefined) throw new Error('the types of built-in kinds are not loaded yet');
    return types;
  };

  const users = new Map<string, User>();
  const tokens = new Map<string, string>();
  const addUser = (name: string, groups: readonly string[], token: string): string => {
    // As with a file of tokens, the uid is the name's.
    users.set(token, makeUser(name, groups, name));
    tokens.set(name, token);
    return token;
  };
  const adminToken = addUser('admin', ['system:masters'], options.adminToken ?? randomToken());
  for (const user of options.users ?? []) addUser(user.name, user.groups ?? [], user.token ?? randomToken());

  const watches = new WatchRegistry();
  const faults = new Faults(watches);
  const parts: CoreParts = {
    options,
    sources,
    clock,
    authority,
    user: (token) => users.get(token),
    serviceAccountTokens: new ServiceAccountTokens(sources.now),
    faults,
    watches,
    admin: options.adminEndpoint === true ? new Admin(() => server, onError) : undefined,
    types: loadedTypes,
    typesLoaded,
    onError,
  };
  let core = await createCore(parts, state);
  const listener = await Listener.open(authority, options.port ?? 0, host, (request, response, stopped) =>
    core.dispatcher.serve(request, response, stopped),
  );
  const url = `${authority === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
  // The first write needs them: they are read while nobody waits.
  void typesLoaded().catch(onError);
  core.controllers.startWorkloads();

  const token = (user: string, groups: readonly string[] = []): string =>
    tokens.get(user) ?? addUser(user, groups, randomToken());
  const shutDown = async (killed: boolean): Promise<void> => {
    if (killed) watches.cut();
    else watches.end();
    await listener.close();
    await core.stop();
  };
  /** Restarts come one after the other, and none after the end. */
  let restarting: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  const server: ApiServer = {
    url,
    caCertificate,
    adminToken,
    faults,
    clock,
    token,
    kubeconfig(user = 'admin', groups = []) {
      const account = serviceAccountOf(user);
      return kubeconfigText({
        server: url,
        caCertificate,
        user,
        token: token(user, groups),
        ...(account !== undefined && { namespace: account.namespace }),
      });
    },
    clientCertificate(user, groups = []) {
      if (authority === undefined) throw new Error('client certificates need HTTPS');
      return authority.issue({ commonName: user, organizations: groups, usage: 'client' });
    },
    get revision() {
      return core.store.revision;
    },
    compact: (revision) => core.store.compact(revision),
    snapshot: () => printState(core.store.dump()),
    async restart({ state: wanted = 'kept', downtime = 0 } = {}) {
      if (stopped !== undefined) throw new Error('the server is stopped');
      const given = wanted === 'kept' || wanted === 'lost' ? undefined : parseState(wanted);
      const before = restarting;
      const turn = (async () => {
        await before;
        await shutDown(true);
        const next = wanted === 'lost' ? undefined : (given ?? core.store.dump());
        core = await createCore(parts, next);
        if (downtime > 0) await wait(downtime);
        await listener.listen();
        core.controllers.startWorkloads();
        options.onChange?.();
      })();
      // One that fails does not stop those after it.
      restarting = turn.catch(() => undefined);
      await turn;
    },
    idle: () => core.controllers.idle(),
    stop() {
      stopped ??= (async () => {
        await restarting;
        await shutDown(false);
        if (unexpected.length > 0)
          throw new AggregateError(unexpected, 'the API server met errors that nobody expected');
      })();
      return stopped;
    },
  };
  return server;
}

function randomToken(): string {
  return randomBytes(24).toString('base64url');
}
