import { invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, text, type Json } from '../../json.ts';
import { qualifiedNameErrors, quantityOf } from './fields.ts';

/** References of variables and files to what the pod says of itself: its fields, and the resources of its containers. */

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** The fields that there are references to at all; what may be referred to depends on the place. */
const pathsThatConvert = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

/** @param fields what can be referred to here */
export function fieldReferenceErrors(
  reference: Json | undefined,
  path: string,
  fields: ReadonlySet<string>,
): FieldError[] {
  const fieldPath = text(reference, 'fieldPath');
  const version = text(reference, 'apiVersion');
  const place = `${path}.fieldPath`;
  if (version === '') return [required(`${path}.apiVersion`)];
  if (fieldPath === '') return [required(place)];
  const inconvertible = (problem: string): FieldError[] => [
    invalidValue(place, fieldPath, `error converting fieldPath: ${problem}`),
  ];
  if (version !== 'v1') return inconvertible(`unsupported pod version: ${version}`);
  const subscript = /^(.*)\['(.*)'\]$/s.exec(fieldPath);
  if (subscript !== null) {
    const [, base = '', key = ''] = subscript;
    if (base === 'metadata.annotations') return qualifiedNameErrors(key.toLowerCase(), path);
    if (base === 'metadata.labels') return qualifiedNameErrors(key, path);
    return inconvertible(`field label does not support subscript: ${fieldPath}`);
  }
  if (!pathsThatConvert.has(fieldPath)) return inconvertible(`field label not supported: ${fieldPath}`);
  return fields.has(fieldPath) ? [] : [notSupported(place, fieldPath, [...fields].sort())];
}

const sizes = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** @param elsewhere a file names the container whose resources it means */
export function resourceFieldErrors(reference: Json | undefined, path: string, elsewhere: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const resource = text(reference, 'resource');
  const hugePages = /^(limits|requests)\.hugepages-/.test(resource);
  if (elsewhere && text(reference, 'containerName') === '') errors.push(required(`${path}.containerName`));
  else if (resource === '') errors.push(required(`${path}.resource`));
  else if (!resourceFields.includes(resource) && !hugePages)
    errors.push(notSupported(`${path}.resource`, resource, resourceFields));
  const divisor = quantityOf(at(reference, 'divisor'));
  if (divisor === undefined || divisor.sign === 0) return errors;
  const written = divisor.toString();
  const name = resource.slice(resource.indexOf('.') + 1);
  const wrong = (detail: string): void => {
    errors.push(invalidValue(`${path}.divisor`, resource, `only divisor's values ${detail} resource`));
  };
  if (name === 'cpu') {
    if (!['1m', '1'].includes(written)) wrong('1m and 1 are supported with the cpu');
  } else if (!sizes.includes(written)) {
    const what = name === 'ephemeral-storage' ? 'local ephemeral storage' : hugePages ? 'hugepages' : name;
    if (hugePages || resourceFields.includes(resource)) wrong(`${sizes.join(', ')} are supported with the ${what}`);
  }
  return errors;
}
