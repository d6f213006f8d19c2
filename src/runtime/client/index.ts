export { mutable, type Cached, type Mutable } from './cached.ts';
export type { InformerLookup } from './cached-reads.ts';
export { createClient, type ClientOptions } from './client.ts';
export * from './errors.ts';
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
  DeleteOptions,
  IndexQuery,
  KeyOf,
  KindWith,
  LabelSelectorLike,
  ListOptions,
  LiveListOptions,
  LiveReader,
  NotAPromise,
  ObjectKey,
  StatusClient,
  WriteOptions,
} from './types.ts';
