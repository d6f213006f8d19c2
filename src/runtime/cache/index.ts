export { createCache, stripManagedFields, type Cache, type CacheOptions, type CachePolicy } from './cache.ts';
export type { Transform } from './informer.ts';
export type {
  EventHandler,
  HandlerRegistration,
  IndexFunction,
  Indexer,
  InformerHealth,
  InformerState,
  SharedInformer,
} from './types.ts';
