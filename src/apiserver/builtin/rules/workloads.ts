import { forbiddenField, invalidValue, notSupported, quote, required, type FieldError } from '../../field-error.ts';
import {
  at,
  equal,
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
import { claimTemplateErrors } from './claims.ts';
import { goStruct, invalidStruct, isNothing, label, nonNegative, numberOrPercent, optionalName } from './fields.ts';
import { templateErrors } from './pods.ts';

/** What the kinds with a selector and a template have in common. */
interface Workload {
  /** As messages about empty selectors call it. */
  readonly named: string;
  /** As messages about deadlines call it. */
  readonly kind: string;
  readonly needsSelector: boolean;
  /** What is said of a selector that is none, beside its own faults; nothing where nothing is. */
  readonly badSelector: string | undefined;
}

function workloadErrors(spec: JsonObject, { named, kind, needsSelector, badSelector }: Workload): FieldError[] {
  const errors: FieldError[] = [];
  const selector = spec['selector'];
  const template = object(spec, 'template');
  const labels = at(template, 'metadata', 'labels');
  const mismatch = (): void => {
    errors.push(
      invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  };
  if (!isObject(selector)) {
    if (needsSelector) errors.push(required('spec.selector'));
    mismatch();
  } else {
    const wrong = labelSelectorErrors(selector, 'spec.selector');
    errors.push(...wrong);
    if (isEmptySelector(selector))
      errors.push(invalidValue('spec.selector', selector, `empty selector is invalid for ${named}`));
    else if (wrong.length > 0) {
      if (badSelector !== undefined) errors.push(invalidValue('spec.selector', selector, badSelector));
    } else if (!labelSelectorOf(selector).matches(object(labels))) mismatch();
  }
  errors.push(...templateErrors(template, 'spec.template'));
  const policy = text(template, 'spec', 'restartPolicy');
  if (policy !== 'Always') errors.push(notSupported('spec.template.spec.restartPolicy', policy, ['Always']));
  if (at(template, 'spec', 'activeDeadlineSeconds') !== undefined) {
    errors.push(
      forbiddenField('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`),
    );
  }
  errors.push(...nonNegative(spec, 'spec', 'replicas', 'minReadySeconds'));
  // Stateful sets without a limit keep all revisions.
  if (kind !== 'StatefulSet') errors.push(...nonNegative(spec, 'spec', 'revisionHistoryLimit'));
  return errors;
}

function isEmptySelector(selector: JsonObject): boolean {
  return Object.keys(object(selector, 'matchLabels')).length + list(selector, 'matchExpressions').length === 0;
}

/** The parameters of a strategy as Go prints them, its members in their order there. */
function rollingStruct(rolling: Json | undefined, members: readonly string[]): string {
  if (!isObject(rolling)) return 'null';
  return goStruct(members.map((name) => [name, at(rolling, `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`)]));
}

/** A strategy of a type that there is none of. */
function strategyError(
  place: string,
  type: string,
  rollingUpdate: Json | undefined,
  types: readonly string[],
): FieldError {
  const shown = `{"Type":${quote(type)},"RollingUpdate":${rollingStruct(rollingUpdate, ['MaxUnavailable', 'MaxSurge'])}}`;
  return {
    type: 'FieldValueNotSupported',
    field: place,
    message: `Unsupported value: ${shown}: supported values: ${types.map(quote).join(', ')}`,
  };
}

export function deploymentErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors = workloadErrors(spec, {
    named: 'deployment',
    kind: 'ReplicaSet',
    needsSelector: true,
    badSelector: 'invalid label selector',
  });
  const strategy = object(spec, 'strategy');
  const rolling = strategy['rollingUpdate'];
  const place = 'spec.strategy';
  const type = text(strategy, 'type');
  if (type === 'Recreate') {
    if (rolling !== undefined) {
      errors.push(forbiddenField(`${place}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'"));
    }
  } else if (type === 'RollingUpdate') {
    const inner = `${place}.rollingUpdate`;
    if (rolling === undefined) errors.push(required(inner, 'this should be defaulted and never be nil'));
    else {
      errors.push(
        ...numberOrPercent(rolling, inner, 'maxUnavailable'),
        ...numberOrPercent(rolling, inner, 'maxSurge', false),
      );
      if (isNothing(at(rolling, 'maxUnavailable')) && isNothing(at(rolling, 'maxSurge'))) {
        errors.push(
          invalidValue(`${inner}.maxUnavailable`, at(rolling, 'maxUnavailable'), 'may not be 0 when `maxSurge` is 0'),
        );
      }
    }
  } else errors.push(strategyError(place, type, rolling, ['Recreate', 'RollingUpdate']));
  const deadline = numeric(spec['progressDeadlineSeconds']);
  errors.push(...nonNegative(spec, 'spec', 'progressDeadlineSeconds'));
  if (deadline !== undefined && deadline <= (numeric(spec['minReadySeconds']) ?? 0))
    errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  return errors;
}

export function replicaSetErrors(value: JsonObject): FieldError[] {
  return workloadErrors(object(value, 'spec'), {
    named: 'deployment',
    kind: 'ReplicaSet',
    needsSelector: true,
    badSelector: 'invalid label selector',
  });
}

export function daemonSetErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors = workloadErrors(spec, {
    named: 'daemonset',
    kind: 'DaemonSet',
    needsSelector: false,
    badSelector: undefined,
  });
  const strategy = object(spec, 'updateStrategy');
  const type = text(strategy, 'type');
  const rolling = strategy['rollingUpdate'];
  const place = 'spec.updateStrategy';
  if (type === 'RollingUpdate') {
    const inner = `${place}.rollingUpdate`;
    if (rolling === undefined) return [...errors, required(inner)];
    errors.push(...numberOrPercent(rolling, inner, 'maxUnavailable'), ...numberOrPercent(rolling, inner, 'maxSurge'));
    const surge = at(rolling, 'maxSurge');
    const none = isNothing(at(rolling, 'maxUnavailable'));
    if (none && isNothing(surge)) errors.push(required(`${inner}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
    if (!none && !isNothing(surge) && surge !== undefined)
      errors.push(invalidValue(`${inner}.maxSurge`, surge, 'may not be set when maxUnavailable is non-zero'));
  } else if (type !== 'OnDelete') errors.push(strategyError(place, type, rolling, ['RollingUpdate', 'OnDelete']));
  return errors;
}

/** The pods of a StatefulSet have its claims as volumes, in front of those of the template. */
function withClaimedVolumes(spec: JsonObject): JsonObject {
  const claims = [...new Set(list(spec, 'volumeClaimTemplates').map((claim) => text(claim, 'metadata', 'name')))];
  if (claims.length === 0) return spec;
  const others = list(spec, 'template', 'spec', 'volumes').filter((volume) => !claims.includes(text(volume, 'name')));
  const changed = shallow(spec);
  const template = shallow(spec['template']);
  const inner = shallow(template['spec']);
  inner['volumes'] = [
    ...claims.map((name) =>
      jsonObject([
        ['name', name],
        ['persistentVolumeClaim', jsonObject([['claimName', name]])],
      ]),
    ),
    ...others,
  ];
  template['spec'] = inner;
  changed['template'] = template;
  return changed;
}

export function statefulSetErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors = workloadErrors(withClaimedVolumes(spec), {
    named: 'statefulset',
    kind: 'StatefulSet',
    needsSelector: true,
    badSelector: '',
  });
  const policies = ['OrderedReady', 'Parallel'];
  const management = text(spec, 'podManagementPolicy');
  if (management === '') errors.push(required('spec.podManagementPolicy'));
  else if (!policies.includes(management))
    errors.push(invalidValue('spec.podManagementPolicy', management, `must be '${policies[0]}' or '${policies[1]}'`));
  errors.push(...nonNegative(spec['ordinals'], 'spec.ordinals', 'start'));
  const strategy = object(spec, 'updateStrategy');
  const rolling = strategy['rollingUpdate'];
  const place = 'spec.updateStrategy';
  const type = text(strategy, 'type');
  if (type === 'OnDelete') {
    if (rolling !== undefined)
      errors.push(
        invalidStruct(
          `${place}.rollingUpdate`,
          [
            ['Partition', at(rolling, 'partition') ?? 0],
            ['MaxUnavailable', at(rolling, 'maxUnavailable')],
          ],
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      );
  } else if (type === 'RollingUpdate') {
    const inner = `${place}.rollingUpdate`;
    errors.push(...nonNegative(rolling, inner, 'partition'), ...numberOrPercent(rolling, inner, 'maxUnavailable'));
    if (isNothing(at(rolling, 'maxUnavailable')))
      errors.push(invalidValue(`${inner}.maxUnavailable`, at(rolling, 'maxUnavailable'), 'cannot be 0'));
  } else if (type === '') errors.push(required(`${place}.type`));
  else {
    const shown = `{"Type":${quote(type)},"RollingUpdate":${rollingStruct(rolling, ['Partition', 'MaxUnavailable'])}}`;
    errors.push({
      type: 'FieldValueInvalid',
      field: place,
      message: `Invalid value: ${shown}: must be 'RollingUpdate' or 'OnDelete'`,
    });
  }
  const retention = object(spec, 'persistentVolumeClaimRetentionPolicy');
  const choices = ['Retain', 'Delete'];
  for (const name of ['whenDeleted', 'whenScaled']) {
    const chosen = text(retention, name);
    if (chosen !== '' && !choices.includes(chosen))
      errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${name}`, chosen, choices));
  }
  return errors;
}

/** What stays as it was made is looked at once: the service, and the claims that a new StatefulSet will make. */
export function newStatefulSetErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  return [...optionalName(label, spec, 'spec', 'serviceName'), ...claimTemplateErrors(spec, 'spec')];
}

/** Fields that stay as they were made; each has an error of its own. */
export function immutableFields(value: JsonObject, old: JsonObject, ...paths: readonly string[]): FieldError[] {
  return paths.flatMap((path) => {
    const now = at(value, ...path.split('.'));
    return equal(now, at(old, ...path.split('.'))) ? [] : [invalidValue(path, now, 'field is immutable')];
  });
}

export function statefulSetUpdateErrors(value: JsonObject, old: JsonObject): FieldError[] {
  return immutableFields(
    value,
    old,
    'spec.serviceName',
    'spec.podManagementPolicy',
    'spec.selector',
    'spec.volumeClaimTemplates',
  );
}
