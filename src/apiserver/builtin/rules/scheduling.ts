import { duplicate, forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, isObject, list, numeric, object, text, texts, type Json, type JsonObject } from '../../json.ts';
import { labelValue } from '../../../schema/cel/library/names.ts';
import { labelSelectorErrors } from '../match-validation.ts';
import { label, nameErrors, oneOf, qualifiedNameErrors, subdomain } from './fields.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function tolerationErrors(spec: JsonObject, path: string): FieldError[] {
  return list(spec, 'tolerations').flatMap((toleration, index) => {
    const place = `${path}.tolerations[${index}]`;
    const errors: FieldError[] = [];
    const key = text(toleration, 'key');
    const operator = text(toleration, 'operator');
    const effect = text(toleration, 'effect');
    const value = text(toleration, 'value');
    if (key !== '') errors.push(...qualifiedNameErrors(key, `${place}.key`));
    if (key === '' && operator !== 'Exists') {
      errors.push(
        invalidValue(
          `${place}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    if (at(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute')
      errors.push(
        invalidValue(`${place}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      );
    if (operator === '' || operator === 'Equal') {
      for (const problem of labelValue(value)) errors.push(invalidValue(`${place}.operator`, value, problem));
    } else if (operator === 'Exists') {
      if (value !== '')
        errors.push(invalidValue(`${place}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    } else errors.push(notSupported(`${place}.operator`, operator, ['Equal', 'Exists']));
    if (effect !== '' && !effects.includes(effect)) errors.push(notSupported(`${place}.effect`, effect, effects));
    return errors;
  });
}

export function spreadErrors(spec: JsonObject, path: string): FieldError[] {
  const constraints = list(spec, 'topologySpreadConstraints');
  const actions = ['DoNotSchedule', 'ScheduleAnyway'];
  const pair = (constraint: Json): string =>
    `{${text(constraint, 'topologyKey')}, ${text(constraint, 'whenUnsatisfiable')}}`;
  return constraints.flatMap((constraint, index) => {
    const place = `${path}.topologySpreadConstraints[${index}]`;
    const errors: FieldError[] = [];
    const skew = numeric(at(constraint, 'maxSkew')) ?? 0;
    if (skew <= 0) errors.push(invalidValue(`${place}.maxSkew`, skew, 'must be greater than zero'));
    const key = text(constraint, 'topologyKey');
    if (key === '') errors.push(required(`${place}.topologyKey`, 'can not be empty'));
    const action = text(constraint, 'whenUnsatisfiable');
    if (!actions.includes(action)) errors.push(notSupported(`${place}.whenUnsatisfiable`, action, actions));
    if (constraints.slice(index + 1).some((other) => pair(other) === pair(constraint)))
      errors.push(duplicate(`${place}.{topologyKey, whenUnsatisfiable}`, pair(constraint)));
    const domains = numeric(at(constraint, 'minDomains'));
    if (domains !== undefined) {
      if (domains <= 0) errors.push(invalidValue(`${place}.minDomains`, domains, 'must be greater than zero'));
      if (action !== 'DoNotSchedule') {
        errors.push(
          invalidValue(
            `${place}.minDomains`,
            domains,
            `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
          ),
        );
      }
    }
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'])
      errors.push(...oneOf(constraint, place, name, ['Honor', 'Ignore']));
    errors.push(...labelKeyErrors(constraint, place));
    errors.push(...labelSelectorErrors(object(constraint, 'labelSelector'), `${place}.labelSelector`));
    return errors;
  });
}

/** Labels whose values a pod shares, or does not share, with those that it is spread among. */
function labelKeyErrors(owner: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const selector = at(owner, 'labelSelector');
  for (const name of ['matchLabelKeys', 'mismatchLabelKeys']) {
    const keys = texts(owner, name);
    if (keys.length > 0 && !isObject(selector))
      errors.push(forbiddenField(`${path}.${name}`, 'must not be specified when labelSelector is not set'));
    else keys.forEach((key, index) => errors.push(...qualifiedNameErrors(key, `${path}.${name}[${index}]`)));
  }
  const matching = texts(owner, 'matchLabelKeys');
  const seen = new Set(Object.keys(object(selector, 'matchLabels')));
  for (const expression of list(selector, 'matchExpressions')) {
    const key = text(expression, 'key');
    if (seen.has(key) && matching.includes(key))
      errors.push(
        invalidValue(`${path}[${matching.lastIndexOf(key)}]`, key, 'exists in both matchLabelKeys and labelSelector'),
      );
    seen.add(key);
  }
  const others = texts(owner, 'mismatchLabelKeys');
  matching.forEach((key, index) => {
    if (others.includes(key))
      errors.push(
        invalidValue(`${path}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
      );
  });
  return errors;
}

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

export function affinityErrors(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const place = `${path}.affinity`;
  const node = object(spec, 'affinity', 'nodeAffinity');
  const nodePlace = `${place}.nodeAffinity`;
  const needed = node[requiredTerms];
  if (isObject(needed)) {
    const termsPlace = `${nodePlace}.${requiredTerms}.nodeSelectorTerms`;
    const terms = list(needed, 'nodeSelectorTerms');
    if (terms.length === 0) errors.push(required(termsPlace, 'must have at least one node selector term'));
    terms.forEach((term, index) => {
      errors.push(...nodeTermErrors(term, `${termsPlace}[${index}]`));
      errors.push(
        ...nodeValueProblems(term, `${termsPlace}[${index}]`).map(({ field, value, problem }) =>
          invalidValue(field, value, problem),
        ),
      );
    });
  }
  list(node, preferredTerms).forEach((term, index) => {
    const inner = `${nodePlace}.${preferredTerms}[${index}]`;
    errors.push(...weightErrors(term, inner));
    errors.push(...nodeTermErrors(object(term, 'preference'), `${inner}.preference`));
  });
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const pods = object(spec, 'affinity', name);
    list(pods, requiredTerms).forEach((term, index) =>
      errors.push(...podTermErrors(term, `${place}.${name}.${requiredTerms}[${index}]`)),
    );
    list(pods, preferredTerms).forEach((term, index) => {
      const inner = `${place}.${name}.${preferredTerms}[${index}]`;
      errors.push(...weightErrors(term, inner));
      errors.push(...podTermErrors(object(term, 'podAffinityTerm'), `${inner}.podAffinityTerm`));
    });
  }
  return errors;
}

function weightErrors(term: Json, path: string): FieldError[] {
  const weight = numeric(at(term, 'weight')) ?? 0;
  return weight < 1 || weight > 100 ? [invalidValue(`${path}.weight`, weight, 'must be in the range 1-100')] : [];
}

function nodeTermErrors(term: Json, path: string): FieldError[] {
  return [...nodeLabelErrors(term, path), ...nodeFieldErrors(term, path)];
}

/** Of the fields of nodes only the name can be asked for. */
function nodeFieldErrors(term: Json, path: string): FieldError[] {
  return list(term, 'matchFields').flatMap((expression, index) => {
    const place = `${path}.matchFields[${index}]`;
    const errors: FieldError[] = [];
    const operator = text(expression, 'operator');
    const values = texts(expression, 'values');
    if (operator !== 'In' && operator !== 'NotIn')
      errors.push(invalidValue(`${place}.operator`, operator, 'not a valid selector operator'));
    else if (values.length !== 1) {
      errors.push(
        required(
          `${place}.values`,
          "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        ),
      );
    }
    const key = text(expression, 'key');
    if (key !== 'metadata.name') errors.push(invalidValue(`${place}.key`, key, 'not a valid field selector key'));
    else
      values.forEach((value, position) => errors.push(...nameErrors(subdomain, value, `${place}.values[${position}]`)));
    return errors;
  });
}

/** Values of a term that no label has, and why. */
export function nodeValueProblems(
  term: Json,
  path: string,
): readonly { readonly field: string; readonly value: string; readonly problem: string }[] {
  return list(term, 'matchExpressions').flatMap((expression, index) =>
    texts(expression, 'values').flatMap((value, position) =>
      labelValue(value).map((problem) => ({
        field: `${path}.matchExpressions[${index}].values[${position}]`,
        value,
        problem,
      })),
    ),
  );
}

function nodeLabelErrors(term: Json, path: string): FieldError[] {
  return list(term, 'matchExpressions').flatMap((expression, index) => {
    const place = `${path}.matchExpressions[${index}]`;
    const errors: FieldError[] = [];
    const key = text(expression, 'key');
    const operator = text(expression, 'operator');
    const values = texts(expression, 'values');
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(required(`${place}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0) {
        errors.push(
          forbiddenField(`${place}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
      }
    } else if (operator === 'Gt' || operator === 'Lt') {
      if (values.length !== 1)
        errors.push(required(`${place}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
    } else errors.push(invalidValue(`${place}.operator`, operator, 'not a valid selector operator'));
    return [...errors, ...qualifiedNameErrors(key, `${place}.key`)];
  });
}

function podTermErrors(term: Json, path: string): FieldError[] {
  const key = text(term, 'topologyKey');
  return [
    ...labelSelectorErrors(object(term, 'labelSelector'), `${path}.labelSelector`),
    ...labelSelectorErrors(object(term, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...texts(term, 'namespaces').flatMap((name) => nameErrors(label, name, `${path}.namespace`)),
    ...labelKeyErrors(term, path),
    ...(key === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...qualifiedNameErrors(key, `${path}.topologyKey`),
  ];
}
