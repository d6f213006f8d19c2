import type { CallOptions, Client, LiveReader, ScaleClient, StatusClient, SubresourceClient } from '../client/types.ts';

/** The client of one reconcile: its calls end with the reconcile's signal, unless a call names a signal of its own. */
export function scopedClient(client: Client, signal: AbortSignal): Client {
  const scoped = <O extends CallOptions>(options: O | undefined): O => ({ signal, ...options }) as O;
  const status: StatusClient = {
    mergePatch: (kind, key, patch, options) => client.status.mergePatch(kind, key, patch, scoped(options)),
    jsonPatch: (kind, key, operations, options) => client.status.jsonPatch(kind, key, operations, scoped(options)),
    apply: (kind, configuration, options) => client.status.apply(kind, configuration, scoped(options)),
  };
  const live: LiveReader = {
    get: (kind, key, options) => client.live.get(kind, key, scoped(options)),
    list: (kind, options) => client.live.list(kind, scoped(options)),
    watch: (kind, options) => client.live.watch(kind, scoped(options)),
  };
  const scale: ScaleClient = {
    get: (kind, key, options) => client.scale.get(kind, key, scoped(options)),
    mergePatch: (kind, key, patch, options) => client.scale.mergePatch(kind, key, patch, scoped(options)),
    jsonPatch: (kind, key, operations, options) => client.scale.jsonPatch(kind, key, operations, scoped(options)),
  };
  const subresource = (name: string): SubresourceClient => {
    const unscoped = client.subresource(name);
    return {
      get: (kind, key, options) => unscoped.get(kind, key, scoped(options)),
      create: (kind, key, body, options) => unscoped.create(kind, key, body, scoped(options)),
      update: (kind, key, body, options) => unscoped.update(kind, key, body, scoped(options)),
      mergePatch: (kind, key, patch, options) => unscoped.mergePatch(kind, key, patch, scoped(options)),
      jsonPatch: (kind, key, operations, options) => unscoped.jsonPatch(kind, key, operations, scoped(options)),
    };
  };
  return {
    get: (kind, key, options) => client.get(kind, key, scoped(options)),
    list: (kind, options) => client.list(kind, scoped(options)),
    create: (object, options) => client.create(object, scoped(options)),
    delete: (kind, key, options) => client.delete(kind, key, scoped(options)),
    update: (kind, object, change, options) => client.update(kind, object, change, scoped(options)),
    updateStatus: (kind, object, change, options) => client.updateStatus(kind, object, change, scoped(options)),
    updateScale: (kind, object, change, options) => client.updateScale(kind, object, change, scoped(options)),
    mergePatch: (kind, key, patch, options) => client.mergePatch(kind, key, patch, scoped(options)),
    jsonPatch: (kind, key, operations, options) => client.jsonPatch(kind, key, operations, scoped(options)),
    apply: (kind, configuration, options) => client.apply(kind, configuration, scoped(options)),
    deleteCollection: (kind, options) => client.deleteCollection(kind, scoped(options)),
    status,
    scale,
    subresource,
    live,
    kindFor: (apiVersion, kind, options) => client.kindFor(apiVersion, kind, scoped(options)),
  };
}
