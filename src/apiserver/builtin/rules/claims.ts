import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import {
  at,
  equal,
  isObject,
  list,
  object,
  shallow,
  texts,
  text,
  type JsonObject,
  type MutableObject,
} from '../../json.ts';
import { needed, oneOf, optionalName, quantityOf, selectorErrors, subdomain } from './fields.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** The spec of a claim, wherever it stands. */
export function claimSpecErrors(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const modes = texts(spec, 'accessModes');
  if (modes.length === 0) errors.push(required(`${path}.accessModes`, 'at least 1 access mode is required'));
  errors.push(...selectorErrors(spec, path, 'selector'));
  for (const mode of modes)
    if (!accessModes.includes(mode)) errors.push(notSupported(`${path}.accessModes`, mode, accessModes));
  if (modes.length > 1 && modes.includes('ReadWriteOncePod'))
    errors.push(forbiddenField(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes'));
  const storage = at(spec, 'resources', 'requests', 'storage');
  if (storage === undefined) errors.push(required(`${path}.resources[storage]`));
  else {
    const amount = quantityOf(storage);
    if (amount !== undefined && amount.sign <= 0)
      errors.push(invalidValue(`${path}.resources[storage]`, storage, 'must be greater than zero'));
  }
  errors.push(...optionalName(subdomain, spec, path, 'storageClassName'));
  errors.push(...oneOf(spec, path, 'volumeMode', ['Block', 'Filesystem']));
  for (const name of ['dataSource', 'dataSourceRef']) {
    const source = spec[name];
    if (!isObject(source)) continue;
    errors.push(...needed(source, `${path}.${name}`, 'name', 'kind'));
    const group = text(source, 'apiGroup');
    const kind = text(source, 'kind');
    if (group === '' && kind !== 'PersistentVolumeClaim') {
      errors.push(
        invalidValue(`${path}.${name}`, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
      );
    }
  }
  const [source, reference] = [spec['dataSource'], spec['dataSourceRef']];
  if (isObject(source) && isObject(reference)) {
    const differs = ['apiGroup', 'kind', 'name'].some((name) => text(source, name) !== text(reference, name));
    if (differs) errors.push(invalidValue(path, {}, 'must match dataSourceRef'));
  }
  return errors;
}

export function claimUpdateErrors(value: JsonObject, old: JsonObject): FieldError[] {
  const before = shallow(object(old, 'spec'));
  const now = shallow(object(value, 'spec'));
  const errors: FieldError[] = [];
  const [size, was] = [
    quantityOf(at(now, 'resources', 'requests', 'storage')),
    quantityOf(at(before, 'resources', 'requests', 'storage')),
  ];
  const capacity = quantityOf(at(old, 'status', 'capacity', 'storage'));
  const shrinks = was !== undefined && (size === undefined || size.compare(was) < 0);
  const atMost =
    capacity === undefined ? size === undefined || size.sign <= 0 : size === undefined || size.compare(capacity) <= 0;
  if (shrinks && atMost)
    errors.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  if (!equal(now['volumeMode'], before['volumeMode']))
    errors.push(invalidValue('volumeMode', now['volumeMode'], 'field is immutable'));
  // Whoever binds the claim names the volume.
  if (text(before, 'volumeName') === '') {
    delete before['volumeName'];
    delete now['volumeName'];
  }
  if (text(old, 'status', 'phase') === 'Bound') {
    const resources = shallow(now['resources']);
    if (was !== undefined) resources['requests'] = object(before, 'resources', 'requests');
    now['resources'] = resources;
    for (const spec of [before, now]) delete spec['volumeAttributesClassName'];
  }
  return equal(now, before)
    ? errors
    : [
        ...errors,
        forbiddenField(
          'spec',
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        ),
      ];
}

/** Whether a source can fill a claim. */
function fits(source: JsonObject): boolean {
  const kind = text(source, 'kind');
  const group = text(source, 'apiGroup');
  return (
    (kind === 'PersistentVolumeClaim' && group === '') ||
    (kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io')
  );
}

/** References of a new claim to what cannot fill it are dropped, and the two forms of the reference stand for each other. */
export function normalizeDataSource(spec: MutableObject): void {
  const source = spec['dataSource'];
  if (isObject(source) && !fits(source)) delete spec['dataSource'];
  shareDataSource(spec);
}

/** The two forms of a claim's source stand for each other. */
export function shareDataSource(spec: MutableObject): void {
  const kept = spec['dataSource'];
  const reference = spec['dataSourceRef'];
  if (isObject(kept) && reference === undefined) spec['dataSourceRef'] = kept;
  else if (isObject(reference) && kept === undefined && text(reference, 'namespace') === '' && fits(reference))
    spec['dataSource'] = reference;
}

export function claimErrors(value: JsonObject): FieldError[] {
  return claimSpecErrors(object(value, 'spec'), 'spec');
}

/** The claims that a StatefulSet makes. */
export function claimTemplateErrors(spec: JsonObject, path: string): FieldError[] {
  return list(spec, 'volumeClaimTemplates').flatMap((template, index) =>
    claimSpecErrors(object(template, 'spec'), `${path}.volumeClaimTemplates[${index}].spec`),
  );
}
