export type * from './apis/meta/v1.ts';
export type * from './scalars/scalars.ts';
export * from './kind/kind.ts';
export type {
  Clock,
  Environment,
  Random,
  Scheduler,
  Timer,
  Transport,
  TransportRequest,
  TransportResponse,
} from './environment/environment.ts';
export { defaultEnvironment } from './environment/default.ts';
export type { LogFields, Logger } from './environment/logger.ts';
export * from './client/index.ts';
// What a delete by the client takes; the API's own DeleteOptions come from `apis/meta/v1`.
export type { DeleteOptions } from './client/index.ts';
export * from './conditions/index.ts';
export * from './config/index.ts';
export type {
  Controller,
  ControllerBuilder,
  ControllerOptions,
  GuardName,
  GuardOptions,
  MapFunction,
  WatchOptions,
} from './controller/index.ts';
export type { Cause, Reconcile, ReconcileContext, Reconciler, Request, Result } from './controller/index.ts';
export {
  CacheSyncError,
  InvalidResultError,
  ReconcileTimeoutError,
  RequestChannel,
  RetryAfterError,
  TerminalError,
  done,
  isTerminal,
  lowPriority,
  parseDuration,
  requeueAfter,
} from './controller/index.ts';
export {
  allOf,
  annotationsChanged,
  anyOf,
  deletionStarted,
  generationChanged,
  labelsChanged,
  moreThanStatusChanged,
  not,
  resourceVersionChanged,
  type UpdatePredicate,
} from './controller/index.ts';
export { LeadershipLostError, NotLeaderError } from './election/index.ts';
export * from './logging/index.ts';
export * from './ensure/index.ts';
export * from './events/index.ts';
export * from './manager/index.ts';
export * from './metrics/index.ts';
export * from './owner/index.ts';
