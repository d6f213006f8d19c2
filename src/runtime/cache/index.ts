export type {
  EventHandler,
  HandlerRegistration,
  IndexFunction,
  Indexer,
  InformerHealth,
  InformerState,
  SharedInformer,
} from './types.ts';
