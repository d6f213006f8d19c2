/** Members of a log line that stand elsewhere in what is shown, or say nothing in a terminal. */
const shown = new Set([
  'level',
  'time',
  'msg',
  'controller',
  'controllerGroup',
  'controllerKind',
  'namespace',
  'name',
  'reconcileID',
]);

/**
 * One line of the operator's JSON log as people read it: `12:30:05 widget default/a: finalizer added finalizer=example.com/cleanup`.
 * Anything else comes back as it is.
 */
export function readableLogLine(line: string): string {
  let entry: Readonly<Record<string, unknown>>;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('msg' in value)) return line;
    entry = { ...value };
  } catch {
    return line;
  }
  const { level, time, msg, controller, namespace, name, controllerKind } = entry;
  const clock = typeof time === 'string' ? `${time.slice(11, 19)} ` : '';
  const mark = typeof level !== 'string' || level === 'info' ? '' : `${level.toUpperCase()} `;
  const object =
    typeof name !== 'string'
      ? ''
      : typeof namespace === 'string' && namespace !== ''
        ? ` ${namespace}/${name}`
        : ` ${name}`;
  const about = typeof controller === 'string' ? `${controller}${object}: ` : '';
  const fields = Object.entries(entry)
    .filter(([member]) => !shown.has(member) && member !== controllerKind)
    .map(([member, value]) => ` ${member}=${readableValue(value)}`);
  return `${clock}${mark}${about}${String(msg)}${fields.join('')}`;
}

function readableValue(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value === 'object' && value !== null && 'message' in value && 'stack' in value) {
    return JSON.stringify(value.message);
  }
  return JSON.stringify(value);
}
