import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, isObject, list, numeric, object, text, type Json, type JsonObject } from '../../json.ts';
import { pathSegment } from '../../objects/names.ts';
import {
  goStruct,
  label,
  nameErrors,
  nonNegative,
  numberOrPercent,
  oneOf,
  quantityOf,
  selectorErrors,
} from './fields.ts';
import { resourceNameErrors } from './resources.ts';

/** A HorizontalPodAutoscaler in the form of version 2. */
export function autoscalerErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors: FieldError[] = [];
  const least = numeric(spec['minReplicas']);
  const most = numeric(spec['maxReplicas']) ?? 0;
  errors.push(...nonNegative(spec, 'spec', 'minReplicas'));
  if (most < 1)
    errors.push(
      most === 0
        ? required('spec.maxReplicas')
        : invalidValue('spec.maxReplicas', most, 'must be greater than or equal to 1'),
    );
  if (least !== undefined && most < least)
    errors.push(invalidValue('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'));
  errors.push(...referenceErrors(object(spec, 'scaleTargetRef'), 'spec.scaleTargetRef', true));
  const metrics = list(spec, 'metrics');
  metrics.forEach((metric, index) => errors.push(...metricErrors(metric, `spec.metrics[${index}]`)));
  const behavior = spec['behavior'];
  if (isObject(behavior)) {
    for (const name of ['scaleUp', 'scaleDown']) errors.push(...rulesErrors(behavior[name], `spec.behavior.${name}`));
  }
  const toZero = metrics.some((metric) => ['Object', 'External'].includes(text(metric, 'type')));
  if (least === 0 && value['apiVersion'] !== 'autoscaling/v1' && !toZero) {
    errors.push(
      forbiddenField(
        'spec.metrics',
        'must specify at least one Object or External metric to support scaling to zero replicas',
      ),
    );
  }
  return errors;
}

function referenceErrors(reference: JsonObject, path: string, target: boolean): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['kind', 'name']) {
    const value = text(reference, name);
    if (value === '') errors.push(required(`${path}.${name}`));
    else errors.push(...pathSegment(value, false).map((problem) => invalidValue(`${path}.${name}`, value, problem)));
  }
  if (!target) return errors;
  const version = text(reference, 'apiVersion');
  const slashes = version.split('/').length - 1;
  if (slashes > 1)
    errors.push(invalidValue(`${path}.apiVersion`, version, `unexpected GroupVersion string: ${version}`));
  // Of what may be scaled, the core group has the ReplicationController alone.
  else if ((slashes === 0 || version.startsWith('/')) && text(reference, 'kind') !== 'ReplicationController')
    errors.push(invalidValue(`${path}.apiVersion`, version, 'apiVersion must specify API group'));
  return errors;
}

const metricTypes: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

function metricErrors(metric: Json, path: string): FieldError[] {
  const type = text(metric, 'type');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'));
  const member = metricTypes[type];
  if (member === undefined) errors.push(notSupported(`${path}.type`, type, Object.keys(metricTypes)));
  // Whatever the type says, the first of these is looked at.
  const present = ['Object', 'External', 'Pods', 'Resource', 'ContainerResource'].filter((name) =>
    isObject(at(metric, metricTypes[name] ?? '')),
  );
  const [first] = present;
  if (first !== undefined) {
    const name = metricTypes[first] ?? '';
    errors.push(...sourceErrors(first, object(metric, name), `${path}.${name}`));
  }
  if (member !== undefined && !present.includes(type))
    errors.push(required(`${path}.${member}`, 'must populate information for the given metric source'));
  if (present.length !== 1) {
    errors.push(
      ...present
        .filter((name) => name !== type)
        .map((name) =>
          forbiddenField(`${path}.${metricTypes[name] ?? ''}`, 'must populate the given metric source only'),
        ),
    );
  }
  return errors;
}

function sourceErrors(type: string, source: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const target = object(source, 'target');
  const place = `${path}.target`;
  const has = (name: string): boolean => target[name] !== undefined;
  if (type === 'Object')
    errors.push(...referenceErrors(object(source, 'describedObject'), `${path}.describedObject`, false));
  if (type === 'ContainerResource') {
    const container = text(source, 'container');
    if (container === '') errors.push(required(`${path}.container`, 'must specify a container'));
    else errors.push(...nameErrors(label, container, `${path}.container`));
  }
  if (type === 'Resource' || type === 'ContainerResource') {
    const name = text(source, 'name');
    if (name === '') errors.push(required(`${path}.name`, 'must specify a resource name'));
    else if (type === 'ContainerResource') errors.push(...resourceNameErrors(name, `${path}.name`));
  } else {
    const name = text(source, 'metric', 'name');
    if (name === '') errors.push(required(`${path}.metric.name`, 'must specify a metric name'));
    else errors.push(...pathSegment(name, false).map((problem) => invalidValue(`${path}.metric.name`, name, problem)));
  }
  errors.push(...targetErrors(target, place));
  if (type === 'Resource' || type === 'ContainerResource') {
    if (!has('averageUtilization') && !has('averageValue'))
      errors.push(
        required(`${place}.averageUtilization`, 'must set either a target raw value or a target utilization'),
      );
    if (has('averageUtilization') && has('averageValue'))
      errors.push(
        forbiddenField(`${place}.averageValue`, 'may not set both a target raw value and a target utilization'),
      );
  } else if (type === 'Pods') {
    if (!has('averageValue'))
      errors.push(required(`${place}.averageValue`, 'must specify a positive target averageValue'));
  } else if (!has('value') && !has('averageValue')) {
    errors.push(
      required(
        `${place}.averageValue`,
        type === 'External'
          ? 'must set either a target value for metric or a per-pod target'
          : 'must set either a target value or averageValue',
      ),
    );
  } else if (type === 'External' && has('value') && has('averageValue')) {
    errors.push(forbiddenField(`${place}.value`, 'may not set both a target value for metric and a per-pod target'));
  }
  return errors;
}

function targetErrors(target: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = text(target, 'type');
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric target type'));
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.push(invalidValue(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  for (const name of ['value', 'averageValue']) {
    const amount = quantityOf(target[name]);
    if (amount !== undefined && amount.sign <= 0)
      errors.push(invalidValue(`${path}.${name}`, target[name], 'must be positive'));
  }
  const utilization = numeric(target['averageUtilization']);
  if (utilization !== undefined && utilization < 1)
    errors.push(invalidValue(`${path}.averageUtilization`, utilization, 'must be greater than 0'));
  return errors;
}

const policyTypes = ['Percent', 'Pods'];

function rulesErrors(rules: Json | undefined, path: string): FieldError[] {
  if (!isObject(rules)) return [];
  const errors: FieldError[] = [];
  const window = numeric(rules['stabilizationWindowSeconds']);
  const place = `${path}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0)
    errors.push(invalidValue(place, window, 'must be greater than or equal to zero'));
  if (window !== undefined && window > 3600)
    errors.push(invalidValue(place, window, 'must be less than or equal to 3600'));
  errors.push(...oneOf(rules, path, 'selectPolicy', ['Disabled', 'Max', 'Min']));
  const policies = list(rules, 'policies');
  if (policies.length === 0) errors.push(required(`${path}.policies`, 'must specify at least one Policy'));
  policies.forEach((policy, index) => {
    const inner = `${path}.policies[${index}]`;
    const type = text(policy, 'type');
    if (!policyTypes.includes(type)) errors.push(notSupported(`${inner}.type`, type, policyTypes));
    for (const name of ['value', 'periodSeconds']) {
      const number = numeric(at(policy, name)) ?? 0;
      if (number <= 0) errors.push(invalidValue(`${inner}.${name}`, number, 'must be greater than zero'));
    }
    const period = numeric(at(policy, 'periodSeconds')) ?? 0;
    if (period > 1800)
      errors.push(invalidValue(`${inner}.periodSeconds`, period, 'must be less than or equal to 1800'));
  });
  return errors;
}

export function disruptionBudgetErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors: FieldError[] = [];
  if (spec['minAvailable'] !== undefined && spec['maxUnavailable'] !== undefined) {
    const shown = goStruct([
      ['MinAvailable', spec['minAvailable']],
      ['Selector', spec['selector']],
      ['MaxUnavailable', spec['maxUnavailable']],
      ['UnhealthyPodEvictionPolicy', spec['unhealthyPodEvictionPolicy']],
    ]);
    errors.push({
      type: 'FieldValueInvalid',
      field: 'spec',
      message: `Invalid value: ${shown}: minAvailable and maxUnavailable cannot be both set`,
    });
  }
  errors.push(...numberOrPercent(spec, 'spec', 'minAvailable'), ...numberOrPercent(spec, 'spec', 'maxUnavailable'));
  errors.push(...selectorErrors(spec, 'spec', 'selector'));
  errors.push(...oneOf(spec, 'spec', 'unhealthyPodEvictionPolicy', ['AlwaysAllow', 'IfHealthyBudget']));
  return errors;
}
