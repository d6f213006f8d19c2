import { at, type Json, type JsonObject, list, member, numeric, object, plain, text, texts } from '../json.ts';
import type { TableColumn } from '../data/index.ts';
import { furtherPrinters } from './further-cells.ts';
import { podCells } from './pod-cells.ts';
import { age, humanDuration } from './age.ts';

type Printer = (value: JsonObject, now: number) => readonly Json[];

/** The cells of a built-in kind's row, as the printers of the real server give them. */
export function builtinCells(
  qualifiedResource: string,
  value: JsonObject,
  now: number,
  columns: readonly TableColumn[],
): readonly Json[] {
  const name = text(value, 'metadata', 'name');
  const printer = printers[qualifiedResource] ?? furtherPrinters[qualifiedResource];
  // The row of an event ends with its name, all others begin with it.
  if (printer !== undefined)
    return /^events(\.|$)/.test(qualifiedResource) ? printer(value, now) : [name, ...printer(value, now)];
  const created = text(value, 'metadata', 'creationTimestamp');
  return columns.map((column, index) => {
    if (index === 0) return name;
    if (column.name === 'Age') return age(created, now);
    if (column.name === 'Created At') return created;
    const found = generic(value, column.name);
    return found ?? (column.type === 'integer' ? 0 : column.type === 'boolean' ? false : '<none>');
  });
}

/** The member that a column without a printer of its own is named after. */
function generic(value: JsonObject, column: string): Json | undefined {
  const wanted = column.toLowerCase().replaceAll(/[^a-z]/g, '');
  for (const source of [object(value, 'spec'), value, object(value, 'status')]) {
    for (const [name, inner] of Object.entries(source)) {
      if (name.toLowerCase() === wanted && (typeof inner !== 'object' || inner === null))
        return typeof inner === 'boolean' ? String(inner) : inner;
    }
  }
  return undefined;
}

const created = (value: JsonObject, now: number): string => age(text(value, 'metadata', 'creationTimestamp'), now);
const count = (value: Json | undefined): number => numeric(value) ?? 0;

/** `a=b,c=d`, or `<none>`. */
function pairs(labels: JsonObject): string {
  const terms = Object.entries(labels).map(([name, value]) => `${name}=${plain(value)}`);
  return terms.length === 0 ? '<none>' : terms.sort().join(',');
}

function selector(value: Json | undefined): string {
  const expressions = list(value, 'matchExpressions').map((expression) => {
    const key = text(expression, 'key');
    const values = texts(expression, 'values').join(',');
    switch (text(expression, 'operator')) {
      case 'In':
        return `${key} in (${values})`;
      case 'NotIn':
        return `${key} notin (${values})`;
      case 'Exists':
        return key;
      default:
        return `!${key}`;
    }
  });
  const labels = Object.entries(object(value, 'matchLabels')).map(([name, inner]) => `${name}=${plain(inner)}`);
  const terms = [...labels, ...expressions].sort();
  return terms.length === 0 ? '<none>' : terms.join(',');
}

function containers(template: Json | undefined): readonly [string, string] {
  const found = list(template, 'spec', 'containers');
  return [
    found.map((container) => text(container, 'name')).join(','),
    found.map((container) => text(container, 'image')).join(','),
  ];
}

const template = (value: JsonObject): readonly [string, string] => containers(at(value, 'spec', 'template'));

function subjects(value: JsonObject, kind: string): string {
  return list(value, 'subjects')
    .filter((subject) => text(subject, 'kind') === kind)
    .map((subject) =>
      kind === 'ServiceAccount' ? `${text(subject, 'namespace')}/${text(subject, 'name')}` : text(subject, 'name'),
    )
    .join(', ');
}

const binding: Printer = (value, now) => [
  `${text(value, 'roleRef', 'kind')}/${text(value, 'roleRef', 'name')}`,
  created(value, now),
  subjects(value, 'User'),
  subjects(value, 'Group'),
  subjects(value, 'ServiceAccount'),
];

function event(value: JsonObject, now: number, regarding: string, note: string, prefix: string): readonly Json[] {
  const involved = object(value, regarding);
  const first = text(value, prefix === '' ? 'firstTimestamp' : 'deprecatedFirstTimestamp') || text(value, 'eventTime');
  const last =
    text(value, prefix === '' ? 'lastTimestamp' : 'deprecatedLastTimestamp') ||
    text(value, 'series', 'lastObservedTime') ||
    first;
  const source = object(value, prefix === '' ? 'source' : 'deprecatedSource');
  const component =
    text(source, 'component') || text(value, prefix === '' ? 'reportingComponent' : 'reportingController');
  const host = text(source, 'host') || text(value, 'reportingInstance');
  const times = count(value[prefix === '' ? 'count' : 'deprecatedCount']) || count(at(value, 'series', 'count')) || 1;
  const kind = text(involved, 'kind').toLowerCase();
  return [
    age(last, now),
    text(value, 'type'),
    text(value, 'reason'),
    text(involved, 'name') === '' ? kind : `${kind}/${text(involved, 'name')}`,
    text(involved, 'fieldPath'),
    host === '' ? component : `${component}, ${host}`,
    text(value, note).trim(),
    age(first, now),
    times,
    text(value, 'metadata', 'name'),
  ];
}

function replicaSet(value: JsonObject, now: number): readonly Json[] {
  const status = object(value, 'status');
  return [
    count(at(value, 'spec', 'replicas')),
    count(status['replicas']),
    count(status['readyReplicas']),
    created(value, now),
    ...template(value),
    selector(at(value, 'spec', 'selector')),
  ];
}

function jobStatus(value: JsonObject): string {
  const condition = (type: string): boolean =>
    list(value, 'status', 'conditions').some(
      (found) => text(found, 'type') === type && text(found, 'status') === 'True',
    );
  if (condition('Complete')) return 'Complete';
  if (condition('Failed')) return 'Failed';
  if (text(value, 'metadata', 'deletionTimestamp') !== '') return 'Terminating';
  if (condition('Suspended')) return 'Suspended';
  return condition('FailureTarget')
    ? 'FailureTarget'
    : condition('SuccessCriteriaMet')
      ? 'SuccessCriteriaMet'
      : 'Running';
}

function duration(value: JsonObject, now: number): string {
  const start = Date.parse(text(value, 'status', 'startTime'));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(text(value, 'status', 'completionTime'));
  return humanDuration((Number.isNaN(end) ? now : end) - start);
}

const services: Printer = (value, now) => {
  const spec = object(value, 'spec');
  const type = text(spec, 'type');
  const external = [
    ...list(value, 'status', 'loadBalancer', 'ingress').map(
      (ingress) => text(ingress, 'ip') || text(ingress, 'hostname'),
    ),
    ...texts(spec, 'externalIPs'),
  ].join(',');
  const ports = list(spec, 'ports').map((port) => {
    const node = count(member(port, 'nodePort'));
    return `${count(member(port, 'port'))}${node === 0 ? '' : `:${node}`}/${text(port, 'protocol')}`;
  });
  return [
    type,
    text(spec, 'clusterIP') || '<none>',
    type === 'ExternalName'
      ? text(spec, 'externalName')
      : external || (type === 'LoadBalancer' ? '<pending>' : '<none>'),
    ports.join(',') || '<none>',
    created(value, now),
    pairs(object(spec, 'selector')),
  ];
};

const accessModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const modes = (value: JsonObject, ...path: readonly string[]): string =>
  texts(value, ...path)
    .map((mode) => accessModes[mode] ?? mode)
    .join(',');

const printers: Readonly<Record<string, Printer>> = {
  pods: podCells,
  configmaps: (value, now) => [
    Object.keys(object(value, 'data')).length + Object.keys(object(value, 'binaryData')).length,
    created(value, now),
  ],
  secrets: (value, now) => [text(value, 'type'), Object.keys(object(value, 'data')).length, created(value, now)],
  namespaces: (value, now) => [text(value, 'status', 'phase'), created(value, now)],
  services,
  events: (value, now) => event(value, now, 'involvedObject', 'message', ''),
  'events.events.k8s.io': (value, now) => event(value, now, 'regarding', 'note', 'deprecated'),
  endpoints: (value, now) => {
    const found = list(value, 'subsets').flatMap((subset) => {
      const ports = list(subset, 'ports').map((port) => count(member(port, 'port')));
      return list(subset, 'addresses').flatMap((address) =>
        ports.length === 0 ? [text(address, 'ip')] : ports.map((port) => `${text(address, 'ip')}:${port}`),
      );
    });
    const shown = found.slice(0, 3).join(',');
    return [
      found.length === 0 ? '<none>' : found.length > 3 ? `${shown} + ${found.length - 3} more...` : shown,
      created(value, now),
    ];
  },
  nodes: (value, now) => {
    const ready = list(value, 'status', 'conditions').find((condition) => text(condition, 'type') === 'Ready');
    const status = ready === undefined ? 'Unknown' : text(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
    const roles = Object.keys(object(value, 'metadata', 'labels'))
      .filter((label) => label.startsWith('node-role.kubernetes.io/'))
      .map((label) => label.slice('node-role.kubernetes.io/'.length));
    const address = (type: string): string =>
      text(
        list(value, 'status', 'addresses').find((found) => text(found, 'type') === type),
        'address',
      ) || '<none>';
    const info = (name: string): string => text(value, 'status', 'nodeInfo', name) || '<unknown>';
    return [
      at(value, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status,
      roles.sort().join(',') || '<none>',
      created(value, now),
      text(value, 'status', 'nodeInfo', 'kubeletVersion'),
      address('InternalIP'),
      address('ExternalIP'),
      info('osImage'),
      info('kernelVersion'),
      info('containerRuntimeVersion'),
    ];
  },
  persistentvolumeclaims: (value, now) => [
    text(value, 'metadata', 'deletionTimestamp') === '' ? text(value, 'status', 'phase') : 'Terminating',
    text(value, 'spec', 'volumeName'),
    text(value, 'status', 'capacity', 'storage'),
    modes(value, 'status', 'accessModes'),
    text(value, 'spec', 'storageClassName'),
    text(value, 'spec', 'volumeAttributesClassName') || '<unset>',
    created(value, now),
    text(value, 'spec', 'volumeMode') || '<unset>',
  ],
  persistentvolumes: (value, now) => {
    const claim = object(value, 'spec', 'claimRef');
    return [
      text(value, 'spec', 'capacity', 'storage'),
      modes(value, 'spec', 'accessModes'),
      text(value, 'spec', 'persistentVolumeReclaimPolicy'),
      text(value, 'metadata', 'deletionTimestamp') === '' ? text(value, 'status', 'phase') : 'Terminating',
      text(claim, 'name') === '' ? '' : `${text(claim, 'namespace')}/${text(claim, 'name')}`,
      text(value, 'spec', 'storageClassName'),
      text(value, 'spec', 'volumeAttributesClassName') || '<unset>',
      text(value, 'status', 'reason'),
      created(value, now),
      text(value, 'spec', 'volumeMode') || '<unset>',
    ];
  },
  'deployments.apps': (value, now) => {
    const status = object(value, 'status');
    return [
      `${count(status['readyReplicas'])}/${count(at(value, 'spec', 'replicas'))}`,
      count(status['updatedReplicas']),
      count(status['availableReplicas']),
      created(value, now),
      ...template(value),
      selector(at(value, 'spec', 'selector')),
    ];
  },
  'replicasets.apps': replicaSet,
  'statefulsets.apps': (value, now) => [
    `${count(at(value, 'status', 'readyReplicas'))}/${count(at(value, 'spec', 'replicas'))}`,
    created(value, now),
    ...template(value),
  ],
  'daemonsets.apps': (value, now) => {
    const status = object(value, 'status');
    return [
      ...[
        'desiredNumberScheduled',
        'currentNumberScheduled',
        'numberReady',
        'updatedNumberScheduled',
        'numberAvailable',
      ].map((name) => count(status[name])),
      pairs(object(value, 'spec', 'template', 'spec', 'nodeSelector')),
      created(value, now),
      ...template(value),
      selector(at(value, 'spec', 'selector')),
    ];
  },
  'controllerrevisions.apps': (value, now) => {
    const owner = list(value, 'metadata', 'ownerReferences').find(
      (reference) => member(reference, 'controller') === true,
    );
    const slash = text(owner, 'apiVersion').indexOf('/');
    const group = slash < 0 ? '' : `.${text(owner, 'apiVersion').slice(0, slash)}`;
    const controller =
      owner === undefined ? '<none>' : `${text(owner, 'kind').toLowerCase()}${group}/${text(owner, 'name')}`;
    return [controller, count(value['revision']), created(value, now)];
  },
  'jobs.batch': (value, now) => {
    const completions = at(value, 'spec', 'completions');
    const parallelism = count(at(value, 'spec', 'parallelism'));
    const succeeded = count(at(value, 'status', 'succeeded'));
    const wanted = completions === undefined ? (parallelism > 1 ? `1 of ${parallelism}` : '1') : count(completions);
    return [
      jobStatus(value),
      `${succeeded}/${wanted}`,
      duration(value, now),
      created(value, now),
      ...template(value),
      selector(at(value, 'spec', 'selector')),
    ];
  },
  'cronjobs.batch': (value, now) => {
    const last = text(value, 'status', 'lastScheduleTime');
    return [
      text(value, 'spec', 'schedule'),
      text(value, 'spec', 'timeZone') || '<none>',
      at(value, 'spec', 'suspend') === true ? 'True' : 'False',
      list(value, 'status', 'active').length,
      last === '' ? '<none>' : age(last, now),
      created(value, now),
      ...containers(at(value, 'spec', 'jobTemplate', 'spec', 'template')),
      selector(at(value, 'spec', 'jobTemplate', 'spec', 'selector')),
    ];
  },
  'ingresses.networking.k8s.io': (value, now) => {
    const hosts = list(value, 'spec', 'rules')
      .map((rule) => text(rule, 'host'))
      .filter((host) => host !== '');
    const addresses = list(value, 'status', 'loadBalancer', 'ingress').map(
      (ingress) => text(ingress, 'ip') || text(ingress, 'hostname'),
    );
    return [
      text(value, 'spec', 'ingressClassName') || '<none>',
      hosts.length === 0 ? '*' : hosts.join(','),
      addresses.join(','),
      list(value, 'spec', 'tls').length > 0 ? '80, 443' : '80',
      created(value, now),
    ];
  },
  'networkpolicies.networking.k8s.io': (value, now) => [
    selector(at(value, 'spec', 'podSelector')),
    created(value, now),
  ],
  'poddisruptionbudgets.policy': (value, now) => [
    plain(at(value, 'spec', 'minAvailable') ?? 'N/A'),
    plain(at(value, 'spec', 'maxUnavailable') ?? 'N/A'),
    count(at(value, 'status', 'disruptionsAllowed')),
    created(value, now),
  ],
  'horizontalpodautoscalers.autoscaling': (value, now) => {
    const metrics = list(value, 'spec', 'metrics').map((metric) => {
      const target = at(metric, 'resource', 'target', 'averageUtilization');
      return target === undefined ? '<unknown>' : `${text(metric, 'resource', 'name')}: <unknown>/${count(target)}%`;
    });
    const minimum = at(value, 'spec', 'minReplicas');
    return [
      `${text(value, 'spec', 'scaleTargetRef', 'kind')}/${text(value, 'spec', 'scaleTargetRef', 'name')}`,
      metrics.join(', ') || '<none>',
      minimum === undefined ? '<unset>' : String(count(minimum)),
      count(at(value, 'spec', 'maxReplicas')),
      count(at(value, 'status', 'currentReplicas')),
      created(value, now),
    ];
  },
  'rolebindings.rbac.authorization.k8s.io': binding,
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
  'storageclasses.storage.k8s.io': (value, now) => [
    text(value, 'provisioner'),
    text(value, 'reclaimPolicy'),
    text(value, 'volumeBindingMode'),
    value['allowVolumeExpansion'] === true,
    created(value, now),
  ],
  'leases.coordination.k8s.io': (value, now) => [text(value, 'spec', 'holderIdentity'), created(value, now)],
  'customresourcedefinitions.apiextensions.k8s.io': (value) => [
    text(value, 'spec', 'scope'),
    list(value, 'spec', 'versions')
      .filter((version) => member(version, 'served') === true)
      .map((version) => `${text(version, 'name')}${member(version, 'storage') === true ? '(storage)' : ''}`)
      .join(','),
    text(value, 'metadata', 'creationTimestamp'),
    text(value, 'spec', 'group'),
    text(value, 'spec', 'names', 'kind'),
    texts(value, 'spec', 'names', 'shortNames').join(','),
    list(value, 'status', 'conditions').some(
      (condition) => text(condition, 'type') === 'Established' && text(condition, 'status') === 'True',
    ),
  ],
  'priorityclasses.scheduling.k8s.io': (value, now) => [
    count(value['value']),
    value['globalDefault'] === true,
    created(value, now),
    text(value, 'preemptionPolicy'),
  ],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': (value, now) => [
    list(value, 'webhooks').length,
    created(value, now),
  ],
  'validatingwebhookconfigurations.admissionregistration.k8s.io': (value, now) => [
    list(value, 'webhooks').length,
    created(value, now),
  ],
};
