import type { Transport, TransportRequest, TransportResponse } from '../../src/runtime/environment/environment.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { Lease, LeaseSpec } from '../../src/runtime/election/lease.ts';
import { FaultyTransports, answer, failure } from './faults.ts';
import type { FaultOf } from './faults.ts';

/** A Lease endpoint that is as strict as an API server, and has faults on demand. */
export class LeaseServer {
  lease: Lease | undefined;
  /** Every write that was accepted, with the moment. */
  readonly writes: { readonly at: number; readonly spec: LeaseSpec }[] = [];
  readonly requests: { readonly at: number; readonly who: string; readonly method: string }[] = [];
  readonly #world: VirtualEnvironment;
  readonly #transports: FaultyTransports;
  #version = 100;

  constructor(world: VirtualEnvironment) {
    this.#world = world;
    this.#transports = new FaultyTransports(world, (request) => this.#handle(request));
  }

  /** From now on the requests of this client meet what the function says. */
  disturb(who: string, fault?: FaultOf): void {
    this.#transports.disturb(who, fault);
  }

  transport(who: string): Transport {
    return this.#transports.of(who, ({ method }) => {
      this.requests.push({ at: this.#world.clock.monotonic(), who, method });
    });
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
