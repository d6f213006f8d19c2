import { isConflict, isNotFound } from '../../client/errors.ts';
import { Rest } from '../../client/rest.ts';
import type { Environment, Transport } from '../../environment/environment.ts';
import type { Logger } from '../../environment/logger.ts';
import type { Lease, LeaseSpec } from '../lease.ts';
import { hash } from './hashing.ts';

/** On all Leases of a group: what the group is called. */
export const groupLabel = 'operator-runtime/sharding';
/** On all Leases of a group: what each is for. */
export const roleAnnotation = 'operator-runtime/sharding-role';
/** On all Leases of a group: how many slots whoever made it takes the group to have. */
export const slotsAnnotation = 'operator-runtime/sharding-slots';

/** A name has at most 253 characters; what is added to the id is shorter than this leaves. */
export const longestId = 220;

export type ShardRole = 'member' | 'slot';

/** The Leases of one group, all in one namespace. Each call ends with its signal, and none is repeated. */
export interface ShardLeases {
  /** For messages: `operators/widgets.example.com`. */
  readonly name: string;
  slotName(slot: number): string;
  memberName(identity: string): string;
  list(signal: AbortSignal): Promise<readonly Lease[]>;
  /** Rejects when there is one already. */
  create(name: string, role: ShardRole, spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
  /** Rejects with a `ConflictError` when the Lease was changed since it was read. */
  update(lease: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
  /** Whether it was deleted; false when it was changed since it was read. */
  delete(lease: Lease, signal: AbortSignal): Promise<boolean>;
}

export interface ShardLeasesOptions {
  readonly transport: Transport;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly userAgent?: string;
  readonly namespace: string;
  /** The group's name. */
  readonly id: string;
  readonly slots: number;
}

/** The Leases on the API server. Throws a RangeError for an id that leaves no room for the rest of their names. */
export function createShardLeases(options: ShardLeasesOptions): ShardLeases {
  const { id, namespace, slots } = options;
  if (id === '' || id.length > longestId) {
    throw new RangeError(`sharding: the id must have 1 to ${longestId} characters, not ${id.length}`);
  }
  const rest = new Rest({
    transport: options.transport,
    environment: options.environment,
    logger: options.logger,
    userAgent: `${options.userAgent ?? 'operator-runtime'}/sharding`,
  });
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const pathOf = (lease: Lease): string => `${collection}/${encodeURIComponent(lease.metadata.name ?? '')}`;
  const asLease = (answer: Record<string, unknown>): Lease => answer as unknown as Lease;
  const group = labelValue(id);
  return {
    name: `${namespace}/${id}`,
    slotName: (slot) => `${id}-slot-${slot}-of-${slots}`,
    // An identity may hold what no name may.
    memberName: (identity) => `${id}-member-${hex(hash(identity))}${hex(hash(`${identity} again`))}`,
    async list(signal) {
      const query = { labelSelector: `${groupLabel}=${group}` };
      const answer = await rest.json({ verb: 'list', method: 'GET', path: collection, query, retry: false, signal });
      return Array.isArray(answer['items']) ? (answer['items'] as Lease[]) : [];
    },
    async create(name, role, spec, signal) {
      const body: Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          namespace,
          name,
          labels: { [groupLabel]: group },
          annotations: { [roleAnnotation]: role, [slotsAnnotation]: String(slots) },
        },
        spec,
      };
      return asLease(await rest.json({ verb: 'create', method: 'POST', path: collection, body, retry: false, signal }));
    },
    async update(lease, spec, signal) {
      const body: Lease = { ...lease, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec };
      return asLease(
        await rest.json({ verb: 'update', method: 'PUT', path: pathOf(lease), body, retry: false, signal }),
      );
    },
    async delete(lease, signal) {
      const { resourceVersion } = lease.metadata;
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } };
      try {
        await rest.json({ verb: 'delete', method: 'DELETE', path: pathOf(lease), body, retry: false, signal });
        return true;
      } catch (error) {
        if (isNotFound(error)) return true;
        if (isConflict(error)) return false;
        throw error;
      }
    },
  };
}

/** A label's value is shorter than a name may be. */
function labelValue(id: string): string {
  return id.length <= 63 ? id : `${id.slice(0, 54)}.${hex(hash(id))}`;
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}
