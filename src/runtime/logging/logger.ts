import { destination, pino, stdSerializers } from 'pino';
import type { Logger as Pino } from 'pino';
import { defaultEnvironment } from '../environment/default.ts';
import type { Clock } from '../environment/environment.ts';
import type { LogFields, Logger } from '../environment/logger.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LoggerOptions {
  /** The least level that is written. Default `info`. */
  readonly level?: LogLevel;
  /** For the time stamps. Default: the real clock. */
  readonly clock?: Clock;
  /** Takes each line, with its line end. Default: written to standard error at once, so that nothing is lost when the process ends. */
  readonly write?: (line: string) => void;
}

/**
 * A logger that writes one line of JSON for each call: `level`, `time` (RFC 3339 in UTC, milliseconds), the fields, `msg`. An Error in
 * the field `error` is written with its message, stack, causes and own members.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const clock = options.clock ?? defaultEnvironment().clock;
  const { write } = options;
  return wrap(
    pino(
      {
        level: options.level ?? 'info',
        base: null,
        timestamp: () => `,"time":"${new Date(clock.wall()).toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { error: stdSerializers.errWithCause },
      },
      write === undefined ? destination({ dest: process.stderr.fd, sync: true }) : { write },
    ),
  );
}

function wrap(logger: Pino): Logger {
  return {
    debug(message, fields = {}) {
      logger.debug(fields, message);
    },
    info(message, fields = {}) {
      logger.info(fields, message);
    },
    warn(message, fields = {}) {
      logger.warn(fields, message);
    },
    error(message, fields = {}) {
      logger.error(fields, message);
    },
    child(fields: LogFields) {
      return wrap(logger.child({ ...fields }));
    },
  };
}
