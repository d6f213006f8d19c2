export { ControllerBuilder } from './builder.ts';
export type { Build } from './builder.ts';
export { Controller } from './controller.ts';
export type { ControllerDependencies, ControllerOptions } from './options.ts';
export { parseDuration } from './duration.ts';
export {
  CacheSyncError,
  InvalidResultError,
  ReconcileTimeoutError,
  RetryAfterError,
  TerminalError,
  isTerminal,
} from './errors.ts';
export type { GuardName, GuardOptions } from './guard-types.ts';
export { RequestChannel } from './other-sources.ts';
export type { KeysFunction } from './other-sources.ts';
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
} from './predicates.ts';
export type { UpdatePredicate } from './predicates.ts';
export type { Cause, Reconcile, ReconcileContext, Reconciler, Request } from './reconcile.ts';
export { done, requeueAfter } from './result.ts';
export type { Done, RequeueAfter, Result } from './result.ts';
export { lowPriority } from './sources.ts';
export type { InformerSource, MapFunction, WatchOptions } from './sources.ts';
