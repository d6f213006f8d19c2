/** When a cron job is due: the schedules of robfig/cron, which Kubernetes reads them with. Times are milliseconds since 1970. */
export interface Schedule {
  /** The first time after another one; nothing when there is none within five years. */
  readonly next: (after: number) => number | undefined;
}

interface Field {
  readonly values: ReadonlySet<number>;
  /** `*`: the day of the month or of the week does not restrict the other. */
  readonly any: boolean;
}

const names: Readonly<Record<string, readonly string[]>> = {
  month: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  weekday: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};
const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const minute = 60_000;
const day = 24 * 60 * minute;
const horizon = 5 * 366 * day;

/** Reads a schedule that the server has found to be right; `timeZone` is an IANA name, UTC by default. */
export function parseSchedule(source: string, timeZone = 'UTC'): Schedule {
  const every = /^@every (.*)$/.exec(source)?.[1];
  if (every !== undefined) return everyPeriod(durationOf(every));
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = (descriptors[source] ?? source)
    .trim()
    .split(/\s+/);
  return new Cron(
    {
      minute: fieldOf(minutes, 0, 59),
      hour: fieldOf(hours, 0, 23),
      day: fieldOf(days, 1, 31),
      month: fieldOf(months, 1, 12, names['month']),
      weekday: fieldOf(weekdays, 0, 6, names['weekday']),
    },
    timeZone,
  );
}

function everyPeriod(period: number): Schedule {
  const whole = Math.max(1000, Math.floor(period / 1000) * 1000);
  return { next: (after) => Math.floor((after + whole) / 1000) * 1000 };
}

function durationOf(written: string): number {
  const parts = [...written.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)];
  return parts.reduce((total, [, number, unit = '']) => total + Number(number) * (units[unit] ?? 0), 0);
}

function fieldOf(written: string, lowest: number, highest: number, words: readonly string[] = []): Field {
  const values = new Set<number>();
  let any = false;
  const numberOf = (text: string): number => {
    const position = words.indexOf(text.toLowerCase());
    return position >= 0 ? position + lowest : Number(text);
  };
  for (const range of written.split(',').filter((part) => part !== '')) {
    const [span = '', step] = range.split('/');
    const [from = '', to] = span.split('-');
    const all = from === '*' || from === '?';
    const by = Number(step ?? 1);
    if (all && by === 1) any = true;
    const first = all ? lowest : numberOf(from);
    const last = all || (to === undefined && step !== undefined) ? highest : numberOf(to ?? from);
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return { values, any };
}

type Fields = Readonly<Record<'minute' | 'hour' | 'day' | 'month' | 'weekday', Field>>;

class Cron implements Schedule {
  readonly #fields: Fields;
  readonly #zone: Intl.DateTimeFormat;

  constructor(fields: Fields, timeZone: string) {
    this.#fields = fields;
    this.#zone = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  next(after: number): number | undefined {
    // The search goes by what clocks show there, as if it were UTC.
    const start = Math.floor((after + this.#offset(after)) / minute) * minute + minute;
    for (let shown = start; shown < start + horizon;) {
      if (!this.#isDay(shown)) shown = Math.floor(shown / day) * day + day;
      else if (!this.#fields.hour.values.has(new Date(shown).getUTCHours()))
        shown = Math.floor(shown / (60 * minute)) * 60 * minute + 60 * minute;
      else if (!this.#fields.minute.values.has(new Date(shown).getUTCMinutes())) shown += minute;
      else {
        const time = this.#timeOf(shown);
        if (time !== undefined && time > after) return time;
        // Clocks never show it, where they are put forward, or show it twice.
        shown += minute;
      }
    }
    return undefined;
  }

  #isDay(shown: number): boolean {
    const { day: days, month, weekday } = this.#fields;
    const date = new Date(shown);
    if (!month.values.has(date.getUTCMonth() + 1)) return false;
    const byDay = days.values.has(date.getUTCDate());
    const byWeekday = weekday.values.has(date.getUTCDay());
    return days.any || weekday.any ? byDay && byWeekday : byDay || byWeekday;
  }

  /** The milliseconds by which clocks there are ahead of UTC. */
  #offset(time: number): number {
    const parts = new Map(this.#zone.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const at = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const shown = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
    return shown - Math.floor(time / 1000) * 1000;
  }

  /** The first time at which clocks there show it; nothing when they never do. */
  #timeOf(shown: number): number | undefined {
    return [shown - day, shown + day]
      .map((near) => shown - this.#offset(near))
      .filter((time) => time + this.#offset(time) === shown)
      .sort((left, right) => left - right)[0];
  }
}
