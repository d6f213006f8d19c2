/** Schedules of cron jobs, with the problems in the words of the library that Kubernetes reads them with. */

interface Field {
  readonly lowest: number;
  readonly highest: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly Field[] = [
  { lowest: 0, highest: 59 },
  { lowest: 0, highest: 23 },
  { lowest: 1, highest: 31 },
  { lowest: 1, highest: 12, names: months },
  { lowest: 0, highest: 6, names: days },
];
const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

/** What is wrong with a schedule; nothing when it is right. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.includes('TZ')) return 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const parts = schedule.trim().split(/\s+/);
  if (parts.length !== fields.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [index, field] of fields.entries()) {
    for (const range of (parts[index] ?? '').split(',').filter((part) => part !== '')) {
      const problem = rangeProblem(range, field);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (descriptors.has(descriptor)) return undefined;
  if (!descriptor.startsWith('@every ')) return `unrecognized descriptor: ${descriptor}`;
  const duration = descriptor.slice('@every '.length);
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/.test(duration))
    return undefined;
  return `failed to parse duration ${descriptor}: time: invalid duration ${JSON.stringify(duration)}`;
}

function rangeProblem(range: string, field: Field): string | undefined {
  const [span = '', step, ...moreSteps] = range.split('/');
  const [from = '', to, ...moreSpans] = span.split('-');
  let start: number;
  let end: number;
  if (from === '*' || from === '?') {
    start = field.lowest;
    end = field.highest;
  } else {
    const first = numberOf(from, field);
    if (typeof first === 'string') return first;
    if (moreSpans.length > 0) return `too many hyphens: ${range}`;
    const last = to === undefined ? first : numberOf(to, field);
    if (typeof last === 'string') return last;
    start = first;
    end = to === undefined && step !== undefined ? field.highest : last;
  }
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const by = step === undefined ? 1 : integer(step);
  if (typeof by === 'string') return by;
  if (start < field.lowest) return `beginning of range (${start}) below minimum (${field.lowest}): ${range}`;
  if (end > field.highest) return `end of range (${end}) above maximum (${field.highest}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return by === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

function numberOf(written: string, { names, lowest }: Field): number | string {
  const position = names?.indexOf(written.toLowerCase()) ?? -1;
  return position >= 0 ? position + lowest : integer(written);
}

function integer(written: string): number | string {
  if (!/^[+-]?\d+$/.test(written))
    return `failed to parse int from ${written}: strconv.Atoi: parsing ${JSON.stringify(written)}: invalid syntax`;
  const value = Number(written);
  return value < 0 ? `negative number (${value}) not allowed: ${written}` : value;
}
