// Three replicas of the example on a real kube-apiserver, their leader killed and then paused while objects come, change and go.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../tools/repository.ts';
import type { ApiClient } from '../conformance/kubernetes/client.ts';
import { install } from '../conformance/kubernetes/definitions.ts';
import { findPrograms, withoutPrograms } from '../conformance/kubernetes/programs.ts';
import { startKubernetes } from '../conformance/kubernetes/server.ts';
import type { Kubernetes } from '../conformance/kubernetes/server.ts';
import type { Definition } from '../fixtures.ts';
import { cloudFile, cloudIds, eventually, killExamples, startExample } from './example-process.ts';
import type { Example } from './example-process.ts';

/** `OPERATOR_CHURN_OBJECTS=150` for a shorter run. */
const objects = Number(process.env['OPERATOR_CHURN_OBJECTS'] ?? 2000);
/** Requests of the test at a time. */
const parallel = 16;
const minute = 60_000;
const limit = 3 * minute + objects * 300;

const queues = '/apis/compute.cloud.com/v1/namespaces/default/sqsqueues';
const leasePath = '/apis/coordination.k8s.io/v1/namespaces/default/leases/operator.compute.cloud.com';

interface Queue {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly visibilityTimeoutSeconds?: number };
  readonly status?: { readonly queueURL?: string };
}

/** One line of the audit log, as far as it is looked at. */
interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent: string;
  readonly requestReceivedTimestamp: string;
  readonly responseStatus: { readonly code: number };
  readonly requestObject?: unknown;
}

interface Term {
  readonly leader: Example;
  /** Milliseconds since 1970. */
  readonly acquired: number;
}

describe.skipIf(findPrograms() === undefined)(`replicas on a real kube-apiserver${withoutPrograms}`, () => {
  let kubernetes: Kubernetes;
  let client: ApiClient;
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-churn-'));
  const cloud = join(folder, 'cloud');

  beforeAll(async () => {
    kubernetes = await startKubernetes({ audit: true });
    client = kubernetes.client();
    const definitions = join(root, 'fixtures/compute/expected/crd');
    for (const file of readdirSync(definitions)) {
      await install(client, parse(readFileSync(join(definitions, file), 'utf8')) as Definition);
    }
  }, 2 * minute);
  afterEach(killExamples);
  afterAll(async () => {
    await kubernetes?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (): Example => {
    const flags = ['--leader-elect', '--leader-election-namespace', 'default'];
    return startExample('default', ['--kubeconfig', kubernetes.kubeconfig(), '--cloud', cloud, ...flags]);
  };

  /** The next leader among the replicas, by what the Lease says. */
  async function nextTerm(replicas: readonly Example[]): Promise<Term> {
    const leads = (replica: Example): string | undefined =>
      replica.log.find(({ msg }) => msg === 'Successfully acquired lease')?.['identity'] as string | undefined;
    const leader = await eventually(
      'one leads',
      () => replicas.find((replica) => leads(replica) !== undefined),
      minute,
    );
    const lease = (await client.expect('GET', leasePath)) as { spec: { holderIdentity: string; acquireTime: string } };
    expect(lease.spec.holderIdentity).toBe(leads(leader));
    return { leader, acquired: Date.parse(lease.spec.acquireTime) };
  }

  /** Runs the function for each number, some at a time; calls `passed` with how many are done. */
  async function forEachObject(act: (index: number) => Promise<void>, passed: (count: number) => Promise<void> | void) {
    let next = 0;
    let count = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < objects; index = next++) {
        await act(index);
        await passed(++count);
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
  }

  const body = (index: number): object => ({
    apiVersion: 'compute.cloud.com/v1',
    kind: 'SqsQueue',
    metadata: { name: `queue-${index}` },
    spec: { queueName: `queue-${index}`, visibilityTimeoutSeconds: 1 },
  });
  const isDeleted = (index: number): boolean => index % 3 === 0;

  async function converged(): Promise<boolean> {
    const { items } = (await client.expect('GET', queues)) as { items: readonly Queue[] };
    const wanted = Array.from({ length: objects }, (_, index) => index).filter((index) => !isDeleted(index)).length;
    return (
      items.length === wanted &&
      cloudIds(cloud, 'sqsqueue').length === wanted &&
      items.every(({ metadata, status }) => {
        const id = status?.queueURL?.split('/')[3];
        if (id === undefined) return false;
        const { token, properties } = cloudFile(cloud, 'sqsqueue', id);
        return token === metadata.uid && properties['visibilityTimeoutSeconds'] === 2;
      })
    );
  }

  it(
    `${objects} objects converge though leaders are killed and paused, and no former leader's late write is taken`,
    async () => {
      const replicas = [start(), start(), start()];
      const first = await nextTerm(replicas);
      const terms = [first];
      const alive = (): Example[] => replicas.filter((replica) => !terms.some(({ leader }) => leader === replica));

      let killed: Promise<unknown> | undefined;
      await forEachObject(
        async (index) => void (await client.expect('POST', queues, { body: body(index) })),
        (count) => {
          if (count === Math.floor(objects / 2)) killed = first.leader.end('SIGKILL');
        },
      );
      await killed;
      const second = await nextTerm(alive());
      terms.push(second);

      await forEachObject(
        async (index) => {
          const path = `${queues}/queue-${index}`;
          const patch = {
            body: { spec: { visibilityTimeoutSeconds: 2 } },
            contentType: 'application/merge-patch+json',
          };
          await client.expect('PATCH', path, patch);
          if (isDeleted(index)) await client.expect('DELETE', path);
        },
        (count) => {
          return count === Math.floor(objects / 2) ? second.leader.pause() : undefined;
        },
      );
      const third = await nextTerm(alive());
      terms.push(third);
      expect(await second.leader.end('SIGCONT')).toBe(1);

      await eventually('all objects are as wanted', converged, limit);
      expect(await third.leader.end('SIGTERM')).toBe(0);
      expectNoLateWrites(terms);
    },
    limit + 3 * minute,
  );

  /** Of each leader no write was received after the next one's term began, but such as carried a stale version and were refused. */
  function expectNoLateWrites(terms: readonly Term[]): void {
    const events = readFileSync(kubernetes.auditLog, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent);
    for (const [index, { leader }] of terms.entries()) {
      const writes = events.filter(
        ({ userAgent, requestURI }) =>
          userAgent === `compute-operator/${leader.pid}` && !requestURI.includes('/leases'),
      );
      expect(writes.length).toBeGreaterThan(0);
      expect(writes.filter((event) => !isConditional(event))).toEqual([]);
      const end = terms[index + 1]?.acquired ?? Number.POSITIVE_INFINITY;
      const late = writes.filter(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) > end);
      expect(late.filter(({ responseStatus }) => responseStatus.code !== 409)).toEqual([]);
    }
  }
});

/** Whether a write changes nothing that anybody else has written meanwhile. */
function isConditional({ verb, requestObject }: AuditEvent): boolean {
  const operations = Array.isArray(requestObject) ? (requestObject as { op?: string; path?: string }[]) : [];
  return (
    verb === 'create' || operations.some(({ op, path }) => op === 'replace' && path === '/metadata/resourceVersion')
  );
}
