import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, equal, isObject, list, object, shallow, texts, text, type JsonObject } from '../../json.ts';
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
  return errors;
}

export function claimUpdateErrors(value: JsonObject, old: JsonObject): FieldError[] {
  const before = shallow(object(old, 'spec'));
  const now = shallow(object(value, 'spec'));
  // Whoever binds the claim names the volume.
  if (text(before, 'volumeName') === '') {
    delete before['volumeName'];
    delete now['volumeName'];
  }
  if (text(old, 'status', 'phase') === 'Bound') {
    const resources = shallow(now['resources']);
    const was = object(before, 'resources', 'requests')['storage'];
    const asked = at(resources, 'requests', 'storage');
    const [size, oldSize] = [quantityOf(asked), quantityOf(was)];
    if (size !== undefined && oldSize !== undefined && size.compare(oldSize) < 0) {
      return [forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')];
    }
    if (was !== undefined) resources['requests'] = object(before, 'resources', 'requests');
    now['resources'] = resources;
    for (const spec of [before, now]) delete spec['volumeAttributesClassName'];
  }
  return equal(now, before)
    ? []
    : [
        forbiddenField(
          'spec',
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        ),
      ];
}

/** References to what cannot fill a claim are dropped, and the two forms of the reference stand for each other. */
export function normalizeDataSource(spec: JsonObject & { [name: string]: unknown }): void {
  const fits = (source: JsonObject): boolean => {
    const kind = text(source, 'kind');
    const group = text(source, 'apiGroup');
    return (
      (kind === 'PersistentVolumeClaim' && group === '') ||
      (kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io')
    );
  };
  const source = spec['dataSource'];
  if (isObject(source) && !fits(source)) delete spec['dataSource'];
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
