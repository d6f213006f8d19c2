import { invalidValue, required, type FieldError } from '../../field-error.ts';
import { at, equal, isObject, numeric, object, text, type Json, type JsonObject } from '../../json.ts';
import { invalidStruct, qualifiedNameErrors } from './fields.ts';

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
  errors.push(...describedErrors(value, text(value, 'reportingController')));
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
  return [...errors, ...seriesErrors(value)];
}

/** Who tells of what. */
function describedErrors(value: JsonObject, controller: string): FieldError[] {
  const errors: FieldError[] = controller === '' ? [required('reportingController')] : [];
  errors.push(...qualifiedNameErrors(controller, 'reportingController'));
  for (const name of ['reportingInstance', 'action', 'reason']) {
    const found = text(value, name);
    if (found === '') errors.push(required(name));
    if (found.length > 128) errors.push(invalidValue(name, '', 'can have at most 128 characters'));
  }
  return errors;
}

function seriesErrors(value: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const series = value['series'];
  if (isObject(series)) {
    if ((numeric(series['count']) ?? 0) < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
    if (typeof at(series, 'lastObservedTime') !== 'string') errors.push(required('series.lastObservedTime'));
  }
  return errors;
}

/** What an event of `events.k8s.io` says stays as it is, but for its series. Fields have the names of the core form. */
export function eventUpdateErrors(value: JsonObject, old: JsonObject): FieldError[] {
  const errors = equal(value['series'], old['series']) ? [] : seriesErrors(value);
  const about = text(value, 'regarding', 'namespace');
  const own = text(value, 'metadata', 'namespace');
  if (about === '' && own !== 'default' && own !== 'kube-system')
    errors.push(invalidValue('involvedObject.namespace', about, 'does not match event.namespace'));
  const controller = text(value, 'reportingController');
  if (text(value, 'eventTime') !== '') errors.push(...describedErrors(value, controller));
  for (const [name, shown] of Object.entries(fixedMembers)) {
    const now = value[name];
    if (equal(now ?? null, old[name] ?? null)) continue;
    if (name === 'regarding' || name === 'related') {
      if (isObject(now)) errors.push(invalidStruct(shown, referenceOf(now), 'field is immutable'));
      else errors.push(invalidValue(shown, null, 'field is immutable'));
    } else errors.push(invalidValue(shown, now ?? (name === 'eventTime' ? null : ''), 'field is immutable'));
  }
  return errors;
}

/** By the names that errors give them. */
const fixedMembers: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  reason: 'reason',
  note: 'message',
  type: 'type',
  eventTime: 'eventTime',
  action: 'action',
  related: 'related',
  reportingController: 'reportingController',
  reportingInstance: 'reportingInstance',
  deprecatedCount: 'count',
};

function referenceOf(reference: JsonObject): readonly (readonly [string, Json])[] {
  return [
    ['Kind', 'kind'],
    ['Namespace', 'namespace'],
    ['Name', 'name'],
    ['UID', 'uid'],
    ['APIVersion', 'apiVersion'],
    ['ResourceVersion', 'resourceVersion'],
    ['FieldPath', 'fieldPath'],
  ].map(([shown = '', name = '']) => [shown, text(reference, name)] as const);
}
