import type { Transport, TransportRequest, TransportResponse } from '../../src/runtime/environment/environment.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { Lease } from '../../src/runtime/election/lease.ts';
import type { Fault } from './lease-server.ts';

const collection = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';

/** Leases of one namespace, as strict about versions as an API server, with faults on demand. */
export class ShardServer {
  readonly leases = new Map<string, Lease>();
  /** Requests that were answered, as `PUT op-slot-1-of-4`. */
  readonly requests: string[] = [];
  readonly #world: VirtualEnvironment;
  readonly #faults = new Map<string, (() => Fault | undefined) | undefined>();
  #version = 100;

  constructor(world: VirtualEnvironment) {
    this.#world = world;
  }

  /** From now on the requests of this client meet what the function says. */
  disturb(who: string, fault: (() => Fault | undefined) | undefined): void {
    this.#faults.set(who, fault);
  }

  holder(name: string): string {
    return this.leases.get(name)?.spec?.holderIdentity ?? '';
  }

  transport(who: string): Transport {
    return {
      send: async (request, signal) => {
        signal.throwIfAborted();
        const fault = this.#faults.get(who)?.();
        if (fault === 'refused') throw new Error('connect ECONNREFUSED');
        if (fault === 'silence') return never(signal);
        if (typeof fault === 'object' && 'delay' in fault) await this.#pause(fault.delay, signal);
        if (typeof fault === 'object' && 'status' in fault) return failure(fault.status, 'InternalError');
        const response = this.#handle(request);
        return fault === 'answer lost' ? never(signal) : response;
      },
      close: () => Promise.resolve(),
    };
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

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#world.clock.setTimer(resolve, milliseconds);
      signal.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason as Error);
      });
    });
  }
}

function matches(lease: Lease, query: string): boolean {
  const [key = '', value] = (new URLSearchParams(query).get('labelSelector') ?? '').split('=');
  return lease.metadata.labels?.[key] === value;
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

function answer(status: number, body: unknown): TransportResponse {
  const text = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield text;
    })(),
  };
}

function failure(code: number, reason: string): TransportResponse {
  return answer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: reason });
}
