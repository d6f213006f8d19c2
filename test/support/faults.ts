import type { Transport, TransportRequest, TransportResponse } from '../../src/runtime/environment/environment.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';

/** What a request meets instead of an answer at once. A request whose answer is lost was dealt with. */
export type Fault = { readonly delay: number } | { readonly status: number } | 'silence' | 'refused' | 'answer lost';

export type FaultOf = (request: TransportRequest) => Fault | undefined;

/** Transports of the clients of a server without network, whose requests meet faults on demand. */
export class FaultyTransports {
  readonly #world: VirtualEnvironment;
  readonly #handle: (request: TransportRequest, who: string) => TransportResponse;
  readonly #faults = new Map<string, FaultOf>();

  constructor(world: VirtualEnvironment, handle: (request: TransportRequest, who: string) => TransportResponse) {
    this.#world = world;
    this.#handle = handle;
  }

  /** From now on the requests of this client meet what the function says. */
  disturb(who: string, fault: FaultOf = () => undefined): void {
    this.#faults.set(who, fault);
  }

  /** `onRequest` is told of each request, whatever it meets. */
  of(who: string, onRequest: FaultOf = () => undefined): Transport {
    return {
      send: async (request, signal) => {
        signal.throwIfAborted();
        onRequest(request);
        const fault = this.#faults.get(who)?.(request);
        if (fault === 'refused') throw new Error('connect ECONNREFUSED');
        if (fault === 'silence') return never(signal);
        if (typeof fault === 'object' && 'delay' in fault) await this.#pause(fault.delay, signal);
        if (typeof fault === 'object' && 'status' in fault) return failure(fault.status, 'InternalError');
        const response = this.#handle(request, who);
        return fault === 'answer lost' ? never(signal) : response;
      },
      close: () => Promise.resolve(),
    };
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

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

export function answer(status: number, body: unknown): TransportResponse {
  const text = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield text;
    })(),
  };
}

export function failure(code: number, reason: string): TransportResponse {
  return answer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: reason });
}
