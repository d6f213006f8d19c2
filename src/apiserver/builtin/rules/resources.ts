import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, list, object, plain, text, type Json, type JsonObject } from '../../json.ts';
import { qualifiedNameErrors, quantityOf } from './fields.ts';

const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
/** Of these, more can be promised than there is. */
const overcommits = (name: string): boolean => !name.includes('/') && !isHugePages(name);
const isExtended = (name: string): boolean => name.includes('/') && !/^([^/]*\.)?kubernetes\.io\//.test(name);

/** `resources` of a container of a pod. */
export function resourceErrors(container: Json, path: string, spec: JsonObject): FieldError[] {
  const claims = claimNames(spec);
  const place = `${path}.resources`;
  const limits = object(container, 'resources', 'limits');
  const requests = object(container, 'resources', 'requests');
  const errors: FieldError[] = [];
  for (const [member, amounts] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    for (const [name, amount] of Object.entries(amounts))
      errors.push(...amountErrors(name, amount, `${place}.${member}[${name}]`));
  }
  for (const [name, amount] of Object.entries(requests)) {
    const request = quantityOf(amount);
    const limit = quantityOf(limits[name]);
    if (request === undefined) continue;
    if (limit === undefined) {
      if (!overcommits(name)) {
        errors.push(required(`${place}.limits`, 'Limit must be set for non overcommitable resources'));
      }
    } else if (!overcommits(name) && request.compare(limit) !== 0) {
      errors.push(
        invalidValue(`${place}.requests`, amount, `must be equal to ${name} limit of ${plain(limits[name])}`),
      );
    } else if (request.compare(limit) > 0) {
      errors.push(
        invalidValue(
          `${place}.requests`,
          amount,
          `must be less than or equal to ${name} limit of ${plain(limits[name])}`,
        ),
      );
    }
  }
  const all = new Set([...Object.keys(limits), ...Object.keys(requests)]);
  if ([...all].some(isHugePages) && !all.has('cpu') && !all.has('memory'))
    errors.push(forbiddenField(place, 'HugePages require cpu or memory'));
  list(container, 'resources', 'claims').forEach((claim, index) => {
    const name = text(claim, 'name');
    if (name === '') errors.push(required(`${place}.claims[${index}]`));
    else if (!claims.includes(name)) {
      const known = claims.length === 0 ? ' which is empty' : '';
      errors.push({
        type: 'FieldValueNotFound',
        field: `${place}.claims[${index}]`,
        message: `Not found: "${name}": must be one of the names in pod.spec.resourceClaims${known}`,
      });
    }
  });
  const policies = ['NotRequired', 'RestartContainer'];
  for (const resize of list(container, 'resizePolicy')) {
    const name = text(resize, 'resourceName');
    if (name === '') errors.push(required(`${path}.resizePolicy`));
    else if (name !== 'cpu' && name !== 'memory')
      errors.push(notSupported(`${path}.resizePolicy`, name, ['cpu', 'memory']));
    const restart = text(resize, 'restartPolicy');
    if (restart === '') errors.push(required(`${path}.resizePolicy`));
    else if (!policies.includes(restart)) errors.push(notSupported(`${path}.resizePolicy`, restart, policies));
    if (text(spec, 'restartPolicy') === 'Never' && restart !== 'NotRequired')
      errors.push(
        invalidValue(`${path}.resizePolicy`, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"),
      );
  }
  return errors;
}

/** The name of a resource that containers can ask for. */
export function resourceNameErrors(name: string, place: string): FieldError[] {
  const errors = qualifiedNameErrors(name, place);
  if (!name.includes('/') && !standard.has(name) && !isHugePages(name)) {
    if (errors.length === 0)
      errors.push(invalidValue(place, name, 'must be a standard resource type or fully qualified'));
    errors.push(invalidValue(place, name, 'must be a standard resource for containers'));
  }
  return errors;
}

export function amountErrors(name: string, amount: Json, place: string): FieldError[] {
  const errors = resourceNameErrors(name, place);
  const quantity = quantityOf(amount);
  if (quantity === undefined) return errors;
  if (quantity.sign < 0) errors.push(invalidValue(place, amount, 'must be greater than or equal to 0'));
  if (isExtended(name) && !quantity.isInteger()) errors.push(invalidValue(place, amount, 'must be an integer'));
  return errors;
}

/** The names of the pod's resource claims. */
function claimNames(spec: Json): readonly string[] {
  return list(spec, 'resourceClaims').map((claim) => text(at(claim), 'name'));
}
