import { invalidValue, required, type FieldError } from '../../field-error.ts';
import { at, isObject, numeric, object, text, type JsonObject } from '../../json.ts';
import { needed, qualifiedNameErrors } from './fields.ts';

/** An event stands in the namespace of what it is about; events about cluster-scoped objects stand in `default`. */
export function eventErrors(value: JsonObject): FieldError[] {
  const about = text(value, 'involvedObject', 'namespace');
  const own = text(value, 'metadata', 'namespace');
  if (about === own || (about === '' && (own === 'default' || own === 'kube-system'))) return [];
  return [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')];
}

/** Events of `events.k8s.io` are held to more: everything that describes them must be there. Names are those of the core form. */
export function newEventErrors(value: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const about = text(value, 'regarding', 'namespace');
  const own = text(value, 'metadata', 'namespace');
  if (about === '' && own !== 'default' && own !== 'kube-system')
    errors.push(invalidValue('involvedObject.namespace', about, 'does not match event.namespace'));
  if (text(value, 'eventTime') === '') errors.push(required('eventTime'));
  const type = text(value, 'type');
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalidValue('type', '', `has invalid value: ${type}`));
  errors.push(...needed(value, '', 'reportingController').map((error) => ({ ...error, field: 'reportingController' })));
  errors.push(...qualifiedNameErrors(text(value, 'reportingController'), 'reportingController'));
  for (const [name, length] of [
    ['reportingInstance', 128],
    ['action', 128],
    ['reason', 128],
  ] as const) {
    const found = text(value, name);
    if (found === '') errors.push(required(name));
    if (found.length > length) errors.push(invalidValue(name, '', `can have at most ${length} characters`));
  }
  if (text(value, 'note').length > 1024) errors.push(invalidValue('message', '', 'can have at most 1024 characters'));
  for (const [name, shown] of [
    ['deprecatedFirstTimestamp', 'firstTimestamp'],
    ['deprecatedLastTimestamp', 'lastTimestamp'],
    ['deprecatedCount', 'count'],
  ] as const) {
    if ((value[name] ?? 0) !== 0) errors.push(invalidValue(shown, '', 'needs to be unset'));
  }
  if (Object.keys(object(value, 'deprecatedSource')).length > 0)
    errors.push(invalidValue('source', '', 'needs to be unset'));
  const series = value['series'];
  if (isObject(series)) {
    if ((numeric(series['count']) ?? 0) < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
    if (typeof at(series, 'lastObservedTime') !== 'string') errors.push(required('series.lastObservedTime'));
  }
  return errors;
}
