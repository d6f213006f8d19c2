// Leader election among real processes, each started from one bundled file as the scaffold's Dockerfile ships it: no node_modules, its
// election's thread inside. They are paused, killed, blocked and cut off; the server says who wrote when.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.ts';
import type { ApiServer, AuditEvent } from '../../src/apiserver/index.ts';
import { seededRandom } from '../../src/runtime/environment/virtual-random.ts';
import { buildRuntime } from '../../tools/build.ts';
import { root, run } from '../../tools/repository.ts';
import { killReplicas, startReplica } from './election-replica.ts';
import type { Replica } from './election-replica.ts';
import { eventually } from './example-process.ts';

const minute = 60_000;
/** Long enough for a machine that is busy with other tests. */
const times = { leaseDuration: 6_000, renewDeadline: 4_000, retryPeriod: 500 };
/** A process that is the first of its process namespace, as in a container. */
const firstProcess = ['unshare', '--pid', '--fork', '--kill-child'];
const canUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;

let folder: string;
/** The bundled file, alone in its folder. */
let bundle: string;
let server: ApiServer;
let audit: AuditEvent[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'create-operator-election-'));
  await buildRuntime();
  const project = join(folder, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  copyFileSync(join(root, 'templates/project/esbuild.config.mjs'), join(project, 'esbuild.config.mjs'));
  copyFileSync(join(root, 'test/runtime/election-program.ts'), join(project, 'src/main.ts'));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  const bundled = await run(process.execPath, ['esbuild.config.mjs'], { cwd: project });
  expect(bundled.stderr).toBe('');
  mkdirSync(join(folder, 'app'));
  bundle = join(folder, 'app/main.mjs');
  copyFileSync(join(project, 'dist/main.js'), bundle);
}, 5 * minute);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  audit = [];
  server = await startApiServer({ onRequest: (event) => audit.push(event) });
  writeFileSync(join(folder, 'ca.crt'), server.caCertificate);
  const response = await request('POST', '/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'shared', namespace: 'default' },
  });
  expect(response['kind']).toBe('ConfigMap');
});

afterEach(async () => {
  await killReplicas();
  await server.stop();
});

async function request(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const script = `
    const https = require('node:https');
    const [url, method, token, ca, body] = process.argv.slice(1);
    https.request(url, { method, ca, headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' } },
      (response) => response.pipe(process.stdout)).end(body);`;
  const args = [`${server.url}${path}`, method, server.adminToken, server.caCertificate, JSON.stringify(body) ?? ''];
  const { stdout } = await run(process.execPath, ['-e', script, ...args]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** A replica with a user of its own, so that the server knows who asks. */
function start(
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
  wrapper: readonly string[] = [],
): Replica {
  const tokenFile = join(folder, `token-${name}`);
  writeFileSync(tokenFile, server.token(name, ['system:masters']));
  const common = { server: server.url, caFile: join(folder, 'ca.crt'), tokenFile, ...times };
  return startReplica(name, [...wrapper, process.execPath, bundle], { ...common, ...settings }, join(folder, 'app'));
}

async function leaseSpec(): Promise<Record<string, unknown>> {
  const lease = await request('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/op');
  return lease['spec'] as Record<string, unknown>;
}

/**
 * Of each replica no write was served after another one had got the lease; of one that was paused at most one for each pause: it may have
 * been between the fence and the system call that sends it.
 */
function expectNoLateWrites(pauses: readonly Replica[] = []): void {
  let leader = '';
  let writes = 0;
  const late: string[] = [];
  for (const { user, verb, resource, code } of audit) {
    if (resource === 'leases' && verb !== 'get' && code < 300) leader = user;
    if (resource === 'configmaps' && verb === 'patch') {
      writes++;
      if (user !== leader) late.push(user);
    }
  }
  expect(writes).toBeGreaterThan(0);
  for (const { name } of pauses) {
    const one = late.indexOf(name);
    if (one >= 0) late.splice(one, 1);
  }
  expect(late).toEqual([]);
}

describe('operators of one bundled file', () => {
  it(
    'renew while the main thread is busy for less than the renew deadline, and end the process after it',
    async () => {
      const a = start('a');
      await a.tells('leading');
      const b = start('b');
      a.ask(`block ${times.renewDeadline / 2}`);
      a.ask('write');
      await a.tells('wrote');
      // It was renewed meanwhile.
      expect(await leaseSpec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
      a.ask(`block ${10 * minute}`);
      a.ask('write');
      expect(await a.ended).toBe('SIGKILL');
      expect(a.log.at(-1)).toContain('The main thread does not answer');
      await b.tells('leading');
      b.ask('write');
      await b.tells('wrote');
      expect(a.told).toEqual(['leading', 'wrote']);
      b.signal('SIGTERM');
      expect(await b.ended).toBe(0);
      expectNoLateWrites();
    },
    2 * minute,
  );

  it.skipIf(!canUnshare)(
    `end it though it is the first of a container${canUnshare ? '' : ' (needs the right to unshare)'}`,
    async () => {
      const a = start('a', {}, firstProcess);
      await a.tells('leading');
      a.ask(`block ${10 * minute}`);
      expect(await a.ended).toBe(137);
      expect(a.log.join('\n')).toContain('The main thread does not answer');
    },
    2 * minute,
  );

  it(
    'stop writing while they are paused for too long, and say so',
    async () => {
      const a = start('a', { writeEvery: 5 });
      await a.tells('wrote', 20);
      const b = start('b', { writeEvery: 5 });
      a.signal('SIGSTOP');
      await b.tells('wrote', 20);
      a.signal('SIGCONT');
      expect(await a.ended).toBe(1);
      expect(a.told.at(-1)).toBe('LeadershipLost');
      expectNoLateWrites();
    },
    2 * minute,
  );

  it(
    'give the lease back when they are asked to stop, and leave nothing running',
    async () => {
      const a = start('a', { writeEvery: 20 });
      await a.tells('wrote');
      const b = start('b', { writeEvery: 20 });
      await eventually('b competes', () => audit.some(({ user, resource }) => user === 'b' && resource === 'leases'));
      a.signal('SIGTERM');
      expect(await a.ended).toBe(0);
      expect(a.told.at(-1)).toBe('stopped');
      expect(audit.some(({ user, resource, verb }) => user === 'a' && resource === 'leases' && verb === 'update')).toBe(
        true,
      );
      await b.tells('wrote');
      expectNoLateWrites();
    },
    2 * minute,
  );

  it(
    'read credentials anew that the server refuses',
    async () => {
      const tokenFile = join(folder, 'token-c');
      writeFileSync(tokenFile, 'nonsense');
      const c = startReplica(
        'c',
        [process.execPath, bundle],
        { server: server.url, caFile: join(folder, 'ca.crt'), tokenFile, ...times },
        join(folder, 'app'),
      );
      await eventually('it is refused', () => audit.some(({ code }) => code === 401) || c.log.length > 1);
      writeFileSync(tokenFile, server.token('c', ['system:masters']));
      await c.tells('leading');
    },
    2 * minute,
  );

  it.each([1, 2])(
    'keep to one writer under seeded disturbances (%i)',
    async (seed) => {
      const random = seededRandom(seed);
      const names = ['a', 'b', 'c'];
      const replicas = new Map<string, Replica>(names.map((name) => [name, start(name, { writeEvery: 5 })]));
      const paused: Replica[] = [];
      const pauses: Replica[] = [];
      for (let step = 0; step < 5; step++) {
        const leader = await eventually(
          'one of those that run writes',
          () => [...replicas.values()].find((replica) => !paused.includes(replica) && isWriting(replica)),
          minute,
        );
        const dice = random.next();
        if (dice < 0.4) {
          leader.signal('SIGSTOP');
          paused.push(leader);
          pauses.push(leader);
        } else if (dice < 0.7) {
          leader.signal('SIGKILL');
          await leader.ended;
        } else {
          leader.ask(`block ${10 * minute}`);
          expect(await leader.ended).toBe('SIGKILL');
        }
        audit.push(markerOf(leader));
        if (paused.length > 1 || step === 4) {
          for (const replica of paused.splice(0)) {
            // Paused for longer than its lease, since another writes; or not, at the end.
            replica.signal('SIGCONT');
          }
        }
        for (const name of names) {
          if (replicas.get(name)?.running === false) replicas.set(name, start(name, { writeEvery: 5 }));
        }
      }
      await eventually('one writes at the end', () => [...replicas.values()].some(isWriting), minute);
      expectNoLateWrites(pauses);
    },
    4 * minute,
  );
});

/** Whether the last write that the server has served since the last disturbance is the replica's. */
function isWriting({ name }: Replica): boolean {
  const since = audit.slice(audit.findLastIndex(({ verb }) => verb === 'disturbed') + 1);
  return since.some(({ user, resource, verb, code }) => {
    return user === name && resource === 'configmaps' && verb === 'patch' && code === 200;
  });
}

/** Stands in the audit where a leader was disturbed. */
function markerOf({ name }: Replica): AuditEvent {
  const nothing = {
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    path: '',
    allowed: true,
    code: 0,
  };
  return { user: name, verb: 'disturbed', ...nothing };
}

it('the bundled file holds the program of the thread', () => {
  expect(readFileSync(bundle, 'utf8')).toContain('The main thread does not answer');
});
