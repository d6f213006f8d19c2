import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultEnvironment, fixedCredentials, type LogFields, type Logger } from 'operator-runtime';
import { ConfigMap } from 'operator-runtime/apis/core/v1';
import { Role, type RoleBinding } from 'operator-runtime/apis/rbac/v1';
import { createCache } from 'operator-runtime/cache';
import { createClient, createTransport } from 'operator-runtime/client';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.ts';

const environment = defaultEnvironment();
const namespace = 'default';
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
});
afterAll(async () => {
  await server.stop();
});

const connect = (token: string): ReturnType<typeof createTransport> =>
  createTransport({
    server: server.url,
    credentials: fixedCredentials({ certificateAuthority: server.caCertificate, token }),
  });

/** A logger that keeps what is missing of each line. */
function logger(missing: unknown[], told: () => void): Logger {
  const note = (_message: string, fields?: LogFields): void => {
    if (fields?.['missing'] === undefined) return;
    missing.push(fields['missing']);
    told();
  };
  const self: Logger = { debug: note, info: note, warn: note, error: note, child: () => self };
  return self;
}

it.each<[string, readonly string[], readonly string[]]>([
  ['nothing', [], ['list', 'watch']],
  ['list only', ['list'], ['watch']],
  ['watch only', ['watch'], ['list']],
  ['get only', ['get'], ['list', 'watch']],
  ['both', ['list', 'watch'], []],
  ['everything', ['*'], []],
])('with a role that gives %s, exactly what is missing is named', async (name, verbs, expected) => {
  const user = `user-of-${name.replace(' ', '-')}`;
  const [admin, transport] = [connect(server.adminToken), connect(server.token(user))];
  const client = createClient({ transport: admin, environment, fieldManager: 'tests' });
  const grant = async (given: readonly string[]): Promise<void> => {
    const rules = given.length === 0 ? [] : [{ apiGroups: [''], resources: ['configmaps'], verbs: [...given] }];
    await client.apply(Role, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { namespace, name: user },
      rules,
    });
  };
  await grant(verbs);
  await client.create<RoleBinding>({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace, name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
  });
  const missing: unknown[] = [];
  const { promise: named, resolve: told } = Promise.withResolvers<void>();
  const cache = createCache({ transport, environment, namespaces: [namespace], logger: logger(missing, told) });
  const informer = cache.informerFor(ConfigMap);
  expect(await cache.missingPermissions()).toEqual(
    expected.map((verb) => ({ verb, group: '', resource: 'configmaps', namespace })),
  );
  const stop = new AbortController();
  const running = cache.start(stop.signal);
  if (expected.includes('watch')) {
    await named;
    expect(missing).toEqual([expected.map((verb) => `${verb} configmaps in namespace default`)]);
    await grant(['list', 'watch']);
  }
  // It goes on by itself once it may.
  await informer.waitForSync();
  if (!expected.includes('watch')) expect(missing).toEqual([]);
  stop.abort();
  await running;
  await Promise.all([admin.close(), transport.close()]);
});
