export type { HealthCheck } from './health-server.ts';
export { createManager } from './manager.ts';
export type { Manager, Runnable, RunnableContext, RunnableOptions } from './types.ts';
export { ShutdownTimeoutError } from './options.ts';
export type {
  LeaderElectionOptions,
  LeaseOptions,
  ManagerOptions,
  MetricsOptions,
  ShardingOptions,
  StartOptions,
} from './options.ts';
