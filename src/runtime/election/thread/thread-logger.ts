import type { LogFields, Logger } from '../../environment/logger.ts';
import { errorOf, plainError } from './messages.ts';
import type { LogLevel, PlainError, PlainFields } from './messages.ts';

/** A logger whose lines are written by another thread. */
export function threadLogger(
  send: (level: LogLevel, message: string, fields: PlainFields) => void,
  common: LogFields = {},
): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      const { error, ...others } = { ...common, ...fields };
      send(level, message, error === undefined ? others : { ...others, error: plainError(error) });
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => threadLogger(send, { ...common, ...fields }),
  };
}

/** The fields of a line as a logger takes them. */
export function fieldsOf({ error, ...others }: PlainFields): LogFields {
  return error === undefined ? others : { ...others, error: errorOf(error as PlainError) };
}
