import { duplicate, invalidValue, notSupported, quote, required, type FieldError } from '../../field-error.ts';
import {
  at,
  equal,
  isArray,
  isObject,
  jsonObject,
  list,
  numeric,
  object,
  shallow,
  text,
  type Json,
  type JsonObject,
} from '../../json.ts';
import { labelSelectorOf } from '../../selectors/label-selector.ts';
import { labelSelectorErrors } from '../match-validation.ts';
import { scheduleProblem } from './cron.ts';
import { goStruct, label, nonNegative, oneOf, qualifiedNameErrors } from './fields.ts';
import { templateErrors } from './pods.ts';
import { immutableFields } from './workloads.ts';

const restartPolicies = ['OnFailure', 'Never'];
const indexed = 'requires indexed completion mode';

/** What a job says, wherever it stands. */
function jobSpecErrors(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  errors.push(
    ...nonNegative(
      spec,
      path,
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ),
  );
  const mode = text(spec, 'completionMode');
  errors.push(...oneOf(spec, path, 'completionMode', ['NonIndexed', 'Indexed']));
  const parallelism = numeric(spec['parallelism']);
  if (mode === 'Indexed') {
    if (spec['completions'] === undefined)
      errors.push(required(`${path}.completions`, 'when completion mode is Indexed'));
    if (parallelism !== undefined && parallelism > 100_000) {
      errors.push(
        invalidValue(
          `${path}.parallelism`,
          parallelism,
          'must be less than or equal to 100000 when completion mode is Indexed',
        ),
      );
    }
  } else {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'])
      if (spec[name] !== undefined) errors.push(invalidValue(`${path}.${name}`, spec[name], indexed));
    if (isObject(spec['successPolicy'])) {
      errors.push({
        type: 'FieldValueInvalid',
        field: `${path}.successPolicy`,
        message: `Invalid value: ${goStruct([['Rules', list(spec, 'successPolicy', 'rules').map(capitalized)]])}: ${indexed}`,
      });
    }
  }
  if (mode === 'Indexed' && spec['maxFailedIndexes'] !== undefined && spec['backoffLimitPerIndex'] === undefined)
    errors.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  if (mode === 'Indexed' && isObject(spec['successPolicy']) && spec['completions'] !== undefined)
    errors.push(...successPolicyErrors(spec, `${path}.successPolicy`));
  const manager = text(spec, 'managedBy');
  if (spec['managedBy'] !== undefined && !/^[a-z0-9.-]+\/.+$/.test(manager)) {
    errors.push(invalidValue(`${path}.managedBy`, manager, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  }
  errors.push(...failurePolicyErrors(spec, path));
  const replacements = ['Failed', 'TerminatingOrFailed'];
  errors.push(
    ...oneOf(spec, path, 'podReplacementPolicy', isObject(spec['podFailurePolicy']) ? ['Failed'] : replacements),
  );
  errors.push(...templateErrors(object(spec, 'template'), `${path}.template`));
  const policy = text(spec, 'template', 'spec', 'restartPolicy');
  const place = `${path}.template.spec.restartPolicy`;
  if (policy === '' || policy === 'Always') errors.push(required(place, 'valid values: "OnFailure", "Never"'));
  else if (!restartPolicies.includes(policy)) errors.push(notSupported(place, policy, restartPolicies));
  else if (isObject(spec['podFailurePolicy']) && policy !== 'Never')
    errors.push(invalidValue(place, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  return errors;
}

function failurePolicyErrors(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const template = object(spec, 'template', 'spec');
  const names = [...list(template, 'containers'), ...list(template, 'initContainers')].map((found) =>
    text(found, 'name'),
  );
  const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
  list(spec, 'podFailurePolicy', 'rules').forEach((rule, index) => {
    const place = `${path}.podFailurePolicy.rules[${index}]`;
    const action = text(rule, 'action');
    if (action === '')
      errors.push(
        required(`${place}.action`, `valid values: [${actions.map((value) => JSON.stringify(value)).join(' ')}]`),
      );
    else if (!actions.includes(action)) errors.push(notSupported(`${place}.action`, action, actions));
    const codes = at(rule, 'onExitCodes');
    const conditions = list(rule, 'onPodConditions');
    if (!isObject(codes) && conditions.length === 0) {
      // The real server shows no value here.
      errors.push({
        type: 'FieldValueInvalid',
        field: place,
        message: 'Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      });
    }
    if (isObject(codes) && conditions.length > 0) {
      errors.push({
        type: 'FieldValueInvalid',
        field: place,
        message: 'Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
      });
    }
    conditions.forEach((condition, position) => {
      const inner = `${place}.onPodConditions[${position}]`;
      errors.push(...qualifiedNameErrors(text(condition, 'type'), `${inner}.type`));
      errors.push(...oneOf(condition, inner, 'status', ['False', 'True', 'Unknown']));
    });
    if (!isObject(codes)) return;
    const inner = `${place}.onExitCodes`;
    const operator = text(codes, 'operator');
    if (operator === '') errors.push(required(`${inner}.operator`, 'valid values: ["In" "NotIn"]'));
    else errors.push(...oneOf(codes, inner, 'operator', ['In', 'NotIn']));
    const container = at(codes, 'containerName');
    if (typeof container === 'string' && !names.includes(container)) {
      errors.push(
        invalidValue(
          `${inner}.containerName`,
          container,
          'must be one of the container or initContainer names in the pod template',
        ),
      );
    }
    const values = list(codes, 'values');
    if (values.length === 0)
      errors.push(invalidValue(`${inner}.values`, at(codes, 'values') ?? null, 'at least one value is required'));
    if (values.some((value, position) => position > 0 && (numeric(values[position - 1]) ?? 0) > (numeric(value) ?? 0)))
      errors.push(invalidValue(`${inner}.values`, [...values], 'must be ordered'));
    values.forEach((value, position) => {
      if (values.findIndex((other) => equal(other, value)) < position)
        errors.push(duplicate(`${inner}.values[${position}]`, value));
      if (operator === 'In' && numeric(value) === 0)
        errors.push(invalidValue(`${inner}.values[${position}]`, 0, 'must not be 0 for the In operator'));
    });
  });
  return errors;
}

/** The members of the rules of a job's policies, in their order in Go. */
const policyMembers: Readonly<Record<string, readonly string[]>> = {
  podFailurePolicy: ['action', 'onExitCodes', 'onPodConditions'],
  successPolicy: ['succeededIndexes', 'succeededCount'],
};

/** A policy as Go prints it. */
function policyText(policy: Json | undefined, members: readonly string[]): string {
  if (!isObject(policy)) return 'null';
  const rules = policy['rules'];
  if (!isArray(rules)) return '{"Rules":null}';
  const texts = rules.map((rule) => {
    const shown = members.map((name) => {
      const inner = at(rule, name);
      const value = isArray(inner)
        ? [...inner].map((item) => (isObject(item) ? capitalized(item) : item))
        : isObject(inner)
          ? capitalized(inner)
          : inner;
      return [`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, value] as const;
    });
    return goStruct(shown);
  });
  return `{"Rules":[${texts.join(',')}]}`;
}

function invalidText(field: string, shown: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, message: `Invalid value: ${shown}: ${detail}` };
}

/** The members of a struct as Go calls them. */
function capitalized(value: Json): Json {
  return jsonObject(
    Object.entries(object(value)).map(([name, inner]) => [`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, inner]),
  );
}

function successPolicyErrors(spec: JsonObject, path: string): FieldError[] {
  const rules = list(spec, 'successPolicy', 'rules');
  if (rules.length === 0)
    return [required(`${path}.rules`, 'at least one rules must be specified when the successPolicy is specified')];
  const completions = numeric(spec['completions']) ?? 0;
  return rules.flatMap((rule, index) => {
    const place = `${path}.rules[${index}]`;
    const errors: FieldError[] = [];
    const indexes = at(rule, 'succeededIndexes');
    const count = numeric(at(rule, 'succeededCount'));
    if (indexes === undefined && count === undefined)
      errors.push(required(place, 'at least one of succeededCount or succeededIndexes must be specified'));
    let total = 0;
    if (typeof indexes === 'string') {
      const counted = countIndexes(indexes, completions);
      if (typeof counted === 'number') total = counted;
      else
        errors.push(
          invalidValue(`${place}.succeededIndexes`, indexes, `error parsing succeededIndexes: ${counted.problem}`),
        );
    }
    if (count === undefined) return errors;
    errors.push(...nonNegative(rule, place, 'succeededCount'));
    const most = (limit: number, what: string): void => {
      if (count > limit)
        errors.push(
          invalidValue(
            `${place}.succeededCount`,
            count,
            `must be less than or equal to ${limit} (the number of ${what})`,
          ),
        );
    };
    most(completions, 'specified completions');
    if (typeof indexes === 'string') most(total, 'indexes in the specified succeededIndexes field');
    return errors;
  });
}

/** How many indexes a text such as `1,3-5` has, or why it has none. */
function countIndexes(indexes: string, completions: number): number | { readonly problem: string } {
  if (indexes === '') return 0;
  let total = 0;
  let last: number | undefined;
  for (const interval of indexes.split(',')) {
    const limits = interval.split('-');
    if (limits.length > 2) {
      return {
        problem: `the fragment ${quote(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`,
      };
    }
    const bounds: number[] = [];
    for (const limit of limits) {
      if (!/^\+?\d+$/.test(limit)) return { problem: `cannot convert string to integer for index: ${quote(limit)}` };
      if (Number(limit) >= completions) return { problem: `too large index: ${quote(limit)}` };
      bounds.push(Number(limit));
    }
    const [first = 0, end = first] = bounds;
    const decreasing = (previous: number, current: number) => ({
      problem: `non-increasing order, previous: ${previous}, current: ${current}`,
    });
    if (bounds.length > 1 && first >= end) return decreasing(first, end);
    if (last !== undefined && last >= first) return decreasing(last, first);
    total += end - first + 1;
    last = end;
  }
  return total;
}

const controllerUid = 'batch.kubernetes.io/controller-uid';

export function jobErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors: FieldError[] = [];
  const selector = spec['selector'];
  const labels = at(spec, 'template', 'metadata', 'labels');
  if (!isObject(selector)) errors.push(required('spec.selector'));
  else {
    errors.push(...labelSelectorErrors(selector, 'spec.selector'));
  }
  const sound = isObject(selector) && labelSelectorErrors(selector, '').length === 0;
  if (!sound || !labelSelectorOf(selector).matches(object(labels)))
    errors.push(
      invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  errors.push(...jobSpecErrors(spec, 'spec'));
  return errors;
}

/** The selector of a new job is made for it, unless it asks for its own. */
export function newJobErrors(value: JsonObject): FieldError[] {
  const errors = selectorOfNewJob(value);
  const spec = object(value, 'spec');
  const completions = numeric(spec['completions']) ?? 0;
  if (text(spec, 'completionMode') !== 'Indexed' || completions <= 0) return errors;
  // The last of its pods has the longest name.
  const name = text(value, 'metadata', 'name');
  const pod = `${name}-${completions - 1}`;
  if (label(pod, false).length > 0)
    errors.push(invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${pod}`));
  return errors;
}

function selectorOfNewJob(value: JsonObject): FieldError[] {
  const selector = at(value, 'spec', 'selector');
  if (!isObject(selector) || at(value, 'spec', 'manualSelector') === true) return [];
  const own = object(selector, 'matchLabels');
  const generated = Object.keys(own).length === 1 && own[controllerUid] !== undefined;
  return generated ? [] : [invalidValue('spec.selector', selector, '`selector` not auto-generated')];
}

export function jobUpdateErrors(value: JsonObject, old: JsonObject): FieldError[] {
  const errors = immutableFields(value, old, 'spec.selector', 'spec.completionMode');
  errors.push(...immutableFields(value, old, 'spec.backoffLimitPerIndex', 'spec.managedBy'));
  for (const [name, members] of Object.entries(policyMembers)) {
    const now = at(value, 'spec', name);
    if (!equal(now, at(old, 'spec', name)))
      errors.push(invalidText(`spec.${name}`, policyText(now, members), 'field is immutable'));
  }
  const spec = object(value, 'spec');
  const before = object(old, 'spec');
  if (!equal(spec['completions'], before['completions'])) {
    // An indexed job may grow and shrink, with its parallelism.
    const elastic =
      text(spec, 'completionMode') === 'Indexed' &&
      before['completions'] !== undefined &&
      equal(spec['completions'], spec['parallelism']);
    if (text(spec, 'completionMode') !== 'Indexed') errors.push(...immutableFields(value, old, 'spec.completions'));
    else if (!elastic && spec['completions'] !== undefined) {
      errors.push(
        invalidValue('spec.completions', spec['completions'], 'can only be modified in tandem with spec.parallelism'),
      );
    }
  }
  errors.push(...jobTemplateErrors(spec, before, object(old, 'status')));
  return errors;
}

/** What places the pods of a job may change while it has not been started. */
function jobTemplateErrors(spec: JsonObject, before: JsonObject, status: JsonObject): FieldError[] {
  const template = shallow(spec['template']);
  const was = object(before, 'template');
  const waiting =
    before['suspend'] === true && status['startTime'] === undefined && (numeric(status['active']) ?? 0) === 0;
  if (waiting) {
    const inner = shallow(template['spec']);
    for (const name of ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates'])
      restore(inner, object(was, 'spec'), name);
    const containers = list(was, 'spec', 'containers');
    inner['containers'] = list(inner, 'containers').map((container, index) => {
      const kept = shallow(container);
      restore(kept, object(containers[index]), 'resources');
      return kept;
    });
    template['spec'] = inner;
    const metadata = shallow(template['metadata']);
    for (const name of ['labels', 'annotations']) restore(metadata, object(was, 'metadata'), name);
    if (Object.keys(metadata).length > 0 || was['metadata'] !== undefined) template['metadata'] = metadata;
  }
  if (equal(template, was)) return [];
  const onlySpec = waiting && !equal(template['spec'], was['spec']);
  return onlySpec
    ? [invalidValue('spec.template.spec', object(spec, 'template', 'spec'), 'field is immutable')]
    : [invalidValue('spec.template', spec['template'], 'field is immutable')];
}

function restore(target: { [name: string]: Json }, source: JsonObject, name: string): void {
  delete target[name];
  const value = source[name];
  if (value !== undefined) target[name] = value;
}

export function cronJobErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors: FieldError[] = [];
  const name = text(value, 'metadata', 'name');
  if (name.length > 52) errors.push(invalidValue('metadata.name', name, 'must be no more than 52 characters'));
  const schedule = text(spec, 'schedule');
  if (schedule === '') errors.push(required('spec.schedule'));
  else {
    const problem = scheduleProblem(schedule);
    if (problem !== undefined) errors.push(invalidValue('spec.schedule', schedule, problem));
  }
  errors.push(
    ...nonNegative(spec, 'spec', 'startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
  );
  errors.push(...timeZoneErrors(spec));
  errors.push(...oneOf(spec, 'spec', 'concurrencyPolicy', ['Allow', 'Forbid', 'Replace']));
  const template = object(spec, 'jobTemplate', 'spec');
  const place = 'spec.jobTemplate.spec';
  if (isObject(template['selector']))
    errors.push(invalidValue(`${place}.selector`, template['selector'], '`selector` will be auto-generated'));
  if (template['manualSelector'] === true) errors.push(notSupported(`${place}.manualSelector`, true, ['nil', 'false']));
  errors.push(...jobSpecErrors(template, place));
  return errors;
}

function timeZoneErrors(spec: JsonObject): FieldError[] {
  const zone = spec['timeZone'];
  if (typeof zone !== 'string') return [];
  const invalid = (detail: string): FieldError[] => [invalidValue('spec.timeZone', zone, detail)];
  if (zone === '') return invalid('timeZone must be nil or non-empty string');
  if (zone.toLowerCase() === 'local')
    return invalid('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  return isTimeZone(zone) ? [] : invalid(`unknown time zone ${zone}`);
}

function isTimeZone(zone: string): boolean {
  // Offsets are no names of zones.
  if (/^[+-]/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
