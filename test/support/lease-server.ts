import type { Transport, TransportRequest, TransportResponse } from '../../src/runtime/environment/environment.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { Lease, LeaseSpec } from '../../src/runtime/election/lease.ts';

export type Fault = { readonly delay: number } | { readonly status: number } | 'silence' | 'refused' | 'answer lost';

/** A Lease endpoint that is as strict as an API server, and has faults on demand. */
export class LeaseServer {
  lease: Lease | undefined;
  /** Every write that was accepted, with the moment. */
  readonly writes: { readonly at: number; readonly spec: LeaseSpec }[] = [];
  readonly requests: { readonly at: number; readonly who: string; readonly method: string }[] = [];
  readonly #world: VirtualEnvironment;
  readonly #faults = new Map<string, (request: TransportRequest) => Fault | undefined>();
  #version = 100;

  constructor(world: VirtualEnvironment) {
    this.#world = world;
  }

  /** From now on the requests of this client meet what the function says. */
  disturb(who: string, fault: ((request: TransportRequest) => Fault | undefined) | undefined): void {
    this.#faults.set(who, fault ?? (() => undefined));
  }

  transport(who: string): Transport {
    return {
      send: async (request, signal) => {
        signal.throwIfAborted();
        this.requests.push({ at: this.#world.clock.monotonic(), who, method: request.method });
        const fault = this.#faults.get(who)?.(request);
        if (fault === 'refused') {
          throw new Error('connect ECONNREFUSED');
        }
        if (fault === 'silence') {
          return never(signal);
        }
        if (typeof fault === 'object' && 'delay' in fault) {
          await this.#pause(fault.delay, signal);
        }
        if (typeof fault === 'object' && 'status' in fault) {
          return answer(fault.status, { kind: 'Status', status: 'Failure', reason: 'Forbidden', message: 'no' });
        }
        const response = this.#handle(request);
        return fault === 'answer lost' ? never(signal) : response;
      },
      close: () => Promise.resolve(),
    };
  }

  /** Somebody else writes the lease. */
  write(spec: LeaseSpec): void {
    this.#store({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'ns', name: 'op' },
      spec,
    });
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#world.clock.setTimer(resolve, milliseconds);
      signal.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason as Error);
      });
    });
  }

  #handle(request: TransportRequest): TransportResponse {
    const collection = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';
    if (request.method === 'GET' && request.path === `${collection}/op`) {
      return this.lease === undefined ? failure(404, 'NotFound') : answer(200, this.lease);
    }
    const body = JSON.parse(String(request.body)) as Lease;
    if (request.method === 'POST' && request.path === collection) {
      return this.lease === undefined ? this.#accept(body, 201) : failure(409, 'AlreadyExists');
    }
    if (request.method === 'PUT' && request.path === `${collection}/op`) {
      const current = this.lease?.metadata.resourceVersion;
      return body.metadata.resourceVersion === current ? this.#accept(body, 200) : failure(409, 'Conflict');
    }
    return failure(405, 'MethodNotAllowed');
  }

  #accept(lease: Lease, status: number): TransportResponse {
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
    const { acquireTime = '', renewTime = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
    if (!time.test(acquireTime) || !time.test(renewTime) || leaseDurationSeconds < 1) {
      return failure(422, 'Invalid');
    }
    this.#store(lease);
    return answer(status, this.lease);
  }

  #store(lease: Lease): void {
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } };
    this.writes.push({ at: this.#world.clock.monotonic(), spec: structuredClone(lease.spec ?? {}) });
  }
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

function answer(status: number, body: unknown): TransportResponse {
  const chunks = [Buffer.from(JSON.stringify(body))];
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield* chunks;
    })(),
  };
}

function failure(code: number, reason: string): TransportResponse {
  return answer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: reason });
}
