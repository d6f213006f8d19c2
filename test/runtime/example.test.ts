import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { main } from '../../src/cli/main.ts';
import { root, runChecked } from '../../tools/repository.ts';
import type { ApiClient } from '../conformance/kubernetes/client.ts';
import { collectionPath, install } from '../conformance/kubernetes/definitions.ts';
import { findProgram, findPrograms, withoutPrograms } from '../conformance/kubernetes/programs.ts';
import { startKubernetes } from '../conformance/kubernetes/server.ts';
import type { Kubernetes } from '../conformance/kubernetes/server.ts';
import { samples } from '../fixtures.ts';
import type { Definition, Manifest } from '../fixtures.ts';
import { cloudFile, cloudIds, eventually, killExamples, startExample } from './example-process.ts';
import type { Example } from './example-process.ts';

const operator = 'fixtures/compute/operator';
const user = 'system:serviceaccount:compute-system:controller-manager';
const kubectl = await findProgram('kubectl');
const controllerManager = await findProgram('kube-controller-manager');
const finalizer = 'compute.cloud.com/cleanup';

interface Instance extends Manifest {
  readonly metadata: Manifest['metadata'] & {
    readonly uid: string;
    readonly namespace: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly unknown[];
  };
  readonly status?: Readonly<Record<string, string>>;
}

function generate(...args: string[]): Promise<number> {
  const sources = ['--source', 'fixtures/compute/jsdoc/*.types.ts', '--source', `${operator}/controllers/*.ts`];
  return main(['generate', ...sources, '--role-name', 'manager-role', ...args]);
}

it('the role and the clients of the example are what generate writes', async () => {
  expect(await generate('--check', '--client-dir', `${operator}/api`, '--rbac-dir', `${operator}/config/rbac`)).toBe(0);
});

describe.skipIf(findPrograms() === undefined)(`the example on a real kube-apiserver${withoutPrograms}`, () => {
  let kubernetes: Kubernetes;
  let client: ApiClient;
  let definitions: Definition[];
  let cloud: string;
  let watched: string;
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-example-'));

  beforeAll(async () => {
    expect(await generate('--crd-dir', join(folder, 'crd'))).toBe(0);
    definitions = readdirSync(join(folder, 'crd')).map(
      (file) => parse(readFileSync(join(folder, 'crd', file), 'utf8')) as Definition,
    );
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:compute-system', 'system:authenticated'];
    kubernetes = await startKubernetes({
      users: [{ name: user, groups }],
      controllerManager: controllerManager !== undefined,
    });
    client = kubernetes.client();
    await grantRole();
  }, 120_000);

  afterEach(killExamples);
  afterAll(async () => {
    await killExamples();
    await kubernetes?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a deployment has besides the generated role: the namespace, and the bindings to the ServiceAccount. */
  async function grantRole(): Promise<void> {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await client.expect('POST', '/api/v1/namespaces', { body: { metadata: { name: 'compute-system' } } });
    const text = readFileSync(join(root, operator, 'config/rbac/role.yaml'), 'utf8');
    for (const document of parseAllDocuments(text)) {
      const role = document.toJS() as Manifest;
      const scope = role.kind === 'Role' ? '/namespaces/compute-system' : '';
      const path = `${rbac}${scope}/${role.kind.toLowerCase()}`;
      await client.expect('POST', `${path}s`, { body: role });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name: role.metadata.name };
      const subjects = [{ kind: 'ServiceAccount', name: 'controller-manager', namespace: 'compute-system' }];
      await client.expect('POST', `${path}bindings`, { body: { metadata: { name: 'manager' }, roleRef, subjects } });
    }
  }

  function start(...args: string[]): Example {
    return startExample(watched, ['--kubeconfig', kubernetes.kubeconfig(user), '--cloud', cloud, ...args]);
  }

  /** A namespace and a cloud of its own. */
  async function fresh(namespace: string): Promise<string> {
    cloud = join(folder, namespace);
    watched = namespace;
    await client.expect('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
    return namespace;
  }

  function instancePath(namespace: string, name = ''): string {
    const path = `/apis/compute.cloud.com/v1/namespaces/${namespace}/ec2instances`;
    return name === '' ? path : `${path}/${name}`;
  }

  async function createInstance(namespace: string, name: string): Promise<Instance> {
    const spec = { region: 'eu-central-1', amiID: 'ami-0123456789abcdef0', credentialsRef: { name: 'cloud' } };
    const body = { apiVersion: 'compute.cloud.com/v1', kind: 'Ec2Instance', metadata: { name }, spec };
    return (await client.expect('POST', instancePath(namespace), { body })) as Instance;
  }

  async function get(path: string): Promise<Instance | undefined> {
    const response = await client.request('GET', path);
    if (response.status === 404) {
      return undefined;
    }
    expect(response.status).toBe(200);
    return response.body as Instance;
  }

  const running = (namespace: string, name: string): Promise<Instance> =>
    eventually(`${namespace}/${name} runs`, async () => {
      const instance = await get(instancePath(namespace, name));
      return instance?.status?.['state'] === 'running' && instance;
    });

  function expectNoneForbidden(...examples: readonly Example[]): void {
    const forbidden = examples.flatMap(({ log }) => log).filter((line) => /forbidden/i.test(JSON.stringify(line)));
    expect(forbidden).toEqual([]);
  }

  it('waits for definitions that are not installed, says which, and starts when they appear', async () => {
    const namespace = await fresh('no-definitions');
    const example = start();
    await eventually('the log names the definition and how to install it', () =>
      example.log.some(
        ({ level, msg }) => level === 'warn' && /ec2instances\.compute\.cloud\.com .*kubectl apply/.test(String(msg)),
      ),
    );
    expect(example.running).toBe(true);
    for (const definition of definitions) {
      await install(client, definition);
    }
    await createInstance(namespace, 'early');
    await running(namespace, 'early');
    expect(await example.end('SIGTERM')).toBe(0);
    expectNoneForbidden(example);
  }, 120_000);

  it('makes, changes and removes what the samples ask for, as its ServiceAccount with the generated role alone', async () => {
    const namespace = await fresh('samples');
    const example = start('--leader-elect', '--leader-election-namespace', 'compute-system');
    const objects = samples('compute', 'valid').map(({ objects: [object] }) => object as Manifest);
    for (const body of objects) {
      await client.expect('POST', collectionPath(definitions, body, namespace), { body });
    }
    for (const { kind, metadata } of objects) {
      const path = collectionPath(definitions, { apiVersion: 'compute.cloud.com/v1', kind, metadata }, namespace);
      const object = await eventually(`the status of ${kind} ${metadata.name}`, async () => {
        const current = await get(`${path}/${metadata.name}`);
        const settled = kind !== 'Ec2Instance' || current?.status?.['state'] === 'running';
        return current?.status !== undefined && settled && current;
      });
      expect(object.metadata.finalizers).toEqual([finalizer]);
      const details = await eventually(`the ConfigMap of ${kind} ${metadata.name}`, () =>
        get(`/api/v1/namespaces/${namespace}/configmaps/${metadata.name}-${kind.toLowerCase()}`),
      );
      expect(details.metadata.ownerReferences).toEqual([
        {
          apiVersion: 'compute.cloud.com/v1',
          kind,
          name: metadata.name,
          uid: object.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    expect(['ec2instance', 's3bucket', 'sqsqueue'].map((kind) => cloudIds(cloud, kind).length)).toEqual([3, 2, 3]);

    const minimal = await running(namespace, 'minimal');
    expect(Object.keys(minimal.status ?? {}).sort()).toEqual([
      'instanceID',
      'launchTime',
      'privateDNS',
      'privateIP',
      'publicDNS',
      'publicIP',
      'state',
    ]);
    const { instanceID = '' } = minimal.status ?? {};
    expect(cloudFile(cloud, 'ec2instance', instanceID).token).toBe(minimal.metadata.uid);

    const patch = { body: { spec: { tags: { tier: 'web' } } }, contentType: 'application/merge-patch+json' };
    await client.expect('PATCH', instancePath(namespace, 'minimal'), patch);
    await eventually('the resource has the tag', () => {
      const { properties } = cloudFile(cloud, 'ec2instance', instanceID);
      return JSON.stringify(properties['tags']) === '{"tier":"web"}';
    });

    await client.expect('DELETE', instancePath(namespace, 'minimal'));
    await eventually('the object is gone', async () => (await get(instancePath(namespace, 'minimal'))) === undefined);
    expect(cloudIds(cloud, 'ec2instance')).not.toContain(instanceID);
    expect(await example.end('SIGTERM')).toBe(0);
    expectNoneForbidden(example);
  }, 120_000);

  it.skipIf(kubectl === undefined)(
    'shows its status to kubectl, whose delete waits for the clean-up',
    async () => {
      const namespace = await fresh('kubectl');
      const call = (...args: string[]): Promise<string> =>
        runChecked(kubectl ?? '', [`--kubeconfig=${kubernetes.kubeconfig()}`, '-n', namespace, ...args]);
      const example = start();
      await call('apply', '-f', join(root, 'fixtures/compute/samples/valid/ec2instance-minimal.yaml'));
      const { status = {} } = await running(namespace, 'minimal');
      const rows = (await call('get', 'ec2'))
        .trim()
        .split('\n')
        .map((row) => row.split(/\s+/));
      expect(rows).toEqual([
        ['NAME', 'STATE', 'PUBLICIP', 'INSTANCEID'],
        ['minimal', 'running', status['publicIP'], status['instanceID']],
      ]);
      expect(await example.end('SIGTERM')).toBe(0);

      const deleted = call('delete', 'ec2', 'minimal');
      await eventually(
        'the deletion began',
        async () => (await get(instancePath(namespace, 'minimal')))?.metadata.deletionTimestamp,
      );
      expect(cloudIds(cloud, 'ec2instance')).toEqual([status['instanceID']]);
      start();
      expect(await deleted).toContain('deleted');
      expect(await get(instancePath(namespace, 'minimal'))).toBeUndefined();
      expect(cloudIds(cloud, 'ec2instance')).toEqual([]);
    },
    120_000,
  );

  it.skipIf(controllerManager === undefined)(
    'leaves what it owns to the garbage collector, which keeps it when told to orphan it',
    async () => {
      const namespace = await fresh('garbage');
      start();
      await createInstance(namespace, 'taken');
      await createInstance(namespace, 'orphaned');
      const configMap = (name: string): string => `/api/v1/namespaces/${namespace}/configmaps/${name}-ec2instance`;
      for (const name of ['taken', 'orphaned']) {
        await running(namespace, name);
        await eventually(`the ConfigMap of ${name}`, () => get(configMap(name)));
      }
      await client.expect('DELETE', instancePath(namespace, 'taken'), { query: { propagationPolicy: 'Background' } });
      // The collector learns of new definitions every 30 seconds.
      await eventually(
        'the owned ConfigMap is gone',
        async () => (await get(configMap('taken'))) === undefined,
        120_000,
      );
      await client.expect('DELETE', instancePath(namespace, 'orphaned'), { query: { propagationPolicy: 'Orphan' } });
      await eventually(
        'the object is gone',
        async () => (await get(instancePath(namespace, 'orphaned'))) === undefined,
        120_000,
      );
      expect((await get(configMap('orphaned')))?.metadata.ownerReferences ?? []).toEqual([]);
      expect(cloudIds(cloud, 'ec2instance')).toEqual([]);
    },
    300_000,
  );

  it('makes one resource, though it was killed between making it and writing the status', async () => {
    const namespace = await fresh('killed');
    const first = start('--cloud-latency', '600000');
    const { metadata } = await createInstance(namespace, 'one');
    const [id = ''] = await eventually('the resource exists', () => {
      const ids = cloudIds(cloud, 'ec2instance');
      return ids.length > 0 && ids;
    });
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    expect((await get(instancePath(namespace, 'one')))?.status).toBeUndefined();
    start();
    const { status } = await running(namespace, 'one');
    expect(status?.['instanceID']).toBe(id);
    expect(cloudIds(cloud, 'ec2instance')).toEqual([id]);
    expect(cloudFile(cloud, 'ec2instance', id).token).toBe(metadata.uid);
  }, 120_000);

  it('catches up after the API server was killed and started again in the middle of work', async () => {
    const namespace = await fresh('restart');
    const example = start();
    const names = Array.from({ length: 40 }, (_, index) => `vm-${index}`);
    await Promise.all(names.slice(0, 30).map((name) => createInstance(namespace, name)));
    await eventually('work has begun', () => cloudIds(cloud, 'ec2instance').length > 3);
    await kubernetes.killApiServer();
    await kubernetes.startApiServer();
    const patch = { body: { spec: { tags: { after: 'restart' } } }, contentType: 'application/merge-patch+json' };
    await Promise.all(names.slice(30).map((name) => createInstance(namespace, name)));
    await Promise.all(names.slice(0, 5).map((name) => client.expect('PATCH', instancePath(namespace, name), patch)));
    await Promise.all(names.slice(5, 10).map((name) => client.expect('DELETE', instancePath(namespace, name))));
    const kept = [...names.slice(0, 5), ...names.slice(10)];
    await eventually(
      'all is as it should be',
      async () => {
        const { items } = (await client.expect('GET', instancePath(namespace))) as { items: Instance[] };
        const ids = items.map(({ status }) => status?.['instanceID'] ?? '');
        const tagged = items.filter(({ spec }) => JSON.stringify(spec).includes('"after":"restart"'));
        return (
          items.length === kept.length &&
          items.every(({ status }) => status?.['state'] === 'running') &&
          JSON.stringify(cloudIds(cloud, 'ec2instance')) === JSON.stringify(ids.sort()) &&
          tagged.length === 5 &&
          tagged.every(({ status }) =>
            JSON.stringify(cloudFile(cloud, 'ec2instance', status?.['instanceID'] ?? '').properties).includes(
              '"after":"restart"',
            ),
          )
        );
      },
      90_000,
    );
    expect(await example.end('SIGTERM')).toBe(0);
  }, 240_000);

  it('has one leader of two replicas; the other takes over after SIGKILL, and at once after SIGTERM', async () => {
    const namespace = await fresh('replicas');
    const flags = ['--leader-elect', '--leader-election-namespace', 'compute-system'];
    const lead = async (example: Example, limit: number): Promise<number> => {
      const begun = performance.now();
      await eventually('it leads', () => example.log.some(({ msg }) => msg === 'Successfully acquired lease'), limit);
      return performance.now() - begun;
    };
    const a = start(...flags);
    await lead(a, 30_000);
    const b = start(...flags);
    await eventually('it waits', () => b.log.some(({ msg }) => msg === 'New leader'));
    await createInstance(namespace, 'one');
    await running(namespace, 'one');
    expect(b.log.some(({ msg }) => msg === 'Starting workers')).toBe(false);

    await a.end('SIGKILL');
    await lead(b, 40_000);
    await createInstance(namespace, 'two');
    await running(namespace, 'two');

    const c = start(...flags);
    await eventually('it waits', () => c.log.some(({ msg }) => msg === 'New leader'));
    expect(await b.end('SIGTERM')).toBe(0);
    // Released: the next try of the other finds it free, 2 to 4.4 s after the last; it would run out 13 s from now at the earliest.
    expect(b.log.some(({ msg }) => msg === 'Released the lease')).toBe(true);
    expect(await lead(c, 40_000)).toBeLessThan(12_000);
    await createInstance(namespace, 'three');
    await running(namespace, 'three');
    expect(cloudIds(cloud, 'ec2instance')).toHaveLength(3);
    expect(await c.end('SIGTERM')).toBe(0);
    expectNoneForbidden(a, b, c);
  }, 180_000);

  it('does not write any more when it wakes up after another took over', async () => {
    const namespace = await fresh('paused');
    const flags = ['--leader-elect', '--leader-election-namespace', 'compute-system'];
    const leads = (example: Example): boolean => example.log.some(({ msg }) => msg === 'Successfully acquired lease');
    const a = start(...flags);
    await eventually('the first leads', () => leads(a));
    const b = start(...flags);
    await eventually('the second waits', () => b.log.some(({ msg }) => msg === 'New leader'));
    await a.pause();
    await eventually('the second leads', () => leads(b), 60_000);
    await createInstance(namespace, 'one');
    const instance = await running(namespace, 'one');
    const ended = a.end('SIGCONT');
    expect(await ended).toBe(1);
    expect(JSON.stringify(a.log)).toContain('leadership lost');
    expect(a.log.some(({ msg }) => msg === 'Created the resource')).toBe(false);
    expect(await get(instancePath(namespace, 'one'))).toEqual(instance);
    expect(await b.end('SIGTERM')).toBe(0);
  }, 180_000);

  it('waits for a reconcile at the first SIGTERM, and ends at once at the second', async () => {
    const namespace = await fresh('impatient');
    const example = start('--cloud-latency', '600000');
    await createInstance(namespace, 'one');
    await eventually('the resource exists', () => cloudIds(cloud, 'ec2instance').length > 0);
    const ended = example.end('SIGTERM');
    await eventually('it says that it stops', () => example.log.some(({ signal }) => signal === 'SIGTERM'));
    expect(example.running).toBe(true);
    // What comes within half a second counts as the same signal.
    await eventually('it ends', () => {
      void example.end('SIGTERM');
      return !example.running;
    });
    expect(await ended).toBe('SIGTERM');
  }, 60_000);

  it('says what is wrong when it is started wrongly', async () => {
    cloud = '';
    const example = start();
    await eventually('it ends', () => !example.running);
    expect(example.log.map(({ text }) => text)).toContain('--cloud is missing');
    expect(existsSync(join(root, 'ec2instance'))).toBe(false);
  });
});
