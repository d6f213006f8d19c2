import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  applyIfChanged,
  createManager,
  createOrPatch,
  createOrUpdate,
  defineKind,
  done,
  patchStatus,
} from 'operator-runtime';
import { stripManagedFields } from 'operator-runtime/cache';
import type { Kind, KubernetesObject, Logger, Manager, Reconcile } from 'operator-runtime';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { findPrograms } from '../conformance/kubernetes/programs.ts';
import { eventually } from './example-process.ts';

interface Deployment extends KubernetesObject {
  spec: { replicas?: number; selector: object; template: object; [member: string]: unknown };
  status?: object;
}
const Deployment: Kind<Deployment, 'Namespaced', 'status'> = defineKind({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
  subresources: ['status'],
});
interface Gadget extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Gadget';
  spec: { size: number };
  status?: { ready?: number; seen?: string };
}
const Gadget: Kind<Gadget, 'Namespaced', 'status'> = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
  subresources: ['status'],
});
const gadget = (name: string, size = 1): Gadget => ({
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name, namespace: 'default' },
  spec: { size },
});
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Gadget', plural: 'gadgets' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' } } },
              status: { type: 'object', properties: { ready: { type: 'integer' }, seen: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
};
const labels = { app: 'web' };
/** Without anything that the server defaults. */
const deploymentSpec = (image: string): Deployment['spec'] => ({
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: { containers: [{ name: 'web', image, resources: { requests: { cpu: '1000m' } } }] },
  },
});

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function recorder(lines: Line[]): Logger {
  const at =
    (level: string): Logger['info'] =>
    (message, fields = {}) =>
      void lines.push({ level, message, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => recorder(lines) };
}

const programs = findPrograms();
const servers = [['embedded', ''] as const, ...(programs === undefined ? [] : [['real', programs] as const])];

describe.each(servers)('on the %s server', (_, assets) => {
  let environment: TestEnvironment;
  const running = new Set<() => Promise<void>>();

  beforeAll(async () => {
    environment = await startTestEnvironment({
      assets,
      project: false,
      timeout: 120_000,
      users: [{ name: 'prometheus' }, { name: 'somebody' }],
      manifests: [
        definition,
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'metrics-reader' },
          rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'metrics-reader' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics-reader' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'prometheus' }],
        },
      ],
    });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([...running].map((stop) => stop()));
    await environment.stop();
  });

  /** A manager that runs until the function has ended. */
  async function withManager(
    options: Parameters<typeof createManager>[0],
    prepare: (manager: Manager) => void,
    use: (manager: Manager, lines: readonly Line[]) => Promise<void>,
  ): Promise<void> {
    const lines: Line[] = [];
    const manager = createManager({ configuration: environment.configuration(), logger: recorder(lines), ...options });
    prepare(manager);
    const abort = new AbortController();
    const ended = manager.start({ signal: abort.signal });
    const stop = async (): Promise<void> => {
      running.delete(stop);
      abort.abort();
      await ended;
    };
    running.add(stop);
    try {
      await manager.cache.waitForSync(abort.signal);
      await use(manager, lines);
    } finally {
      await stop();
    }
  }

  async function events(name: string): Promise<readonly Record<string, unknown>[]> {
    const answer = await environment.request({ path: '/apis/events.k8s.io/v1/namespaces/default/events' });
    const { items } = answer.json() as { items: { regarding: { name: string } }[] };
    return items.filter(({ regarding }) => regarding.name === name);
  }

  it('events are taken, and become series', async () => {
    const reconcile: Reconcile = async (request, { client, events: recorded }) => {
      const object = await client.get(Gadget, request);
      for (const told of object === undefined ? [] : [object, object, object]) {
        recorded.event(told, {
          type: 'Warning',
          reason: 'Failed',
          action: 'Create',
          note: `no cloud\n${'x'.repeat(2000)}`,
        });
      }
      return done;
    };
    await withManager(
      {},
      (manager) => void manager.controller('gadget').for(Gadget).reconcile(reconcile),
      async (manager) => {
        await manager.client.create(gadget('told'));
        const [event] = await eventually('a series', async () => {
          const found = await events('told');
          return found[0]?.['series'] === undefined ? undefined : found;
        });
        expect(event).toMatchObject({
          type: 'Warning',
          reason: 'Failed',
          action: 'Create',
          reportingController: 'gadget',
          series: { count: 3 },
          regarding: { kind: 'Gadget', name: 'told', namespace: 'default' },
        });
      },
    );
  });

  it('a guard that trips tells of it by an event and in the metrics, and no change is lost', async () => {
    let runs = 0;
    const restless: Reconcile = async (request, { client }) => {
      runs++;
      await client.status.mergePatch(Gadget, { ...request }, { status: { seen: `run ${runs}` } });
      return done;
    };
    await withManager(
      {},
      (manager) => void manager.controller('restless').for(Gadget).reconcile(restless),
      async (manager, lines) => {
        await manager.client.create(gadget('restless'));
        const tripped = await eventually('the guard', () =>
          lines.find(({ message, fields }) => message === 'A guard tripped' && fields['name'] === 'restless'),
        );
        expect(tripped.fields).toMatchObject({ guard: 'selfTriggeredLoop', fields: ['/status/seen'] });
        await eventually('its event', async () =>
          (await events('restless')).find(({ reason }) => reason === 'GuardTripped'),
        );
        expect(manager.metrics.expose()).toMatch(
          /^operator_runtime_guard_trips_total\{controller="restless",guard="selfTriggeredLoop"\} [1-9]/m,
        );
        // A new spec runs at once, though the runs are spaced.
        const before = await manager.client.live.get(Gadget, { namespace: 'default', name: 'restless' });
        await manager.client.mergePatch(Gadget, { namespace: 'default', name: 'restless' }, { spec: { size: 2 } });
        await eventually('a run for the new spec', async () => {
          const now = await manager.client.live.get(Gadget, { namespace: 'default', name: 'restless' });
          return now?.spec.size === 2 && now.status?.seen !== before?.status?.seen;
        });
        await manager.client.delete(Gadget, { namespace: 'default', name: 'restless' });
      },
    );
  });

  it('two writers of one field are named, though the cache has no managedFields', async () => {
    const wants =
      (size: number): Reconcile =>
      async (request, { client }) => {
        const object = await client.get(Gadget, request);
        if (object?.metadata.name === 'fought') {
          expect(object.metadata.managedFields).toBeUndefined();
          await client.update(Gadget, object, (draft) => void (draft.spec.size = size));
        }
        return done;
      };
    const options = (fieldManager: string) => ({ fieldManager, cache: { transform: stripManagedFields } });
    await withManager(
      options('one'),
      (manager) => void manager.controller('one').for(Gadget).reconcile(wants(3)),
      async (manager, lines) => {
        await withManager(
          options('two'),
          (other) => void other.controller('two').for(Gadget).reconcile(wants(5)),
          async () => {
            await manager.client.create(gadget('fought'));
            const tripped = await eventually('the guard', () =>
              lines.find(({ message, fields }) => message === 'A guard tripped' && fields['guard'] === 'fieldConflict'),
            );
            expect(tripped.fields).toMatchObject({ object: 'Gadget default/fought', fields: ['/spec/size'] });
            // Whoever wrote last owns the field alone: at least that one is named.
            const managers = tripped.fields['managers'] as readonly string[];
            expect(managers.length).toBeGreaterThan(0);
            expect(['one', 'two']).toEqual(expect.arrayContaining([...managers]));
          },
        );
        await manager.client.delete(Gadget, { namespace: 'default', name: 'fought' });
      },
    );
  });

  it('metrics are read by those who may, as the cluster says', async () => {
    const options = { metrics: { bindAddress: '127.0.0.1:0', secure: false, authorization: true } };
    await withManager(
      options,
      (manager) =>
        void manager
          .controller('measured')
          .for(Gadget)
          .reconcile(async () => done),
      async (manager, lines) => {
        const serving = await eventually('the endpoint', () =>
          lines.find(({ message }) => message === 'Serving metrics'),
        );
        await eventually('the informer', () => manager.cache.informers.every((informer) => informer.hasSynced()));
        const port = Number(serving.fields['port']);
        const read = (user?: string): Promise<readonly [number | undefined, string]> =>
          new Promise((resolve, reject) => {
            const headers = user === undefined ? {} : { authorization: `Bearer ${environment.connection(user).token}` };
            httpRequest({ host: '127.0.0.1', port, path: '/metrics', headers, agent: false }, (response) => {
              let body = '';
              response.setEncoding('utf8').on('data', (part: string) => (body += part));
              response.on('end', () => resolve([response.statusCode, body]));
            })
              .on('error', reject)
              .end();
          });
        expect((await read())[0]).toBe(401);
        expect((await read('somebody'))[0]).toBe(403);
        const [status, body] = await read('prometheus');
        expect(status).toBe(200);
        expect(body).toMatch(/^controller_runtime_reconcile_total\{controller="measured",result="success"\} \d+$/m);
        expect(body).toMatch(/^rest_client_requests_total\{code="200",method="GET",host="[^"]+"\} \d+$/m);
        expect(body).toMatch(/^operator_runtime_informer_objects\{group="example.com",kind="Gadget"\} \d+$/m);
        expect(body).toMatch(/^process_resident_memory_bytes \d+$/m);
      },
    );
  });

  it('createOrUpdate and applyIfChanged ask the server once about what it defaults', async () => {
    await withManager(
      { fieldManager: 'test' },
      (manager) => void manager.cache.informerFor(Deployment),
      async (manager) => {
        const { client } = manager;
        const patches = (): string | undefined =>
          /rest_client_requests_total\{code="200",method="PATCH",[^}]*\} (\d+)/.exec(manager.metrics.expose())?.[1];
        const key = { namespace: 'default', name: 'web' };
        const ensure = async (image: string): Promise<string> => {
          const { operation } = await createOrUpdate(client, Deployment, key, (draft) => {
            draft.spec = deploymentSpec(image);
          });
          return operation;
        };
        expect(await ensure('web:1')).toBe('created');
        expect(await ensure('web:1')).toBe('unchanged');
        expect(patches()).toBe('1');
        expect(await ensure('web:1')).toBe('unchanged');
        expect(patches()).toBe('1');
        // Another status is another version, of the same spec.
        await client.status.mergePatch(Deployment, key, { status: { observedGeneration: 1 } });
        expect(await ensure('web:1')).toBe('unchanged');
        expect(patches()).toBe('2');
        expect(await ensure('web:2')).toBe('updated');
        expect(await ensure('web:2')).toBe('unchanged');
        expect(patches()).toBe('4');

        const apply = async (image: string): Promise<string> => {
          const metadata = { namespace: 'default', name: 'applied' };
          const configuration = { metadata, spec: deploymentSpec(image) };
          return (await applyIfChanged(client, Deployment, configuration)).operation;
        };
        expect(await apply('web:1')).toBe('created');
        expect(await apply('web:1')).toBe('unchanged');
        const before = patches();
        expect(await apply('web:1')).toBe('unchanged');
        expect(patches()).toBe(before);
        expect(await apply('web:2')).toBe('updated');
      },
    );
  });

  it('createOrPatch writes beside others, and no other object of the name', async () => {
    const { client } = environment;
    const key = { namespace: 'default', name: 'patched' };
    await client.create(gadget('patched'));
    const stale = await client.live.get(Gadget, key);
    await client.mergePatch(Gadget, key, { metadata: { labels: { touched: 'yes' } } });
    // Its read gives what was there before, as a cache does that is behind.
    const behind = new Proxy(client, { get: (on, name) => (name === 'get' ? async () => stale : bindTo(on, name)) });
    const change = (draft: Gadget): void => {
      draft.spec.size = 7;
    };
    expect(await createOrPatch(behind, Gadget, key, change)).toMatchObject({
      operation: 'updated',
      object: { metadata: { labels: { touched: 'yes' } }, spec: { size: 7 } },
    });
    expect(await createOrPatch(client, Gadget, key, change)).toMatchObject({ operation: 'unchanged' });
    await client.delete(Gadget, key);
    await client.create(gadget('patched'));
    await expect(createOrPatch(behind, Gadget, key, change)).rejects.toMatchObject({ reason: 'Invalid' });
    await client.delete(Gadget, key);
  });

  it('patchStatus runs again after a conflict, and gives up on what is gone', async () => {
    const { client } = environment;
    const key = { namespace: 'default', name: 'contended' };
    await client.create(gadget('contended'));
    const stale = await client.live.get(Gadget, key);
    await client.mergePatch(Gadget, key, { spec: { size: 7 } });
    // Its first read gives what was there before, as a cache does that is behind.
    const behind = { ...bound(client), get: async () => stale } as unknown as typeof client;
    const sizes: number[] = [];
    const written = await patchStatus(behind, Gadget, key, (draft) => {
      sizes.push(draft.spec.size);
      draft.status = { ready: draft.spec.size };
    });
    expect(sizes).toEqual([1, 7]);
    expect(written?.status).toEqual({ ready: 7 });
    expect(await patchStatus(client, Gadget, key, (draft) => void (draft.status = { ready: 7 }))).toMatchObject({
      metadata: { resourceVersion: written?.metadata.resourceVersion },
    });
    await client.delete(Gadget, key);
    expect(await patchStatus(client, Gadget, key, () => undefined)).toBeUndefined();
    await client.create(gadget('contended'));
    const change = (draft: Gadget): void => {
      draft.status = { ready: 1 };
    };
    expect(await patchStatus(behind, Gadget, key, change)).toBeUndefined();
    await client.delete(Gadget, key);
  });
});

/** A member of an object, bound to it where it is a method. */
function bindTo(object: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(object, name);
  return typeof member === 'function' ? member.bind(object) : member;
}

/** The methods that `patchStatus` uses, bound. */
function bound(client: TestEnvironment['client']): Pick<TestEnvironment['client'], 'live' | 'updateStatus'> {
  return {
    live: client.live,
    updateStatus: (kind, object, change, options) => client.updateStatus(kind, object, change, options),
  };
}
