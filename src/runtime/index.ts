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
export * from './config/index.ts';
