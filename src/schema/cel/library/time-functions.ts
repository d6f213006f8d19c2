import { argument, declare, type FunctionDeclaration, member } from '../declarations.ts';
import { type CalendarParts, calendarPart, Duration } from '../time.ts';
import { durationType, intType, stringType, timestampType } from '../types.ts';
import { noSuchOverload, type Value } from '../values.ts';

function calendarOverloads(id: string, read: (parts: CalendarParts) => number) {
  return [
    member(id, [timestampType], intType, (args) => calendarPart(argument(args, 0), 'UTC', read)),
    member(`${id}_with_tz`, [timestampType, stringType], intType, (args) =>
      calendarPart(argument(args, 0), argument(args, 1), read),
    ),
  ];
}

function durationOverload(id: string, unit: bigint) {
  const call = (args: readonly Value[]): Value => {
    const value = argument(args, 0);
    return value instanceof Duration ? value.nanoseconds / unit : noSuchOverload(value);
  };
  return member(id, [durationType], intType, call);
}

/** `getHours()` and the like, of timestamps and durations. */
export const timeFunctions: readonly FunctionDeclaration[] = [
  declare('getFullYear', ...calendarOverloads('timestamp_to_year', (parts) => parts.year)),
  declare('getMonth', ...calendarOverloads('timestamp_to_month', (parts) => parts.month)),
  declare('getDayOfYear', ...calendarOverloads('timestamp_to_day_of_year', (parts) => parts.dayOfYear)),
  declare('getDayOfMonth', ...calendarOverloads('timestamp_to_day_of_month', (parts) => parts.day - 1)),
  declare('getDate', ...calendarOverloads('timestamp_to_day_of_month_1_based', (parts) => parts.day)),
  declare('getDayOfWeek', ...calendarOverloads('timestamp_to_day_of_week', (parts) => parts.weekday)),
  declare(
    'getHours',
    ...calendarOverloads('timestamp_to_hours', (parts) => parts.hours),
    durationOverload('duration_to_hours', 3_600_000_000_000n),
  ),
  declare(
    'getMinutes',
    ...calendarOverloads('timestamp_to_minutes', (parts) => parts.minutes),
    durationOverload('duration_to_minutes', 60_000_000_000n),
  ),
  declare(
    'getSeconds',
    ...calendarOverloads('timestamp_to_seconds_tz', (parts) => parts.seconds),
    durationOverload('duration_to_seconds', 1_000_000_000n),
  ),
  declare(
    'getMilliseconds',
    ...calendarOverloads('timestamp_to_milliseconds', (parts) => parts.milliseconds),
    durationOverload('duration_to_milliseconds', 1_000_000n),
  ),
];
