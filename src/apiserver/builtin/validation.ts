import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../field-error.ts';
import {
  at,
  equal,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  list,
  numeric,
  object,
  plain,
  text,
  texts,
} from '../json.ts';
import { dns1123Label } from '../objects/names.ts';
import { labelSelectorOf } from '../selectors/label-selector.ts';

/**
 * The rules of the kinds that operators write most. They are light: what the real server refuses in everyday mistakes, not every
 * rule that it has for pods and volumes.
 */
export function validateBuiltin(qualifiedResource: string, value: JsonObject): FieldError[] {
  return rules[qualifiedResource]?.(value) ?? [];
}

export function validateBuiltinUpdate(
  qualifiedResource: string,
  value: JsonObject,
  old: JsonObject,
  subresource: string,
): FieldError[] {
  return subresource === '' ? (updateRules[qualifiedResource]?.(value, old) ?? []) : [];
}

type Rule = (value: JsonObject) => FieldError[];

function podSpec(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const containers = list(spec, 'containers');
  if (containers.length === 0) errors.push(required(`${path}.containers`));
  const names = new Set<string>();
  for (const group of ['initContainers', 'containers'] as const) {
    list(spec, group).forEach((container, index) =>
      errors.push(...containerRules(container, `${path}.${group}[${index}]`, names)),
    );
  }
  return errors;
}

function containerRules(container: Json, path: string, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const name = text(container, 'name');
  if (name === '') errors.push(required(`${path}.name`));
  else {
    for (const problem of dns1123Label(name, false)) errors.push(invalidValue(`${path}.name`, name, problem));
    if (names.has(name))
      errors.push({ type: 'FieldValueDuplicate', field: `${path}.name`, message: `Duplicate value: "${name}"` });
    names.add(name);
  }
  if (text(container, 'image') === '') errors.push(required(`${path}.image`));
  list(container, 'ports').forEach((port, index) => {
    const number = numeric(at(port, 'containerPort')) ?? 0;
    if (number === 0) errors.push(required(`${path}.ports[${index}].containerPort`));
    else if (number < 1 || number > 65_535) {
      errors.push(
        invalidValue(`${path}.ports[${index}].containerPort`, number, 'must be between 1 and 65535, inclusive'),
      );
    }
  });
  list(container, 'env').forEach((variable, index) => {
    if (text(variable, 'name') === '') errors.push(required(`${path}.env[${index}].name`));
  });
  return errors;
}

/** Workloads: selector and template must fit each other. */
function workload(value: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const spec = object(value, 'spec');
  const selector = spec['selector'];
  if (selector === undefined && value['kind'] !== 'DaemonSet') errors.push(required('spec.selector'));
  else if (isObject(selector) && Object.keys(selector).length === 0) {
    errors.push(
      invalidValue('spec.selector', selector, `empty selector is invalid for ${plain(value['kind']).toLowerCase()}`),
    );
  }
  const labels = at(spec, 'template', 'metadata', 'labels');
  const parsed = labelSelectorOf(selector);
  if (selector === undefined || parsed.empty || !parsed.matches(isObject(labels) ? labels : object(undefined))) {
    errors.push(
      invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  }
  const replicas = numeric(spec['replicas']);
  if (replicas !== undefined && replicas < 0)
    errors.push(invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'));
  errors.push(...podSpec(object(spec, 'template', 'spec'), 'spec.template.spec'));
  const policy = text(spec, 'template', 'spec', 'restartPolicy');
  if (policy !== '' && policy !== 'Always')
    errors.push(notSupported('spec.template.spec.restartPolicy', policy, ['Always']));
  return errors;
}

function jobTemplate(spec: JsonObject, path: string): FieldError[] {
  const errors = podSpec(object(spec, 'template', 'spec'), `${path}.template.spec`);
  const policy = text(spec, 'template', 'spec', 'restartPolicy');
  if (policy === 'Always' || policy === '') {
    errors.push(required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  }
  return errors;
}

function policyRules(value: JsonObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const late: FieldError[] = [];
  list(value, 'rules').forEach((rule, index) => {
    const path = `rules[${index}]`;
    if (list(rule, 'verbs').length === 0) late.push(required(`${path}.verbs`));
    const urls = list(rule, 'nonResourceURLs');
    if (urls.length > 0) {
      if (namespaced) {
        errors.push(
          invalidValue(`${path}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'),
        );
      }
      if (list(rule, 'apiGroups').length + list(rule, 'resources').length + list(rule, 'resourceNames').length > 0) {
        errors.push(
          invalidValue(
            `${path}.nonResourceURLs`,
            urls,
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        );
      }
      return;
    }
    if (list(rule, 'apiGroups').length === 0)
      errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
    if (list(rule, 'resources').length === 0)
      errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  });
  return [...errors, ...late];
}

function roleBinding(value: JsonObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const group = text(value, 'roleRef', 'apiGroup');
  if (group !== 'rbac.authorization.k8s.io')
    errors.push(notSupported('roleRef.apiGroup', group, ['rbac.authorization.k8s.io']));
  const kind = text(value, 'roleRef', 'kind');
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds));
  list(value, 'subjects').forEach((subject, index) => {
    const path = `subjects[${index}]`;
    const subjectKind = text(subject, 'kind');
    const subjectGroup = text(subject, 'apiGroup');
    const expected = subjectKind === 'ServiceAccount' ? '' : 'rbac.authorization.k8s.io';
    if (!['ServiceAccount', 'User', 'Group'].includes(subjectKind)) {
      errors.push(notSupported(`${path}.kind`, subjectKind, ['ServiceAccount', 'User', 'Group']));
    } else {
      if (subjectGroup !== expected) errors.push(notSupported(`${path}.apiGroup`, subjectGroup, [expected]));
      if (subjectKind === 'ServiceAccount' && !namespaced && text(subject, 'namespace') === '')
        errors.push(required(`${path}.namespace`));
    }
    if (text(subject, 'name') === '') errors.push(required(`${path}.name`));
  });
  if (text(value, 'roleRef', 'name') === '') errors.push(required('roleRef.name'));
  return errors;
}

function service(value: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const spec = object(value, 'spec');
  const ports = list(spec, 'ports');
  const type = text(spec, 'type');
  if (ports.length === 0 && spec['clusterIP'] !== 'None' && type !== 'ExternalName')
    errors.push(required('spec.ports'));
  if (type === 'ExternalName' && text(spec, 'externalName') === '') errors.push(required('spec.externalName'));
  const names = new Set<string>();
  ports.forEach((port, index) => {
    const path = `spec.ports[${index}]`;
    const name = text(port, 'name');
    if (name === '' && ports.length > 1) errors.push(required(`${path}.name`));
    else if (name !== '') {
      for (const problem of dns1123Label(name, false)) errors.push(invalidValue(`${path}.name`, name, problem));
      if (names.has(name))
        errors.push({ type: 'FieldValueDuplicate', field: `${path}.name`, message: `Duplicate value: "${name}"` });
      names.add(name);
    }
    const number = numeric(at(port, 'port')) ?? 0;
    if (number < 1 || number > 65_535)
      errors.push(invalidValue(`${path}.port`, number, 'must be between 1 and 65535, inclusive'));
    const target = at(port, 'targetPort');
    const targetNumber = numeric(target);
    if (targetNumber !== undefined && (targetNumber < 1 || targetNumber > 65_535)) {
      errors.push(invalidValue(`${path}.targetPort`, targetNumber, 'must be between 1 and 65535, inclusive'));
    }
  });
  return errors;
}

function dataKeys(value: JsonObject, members: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of members) {
    for (const key of Object.keys(object(value, name))) {
      if (!/^[-._a-zA-Z0-9]+$/.test(key) || key.length > 253 || key === '.' || key === '..') {
        errors.push(
          invalidValue(
            `${name}[${key}]`,
            key,
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
          ),
        );
      }
    }
  }
  return errors;
}

/** An event stands in the namespace of what it is about; events about cluster-scoped objects stand in `default`. */
function eventNamespace(value: JsonObject, member: string): FieldError[] {
  const about = text(value, member, 'namespace');
  const own = text(value, 'metadata', 'namespace');
  if (about === own || (about === '' && (own === 'default' || own === 'kube-system'))) return [];
  return [invalidValue(`${member}.namespace`, about, 'does not match event.namespace')];
}

const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

const rules: Readonly<Record<string, Rule>> = {
  pods: (value) => podSpec(object(value, 'spec'), 'spec'),
  podtemplates: (value) => podSpec(object(value, 'template', 'spec'), 'template.spec'),
  'deployments.apps': workload,
  'replicasets.apps': workload,
  'statefulsets.apps': workload,
  'daemonsets.apps': workload,
  'jobs.batch': (value) => jobTemplate(object(value, 'spec'), 'spec'),
  'cronjobs.batch': (value) => [
    ...jobTemplate(object(value, 'spec', 'jobTemplate', 'spec'), 'spec.jobTemplate.spec'),
    ...(text(value, 'spec', 'schedule') === '' ? [required('spec.schedule')] : []),
  ],
  services: service,
  configmaps: (value) => dataKeys(value, ['data', 'binaryData']),
  secrets: (value) => [
    ...dataKeys(value, ['data']),
    ...(requiredKeys[text(value, 'type')] ?? [])
      .filter((key) => !Object.hasOwn(object(value, 'data'), key))
      .map((key) => required(`data[${key}]`)),
  ],
  'roles.rbac.authorization.k8s.io': (value) => policyRules(value, true),
  'clusterroles.rbac.authorization.k8s.io': (value) => policyRules(value, false),
  'rolebindings.rbac.authorization.k8s.io': (value) => roleBinding(value, true),
  'clusterrolebindings.rbac.authorization.k8s.io': (value) => roleBinding(value, false),
  persistentvolumeclaims: (value) => [
    ...(list(value, 'spec', 'accessModes').length === 0
      ? [required('spec.accessModes', 'at least 1 access mode is required')]
      : []),
    ...(at(value, 'spec', 'resources', 'requests', 'storage') === undefined
      ? [required('spec.resources[storage]')]
      : []),
  ],
  'leases.coordination.k8s.io'(value) {
    const errors: FieldError[] = [];
    const duration = numeric(at(value, 'spec', 'leaseDurationSeconds'));
    if (duration !== undefined && duration <= 0)
      errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
    const transitions = numeric(at(value, 'spec', 'leaseTransitions'));
    if (transitions !== undefined && transitions < 0) {
      errors.push(invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
    }
    return errors;
  },
  'ingresses.networking.k8s.io': (value) =>
    at(value, 'spec', 'defaultBackend') === undefined && list(value, 'spec', 'rules').length === 0
      ? [invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified')]
      : [],
  'storageclasses.storage.k8s.io': (value) => (text(value, 'provisioner') === '' ? [required('provisioner')] : []),
  'ingressclasses.networking.k8s.io': (value) =>
    text(value, 'spec', 'controller') === '' ? [required('spec.controller')] : [],
  'runtimeclasses.node.k8s.io': (value) => (text(value, 'handler') === '' ? [required('handler')] : []),
  'horizontalpodautoscalers.autoscaling'(value) {
    const errors: FieldError[] = [];
    const spec = object(value, 'spec');
    const maximum = numeric(spec['maxReplicas']) ?? 0;
    if (maximum < (numeric(spec['minReplicas']) ?? 1)) {
      errors.push(invalidValue('spec.maxReplicas', maximum, 'must be greater than or equal to `minReplicas`'));
    }
    for (const name of ['kind', 'name'] as const)
      if (text(spec, 'scaleTargetRef', name) === '') errors.push(required(`spec.scaleTargetRef.${name}`));
    return errors;
  },
  'apiservices.apiregistration.k8s.io'(value) {
    const expected = `${text(value, 'spec', 'version')}.${text(value, 'spec', 'group')}`;
    const name = text(value, 'metadata', 'name');
    return name === expected
      ? []
      : [invalidValue('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${expected}"`)];
  },
  events: (value) => eventNamespace(value, 'involvedObject'),
  'events.events.k8s.io': (value) => eventNamespace(value, 'regarding'),
  endpoints: (value) =>
    list(value, 'subsets').flatMap((subset, index) =>
      list(subset, 'addresses').length + list(subset, 'notReadyAddresses').length === 0
        ? [required(`subsets[${index}]`, 'must specify `addresses` or `notReadyAddresses`')]
        : [],
    ),
  'endpointslices.discovery.k8s.io': (value) => (text(value, 'addressType') === '' ? [required('addressType')] : []),
};

function immutableField(value: JsonObject, old: JsonObject, path: string): FieldError[] {
  const parts = path.split('.');
  const now = at(value, ...parts);
  return equal(now, at(old, ...parts)) ? [] : [invalidValue(path, now, 'field is immutable')];
}

/** Data that was declared immutable stays as it is. */
function frozenData(value: JsonObject, old: JsonObject): FieldError[] {
  if (old['immutable'] !== true) return [];
  const errors: FieldError[] = [];
  if (value['immutable'] !== true)
    errors.push(forbiddenField('immutable', 'field is immutable when `immutable` is set'));
  for (const name of ['data', 'binaryData'] as const) {
    if (!equal(value[name] ?? object(undefined), old[name] ?? object(undefined)))
      errors.push(forbiddenField(name, 'field is immutable when `immutable` is set'));
  }
  return errors;
}

function roleRef(value: JsonObject, old: JsonObject): FieldError[] {
  if (equal(value['roleRef'], old['roleRef'])) return [];
  const reference = object(value, 'roleRef');
  // Shown with the names of the type's fields.
  const shown: Json = {
    APIGroup: reference['apiGroup'] ?? '',
    Kind: reference['kind'] ?? '',
    Name: reference['name'] ?? '',
  };
  return [invalidValue('roleRef', shown, 'field is immutable')];
}

const updateRules: Readonly<Record<string, (value: JsonObject, old: JsonObject) => FieldError[]>> = {
  'deployments.apps': (value, old) => immutableField(value, old, 'spec.selector'),
  'replicasets.apps': (value, old) => immutableField(value, old, 'spec.selector'),
  'daemonsets.apps': (value, old) => immutableField(value, old, 'spec.selector'),
  'statefulsets.apps'(value, old) {
    const name = immutableField(value, old, 'spec.serviceName');
    if (name.length > 0) return name;
    const free = new Set([
      'replicas',
      'ordinals',
      'template',
      'updateStrategy',
      'revisionHistoryLimit',
      'persistentVolumeClaimRetentionPolicy',
      'minReadySeconds',
    ]);
    const kept = (source: JsonObject): readonly (readonly [string, Json])[] =>
      Object.entries(object(source, 'spec')).filter(([name]) => !free.has(name));
    const before = new Map(kept(old));
    const now = kept(value);
    return now.length === before.size && now.every(([name, inner]) => equal(inner, before.get(name)))
      ? []
      : [
          forbiddenField(
            'spec',
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
          ),
        ];
  },
  'jobs.batch': (value, old) => [
    ...immutableField(value, old, 'spec.selector'),
    ...immutableField(value, old, 'spec.completionMode'),
  ],
  configmaps: frozenData,
  secrets: (value, old) => [...immutableField(value, old, 'type'), ...frozenData(value, old)],
  'rolebindings.rbac.authorization.k8s.io': roleRef,
  'clusterrolebindings.rbac.authorization.k8s.io': roleRef,
  'storageclasses.storage.k8s.io': (value, old) =>
    equal(value['parameters'], old['parameters']) && value['provisioner'] === old['provisioner']
      ? []
      : [forbiddenField('parameters', 'updates to parameters are forbidden.')],
  services(value, old) {
    const before = texts(old, 'spec', 'clusterIPs');
    const now = texts(value, 'spec', 'clusterIPs');
    const type = text(value, 'spec', 'type');
    if (type === 'ExternalName' || before.length === 0 || !isArray(now)) return [];
    return text(value, 'spec', 'clusterIP') === text(old, 'spec', 'clusterIP')
      ? []
      : [invalidValue('spec.clusterIPs[0]', [...now], 'may not change once set')];
  },
};
