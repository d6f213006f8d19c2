export { mutable, type Cached, type Mutable } from './cached.ts';
export type { InformerLookup } from './informer-lookup.ts';
export { createClient, type ClientOptions } from './client.ts';
export * from './errors.ts';
export { kindClient } from './kind-client.ts';
export type {
  KindClient,
  KindLiveReader,
  KindMethods,
  KindScaleClient,
  KindStatusClient,
  NewObject,
} from './kind-client-types.ts';
export type { CacheWait } from './own-writes.ts';
export { rateLimited, type RateLimit } from './rate-limit.ts';
export { createTransport } from './transport.ts';
export type {
  ApplyConfiguration,
  ApplyMetadata,
  ApplyPart,
  JsonPatchOperation,
  JsonPointer,
  MergePatch,
} from './patch-types.ts';
export type {
  ApplyOptions,
  CachedReadOptions,
  CallOptions,
  Change,
  Client,
  DeleteCollectionOptions,
  DeleteOptions,
  IndexQuery,
  KeyOf,
  KindWith,
  LabelSelectorLike,
  ListOptions,
  LiveListOptions,
  LiveReader,
  LiveWatchEvent,
  LiveWatchOptions,
  NotAPromise,
  ObjectKey,
  ScaleClient,
  StatusClient,
  SubresourceClient,
  UnstructuredObject,
  WriteOptions,
} from './types.ts';
