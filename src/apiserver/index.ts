import { randomBytes, randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Authorize } from './admission/expressions.ts';
import { MutatingPolicies } from './admission/mutating-policies.ts';
import { ValidatingPolicies } from './admission/validating-policies.ts';
import { WebhookAdmission } from './admission/webhooks.ts';
import { CertificateAuthority, type CertificatePair } from './access/certificates.ts';
import { escalationCheck } from './access/escalation.ts';
import { ownerReferencesPermissionEnforcement } from './access/owner-references.ts';
import { RbacAuthorizer } from './access/rbac.ts';
import { ServiceAccountTokens } from './access/service-account-tokens.ts';
import { makeUser, serviceAccountOf, type User } from './access/user.ts';
import { createServiceAllocator } from './builtin/preparation.ts';
import { admissionValidators } from './builtin/admission-validators.ts';
import { builtinResources } from './builtin/resources.ts';
import { bootstrapObjects, populateNamespace } from './controllers/bootstrap.ts';
import { definitions } from './custom/definition.ts';
import { checkDefinition } from './custom/definition-validation.ts';
import { Controllers } from './controllers/controllers.ts';
import { OpenApiDocuments, type PublishedResource } from './discovery/openapi.ts';
import { WatchRegistry } from './handlers/watch.ts';
import { text } from './json.ts';
import { lifecycle } from './objects/lifecycle.ts';
import { Operations, type Sources } from './objects/operations.ts';
import { ResourceRegistry } from './resources/registry.ts';
import type { AuditEvent } from './server/audit-event.ts';
import { accountUid, Dispatcher } from './server/dispatcher.ts';
import { Faults } from './server/faults.ts';
import { kubeconfigText } from './server/kubeconfig.ts';
import { RootDocuments } from './server/root-documents.ts';
import { ApplyService } from './apply/service.ts';
import { Store } from './storage/store.ts';
import { loadTypes, type TypeCatalogue } from './typed/types.ts';
import { loadEngine } from './engine.ts';

export type { AuditEvent } from './server/audit-event.ts';
export type { Fault, FaultAction, FaultMatch, Faults } from './server/faults.ts';
export type { CertificatePair } from './access/certificates.ts';

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
   * become ready at once on the node `embedded`, services get endpoints, claims are bound. No container runs.
   */
  readonly workloads?: boolean;
  /** Events kept of each resource for watches and reads of the past (default 10,000). */
  readonly historyLimit?: number;
  /**
   * Where webhooks of services listen in fact, as `https://127.0.0.1:<port>`: nothing is behind a service here. Their certificate is
   * checked against the service's name.
   */
  readonly resolveService?: (namespace: string, name: string, port: number) => string | undefined;
  /** The wall clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Called with each request when it is over. */
  readonly onRequest?: (event: AuditEvent) => void;
  /** Called with errors that nobody expected; without it `stop` rejects with them. */
  readonly onError?: (error: unknown) => void;
}

export interface ApiServer {
  /** `https://127.0.0.1:<port>`. */
  readonly url: string;
  /** PEM; `''` with plain HTTP. */
  readonly caCertificate: string;
  /** The administrator's token. */
  readonly adminToken: string;
  readonly faults: Faults;
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
  const unexpected: unknown[] = [];
  const onError = options.onError ?? ((error: unknown) => void unexpected.push(error));
  const sources: Sources = { now: options.now ?? (() => Date.now()), random: Math.random, uuid: randomUUID };
  const authority = options.insecure === true ? undefined : new CertificateAuthority(Date.now());
  const caCertificate = authority?.certificate ?? '';

  const store = new Store(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit });
  let types: TypeCatalogue | undefined;
  let loading: Promise<TypeCatalogue> | undefined;
  const typesLoaded = (): Promise<TypeCatalogue> =>
    (loading ??= Promise.all([loadTypes(), loadEngine()]).then(([loaded]) => (types = loaded)));
  const loadedTypes = (): TypeCatalogue => {
    if (types === undefined) throw new Error('the types of built-in kinds are not loaded yet');
    return types;
  };
  const registry = new ResourceRegistry(
    await builtinResources({
      types: loadedTypes,
      services: createServiceAllocator(),
      validators: { [definitions]: checkDefinition, ...admissionValidators },
    }),
  );
  const operations = new Operations(store, sources);
  const authorizer = new RbacAuthorizer(store);
  operations.plugins.push(lifecycle(store));
  if (options.authorization !== false) operations.plugins.push(escalationCheck(authorizer));
  if (options.enableAdmissionPlugins?.includes('OwnerReferencesPermissionEnforcement') === true) {
    operations.plugins.push(
      ownerReferencesPermissionEnforcement(authorizer, (apiVersion, kind) => registry.findKind(apiVersion, kind)),
    );
  }
  const resolveService = options.resolveService ?? (() => undefined);
  const authorize: Authorize = (attributes) =>
    options.authorization === false ? { allowed: true, reason: '' } : authorizer.authorize(attributes);
  operations.plugins.push(
    new MutatingPolicies({ operations, registry, authorize, typeOf: (resource) => applies.typeOf(resource) }),
    new ValidatingPolicies({ operations, registry, authorize }),
    new WebhookAdmission({
      store,
      uuid: sources.uuid,
      versionsOf: (resource) => registry.versionsOf(resource),
      resolveService,
      authorize,
    }),
  );
  const watches = new WatchRegistry();
  await bootstrapObjects(store, sources);
  const controllers = new Controllers({
    operations,
    registry,
    endWatches: (storage) => watches.end(storage),
    recordStatus(value, old) {
      const resource = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
      if (resource !== undefined) applies.recordStatus(resource, value, old);
    },
    conversion: { uuid: sources.uuid, resolveService },
    garbageCollection: options.garbageCollection !== false,
    ...(options.workloads === true && {
      workloads: (resource, subresource) => applies.managed(resource, 'kube-controller-manager', subresource),
    }),
    loaded: typesLoaded,
    onError,
  });
  for (const namespace of store.collection('namespaces').list())
    populateNamespace(store, sources, text(namespace, 'metadata', 'name'));

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
  const serviceAccountTokens = new ServiceAccountTokens(sources.now);

  const published = (): readonly PublishedResource[] =>
    controllers.definitions.served().flatMap((served) => served.published);
  const openapi = new OpenApiDocuments(published, () => registry.generation);
  const faults = new Faults(watches);
  const applies = new ApplyService({
    operations,
    types: loadedTypes,
    published,
    authorize: (exchange, verb) => dispatcher.authorize(exchange.user, exchange.info, verb),
  });
  const dispatcher: Dispatcher = new Dispatcher({
    operations,
    registry,
    authorizer,
    authorize: options.authorization !== false,
    tokens: (token) =>
      users.get(token) ??
      serviceAccountTokens.verify(token, (namespace, name) => accountUid(operations, namespace, name))?.user,
    isOurCertificate: (certificate) => authority?.issued(certificate, sources.now()) === true,
    serviceAccountTokens,
    roots: new RootDocuments(registry, openapi),
    watches,
    faults,
    definitions: () => controllers.definitions.served(),
    types: loadedTypes,
    typesLoaded,
    manageFields: applies.manageFields,
    applier: applies,
    onRequest: options.onRequest,
    onError,
  });

  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const served = dispatcher.serve(request, response, stopping.signal);
    running.add(served);
    void served.finally(() => running.delete(served));
  };
  const server = authority === undefined ? createHttpServer(listener) : await secureServer(authority, host, listener);
  // Watches are open for as long as they like; slow clients are the test's own.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  await listen(server, options.port ?? 0, host);
  const { port } = server.address() as AddressInfo;
  const url = `${authority === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  // The first write needs them: they are read while nobody waits.
  void typesLoaded().catch(onError);
  controllers.startWorkloads();

  const token = (user: string, groups: readonly string[] = []): string =>
    tokens.get(user) ?? addUser(user, groups, randomToken());
  let stopped: Promise<void> | undefined;
  return {
    url,
    caCertificate,
    adminToken,
    faults,
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
      return store.revision;
    },
    compact: (revision) => store.compact(revision),
    idle: () => controllers.idle(),
    stop() {
      stopped ??= (async () => {
        stopping.abort();
        watches.end();
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        await Promise.allSettled(running);
        await controllers.stop();
        await closed;
        if (unexpected.length > 0)
          throw new AggregateError(unexpected, 'the API server met errors that nobody expected');
      })();
      return stopped;
    },
  };
}

function randomToken(): string {
  return randomBytes(24).toString('base64url');
}

async function secureServer(
  authority: CertificateAuthority,
  host: string,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const { createServer } = await import('node:https');
  const pair = authority.issue({
    commonName: 'kube-apiserver',
    hosts: [
      ...new Set(['127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', host]),
    ],
    usage: 'server',
  });
  // An empty list of authorities keeps Node from reading its own, which takes a while; certificates of clients are checked by us.
  return createServer(
    { key: pair.key, cert: pair.certificate, ca: [], requestCert: true, rejectUnauthorized: false },
    listener,
  );
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
