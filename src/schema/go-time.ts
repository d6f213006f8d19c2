const layout = '2006-01-02T15:04:05Z07:00';
const elements: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/],
  ['-', /^-/],
  ['02', /^\d{2}/],
  ['T', /^T/],
  ['15', /^\d{1,2}/],
  [':', /^:/],
  ['04', /^\d{2}/],
  [':', /^:/],
  ['05', /^\d{2}(?:[.,]\d+)?/],
  ['Z07:00', /^(?:Z|[+-]\d{2}:\d{2})/],
];

/** A time of RFC 3339 as `metav1.Time` writes it: UTC, whole seconds. A text that is none gives Go's message. */
export function normalizeTime(text: string): { readonly time: string } | { readonly problem: string } {
  const fail = (problem: string) => ({ problem: `parsing time ${quote(text)}${problem}` });
  let rest = text;
  const parts: string[] = [];
  for (const [name, pattern] of elements) {
    const match = pattern.exec(rest);
    if (match === null) return fail(` as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(name)}`);
    parts.push(match[0]);
    rest = rest.slice(match[0].length);
  }
  if (rest !== '') return fail(`: extra text: ${quote(rest)}`);
  const [year, month, day, hour, minute, second] = [0, 2, 4, 6, 8, 10].map((position) =>
    Number.parseInt(parts[position] ?? '', 10),
  );
  const zone = parts[11] ?? 'Z';
  if (month === undefined || month < 1 || month > 12) return fail(': month out of range');
  const days = new Date(Date.UTC(2000, month, 0));
  days.setUTCFullYear(year ?? 0, month, 0);
  if (day === undefined || day < 1 || day > days.getUTCDate()) return fail(': day out of range');
  if ((hour ?? 0) > 23) return fail(': hour out of range');
  if ((minute ?? 0) > 59) return fail(': minute out of range');
  if ((second ?? 0) > 59) return fail(': second out of range');
  const time = new Date(0);
  time.setUTCFullYear(year ?? 0, month - 1, day);
  time.setUTCHours(hour ?? 0, minute ?? 0, second ?? 0);
  if (zone !== 'Z') {
    const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
    time.setTime(time.getTime() - (zone.startsWith('-') ? -1 : 1) * minutes * 60_000);
  }
  return { time: `${time.toISOString().slice(0, -5)}Z` };
}

/** The quoting of Go's package time: bytes that are not printable ASCII in hexadecimal. */
function quote(text: string): string {
  const quoted = text
    .replace(/["\\]/g, '\\$&')
    .replace(/[^ -~\x7f]/gu, (character) =>
      Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    );
  return `"${quoted}"`;
}
