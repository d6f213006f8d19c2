import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CertificateAuthority } from './access/certificates.ts';
import type { ApiServer, ApiServerOptions } from './api-server.ts';
import { ServiceAccountTokens } from './access/service-account-tokens.ts';
import { makeUser, serviceAccountOf, type User } from './access/user.ts';
import { loadEngine } from './engine.ts';
import { WatchRegistry } from './handlers/watch.ts';
import type { Sources } from './objects/operations.ts';
import { Admin } from './server/admin.ts';
import { ServerClock } from './server/clock.ts';
import { createCore, type CoreParts } from './server/core.ts';
import { Faults } from './server/faults.ts';
import { kubeconfigText } from './server/kubeconfig.ts';
import { Listener } from './server/listener.ts';
import { parseState, printState } from './storage/state.ts';
import { loadTypes, type TypeCatalogue } from './typed/types.ts';

export type { ApiServer, ApiServerOptions, RestartOptions, ServerUser } from './api-server.ts';
export type { AuditEvent } from './server/audit-event.ts';
export type { ServerClock } from './server/clock.ts';
export type { Fault, FaultAction, FaultMatch, Faults } from './server/faults.ts';
export type { CertificatePair } from './access/certificates.ts';
export { StateError } from './storage/state.ts';

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
