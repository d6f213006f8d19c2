export { createCache, type Cache, type CacheOptions, type CachePolicy, type InformerLease } from './cache.ts';
export { describePermission, type MissingPermission } from './permissions.ts';
export { labelIndex, ownerIndex } from './indexes.ts';
export type { LazyObject } from './lazy-object.ts';
export type { InformerStatistics } from './statistics.ts';
export { stripManagedFields, type Transform } from './transforms.ts';
export type {
  EventHandler,
  HandlerRegistration,
  IndexFunction,
  Indexer,
  InformerHealth,
  InformerState,
  LazyEventHandler,
  SelectOptions,
  SharedInformer,
} from './types.ts';
