import { list, object, text, type JsonObject } from '../json.ts';
import type { Store } from '../storage/store.ts';

/** Addresses and ports that services get. */
export interface ServiceAllocator {
  address(): string;
  nodePort(): number;
  /** Whether a Service has the address already. */
  isTaken(address: string): boolean;
  isPortTaken(port: number): boolean;
}

/** Gives out what is next and no service has: nothing routes to it, so nothing is ever given back. */
export function createServiceAllocator(store: Store): ServiceAllocator {
  let address = 1;
  let port = 30_000;
  const services = (): readonly JsonObject[] => store.collection('services').list();
  const taken = (candidate: string): boolean =>
    services().some((service) => text(service, 'spec', 'clusterIP') === candidate);
  const takenPort = (candidate: number): boolean =>
    services().some((service) =>
      list(service, 'spec', 'ports').some((found) => object(found)['nodePort'] === candidate),
    );
  return {
    isTaken: taken,
    isPortTaken: takenPort,
    address() {
      let candidate: string;
      do {
        address++;
        candidate = `10.${(address >>> 16) & 0xff}.${(address >>> 8) & 0xff}.${address & 0xff}`;
      } while (taken(candidate));
      return candidate;
    },
    nodePort() {
      while (takenPort(port)) port++;
      return port++;
    },
  };
}
