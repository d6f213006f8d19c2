export { createLogger } from './logger.ts';
export type { LoggerOptions, LogLevel } from './logger.ts';
