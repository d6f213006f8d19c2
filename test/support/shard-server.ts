import type { Transport, TransportRequest, TransportResponse } from '../../src/runtime/environment/environment.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { Lease } from '../../src/runtime/election/lease.ts';
import { FaultyTransports, answer, failure } from './faults.ts';
import type { FaultOf } from './faults.ts';

const collection = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';

/** Leases of one namespace, as strict about versions as an API server, with faults on demand. */
export class ShardServer {
  readonly leases = new Map<string, Lease>();
  /** Requests that were answered, as `PUT op-slot-1-of-4`. */
  readonly requests: string[] = [];
  readonly #transports: FaultyTransports;
  #version = 100;

  constructor(world: VirtualEnvironment) {
    this.#transports = new FaultyTransports(world, (request) => this.#handle(request));
  }

  /** From now on the requests of this client meet what the function says. */
  disturb(who: string, fault?: FaultOf): void {
    this.#transports.disturb(who, fault);
  }

  holder(name: string): string {
    return this.leases.get(name)?.spec?.holderIdentity ?? '';
  }

  transport(who: string): Transport {
    return this.#transports.of(who);
  }

  /** Writes as somebody else would. */
  put(lease: Lease): Lease {
    const stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } };
    this.leases.set(lease.metadata.name ?? '', stored);
    return stored;
  }

  #handle(request: TransportRequest): TransportResponse {
    const [path = '', query = ''] = request.path.split('?');
    const name = path.slice(collection.length + 1);
    const existing = this.leases.get(name);
    this.requests.push(`${request.method} ${name}`);
    const body = request.body === undefined ? undefined : (JSON.parse(String(request.body)) as Lease);
    switch (request.method) {
      case 'GET':
        return answer(200, { items: [...this.leases.values()].filter((lease) => matches(lease, query)) });
      case 'POST': {
        const created = body?.metadata.name ?? '';
        if (body === undefined || this.leases.has(created)) return failure(409, 'AlreadyExists');
        return answer(201, this.put(body));
      }
      case 'PUT':
        if (existing === undefined || body === undefined) return failure(404, 'NotFound');
        if (body.metadata.resourceVersion !== existing.metadata.resourceVersion) return failure(409, 'Conflict');
        return answer(200, this.put(body));
      case 'DELETE': {
        const { preconditions } = body as { preconditions?: { resourceVersion?: string } };
        if (existing === undefined) return failure(404, 'NotFound');
        if (preconditions?.resourceVersion !== existing.metadata.resourceVersion) return failure(409, 'Conflict');
        this.leases.delete(name);
        return answer(200, { kind: 'Status', status: 'Success' });
      }
      default:
        return failure(405, 'MethodNotAllowed');
    }
  }
}

function matches(lease: Lease, query: string): boolean {
  const [key = '', value] = (new URLSearchParams(query).get('labelSelector') ?? '').split('=');
  return lease.metadata.labels?.[key] === value;
}
