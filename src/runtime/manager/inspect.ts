import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { SharedInformer } from '../cache/types.ts';
import type { Clock } from '../environment/environment.ts';

/** Informers as `/debug/controllers` shows them. */
export function inspectInformers(informers: readonly SharedInformer<KubernetesObject>[], clock: Clock): unknown[] {
  return informers.map((informer) => {
    const { group, kind } = informer.kind;
    const { state, synced, error, lastProgress } = informer.health();
    return {
      group,
      kind,
      state,
      synced,
      objects: informer.indexer.size,
      resourceVersion: informer.resourceVersion,
      ...(error === undefined ? {} : { error: error.message }),
      ...(lastProgress === undefined ? {} : { millisecondsSinceProgress: clock.monotonic() - lastProgress }),
      ...informer.statistics(),
    };
  });
}
