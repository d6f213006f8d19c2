import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CredentialSource, Credentials } from '../../config/types.ts';
import { defaultEnvironment } from '../../environment/default.ts';
import { discardLogger } from '../../environment/logger.ts';
import type { Logger } from '../../environment/logger.ts';
import { electionTimes } from '../times.ts';
import type { Lease } from '../lease.ts';
import { NotLeaderError } from '../errors.ts';
import { ThreadedElector } from './threaded-elector.ts';

const never = new AbortController().signal;
const path = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';
const fast = electionTimes({ leaseDuration: 60_000, renewDeadline: 40_000, retryPeriod: 20 });

let server: Server;
let address: string;
let lease: Lease | undefined;
let version: number;
let tokens: string[];
let accepted: string | undefined;
const electors: ThreadedElector[] = [];

beforeEach(async () => {
  [lease, version, tokens, accepted] = [undefined, 1, [], undefined];
  server = createServer((request, response) => {
    const token = request.headers.authorization ?? '';
    if (tokens.at(-1) !== token) tokens.push(token);
    const answer = (code: number, body: object): void => void response.writeHead(code).end(JSON.stringify(body));
    const refuse = (code: number, reason: string): void => {
      answer(code, { kind: 'Status', status: 'Failure', code, reason, message: reason });
    };
    void text(request).then((body) => {
      if (accepted !== undefined && token !== accepted) return refuse(401, 'Unauthorized');
      if (request.method === 'GET') return lease === undefined ? refuse(404, 'NotFound') : answer(200, lease);
      const sent = JSON.parse(body) as Lease;
      if (sent.metadata.resourceVersion !== lease?.metadata.resourceVersion) return refuse(409, 'Conflict');
      expect([`POST ${path}`, `PUT ${path}/op`]).toContain(`${request.method} ${request.url}`);
      lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(version++) } };
      return answer(200, lease);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await Promise.all(electors.splice(0).map((elector) => elector.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function start(options: { server?: string; credentials?: CredentialSource; log?: Logger } = {}): ThreadedElector {
  const credentials = options.credentials ?? { current: () => Promise.resolve({ token: 'a' }), invalidate() {} };
  const elector = new ThreadedElector({
    configuration: { server: options.server ?? address, credentials },
    namespace: 'ns',
    name: 'op',
    identity: 'me',
    times: fast,
    clock: defaultEnvironment().clock,
    log: options.log ?? discardLogger,
  });
  electors.push(elector);
  return elector;
}

describe('leader election on a thread of its own', () => {
  it('leads, renews and gives back; the fence is this thread’s', async () => {
    const elector = start();
    expect(elector.isLeader()).toBe(false);
    expect(() => elector.assertLeading()).toThrow(NotLeaderError);
    await elector.acquire(never);
    expect(elector.isLeader()).toBe(true);
    elector.assertLeading();
    const stop = new AbortController();
    const holding = elector.hold(stop.signal);
    const before = version;
    await new Promise<void>((resolve) => {
      server.on('request', () => {
        if (version > before + 3) resolve();
      });
    });
    stop.abort();
    await holding;
    // Held still, until it is given back.
    expect(elector.isLeader()).toBe(true);
    expect(await elector.release()).toBe(true);
    expect(elector.isLeader()).toBe(false);
    expect(lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
  });

  it('loses it to another, and says so', async () => {
    const elector = start();
    await elector.acquire(never);
    lease = {
      ...lease,
      metadata: { resourceVersion: 'other' },
      spec: { ...lease?.spec, holderIdentity: 'other' },
    } as Lease;
    await expect(elector.hold(never)).rejects.toMatchObject({
      reason: 'LeadershipLost',
      message: expect.stringContaining('ns/op: other holds it') as string,
    });
    expect(elector.isLeader()).toBe(false);
    expect(await elector.release()).toBe(false);
  });

  it('takes the end of the thread for the loss of the lease', async () => {
    const elector = start({ server: 'no address' });
    const lost = {
      reason: 'LeadershipLost',
      message: expect.stringContaining('the thread that renews it has ended') as string,
    };
    await expect(elector.acquire(never)).rejects.toMatchObject(lost);
    await expect(elector.hold(never)).rejects.toMatchObject(lost);
    expect(await elector.release()).toBe(false);
  });

  it('stops competing when it is told to', async () => {
    lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'op', namespace: 'ns', resourceVersion: 'x' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 3600 },
    };
    const elector = start();
    const stop = new AbortController();
    const acquiring = expect(elector.acquire(stop.signal)).rejects.toThrow('enough');
    stop.abort(new Error('enough'));
    await acquiring;
    expect(await elector.release()).toBe(false);
    expect(lease?.spec?.holderIdentity).toBe('other');
  });

  it('takes its credentials from this thread, and new ones after a refusal', async () => {
    let known: Credentials = { token: 'old' };
    const refused: Credentials[] = [];
    accepted = 'Bearer new';
    const elector = start({
      credentials: {
        current: () => Promise.resolve(known),
        invalidate(credentials) {
          refused.push(credentials);
          if (credentials === known) known = { token: 'new' };
        },
      },
    });
    await elector.acquire(never);
    expect(tokens).toEqual(['Bearer old', 'Bearer new']);
    expect(refused).toEqual([{ token: 'old' }]);
  });

  it('logs through this thread’s logger', async () => {
    const lines: [string, unknown][] = [];
    const note = (message: string, fields?: object): void => void lines.push([message, fields]);
    const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };
    let fails = true;
    const elector = start({
      log,
      credentials: {
        current: () => {
          if (!fails) return Promise.resolve({});
          fails = false;
          return Promise.reject(new Error('no token yet'));
        },
        invalidate() {},
      },
    });
    await elector.acquire(never);
    expect(lines[0]).toEqual(['Attempting to acquire leader lease', { lease: 'ns/op', identity: 'me' }]);
    expect(lines).toContainEqual([
      'Failed to acquire the lease',
      expect.objectContaining({ error: expect.objectContaining({ message: 'no token yet' }) as unknown }),
    ]);
    expect(lines.at(-1)?.[0]).toBe('Successfully acquired lease');
  });
});
