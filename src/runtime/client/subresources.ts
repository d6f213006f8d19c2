import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Kind } from '../kind/kind.ts';
import { freeze, type Cached } from './cached.ts';
import { objectPath } from './paths.ts';
import type { Rest } from './rest.ts';
import type { ScaleClient, StatusClient, SubresourceClient } from './types.ts';
import { jsonPatchType, mergePatchType, type Writer } from './writer.ts';

export function statusClient(writer: Writer): StatusClient {
  return {
    mergePatch: (kind, key, patch, options) => writer.patch(kind, key, 'status', mergePatchType, patch, options),
    jsonPatch: (kind, key, operations, options) =>
      writer.patch(kind, key, 'status', jsonPatchType, operations, options),
    apply: (kind, configuration, options) => writer.apply(kind, configuration, 'status', options),
  };
}

export function scaleClient(rest: Rest, writer: Writer): ScaleClient {
  const scale = subresourceClient(rest, writer, 'scale');
  return {
    get: (kind, key, options) => scale.get(kind, key, options),
    mergePatch: (kind, key, patch, options) => scale.mergePatch(kind, key, patch, options),
    jsonPatch: (kind, key, operations, options) => scale.jsonPatch(kind, key, operations, options),
  };
}

export function subresourceClient(rest: Rest, writer: Writer, name: string): SubresourceClient {
  return {
    async get<B extends KubernetesObject>(kind: Kind, key: Key, options: CallSignal = {}) {
      const path = objectPath(kind, key, name);
      const answer = await rest.json({ verb: 'get', method: 'GET', path, signal: options.signal });
      return freeze(answer as unknown as B);
    },
    async create(kind, key, body, options = {}) {
      const answer = await writer.send(
        kind,
        key,
        {
          verb: 'create',
          method: 'POST',
          path: objectPath(kind, key, name),
          query: writer.query(options),
          body,
          signal: options.signal,
        },
        options.dryRun,
        // An eviction, a token or a binding says nothing about the object's version.
        () => undefined,
      );
      return freeze(answer as unknown as KubernetesObject) as Cached<never>;
    },
    async update(kind, key, body, options = {}) {
      const answer = await writer.send(
        kind,
        key,
        {
          verb: 'update',
          method: 'PUT',
          path: objectPath(kind, key, name),
          query: writer.query(options),
          body,
          signal: options.signal,
        },
        options.dryRun,
        (object) => writer.wrote(kind, object),
      );
      return freeze(answer as unknown as KubernetesObject) as Cached<never>;
    },
    mergePatch: (kind, key, patch, options) => writer.patch(kind, key, name, mergePatchType, patch, options),
    jsonPatch: (kind, key, operations, options) => writer.patch(kind, key, name, jsonPatchType, operations, options),
  };
}

type Key = Parameters<typeof objectPath>[1];
interface CallSignal {
  readonly signal?: AbortSignal;
}
