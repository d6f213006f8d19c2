/** Named values of a log line. Errors are values, too: `{ error }`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logs: a constant message, and what varies in fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines carry these fields as well. */
  child(fields: LogFields): Logger;
}

/** Drops every line. */
export const discardLogger: Logger = Object.freeze({
  debug() {},
  info() {},
  warn() {},
  error() {},
  child() {
    return discardLogger;
  },
});
