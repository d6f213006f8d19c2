import { createTransport, createClient, defaultEnvironment } from 'operator-runtime';
import type { Client, Kind, KubernetesObject, ReconcileContext, Request } from 'operator-runtime';
import { createCache, type Cache, type SharedInformer } from 'operator-runtime/cache';
import type { AuditEvent, Manifest, TestEnvironment } from '../../src/testing/index.ts';
import { discardLogger } from '../../src/runtime/environment/logger.ts';
import type { RoleRules } from '../../src/generate/rbac/rules.ts';

/** `verb resource.group/subresource`, as the audit and the roles of these tests are compared. */
export function permission(verb: string, group: string, resource: string): string {
  const [main = '', ...rest] = resource.split('/');
  return `${verb} ${[group === '' ? main : `${main}.${group}`, ...rest].join('/')}`;
}

/** A single permission of a role. */
export interface Permission {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly resourceName: string | undefined;
  readonly namespace: string | undefined;
}

export function permissionsOf(roles: readonly RoleRules[]): Permission[] {
  return roles.flatMap(({ namespace, rules }) =>
    rules.flatMap(({ groups, resources, resourceNames, verbs }) =>
      groups.flatMap((group) =>
        resources.flatMap((resource) =>
          (resourceNames.length === 0 ? [undefined] : resourceNames).flatMap((resourceName) =>
            verbs.map((verb) => ({ verb, group, resource, resourceName, namespace })),
          ),
        ),
      ),
    ),
  );
}

/** Roles and bindings that give a user these permissions and no others. */
export function manifestsFor(user: string, permissions: readonly Permission[]): Manifest[] {
  const rbac = 'rbac.authorization.k8s.io';
  const namespaces = [...new Set(permissions.map(({ namespace }) => namespace))];
  return namespaces.flatMap((namespace) => {
    const metadata = namespace === undefined ? { name: user } : { name: user, namespace };
    const [role, binding] = namespace === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
    return [
      {
        apiVersion: `${rbac}/v1`,
        kind: role,
        metadata,
        rules: permissions
          .filter((each) => each.namespace === namespace)
          .map(({ verb, group, resource, resourceName }) => ({
            apiGroups: [group],
            resources: [resource],
            verbs: [verb],
            ...(resourceName === undefined ? {} : { resourceNames: [resourceName] }),
          })),
      },
      {
        apiVersion: `${rbac}/v1`,
        kind: binding,
        metadata,
        roleRef: { apiGroup: rbac, kind: role, name: user },
        subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
      },
    ];
  });
}

/** What the API server saw of one user. */
export class Audit {
  readonly used = new Set<string>();
  readonly denied = new Set<string>();
  readonly #user: string;
  readonly #onDenied: () => void;

  constructor(user: string, onDenied: () => void) {
    this.#user = user;
    this.#onDenied = onDenied;
  }

  record({ user, verb, group, resource, subresource, allowed, code, path }: AuditEvent): void {
    // Discovery is open to everybody.
    if (user !== this.#user || resource === '') return;
    const name = permission(verb, group, subresource === '' ? resource : `${resource}/${subresource}`);
    if (allowed && code !== 403) {
      this.used.add(name);
      return;
    }
    // Allowed and yet forbidden: by admission, which asks for another permission.
    this.denied.add(allowed ? `admission of ${name} (${path})` : name);
    this.#onDenied();
  }
}

/** Informers and client of an operator that acts as one user; it ends with the signal. */
export class OperatorRun {
  readonly client: Client;
  readonly #cache: Cache;
  readonly #signal: AbortSignal;
  readonly #transport: ReturnType<typeof createTransport>;
  readonly #running: Promise<void>;
  readonly #ended = new AbortController();

  constructor(environment: TestEnvironment, user: string, streamingList: boolean, signal: AbortSignal) {
    this.#signal = signal;
    this.#transport = createTransport(environment.configuration(user));
    const shared = { transport: this.#transport, environment: defaultEnvironment(), logger: discardLogger };
    this.#cache = createCache({ ...shared, streamingList });
    // Short, as these tests let it pass.
    this.client = createClient({ ...shared, cache: this.#cache, cacheWait: 50 });
    this.#running = this.#cache.start(AbortSignal.any([signal, this.#ended.signal]));
  }

  get transport(): ReturnType<typeof createTransport> {
    return this.#transport;
  }

  /** What a reconciler gets. */
  get context(): ReconcileContext {
    return {
      client: this.client,
      signal: this.#signal,
      log: discardLogger,
      events: { event: () => undefined },
      reconcileID: 'test',
      causes: [],
    };
  }

  /** As `for` and `owns` do. */
  async watch<T extends KubernetesObject>(kind: Kind<T>): Promise<SharedInformer<T>> {
    const informer = this.#cache.informerFor(kind);
    await informer.waitForSync(this.#signal);
    return informer;
  }

  /** Resolves once the cache has an object as it is wanted. */
  async cached<T extends KubernetesObject>(
    informer: SharedInformer<T>,
    key: Request,
    wanted: (object: KubernetesObject | undefined) => boolean,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (wanted(informer.indexer.get(key) as KubernetesObject | undefined)) resolve();
    };
    const registration = informer.addEventHandler({ add: look, update: look, delete: look });
    const abort = (): void => reject(this.#signal.reason as Error);
    this.#signal.addEventListener('abort', abort, { once: true });
    try {
      this.#signal.throwIfAborted();
      look();
      await promise;
    } finally {
      this.#signal.removeEventListener('abort', abort);
      registration.remove();
    }
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#running.catch(() => undefined);
    await this.#transport.close();
  }
}
