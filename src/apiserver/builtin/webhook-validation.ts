import { duplicate, invalidValue, notSupported, required, type FieldError } from '../field-error.ts';
import { equal, isObject, list, member, numeric, object, text, texts, type Json, type JsonObject } from '../json.ts';
import { dns1035Label, dns1123Subdomain } from '../objects/names.ts';
import type { Verdict } from '../resources/resource.ts';
import { choice, labelSelectorErrors, ruleErrors } from './match-validation.ts';
import { matchConditionErrors } from './policy-validation.ts';

const reviewVersions = ['v1', 'v1beta1'];
const sideEffects = ['None', 'NoneOnDryRun'];

/** Checks a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration. */
export function checkWebhookConfiguration(configuration: JsonObject, old: JsonObject | undefined): Verdict {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const before = list(old, 'webhooks');
  const webhooks = list(configuration, 'webhooks');
  const sameConditions =
    old !== undefined &&
    before.length === webhooks.length &&
    webhooks.every((webhook, index) =>
      equal(member(webhook, 'matchConditions') ?? null, member(before[index], 'matchConditions') ?? null),
    );
  const known = new Set(
    before.flatMap((webhook) => list(webhook, 'matchConditions').map((condition) => text(condition, 'expression'))),
  );
  const mutating = configuration['kind'] === 'MutatingWebhookConfiguration';
  webhooks.forEach((webhook, index) => {
    const path = `webhooks[${index}]`;
    errors.push(...webhookErrors(webhook, path));
    if (!sameConditions) errors.push(...matchConditionErrors(webhook, path, false, known));
    if (mutating) errors.push(...choice(webhook, 'reinvocationPolicy', path, ['IfNeeded', 'Never']));
    errors.push(...reviewVersionErrors(webhook, `${path}.admissionReviewVersions`));
    const name = text(webhook, 'name');
    if (name !== '' && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
  });
  return { errors, warnings: [] };
}

function webhookErrors(webhook: Json, path: string): FieldError[] {
  const errors = nameErrors(text(webhook, 'name'), `${path}.name`);
  list(webhook, 'rules').forEach((rule, index) => errors.push(...ruleErrors(rule, `${path}.rules[${index}]`)));
  errors.push(...choice(webhook, 'failurePolicy', path, ['Fail', 'Ignore']));
  errors.push(...choice(webhook, 'matchPolicy', path, ['Equivalent', 'Exact']));
  const effects = text(webhook, 'sideEffects');
  if (effects === '') errors.push(required(`${path}.sideEffects`, `must specify one of ${sideEffects.join(', ')}`));
  else if (!sideEffects.includes(effects)) errors.push(notSupported(`${path}.sideEffects`, effects, sideEffects));
  const timeout = numeric(member(webhook, 'timeoutSeconds'));
  if (timeout !== undefined && (timeout > 30 || timeout < 1))
    errors.push(invalidValue(`${path}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds'));
  for (const name of ['namespaceSelector', 'objectSelector'])
    errors.push(...labelSelectorErrors(object(webhook, name), `${path}.${name}`));
  return [...errors, ...clientErrors(object(webhook, 'clientConfig'), `${path}.clientConfig`)];
}

function nameErrors(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)];
  const problems = dns1123Subdomain(name, false);
  if (problems.length > 0) return [invalidValue(path, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(path, name, 'should be a domain with at least three segments separated by dots')];
}

function clientErrors(client: JsonObject, path: string): FieldError[] {
  const url = member(client, 'url');
  const service = member(client, 'service');
  if ((typeof url === 'string') === isObject(service))
    return [required(path, 'exactly one of url or service is required')];
  return typeof url === 'string' ? urlErrors(url, `${path}.url`) : serviceErrors(object(service), `${path}.service`);
}

function urlErrors(url: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const parts = /^(?:([a-zA-Z][-+.a-zA-Z0-9]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(url);
  const [, scheme = '', authority = '', query = '', fragment = ''] = parts ?? [];
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https')
    errors.push(invalidValue(path, scheme, `'https' is the only allowed URL scheme${form}`));
  const at = authority.lastIndexOf('@');
  if (authority.slice(at + 1) === '') errors.push(invalidValue(path, '', `host must be specified${form}`));
  if (at >= 0) errors.push(invalidValue(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidValue(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function serviceErrors(service: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['name', 'namespace']) if (text(service, name) === '') errors.push(required(`${path}.${name}`));
  const port = numeric(service['port']) ?? 443;
  if (port < 1 || port > 65_535)
    errors.push(invalidValue(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  const place = text(service, 'path');
  if (place === '' || place === '/') return errors;
  if (place === '//') return [...errors, invalidValue(`${path}.path`, place, 'segment[0] may not be empty')];
  if (!place.startsWith('/')) errors.push(invalidValue(`${path}.path`, place, "must start with a '/'"));
  place
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((step, index) => {
      if (step === '') errors.push(invalidValue(`${path}.path`, place, `segment[${index}] may not be empty`));
      else
        for (const problem of dns1123Subdomain(step, false))
          errors.push(invalidValue(`${path}.path`, place, `segment[${index}]: ${problem}`));
    });
  return errors;
}

function reviewVersionErrors(webhook: Json, path: string): FieldError[] {
  const versions = texts(webhook, 'admissionReviewVersions');
  if (versions.length === 0) return [required(path, `must specify one of ${reviewVersions.join(', ')}`)];
  const errors: FieldError[] = [];
  versions.forEach((version, index) => {
    if (versions.indexOf(version) < index) errors.push(invalidValue(`${path}[${index}]`, version, 'duplicate version'));
    else
      for (const problem of dns1035Label(version, false))
        errors.push(invalidValue(`${path}[${index}]`, version, problem));
  });
  if (!versions.some((version) => reviewVersions.includes(version)))
    errors.push(invalidValue(path, [...versions], `must include at least one of ${reviewVersions.join(', ')}`));
  return errors;
}
