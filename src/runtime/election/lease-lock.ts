import { isNotFound } from '../client/errors.ts';
import { Rest } from '../client/rest.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import { discardLogger } from '../environment/logger.ts';
import type { Logger } from '../environment/logger.ts';
import type { Lease, LeaseSpec } from './lease.ts';

/** Where the lease is kept. Each call ends with its signal. */
export interface LeaseLock {
  /** For messages: `operators/widgets.example.com`. */
  readonly name: string;
  /** Undefined when there is none. */
  get(signal: AbortSignal): Promise<Lease | undefined>;
  /** Rejects when there is one already. */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
  /** Replaces the spec; rejects with a `ConflictError` when the lease was changed since it was read. */
  update(lease: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
}

export interface LeaseLockOptions {
  /** Connections of its own, if possible: renewals must not queue behind other requests. */
  readonly transport: Transport;
  readonly environment: Environment;
  /** For warnings of the API server; default: none. */
  readonly logger?: Logger;
  /** Default `operator-runtime`; `/leader-election` is added. */
  readonly userAgent?: string;
  readonly namespace: string;
  readonly name: string;
  /** Labels of the Lease, set when it is written. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A `coordination.k8s.io/v1` Lease on the API server. Requests are never repeated here: the elector counts its tries itself. */
export function createLeaseLock(options: LeaseLockOptions): LeaseLock {
  const rest = new Rest({
    transport: options.transport,
    environment: options.environment,
    logger: options.logger ?? discardLogger,
    userAgent: `${options.userAgent ?? 'operator-runtime'}/leader-election`,
  });
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(options.namespace)}/leases`;
  const path = `${collection}/${encodeURIComponent(options.name)}`;
  const labelled = (metadata: Lease['metadata']): Lease['metadata'] =>
    options.labels === undefined ? metadata : { ...metadata, labels: { ...metadata.labels, ...options.labels } };
  const lease = (answer: Record<string, unknown>): Lease => answer as unknown as Lease;
  return {
    name: `${options.namespace}/${options.name}`,
    async get(signal) {
      try {
        return lease(await rest.json({ verb: 'get', method: 'GET', path, retry: false, signal }));
      } catch (error) {
        if (isNotFound(error)) {
          return undefined;
        }
        throw error;
      }
    },
    async create(spec, signal) {
      const body: Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: labelled({ namespace: options.namespace, name: options.name }),
        spec,
      };
      return lease(await rest.json({ verb: 'create', method: 'POST', path: collection, body, retry: false, signal }));
    },
    async update(previous, spec, signal) {
      const body: Lease = { ...previous, metadata: labelled(previous.metadata), spec };
      return lease(await rest.json({ verb: 'update', method: 'PUT', path, body, retry: false, signal }));
    },
  };
}
