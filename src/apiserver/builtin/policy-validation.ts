import type { PolicyCompiler, PolicyScope, PolicyUse } from '../../schema/cel/index.ts';
import { qualifiedName } from '../../schema/cel/library/names.ts';
import { engine } from '../engine.ts';
import { duplicate, invalidValue, notSupported, required, type FieldError } from '../field-error.ts';
import { equal, isObject, list, member, object, text, texts, type Json, type JsonObject } from '../json.ts';
import { dns1035Label, dns1123Subdomain, pathSegment } from '../objects/names.ts';
import type { Verdict } from '../resources/resource.ts';
import { forbiddenField } from '../field-error.ts';
import {
  choice,
  duplicateNames,
  labelSelectorErrors,
  matchResourcesErrors,
  mutatingOperationErrors,
} from './match-validation.ts';

const failurePolicies = ['Fail', 'Ignore'];
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const validationActions = ['Audit', 'Deny', 'Warn'];
const maximumAnnotations = 20;
const maximumValueExpressionBytes = 5 * 1024;
const maximumConditions = 64;

function verdict(errors: readonly FieldError[]): Verdict {
  return { errors, warnings: [] };
}

/** The texts of the expressions that were there before: they may use all that this version knows. */
function expressionsOf(policy: JsonObject | undefined): ReadonlySet<string> {
  const spec = member(policy, 'spec');
  const of = (name: string, ...path: readonly string[]): string[] =>
    list(spec, name).map((item) => text(item, ...path));
  return new Set([
    ...of('matchConditions', 'expression'),
    ...of('variables', 'expression'),
    ...of('validations', 'expression'),
    ...of('validations', 'messageExpression'),
    ...of('auditAnnotations', 'valueExpression'),
    ...of('mutations', 'applyConfiguration', 'expression'),
    ...of('mutations', 'jsonPatch', 'expression'),
  ]);
}

/** Checks the expressions of one policy or webhook. */
class ExpressionChecks {
  readonly #compiler: PolicyCompiler;
  readonly #known: ReadonlySet<string>;

  constructor(composed: boolean, known: ReadonlySet<string>) {
    this.#compiler = new (engine().cel.PolicyCompiler)({ composed });
    this.#known = known;
  }

  check(expression: string, use: PolicyUse, scope: PolicyScope, path: string, shown = expression): FieldError[] {
    const { problem } = this.#compiler.compile(expression, use, scope, !this.#known.has(shown));
    return problem === undefined ? [] : [invalidValue(path, shown, problem)];
  }

  variable(name: string, expression: string, scope: PolicyScope, path: string): FieldError[] {
    const { problem } = this.#compiler.addVariable(name, expression, scope, !this.#known.has(expression));
    return problem === undefined ? [] : [invalidValue(path, expression, problem)];
  }
}

/** The match conditions of a webhook (`params` is false) or a policy. */
export function matchConditionErrors(
  owner: Json | undefined,
  path: string,
  params: boolean,
  known: ReadonlySet<string>,
): FieldError[] {
  const conditions = list(owner, 'matchConditions');
  if (conditions.length === 0) return [];
  const errors: FieldError[] = [];
  if (conditions.length > maximumConditions) {
    const message = `Too many: ${conditions.length}: must have at most ${maximumConditions} items`;
    errors.push({ type: 'FieldValueTooMany', field: `${path}.matchConditions`, message });
  }
  const checks = new ExpressionChecks(false, known);
  conditions.forEach((condition, index) => {
    const place = `${path}.matchConditions[${index}]`;
    const expression = text(condition, 'expression').trim();
    if (expression === '') errors.push(required(`${place}.expression`));
    else errors.push(...checks.check(expression, 'condition', { params, authorizer: true }, `${place}.expression`));
    const name = text(condition, 'name');
    if (name === '') errors.push(required(`${place}.name`));
    else for (const problem of qualifiedName(name)) errors.push(invalidValue(`${place}.name`, name, problem));
  });
  return [...errors, ...duplicateNames(owner, 'matchConditions', 'name', path)];
}

function paramKindErrors(kind: JsonObject): FieldError[] {
  const path = 'spec.paramKind';
  const errors: FieldError[] = [];
  const apiVersion = text(kind, 'apiVersion');
  const parts = apiVersion.split('/');
  if (apiVersion === '') errors.push(required(`${path}.apiVersion`));
  else if (parts.length > 2)
    errors.push(invalidValue(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const [version = '', group = ''] = [...parts].reverse();
    const groupProblems = group === '' ? [] : dns1123Subdomain(group, false);
    if (groupProblems.length > 0) errors.push(invalidValue(`${path}.apiVersion`, group, groupProblems.join(',')));
    const versionProblems = version === '' ? ['version must be specified'] : dns1035Label(version, false);
    if (versionProblems.length > 0)
      errors.push(invalidValue(`${path}.apiVersion`, version === '' ? apiVersion : version, versionProblems.join(',')));
  }
  const name = text(kind, 'kind');
  if (name === '') return [...errors, required(`${path}.kind`)];
  const problems = dns1035Label(name.toLowerCase(), false);
  if (problems.length > 0)
    errors.push(
      invalidValue(`${path}.kind`, name, `may have mixed case, but should otherwise match: ${problems.join(',')}`),
    );
  return errors;
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** What validating and mutating policies have in common. */
function policyErrors(
  policy: JsonObject,
  old: JsonObject | undefined,
  mutating: boolean,
): { readonly errors: FieldError[]; readonly checks: ExpressionChecks; readonly params: boolean } {
  const spec = object(policy, 'spec');
  const known = expressionsOf(old);
  const paramKind = member(spec, 'paramKind');
  const params = isObject(paramKind);
  const errors = choice(spec, 'failurePolicy', 'spec', failurePolicies);
  if (isObject(paramKind)) errors.push(...paramKindErrors(paramKind));
  const constraints = member(spec, 'matchConstraints');
  if (!isObject(constraints)) errors.push(required('spec.matchConstraints'));
  else {
    errors.push(...matchResourcesErrors(constraints, 'spec.matchConstraints'));
    if (list(constraints, 'resourceRules').length === 0) errors.push(required('spec.matchConstraints.resourceRules'));
    if (mutating) errors.push(...mutatingOperationErrors(constraints, 'spec.matchConstraints'));
  }
  const unchanged =
    old !== undefined &&
    ['paramKind', 'matchConditions'].every((name) => equal(member(old['spec'], name) ?? null, spec[name] ?? null));
  if (!unchanged) errors.push(...matchConditionErrors(spec, 'spec', params, known));
  const variables = list(spec, 'variables');
  const checks = new ExpressionChecks(mutating || variables.length > 0, known);
  variables.forEach((variable, index) => {
    const path = `spec.variables[${index}]`;
    const name = text(variable, 'name');
    if (name.trim() === '') errors.push(required(`${path}.name`, 'name is not specified'));
    else if (!identifier.test(name) || reserved.has(name))
      errors.push(invalidValue(`${path}.name`, name, 'must be a valid CEL identifier'));
    const expression = text(variable, 'expression');
    if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'));
    else errors.push(...checks.variable(name, expression, { params, authorizer: true }, `${path}.expression`));
  });
  return { errors, checks, params };
}

export function checkValidatingPolicy(policy: JsonObject, old: JsonObject | undefined): Verdict {
  const { errors, checks, params } = policyErrors(policy, old, false);
  const spec = object(policy, 'spec');
  const annotations = list(spec, 'auditAnnotations');
  if (list(spec, 'validations').length === 0 && annotations.length === 0) {
    for (const name of ['validations', 'auditAnnotations'])
      errors.push(required(`spec.${name}`, 'validations or auditAnnotations must contain at least one item'));
    return verdict(errors);
  }
  list(spec, 'validations').forEach((validation, index) =>
    errors.push(...validationErrors(validation, `spec.validations[${index}]`, checks, params)),
  );
  if (annotations.length > maximumAnnotations) {
    const detail = `must not have more than ${maximumAnnotations} auditAnnotations`;
    errors.push(invalidValue('spec.auditAnnotations', annotations, detail));
  }
  const keys = new Set<string>();
  annotations.forEach((annotation, index) => {
    const path = `spec.auditAnnotations[${index}]`;
    const key = text(annotation, 'key');
    const name = text(policy, 'metadata', 'name');
    for (const problem of qualifiedName(`${name}/${key}`))
      errors.push(invalidValue(`${path}.key`, `${name}/${key}`, problem));
    const shown = text(annotation, 'valueExpression');
    const place = `${path}.valueExpression`;
    const expression = shown.trim();
    if (expression === '') errors.push(required(place, 'valueExpression is not specified'));
    else if (Buffer.byteLength(expression) > maximumValueExpressionBytes)
      errors.push(required(place, `must not exceed ${maximumValueExpressionBytes} bytes in length`));
    else errors.push(...checks.check(expression, 'auditAnnotation', { params, authorizer: true }, place, shown));
    if (keys.has(key)) errors.push(duplicate(`${path}.key`, key));
    keys.add(key);
  });
  return verdict(errors);
}

function validationErrors(validation: Json, path: string, checks: ExpressionChecks, params: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const expression = text(validation, 'expression');
  if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'));
  else errors.push(...checks.check(expression, 'condition', { params, authorizer: true }, `${path}.expression`));
  const messageExpression = text(validation, 'messageExpression');
  if (messageExpression !== '') {
    const place = `${path}.messageExpression`;
    if (messageExpression.trim() === '')
      errors.push(invalidValue(place, messageExpression, 'must be non-empty if specified'));
    else errors.push(...checks.check(messageExpression, 'message', { params, authorizer: false }, place));
  }
  const message = text(validation, 'message');
  if (message !== '' && message.trim() === '')
    errors.push(invalidValue(`${path}.message`, message, 'must be non-empty if specified'));
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalidValue(`${path}.message`, message, 'must not contain line breaks'));
  const reason = text(validation, 'reason');
  if (reason !== '' && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons));
  return errors;
}

export function checkMutatingPolicy(policy: JsonObject, old: JsonObject | undefined): Verdict {
  const { errors, checks, params } = policyErrors(policy, old, true);
  const spec = object(policy, 'spec');
  const mutations = list(spec, 'mutations');
  if (mutations.length === 0) errors.push(required('spec.mutations', 'mutations must contain at least one item'));
  mutations.forEach((mutation, index) =>
    errors.push(...mutationErrors(mutation, `spec.mutations[${index}]`, checks, params)),
  );
  errors.push(...choice(spec, 'reinvocationPolicy', 'spec', ['IfNeeded', 'Never']));
  return verdict(errors);
}

const patchTypes = {
  ApplyConfiguration: { name: 'applyConfiguration', use: 'applyConfiguration', other: 'jsonPatch' },
  JSONPatch: { name: 'jsonPatch', use: 'jsonPatch', other: 'applyConfiguration' },
} as const;

function mutationErrors(mutation: Json, path: string, checks: ExpressionChecks, params: boolean): FieldError[] {
  const type = text(mutation, 'patchType');
  if (type === '') return [required(`${path}.patchType`)];
  if (type !== 'ApplyConfiguration' && type !== 'JSONPatch')
    return [notSupported(`${path}.patchType`, type, ['ApplyConfiguration', 'JSONPatch'])];
  const errors: FieldError[] = [];
  const { name, use, other } = patchTypes[type];
  const given = member(mutation, name);
  const place = `${path}.${name}`;
  if (!isObject(given)) errors.push(required(place, `must be specified when patchType is ${type}`));
  else {
    const expression = text(given, 'expression').trim();
    const scope = { params, authorizer: true, mutation: true };
    if (expression === '') errors.push(required(`${place}.expression`));
    else errors.push(...checks.check(expression, use, scope, `${place}.expression`));
  }
  if (isObject(member(mutation, other)))
    errors.push(invalidValue(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`));
  return errors;
}

function bindingErrors(binding: JsonObject): FieldError[] {
  const spec = object(binding, 'spec');
  const errors: FieldError[] = [];
  const policy = text(spec, 'policyName');
  if (policy === '') errors.push(required('spec.policyName'));
  else
    for (const problem of dns1123Subdomain(policy, false))
      errors.push(invalidValue('spec.policyName', policy, problem));
  const reference = member(spec, 'paramRef');
  if (isObject(reference)) errors.push(...paramRefErrors(reference, 'spec.paramRef'));
  const criteria = member(spec, 'matchResources');
  if (isObject(criteria)) errors.push(...matchResourcesErrors(criteria, 'spec.matchResources'));
  return errors;
}

function paramRefErrors(reference: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const name = text(reference, 'name');
  const selector = member(reference, 'selector');
  const both = 'name and selector are mutually exclusive';
  if (name !== '') {
    for (const problem of pathSegment(name, false)) errors.push(invalidValue(`${path}.name`, name, problem));
    if (isObject(selector)) errors.push(forbiddenField(`${path}.name`, both));
  }
  if (isObject(selector)) {
    errors.push(...labelSelectorErrors(selector, `${path}.selector`));
    if (name !== '') errors.push(forbiddenField(`${path}.selector`, both));
  } else if (name === '') errors.push(required(path, 'one of name or selector must be specified'));
  return [...errors, ...choice(reference, 'parameterNotFoundAction', path, ['Deny', 'Allow'])];
}

export function checkValidatingBinding(binding: JsonObject): Verdict {
  const errors = bindingErrors(binding);
  const path = 'spec.validationActions';
  const actions = texts(binding, 'spec', 'validationActions');
  actions.forEach((action, index) => {
    if (!validationActions.includes(action)) errors.push(notSupported(`${path}[${index}]`, action, validationActions));
    if (actions.indexOf(action) < index) errors.push(duplicate(`${path}[${index}]`, action));
  });
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(invalidValue(path, [...actions], detail));
  }
  if (actions.length === 0) errors.push(required(path));
  return verdict(errors);
}

export function checkMutatingBinding(binding: JsonObject): Verdict {
  const errors = bindingErrors(binding);
  const criteria = member(binding['spec'], 'matchResources');
  if (isObject(criteria)) errors.push(...mutatingOperationErrors(criteria, 'spec.matchResources'));
  return verdict(errors);
}
