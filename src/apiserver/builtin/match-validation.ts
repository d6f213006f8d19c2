import { duplicate, forbiddenField, invalidValue, notSupported, required, type FieldError } from '../field-error.ts';
import { at, list, object, text, texts, type Json, type JsonObject } from '../json.ts';
import { pathSegment } from '../objects/names.ts';
import { labelValue, qualifiedName } from '../../schema/cel/library/names.ts';

/** The checks that webhooks and admission policies share: which requests they are about. */

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

export function labelSelectorErrors(selector: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(object(selector, 'matchLabels'))) {
    for (const problem of qualifiedName(key)) errors.push(invalidValue(`${path}.matchLabels`, key, problem));
    for (const problem of labelValue(typeof value === 'string' ? value : ''))
      errors.push(invalidValue(`${path}.matchLabels`, value, problem));
  }
  list(selector, 'matchExpressions').forEach((expression, index) => {
    const place = `${path}.matchExpressions[${index}]`;
    const operator = text(expression, 'operator');
    const values = texts(expression, 'values');
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(required(`${place}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(
          forbiddenField(`${place}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
    } else errors.push(invalidValue(`${place}.operator`, operator, 'not a valid selector operator'));
    const key = text(expression, 'key');
    for (const problem of qualifiedName(key)) errors.push(invalidValue(`${place}.key`, key, problem));
    values.forEach((value, position) => {
      for (const problem of labelValue(value))
        errors.push(invalidValue(`${place}.values[${position}]`, value, problem));
    });
  });
  return errors;
}

function resourceErrors(resources: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (resources.length === 0) errors.push(required(path));
  const anySubresource = new Set<string>();
  const anyResource = new Set<string>();
  let plain = false;
  resources.forEach((resource, index) => {
    const place = `${path}[${index}]`;
    if (resource === '') {
      errors.push(required(place));
      return;
    }
    const slash = resource.indexOf('/');
    if (slash < 0) {
      plain = resource !== '*';
      return;
    }
    const main = resource.slice(0, slash);
    const subresource = resource.slice(slash + 1);
    if (anySubresource.has(main))
      errors.push(invalidValue(place, resource, `if '${main}/*' is present, must not specify ${resource}`));
    if (anyResource.has(subresource))
      errors.push(invalidValue(place, resource, `if '*/${subresource}' is present, must not specify ${resource}`));
    if (subresource === '*') anySubresource.add(main);
    if (main === '*') anyResource.add(subresource);
  });
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalidValue(path, [...resources], "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && plain)
    errors.push(
      invalidValue(path, [...resources], "if '*' is present, must not specify other resources without subresources"),
    );
  return errors;
}

/** The rules of webhooks and policies. */
export function ruleErrors(rule: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const wildcard = (name: string, what: string): readonly string[] => {
    const values = texts(rule, name);
    if (values.length === 0) errors.push(required(`${path}.${name}`));
    if (values.length > 1 && values.includes('*'))
      errors.push(invalidValue(`${path}.${name}`, [...values], `if '*' is present, must not specify other ${what}`));
    return values;
  };
  wildcard('operations', 'operations').forEach((operation, index) => {
    if (!operations.includes(operation))
      errors.push(notSupported(`${path}.operations[${index}]`, operation, operations));
  });
  wildcard('apiGroups', 'API groups');
  wildcard('apiVersions', 'API versions').forEach((version, index) => {
    if (version === '') errors.push(required(`${path}.apiVersions[${index}]`));
  });
  errors.push(...resourceErrors(texts(rule, 'resources'), `${path}.resources`));
  const scopes = ['*', 'Cluster', 'Namespaced'];
  const scope = text(rule, 'scope');
  if (scope !== '' && !scopes.includes(scope)) errors.push(notSupported(`${path}.scope`, scope, scopes));
  return errors;
}

function namedRuleErrors(rule: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  texts(rule, 'resourceNames').forEach((name, index) => {
    const place = `${path}.resourceNames[${index}]`;
    for (const problem of pathSegment(name, false)) errors.push(invalidValue(place, name, problem));
    if (seen.has(name)) errors.push(duplicate(place, name));
    seen.add(name);
  });
  return [...errors, ...ruleErrors(rule, path)];
}

/** `matchConstraints` of a policy, `matchResources` of a binding. */
export function matchResourcesErrors(criteria: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  errors.push(...choice(criteria, 'matchPolicy', path, ['Equivalent', 'Exact']));
  for (const name of ['namespaceSelector', 'objectSelector'])
    errors.push(...labelSelectorErrors(object(criteria, name), `${path}.${name}`));
  for (const name of ['resourceRules', 'excludeResourceRules'])
    list(criteria, name).forEach((rule, index) => errors.push(...namedRuleErrors(rule, `${path}.${name}[${index}]`)));
  return errors;
}

/** Mutations are for objects that are made or changed. */
export function mutatingOperationErrors(criteria: JsonObject, path: string): FieldError[] {
  const allowed = operations.filter((operation) => operation !== 'DELETE');
  return list(criteria, 'resourceRules').flatMap((rule) =>
    texts(rule, 'operations')
      .filter((operation) => !allowed.includes(operation))
      .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, allowed)),
  );
}

/** A member that must be one of some texts. */
export function choice(owner: Json | undefined, name: string, path: string, values: readonly string[]): FieldError[] {
  const value = text(owner, name);
  if (at(owner, name) === undefined || value === '') return [required(`${path}.${name}`)];
  return values.includes(value) ? [] : [notSupported(`${path}.${name}`, value, values)];
}

/** A list whose items must have names that differ. */
export function duplicateNames(owner: Json | undefined, member: string, name: string, path: string): FieldError[] {
  const seen = new Set<string>();
  return list(owner, member).flatMap((item, index) => {
    const value = text(item, name);
    if (value === '' || !seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [duplicate(`${path}.${member}[${index}].${name}`, value)];
  });
}
