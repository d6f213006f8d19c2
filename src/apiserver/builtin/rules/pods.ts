import { duplicate, forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
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
  texts,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../../json.ts';
import { validateLabels } from '../../objects/metadata.ts';
import { containersErrors, idErrors, profileErrors } from './containers.ts';
import { amountErrors } from './resources.ts';
import {
  addressErrors,
  invalidStruct,
  label,
  nameErrors,
  oneOf,
  optionalName,
  qualifiedNameErrors,
  subdomain,
} from './fields.ts';
import { affinityErrors, spreadErrors, tolerationErrors } from './scheduling.ts';
import { volumesErrors } from './volumes.ts';

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/**
 * The spec of a pod or of a template, as the real server checks it after the defaults.
 *
 * @param pod the name of the pod, `''` in templates
 */
export function podSpecErrors(spec: JsonObject, path: string, pod: string): FieldError[] {
  const errors = [
    ...volumesErrors(spec, path, pod),
    ...containersErrors(spec, path),
    ...claimsErrors(spec, path),
    ...overheadErrors(spec, path),
  ];
  const policy = text(spec, 'restartPolicy');
  if (!restartPolicies.includes(policy)) errors.push(notSupported(`${path}.restartPolicy`, policy, restartPolicies));
  errors.push(...oneOf(spec, path, 'dnsPolicy', dnsPolicies));
  errors.push(...dnsErrors(spec, path));
  errors.push(...selectorMapErrors(spec, path));
  for (const name of ['nodeName', 'serviceAccountName', 'priorityClassName', 'runtimeClassName'])
    errors.push(...optionalName(subdomain, spec, path, name));
  for (const name of ['hostname', 'subdomain']) errors.push(...optionalName(label, spec, path, name));
  const deadline = numeric(spec['activeDeadlineSeconds']);
  if (deadline !== undefined && (deadline < 1 || deadline > 2_147_483_647)) {
    errors.push(invalidValue(`${path}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive'));
  }
  list(spec, 'hostAliases').forEach((alias, index) => {
    const place = `${path}.hostAliases[${index}]`;
    errors.push(...addressErrors(text(alias, 'ip'), `${place}.ip`));
    texts(alias, 'hostnames').forEach((name, position) =>
      errors.push(...nameErrors(subdomain, name, `${place}.hostnames[${position}]`)),
    );
  });
  list(spec, 'readinessGates').forEach((gate, index) =>
    errors.push(...qualifiedNameErrors(text(gate, 'conditionType'), `${path}.readinessGates[${index}].conditionType`)),
  );
  const gates = list(spec, 'schedulingGates');
  gates.forEach((gate, index) => {
    errors.push(...qualifiedNameErrors(text(gate, 'name'), `${path}.schedulingGates[${index}]`));
    if (gates.slice(0, index).some((other) => text(other, 'name') === text(gate, 'name')))
      errors.push(duplicate(`${path}.schedulingGates[${index}]`, text(gate, 'name')));
  });
  errors.push(...tolerationErrors(spec, path), ...spreadErrors(spec, path), ...affinityErrors(spec, path));
  errors.push(...podSecurityErrors(spec, path));
  if (spec['preemptionPolicy'] === '') errors.push(required(`${path}.preemptionPolicy`));
  else errors.push(...oneOf(spec, path, 'preemptionPolicy', ['PreemptLowerPriority', 'Never']));
  return errors;
}

/** What devices a pod asks for. */
function claimsErrors(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  list(spec, 'resourceClaims').forEach((claim, index) => {
    const place = `${path}.resourceClaims[${index}]`;
    const name = text(claim, 'name');
    const [direct, template] = [at(claim, 'resourceClaimName'), at(claim, 'resourceClaimTemplateName')];
    if (name === '') errors.push(required(`${place}.name`));
    else if (names.has(name)) errors.push(duplicate(`${place}.name`, name));
    else errors.push(...nameErrors(label, name, `${place}.name`));
    names.add(name);
    const shown = [
      ['Name', name],
      ['ResourceClaimName', direct],
      ['ResourceClaimTemplateName', template],
    ] as const;
    if (direct !== undefined && template !== undefined)
      errors.push(
        invalidStruct(
          place,
          shown,
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      );
    if (direct === undefined && template === undefined)
      errors.push(invalidStruct(place, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    for (const member of ['resourceClaimName', 'resourceClaimTemplateName']) {
      const referred = at(claim, member);
      if (typeof referred === 'string') errors.push(...nameErrors(subdomain, referred, `${place}.${member}`));
    }
  });
  return errors;
}

function overheadErrors(spec: JsonObject, path: string): FieldError[] {
  return Object.entries(object(spec, 'overhead')).flatMap(([name, amount]) =>
    amountErrors(name, amount, `${path}.overhead.limits[${name}]`),
  );
}

function selectorMapErrors(spec: JsonObject, path: string): FieldError[] {
  return validateLabels(object(spec, 'nodeSelector'), `${path}.nodeSelector`);
}

function dnsErrors(spec: JsonObject, path: string): FieldError[] {
  const config = spec['dnsConfig'];
  const place = `${path}.dnsConfig`;
  if (!isObject(config)) {
    return text(spec, 'dnsPolicy') === 'None'
      ? [required(place, 'must provide `dnsConfig` when `dnsPolicy` is None')]
      : [];
  }
  const errors: FieldError[] = [];
  const nameservers = texts(config, 'nameservers');
  if (text(spec, 'dnsPolicy') === 'None' && nameservers.length === 0)
    errors.push(required(`${place}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
  if (nameservers.length > 3)
    errors.push(invalidValue(`${place}.nameservers`, [...nameservers], 'must not have more than 3 nameservers'));
  nameservers.forEach((server, index) => errors.push(...addressErrors(server, `${place}.nameservers[${index}]`)));
  texts(config, 'searches').forEach((search, index) => {
    if (search === '.') return;
    const name = search.replace(/\.$/, '');
    if (name.length > 253)
      errors.push(invalidValue(`${place}.searches[${index}]`, name, 'must be no more than 253 characters'));
    if (!/^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/.test(name)) {
      errors.push(
        invalidValue(
          `${place}.searches[${index}]`,
          name,
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
        ),
      );
    }
  });
  list(config, 'options').forEach((option, index) => {
    if (text(option, 'name') === '') errors.push(required(`${place}.options[${index}]`, 'must not be empty'));
  });
  return errors;
}

function podSecurityErrors(spec: JsonObject, path: string): FieldError[] {
  const place = `${path}.securityContext`;
  const context = object(spec, 'securityContext');
  const errors = [
    ...idErrors(context, place, 'fsGroup', 'runAsUser', 'runAsGroup'),
    ...profileErrors(context, place),
    ...oneOf(context, place, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch']),
    ...oneOf(context, place, 'supplementalGroupsPolicy', ['Merge', 'Strict']),
    ...oneOf(context, place, 'seLinuxChangePolicy', ['MountOption', 'Recursive']),
  ];
  list(context, 'supplementalGroups').forEach((group, index) => {
    errors.push(
      ...idErrors({ group }, place, 'group').map((error) => ({
        ...error,
        field: `${place}.supplementalGroups[${index}]`,
      })),
    );
  });
  const names = new Set<string>();
  list(context, 'sysctls').forEach((sysctl, index) => {
    const name = text(sysctl, 'name');
    const inner = `${place}.sysctls[${index}].name`;
    if (name === '') errors.push(required(inner));
    else if (name.length > 253 || !/^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/.test(name)) {
      errors.push(
        invalidValue(
          inner,
          name,
          'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
        ),
      );
    } else if (names.has(name)) errors.push(duplicate(inner, name));
    names.add(name);
  });
  if (spec['hostUsers'] === false) {
    for (const name of ['hostNetwork', 'hostPID', 'hostIPC'])
      if (spec[name] === true) errors.push(forbiddenField(`${path}.${name}`, 'when `hostUsers` is false'));
  }
  if (spec['shareProcessNamespace'] === true && spec['hostPID'] === true) {
    errors.push(
      invalidValue(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    );
  }
  const system = text(spec, 'os', 'name');
  if (isObject(spec['os']) && system === '') errors.push(required(`${path}.os.name`));
  else if (system !== '' && system !== 'linux' && system !== 'windows')
    errors.push(notSupported(`${path}.os`, system, ['linux', 'windows']));
  if (system === 'windows') errors.push(...windowsErrors(context, place));
  if (system === 'linux' && isObject(context['windowsOptions']))
    errors.push(forbiddenField(`${place}.windowsOptions`, 'windows options cannot be set for a linux pod'));
  return errors;
}

function windowsErrors(context: JsonObject, path: string): FieldError[] {
  return [
    'appArmorProfile',
    'fsGroup',
    'fsGroupChangePolicy',
    'runAsGroup',
    'runAsUser',
    'seLinuxOptions',
    'seccompProfile',
    'supplementalGroups',
    'sysctls',
  ]
    .filter((name) => context[name] !== undefined)
    .map((name) => forbiddenField(`${path}.${name}`, 'cannot be set for a windows pod'));
}

/** A pod: its spec, and what only new pods must keep to. */
export function podErrors(value: JsonObject): FieldError[] {
  return podSpecErrors(object(value, 'spec'), 'spec', text(value, 'metadata', 'name'));
}

export function newPodErrors(value: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (list(value, 'spec', 'ephemeralContainers').length > 0)
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  if (list(value, 'spec', 'schedulingGates').length > 0 && text(value, 'spec', 'nodeName') !== '')
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  return errors;
}

/** The labels, annotations and spec of a template. */
export function templateErrors(template: JsonObject, path: string): FieldError[] {
  return [
    ...validateLabels(object(template, 'metadata', 'labels'), `${path}.labels`),
    ...(list(template, 'spec', 'ephemeralContainers').length > 0
      ? [forbiddenField(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
    ...podSpecErrors(object(template, 'spec'), `${path}.spec`, ''),
  ];
}

/** A spec without the empty lists of claims, which are kept until they are checked. */
function withoutEmptyLists(spec: MutableObject): MutableObject {
  if (spec['volumes'] === undefined) return spec;
  const volumes = list(spec, 'volumes').map((volume) => {
    const metadata = at(volume, 'ephemeral', 'volumeClaimTemplate', 'metadata');
    if (!isObject(metadata) || !Object.values(metadata).some((value) => isArray(value) && value.length === 0))
      return volume;
    const template = shallow(at(volume, 'ephemeral', 'volumeClaimTemplate'));
    template['metadata'] = jsonObject(
      Object.entries(metadata).filter(([, value]) => !(isArray(value) && value.length === 0)),
    );
    return jsonObject([
      ...Object.entries(object(volume)),
      ['ephemeral', jsonObject([['volumeClaimTemplate', template]])],
    ]);
  });
  return { ...spec, volumes };
}

/** Gates are only taken away. */
function gateErrors(now: JsonObject, before: JsonObject): FieldError[] {
  const known = new Set(list(before, 'schedulingGates').map((gate) => text(gate, 'name')));
  return list(now, 'schedulingGates').flatMap((gate, index) => {
    const name = text(gate, 'name');
    return known.has(name)
      ? []
      : [
          forbiddenField(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ];
  });
}

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Checks what became of the selectors of a pod that is held back, and puts the old ones in their place. */
function narrowingErrors(now: MutableObject, before: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const selector = object(now, 'nodeSelector');
  if (!Object.entries(object(before, 'nodeSelector')).every(([name, value]) => equal(selector[name], value))) {
    errors.push(
      invalidValue(
        'spec.nodeSelector',
        now['nodeSelector'] ?? null,
        'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ),
    );
  }
  delete now['nodeSelector'];
  if (before['nodeSelector'] !== undefined) now['nodeSelector'] = before['nodeSelector'];
  const was = list(before, 'affinity', 'nodeAffinity', requiredTerms, 'nodeSelectorTerms');
  const is = list(now, 'affinity', 'nodeAffinity', requiredTerms, 'nodeSelectorTerms');
  const place = `spec.affinity.nodeAffinity.${requiredTerms}.nodeSelectorTerms`;
  if (was.length > 0 && was.length !== is.length) {
    errors.push(
      invalidValue(
        place,
        at(now, 'affinity', 'nodeAffinity', requiredTerms, 'nodeSelectorTerms') ?? null,
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    );
  } else {
    was.forEach((term, index) => {
      const extended = ['matchExpressions', 'matchFields'].every((name) => {
        const [old, next] = [list(term, name), list(is[index], name)];
        return old.every((expression, position) => equal(expression, next[position]));
      });
      if (!extended)
        errors.push(
          invalidStruct(
            `${place}[${index}]`,
            [
              ['MatchExpressions', requirements(at(is[index], 'matchExpressions'))],
              ['MatchFields', requirements(at(is[index], 'matchFields'))],
            ],
            'only additions are allowed (no mutations or deletions)',
          ),
        );
    });
  }
  // The nodes that a pod needs or prefers may change; which pods it goes with may not.
  const affinity = shallow(now['affinity']);
  const old = object(before, 'affinity');
  delete affinity['nodeAffinity'];
  if (old['nodeAffinity'] !== undefined) affinity['nodeAffinity'] = old['nodeAffinity'];
  if (Object.keys(affinity).length > 0 || before['affinity'] !== undefined) now['affinity'] = affinity;
  if (before['affinity'] === undefined && Object.keys(affinity).length === 0) delete now['affinity'];
  return errors;
}

/** Requirements with the names of their members in Go. */
function requirements(value: Json | undefined): Json | undefined {
  if (!isArray(value)) return undefined;
  return value.map((requirement) =>
    jsonObject([
      ['Key', text(requirement, 'key')],
      ['Operator', text(requirement, 'operator')],
      ['Values', at(requirement, 'values') ?? null],
    ]),
  );
}

const updatesRefused =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Of a pod little may change. */
export function podUpdateErrors(value: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const now = shallow(object(value, 'spec'));
  const before = object(old, 'spec');
  for (const name of ['containers', 'initContainers']) {
    const was = list(before, name);
    const is = list(now, name);
    if (was.length !== is.length) {
      errors.push(forbiddenField(`spec.${name}`, 'pod updates may not add or remove containers'));
      return errors;
    }
    if (is.length === 0) continue;
    now[name] = is.map((container, index) => {
      const kept = shallow(container);
      const image = at(was[index], 'image');
      if (image !== undefined) kept['image'] = image;
      return kept;
    });
  }
  errors.push(...deadlineErrors(now, before));
  if (errors.length > 0) return errors;
  delete now['activeDeadlineSeconds'];
  if (before['activeDeadlineSeconds'] !== undefined) now['activeDeadlineSeconds'] = before['activeDeadlineSeconds'];
  const added = list(now, 'tolerations');
  if (!list(before, 'tolerations').every((toleration) => added.some((found) => tolerates(found, toleration)))) {
    errors.push(
      forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    );
  }
  delete now['tolerations'];
  if (before['tolerations'] !== undefined) now['tolerations'] = before['tolerations'];
  if (
    (numeric(before['terminationGracePeriodSeconds']) ?? 0) < 0 &&
    numeric(now['terminationGracePeriodSeconds']) === 1
  )
    now['terminationGracePeriodSeconds'] = before['terminationGracePeriodSeconds'] ?? null;
  errors.push(...gateErrors(now, before));
  delete now['schedulingGates'];
  if (before['schedulingGates'] !== undefined) now['schedulingGates'] = before['schedulingGates'];
  // While gates hold a pod back, its selectors may become narrower.
  if (list(before, 'schedulingGates').length > 0) errors.push(...narrowingErrors(now, before));
  if (!equal(withoutEmptyLists(now), before)) errors.push(forbiddenField('spec', updatesRefused));
  return errors;
}

function tolerates(found: Json, wanted: Json): boolean {
  return ['key', 'operator', 'value', 'effect'].every((name) => equal(at(found, name), at(wanted, name)));
}

function deadlineErrors(now: JsonObject, before: JsonObject): FieldError[] {
  const place = 'spec.activeDeadlineSeconds';
  const seconds = numeric(now['activeDeadlineSeconds']);
  const was = numeric(before['activeDeadlineSeconds']);
  if (seconds !== undefined && (seconds < 0 || seconds > 2_147_483_647))
    return [invalidValue(place, seconds, 'must be between 0 and 2147483647, inclusive')];
  if (seconds === undefined)
    return was === undefined ? [] : [invalidValue(place, null, 'must not update from a positive integer to nil value')];
  return was !== undefined && seconds > was
    ? [invalidValue(place, seconds, 'must be less than or equal to previous value')]
    : [];
}
