import type { CallOptions, Client, LiveReader, StatusClient } from '../client/types.ts';

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
    status,
    live,
  };
}
