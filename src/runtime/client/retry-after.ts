/**
 * The wait that a Retry-After header asks for, in milliseconds: seconds, or an HTTP date compared with the wall clock. Undefined when
 * it is absent or makes no sense; a date in the past is 0.
 */
export function parseRetryAfter(header: string | undefined, wall: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - wall);
}
