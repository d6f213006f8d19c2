import type { MetricsRegistry } from '../metrics/registry.ts';

/** Publishes `leader_election_master_status`, as client-go does. */
export function addLeaderMetrics(registry: MetricsRegistry, lease: string, isLeader: () => boolean): void {
  const status = registry.gauge({
    name: 'leader_election_master_status',
    help: 'Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.',
    labels: ['name'],
  });
  registry.collect(() => {
    status.set({ name: lease }, isLeader() ? 1 : 0);
  });
}

/** Publishes how many slots this process holds, and how many members of its group it sees. */
export function addShardingMetrics(
  registry: MetricsRegistry,
  group: string,
  now: () => { readonly slots: number; readonly members: number },
): void {
  const slots = registry.gauge({
    name: 'operator_runtime_sharding_slots',
    help: 'Number of slots that this process holds.',
    labels: ['name'],
  });
  const members = registry.gauge({
    name: 'operator_runtime_sharding_members',
    help: 'Number of live members of the group that shares the slots, as this process sees it.',
    labels: ['name'],
  });
  registry.collect(() => {
    const current = now();
    slots.set({ name: group }, current.slots);
    members.set({ name: group }, current.members);
  });
}
