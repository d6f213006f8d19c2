import { describe, expect, it } from 'vitest';
import { scheduleProblem } from './cron.ts';

describe('schedules', () => {
  it.each(['* * * * *', '*/15 0-6,12 1 JAN-mar sun', '@daily', '@every 1h30m', '? * * * *', '5/10 * * * *'])(
    'are right: %s',
    (schedule) => {
      expect(scheduleProblem(schedule)).toBeUndefined();
    },
  );

  it.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['9-3 * * * *', 'beginning of range (9) beyond end of range (3): 9-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['* * * * x', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
    ['CRON_TZ=UTC * * * * *', 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
  ])('are wrong: %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});
