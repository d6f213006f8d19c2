import { list, object, text, type JsonObject } from '../json.ts';
import type { Store } from '../storage/store.ts';

/** Addresses and ports that services get. */
export interface ServiceAllocator {
  address(): string;
  /** @param given the ports that the service has so far */
  nodePort(given: readonly number[]): number;
  /** Whether a Service has the address already. */
  isTaken(address: string): boolean;
  isPortTaken(port: number): boolean;
  /** Whether a port is among those that services can have. */
  isPort(port: number): boolean;
  /** What a dry run takes instead: it gives out ports that there are none of, and takes any. */
  readonly dryRun: ServiceAllocator;
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
  const shared = { isTaken: taken, isPortTaken: takenPort };
  const allocator = {
    ...shared,
    isPort: (candidate: number) => candidate >= 30_000 && candidate <= 32_767,
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
  const dryRun: ServiceAllocator = {
    ...shared,
    isPort: () => true,
    address: () => allocator.address(),
    nodePort: (given) => (given.length === 0 ? 32_768 : Math.max(0, ...given)) + 1,
    get dryRun() {
      return dryRun;
    },
  };
  return { ...allocator, dryRun };
}
