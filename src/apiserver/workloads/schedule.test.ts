import { describe, expect, it } from 'vitest';
import { parseSchedule } from './schedule.ts';

const next = (schedule: string, after: string, zone?: string): string | undefined => {
  const found = parseSchedule(schedule, zone).next(Date.parse(after));
  return found === undefined ? undefined : new Date(found).toISOString().replace('.000', '');
};

// The times are those of the tests of robfig/cron, and of Kubernetes' own cron jobs.
describe('a schedule', () => {
  it.each([
    ['*/15 * * * *', '2012-07-09T14:45:00Z', '2012-07-09T15:00:00Z'],
    ['*/15 * * * *', '2012-07-09T14:59:59Z', '2012-07-09T15:00:00Z'],
    ['20-35/15 * * * *', '2012-07-09T15:45:00Z', '2012-07-09T16:20:00Z'],
    ['*/15 * * * *', '2012-07-09T23:46:00Z', '2012-07-10T00:00:00Z'],
    ['0 0 */2 * *', '2012-07-09T23:35:51Z', '2012-07-11T00:00:00Z'],
    ['0 0 9 Apr-Oct ?', '2012-07-09T23:35:00Z', '2012-08-09T00:00:00Z'],
    ['0 0 */5 Apr,Aug,Oct Mon', '2012-07-09T23:35:00Z', '2012-08-01T00:00:00Z'],
    ['0 0 * Feb Mon', '2012-07-09T23:35:00Z', '2013-02-04T00:00:00Z'],
    ['0 0 * Feb Mon/2', '2012-07-09T23:35:00Z', '2013-02-01T00:00:00Z'],
    ['0 0 29 Feb ?', '2012-07-09T23:35:00Z', '2016-02-29T00:00:00Z'],
    ['30 6-16/4 * * 1-5', '2026-01-02T14:30:00Z', '2026-01-05T06:30:00Z'],
    ['@monthly', '2026-01-02T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['@weekly', '2026-01-02T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['@every 1h30m', '2026-01-02T00:00:00Z', '2026-01-02T01:30:00Z'],
    ['@every 5ms', '2026-01-02T00:00:00Z', '2026-01-02T00:00:01Z'],
  ])('%s after %s is %s', (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });

  it('may never come', () => {
    expect(next('59 23 31 2 *', '2026-01-01T00:00:00Z')).toBeUndefined();
  });

  it.each([
    ['0 9 * * *', '2026-01-01T07:30:00Z', 'Europe/Berlin', '2026-01-01T08:00:00Z'],
    ['0 9 * * *', '2026-07-01T07:30:00Z', 'Europe/Berlin', '2026-07-02T07:00:00Z'],
    // Clocks go from two to three, and from three to two.
    ['30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin', '2026-03-30T00:30:00Z'],
    ['30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['30 5 * * *', '2026-01-01T00:00:00Z', 'Asia/Kolkata', '2026-01-02T00:00:00Z'],
  ])('%s after %s in %s is %s', (schedule, after, zone, expected) => {
    expect(next(schedule, after, zone)).toBe(expected);
  });
});
