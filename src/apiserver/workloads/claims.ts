import { list, object, text, type JsonObject } from '../json.ts';
import { isTerminating, kinds, type Cluster } from './cluster.ts';

/** Binds a claim: its volume is thought of as being there. */
export async function reconcileClaim(cluster: Cluster, claim: JsonObject): Promise<void> {
  if (isTerminating(claim) || text(claim, 'status', 'phase') === 'Bound') return;
  await cluster.updateStatus(kinds.claims, claim, {
    phase: 'Bound',
    accessModes: list(claim, 'spec', 'accessModes'),
    capacity: object(claim, 'spec', 'resources', 'requests'),
  });
}
