// The permissions that are derived from an operator's calls are those that it uses: without any one of them it fails, and with all of
// them it is refused nothing, on an API server that enforces owner reference permissions.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cached, Kind, KubernetesObject, Reconciler } from 'operator-runtime';
import { defaultEnvironment } from 'operator-runtime';
import { createLeaseLock } from 'operator-runtime/election';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Ec2Instance } from '../../fixtures/compute/operator/api/v1/ec2instance.ts';
import { S3Bucket } from '../../fixtures/compute/operator/api/v1/s3bucket.ts';
import { SqsQueue } from '../../fixtures/compute/operator/api/v1/sqsqueue.ts';
import { DirectoryCloud } from '../../fixtures/compute/operator/cloud.ts';
import { ConfigMap, childName } from '../../fixtures/compute/operator/controllers/connection-details.ts';
import { Ec2InstanceReconciler } from '../../fixtures/compute/operator/controllers/ec2instance-controller.ts';
import { S3BucketReconciler } from '../../fixtures/compute/operator/controllers/s3bucket-controller.ts';
import { SqsQueueReconciler } from '../../fixtures/compute/operator/controllers/sqsqueue-controller.ts';
import { programEntries, usageOf } from '../../src/cli/rbac/usage.ts';
import { rolesOf, type RoleRules } from '../../src/generate/rbac/rules.ts';
import { derivedRules } from '../../src/generate/rbac/usage/index.ts';
import { readCalls } from '../../src/reader/index.ts';
import { type AuditEvent, startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { root } from '../../tools/repository.ts';
import { WidgetProject } from './widget-project.ts';
import { Audit, manifestsFor, OperatorRun, type Permission, permission, permissionsOf } from './operator-run.ts';

/** What an operator does in one of these runs. */
type Scenario = (run: OperatorRun, environment: TestEnvironment, namespace: string) => Promise<void>;

const slashedRoot = root.replaceAll('\\', '/').replace(/\/$/, '');

/** The roles that grant what a program uses, and nothing else. */
function derived(main: string, folder: string, tsconfig: string, ownNamespace: string): RoleRules[] {
  const { uses, unresolved } = readCalls({ files: [main], root: folder, tsconfig });
  expect(unresolved).toEqual([]);
  return rolesOf(derivedRules(uses, ownNamespace), 'manager-role');
}

/** Runs scenarios on one server, each as a user of its own with the permissions given. */
class Proof {
  readonly #environment: TestEnvironment;
  readonly #scenario: Scenario;
  readonly #audits = new Map<string, Audit>();
  #runs = 0;

  private constructor(environment: TestEnvironment, scenario: Scenario) {
    this.#environment = environment;
    this.#scenario = scenario;
  }

  static async start(crdPath: string, scenario: Scenario): Promise<Proof> {
    const proof: { current?: Proof } = {};
    const environment = await startTestEnvironment({
      project: false,
      assets: '',
      crdPaths: [crdPath],
      server: {
        enableAdmissionPlugins: ['OwnerReferencesPermissionEnforcement'],
        onRequest: (event) => proof.current?.record(event),
      },
    });
    proof.current = new Proof(environment, scenario);
    return proof.current;
  }

  record(event: AuditEvent): void {
    this.#audits.get(event.user)?.record(event);
  }

  async run(permissions: readonly Permission[], streamingList: boolean): Promise<Audit> {
    const user = `user-${++this.#runs}`;
    // Roles of the operator's own namespace hold for the namespace of this run.
    const granted = permissions.map((each) => ({
      ...each,
      namespace: each.namespace === undefined ? undefined : user,
    }));
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: user } };
    await this.#environment.install(namespace, ...manifestsFor(user, granted));
    const denied = new AbortController();
    const audit = new Audit(user, () => denied.abort(new Error('denied')));
    this.#audits.set(user, audit);
    const run = new OperatorRun(this.#environment, user, streamingList, denied.signal);
    try {
      await this.#scenario(run, this.#environment, user);
    } catch (error) {
      // What the operator was refused is what these tests are about; nothing else may go wrong.
      if (audit.denied.size === 0) throw error;
    } finally {
      this.#environment.server?.faults.clear();
      await run.end();
    }
    return audit;
  }

  stop(): Promise<void> {
    return this.#environment.stop();
  }
}

/** One object from its creation to its end, with a read while the cache is behind. */
async function live<T extends KubernetesObject>(
  {
    run,
    environment,
    kind,
    reconciler,
    between,
  }: {
    readonly run: OperatorRun;
    readonly environment: TestEnvironment;
    readonly kind: Kind<T, 'Namespaced'>;
    readonly reconciler: Reconciler;
    readonly between?: () => Promise<void>;
  },
  object: Cached<T>,
): Promise<void> {
  const { namespace = '', name = '' } = object.metadata;
  const key = { namespace, name };
  const informer = await run.watch(kind);
  const reconcile = async (): Promise<void> => void (await reconciler.reconcile(key, run.context));
  await environment.client.create(object);
  await run.cached(informer, key, (found) => found !== undefined);
  const plural = `${kind.plural}.${kind.group}`;
  environment.server?.faults.pauseWatches(plural);
  await reconcile();
  // The cache has not seen what was just written.
  await reconcile();
  environment.server?.faults.resumeWatches(plural);
  await run.cached(informer, key, (found) => (found as { status?: unknown } | undefined)?.status !== undefined);
  await reconcile();
  await between?.();
  await environment.client.delete(kind, key);
  await run.cached(informer, key, (found) => found?.metadata.deletionTimestamp !== undefined);
  await reconcile();
  await run.cached(informer, key, (found) => found === undefined);
}

const folder = mkdtempSync(join(tmpdir(), 'create-operator-minimality-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What every role of these tests must show. */
function proves(proofOf: () => Proof, rolesOfOperator: () => readonly RoleRules[], expected: readonly string[]): void {
  const name = ({ verb, group, resource }: Permission): string => permission(verb, group, resource);

  it('is refused nothing, and uses all that is derived', async () => {
    const permissions = permissionsOf(rolesOfOperator());
    expect([...new Set(permissions.map(name))].sort()).toEqual([...expected].sort());
    const audits: Audit[] = [];
    // Lists are streamed by a watch where the server can, and read by pages where it cannot.
    for (const streamingList of [true, false]) {
      const audit = await proofOf().run(permissions, streamingList);
      expect([...audit.denied]).toEqual([]);
      audits.push(audit);
    }
    // The finalizers of owners are asked for by admission, not by a request of their own.
    const requested = permissions.map(name).filter((each) => !each.includes('/finalizers'));
    // Watches are seen when they are over.
    await vi.waitFor(() => {
      const used = new Set(audits.flatMap((audit) => [...audit.used]));
      expect([...used].sort()).toEqual([...new Set(requested)].sort());
    });
  });

  it.each(expected)('fails without %s', async (without) => {
    const permissions = permissionsOf(rolesOfOperator()).filter((each) => name(each) !== without);
    const audit = await proofOf().run(permissions, false);
    const denied = without.includes('/finalizers')
      ? [expect.stringMatching(/^admission of create configmaps /) as unknown]
      : [without];
    expect([...audit.denied]).toEqual(denied);
  });
}

interface WidgetModule {
  readonly WidgetReconciler: new (store: unknown) => Reconciler;
  readonly DirectoryWidgetStore: new (folder: string) => unknown;
  readonly Widget: Kind<KubernetesObject, 'Namespaced'>;
}

describe('the role of a scaffolded operator', () => {
  let project: WidgetProject;
  let proof: Proof;
  let roles: RoleRules[];

  beforeAll(async () => {
    project = await WidgetProject.create();
    project.edit(
      'src/controllers/widget-controller.ts',
      (text) =>
        `${text}\nexport { Widget } from '../api/v1/widget.js';\nexport { DirectoryWidgetStore } from './widget-external.js';\n`,
    );
    const { WidgetReconciler, DirectoryWidgetStore, Widget } = (await project.import(
      'src/controllers/widget-controller.ts',
    )) as WidgetModule;
    const plan = {
      root: project.root.replaceAll('\\', '/'),
      sources: [],
      inProject: true,
      tsconfig: project.path('tsconfig.json').replaceAll('\\', '/'),
      roleName: 'manager-role',
      rbacDir: 'config/rbac',
      ownNamespace: undefined,
      namespaced: false,
    };
    const calls = readCalls({ files: programEntries(plan), root: plan.root, tsconfig: plan.tsconfig });
    const { ownUses, usage } = usageOf(calls, plan, []);
    expect(usage.unresolved).toEqual([]);
    roles = rolesOf(derivedRules(ownUses, undefined), 'manager-role');
    proof = await Proof.start(project.path('config/crd/bases'), (run, environment, namespace) =>
      live({ run, environment, kind: Widget, reconciler: new WidgetReconciler(new DirectoryWidgetStore(folder)) }, {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { namespace, name: 'sample' },
        spec: { size: 3 },
      } as KubernetesObject),
    );
  }, 120_000);
  afterAll(async () => {
    await proof?.stop();
    project?.remove();
  });

  it('grants what is derived, and nothing else', () => {
    const [granted] = parseAllDocuments(project.read('config/rbac/role.yaml')).map(
      (document) => document.toJS() as { rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] },
    );
    const [role] = roles;
    expect(granted?.rules).toEqual(
      role?.rules.map(({ groups, resources, verbs }) => ({ apiGroups: groups, resources, verbs })),
    );
  });

  proves(
    () => proof,
    () => roles,
    [
      'get widgets.example.com',
      'list widgets.example.com',
      'watch widgets.example.com',
      'patch widgets.example.com',
      'patch widgets.example.com/status',
    ],
  );
});

describe('the derived role of the example', () => {
  let proof: Proof;
  let roles: RoleRules[];

  beforeAll(async () => {
    roles = derived(
      `${slashedRoot}/fixtures/compute/operator/operator.ts`,
      slashedRoot,
      `${slashedRoot}/test/tsconfig.json`,
      'compute-system',
    );
    const cloud = new DirectoryCloud(folder);
    proof = await Proof.start(join(root, 'fixtures/compute/expected/crd'), async (run, environment, namespace) => {
      const lock = createLeaseLock({
        transport: run.transport,
        environment: defaultEnvironment(),
        namespace,
        name: 'operator.compute.cloud.com',
      });
      const { signal } = run.context;
      expect(await lock.get(signal)).toBeUndefined();
      const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 };
      const lease = await lock.create({ ...spec, acquireTime: now(), renewTime: now() }, signal);
      await lock.update(lease, lease.spec ?? spec, signal);

      const children = await run.watch(ConfigMap);
      const metadata = { namespace, name: 'sample' };
      const shared = { run, environment };
      const reconciler = new S3BucketReconciler(cloud);
      const child = { namespace, name: childName('sample', 's3bucket') };
      await live<S3Bucket>(
        {
          ...shared,
          kind: S3Bucket,
          reconciler,
          between: async () => {
            // Somebody changed the child; the cache is behind when it has been mended.
            await environment.client.mergePatch(ConfigMap, child, { data: { region: 'elsewhere' } });
            await run.cached(
              children,
              child,
              (found) => (found as ConfigMap | undefined)?.data?.['region'] === 'elsewhere',
            );
            environment.server?.faults.pauseWatches('configmaps');
            await reconciler.reconcile(metadata, run.context);
            await reconciler.reconcile(metadata, run.context);
            environment.server?.faults.resumeWatches('configmaps');
          },
        },
        {
          apiVersion: 'compute.cloud.com/v1',
          kind: 'S3Bucket',
          metadata,
          spec: { bucketName: `sample-${namespace}`, region: 'eu-central-1' },
        },
      );
      await live<SqsQueue>(
        { ...shared, kind: SqsQueue, reconciler: new SqsQueueReconciler(cloud) },
        {
          apiVersion: 'compute.cloud.com/v1',
          kind: 'SqsQueue',
          metadata,
          spec: { queueName: `sample-${namespace}` },
        },
      );
      await live<Ec2Instance>(
        { ...shared, kind: Ec2Instance, reconciler: new Ec2InstanceReconciler(cloud) },
        {
          apiVersion: 'compute.cloud.com/v1',
          kind: 'Ec2Instance',
          metadata,
          spec: { region: 'eu-central-1', amiID: 'ami-0123456789abcdef0', credentialsRef: { name: 'cloud' } },
        },
      );
    });
  }, 120_000);
  afterAll(() => proof?.stop());

  const kinds = ['ec2instances', 's3buckets', 'sqsqueues'].map((plural) => `${plural}.compute.cloud.com`);
  proves(
    () => proof,
    () => roles,
    [
      ...['get', 'list', 'watch', 'create', 'patch'].map((verb) => `${verb} configmaps`),
      ...['get', 'create', 'update'].map((verb) => `${verb} leases.coordination.k8s.io`),
      ...kinds.flatMap((kind) => [
        ...['get', 'list', 'watch', 'patch'].map((verb) => `${verb} ${kind}`),
        `patch ${kind}/status`,
        `update ${kind}/finalizers`,
      ]),
    ],
  );
});

function now(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
