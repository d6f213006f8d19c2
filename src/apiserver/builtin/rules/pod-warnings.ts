import { quote } from '../../field-error.ts';
import { at, isObject, list, numeric, object, text, type Json, type JsonObject } from '../../json.ts';
import { label, quantityOf } from './fields.ts';
import { nodeValueProblems } from './scheduling.ts';

/** What is allowed in pods and templates and yet seldom meant: the real server tells it along with its answer. */

/** @param path where the pod or template stands: `''` or `spec.template` */
export function podWarnings(pod: JsonObject, path: string): string[] {
  const spec = object(pod, 'spec');
  const place = path === '' ? 'spec' : `${path}.spec`;
  const containers = allContainers(spec, place);
  return [
    ...nodeWarnings(spec, place),
    ...spreadWarnings(spec, place),
    ...volumeWarnings(spec, place),
    ...duplicateWarnings(spec, place, 'hostAliases', 'ip'),
    ...duplicateWarnings(spec, place, 'imagePullSecrets', 'name'),
    ...list(spec, 'imagePullSecrets').flatMap((secret, index) =>
      text(secret, 'name') === '' ? [`${place}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...fractionWarnings(spec['overhead'], `${place}.overhead`, ['memory', 'ephemeral-storage']),
    ...containers.flatMap(([container, inner]) => [
      ...['memory', 'ephemeral-storage'].flatMap((name) => [
        ...fractionWarnings(at(container, 'resources', 'limits'), `${inner}.resources.limits`, [name]),
        ...fractionWarnings(at(container, 'resources', 'requests'), `${inner}.resources.requests`, [name]),
      ]),
      ...variableWarnings(container, inner),
    ]),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...((numeric(spec['terminationGracePeriodSeconds']) ?? 0) < 0
      ? [`${place}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...['podAffinity', 'podAntiAffinity'].flatMap((name) =>
      affinityWarnings(object(spec, 'affinity', name), `${place}.affinity.${name}`),
    ),
  ];
}

/** Names of owners of pods become names of their hosts. */
export function hostNameWarnings(value: JsonObject, use: string): string[] {
  const problems = label(text(value, 'metadata', 'name'), false);
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
      ];
}

/** Amounts of bytes that are no whole numbers. */
export function fractionWarnings(amounts: Json | undefined, path: string, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const amount = quantityOf(at(amounts, name));
    return amount === undefined || amount.isInteger()
      ? []
      : [`${path}[${name}]: fractional byte value ${quote(amount.toString())} is invalid, must be an integer`];
  });
}

type Placed = readonly (readonly [container: Json, path: string])[];

function allContainers(spec: JsonObject, path: string): Placed {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((name) =>
    list(spec, name).map((container, index) => [container, `${path}.${name}[${index}]`] as const),
  );
}

/** Values that no label has, where a node is only preferred. */
function nodeWarnings(spec: JsonObject, path: string): string[] {
  const name = 'preferredDuringSchedulingIgnoredDuringExecution';
  return list(spec, 'affinity', 'nodeAffinity', name).flatMap((term, index) => {
    const place = `${path}.affinity.nodeAffinity.${name}[${index}].preference`;
    return nodeValueProblems(object(term, 'preference'), place).map(
      ({ field, value, problem }) => `${field}: ${value} is invalid, ${problem}`,
    );
  });
}

function spreadWarnings(spec: JsonObject, path: string): string[] {
  return list(spec, 'topologySpreadConstraints').flatMap((constraint, index) =>
    isObject(at(constraint, 'labelSelector'))
      ? []
      : [`${path}.topologySpreadConstraints[${index}].labelSelector: a null labelSelector results in matching no pod`],
  );
}

function affinityWarnings(affinity: JsonObject, path: string): string[] {
  const warn = (term: Json | undefined, place: string): string[] =>
    isObject(at(term, 'labelSelector'))
      ? []
      : [`${place}.labelSelector: a null labelSelector results in matching no pod`];
  const [needed, preferred] = [
    'requiredDuringSchedulingIgnoredDuringExecution',
    'preferredDuringSchedulingIgnoredDuringExecution',
  ];
  return [
    ...list(affinity, needed).flatMap((term, index) => warn(term, `${path}.${needed}[${index}]`)),
    ...list(affinity, preferred).flatMap((term, index) =>
      warn(at(term, 'podAffinityTerm'), `${path}.${preferred}[${index}].podAffinityTerm`),
    ),
  ];
}

function volumeWarnings(spec: JsonObject, path: string): string[] {
  return list(spec, 'volumes').flatMap((volume, index) => {
    const name = text(volume, 'name');
    const warnings: string[] = [];
    const claim = at(volume, 'ephemeral', 'volumeClaimTemplate', 'spec', 'resources');
    const inner = `${path}.volumes[${index}].ephemeral.volumeClaimTemplate.spec.resources`;
    for (const amounts of ['limits', 'requests'])
      warnings.push(...fractionWarnings(at(claim, amounts), `${inner}.${amounts}`, ['storage']));
    for (const [member, described] of [
      ['configMap', `ConfigMap ${quote(text(volume, 'configMap', 'name'))}`],
      ['secret', `Secret ${quote(text(volume, 'secret', 'secretName'))}`],
      ['downwardAPI', 'DownwardAPI'],
    ] as const) {
      const overlaps = overlapsOf(list(volume, member, 'items').map((item) => text(item, 'path')));
      if (overlaps.length > 0)
        warnings.push(`volume ${quote(name)} (${described}): overlapping paths: ${overlaps.join(', ')}`);
    }
    if (list(volume, 'projected', 'sources').some((source) => Object.keys(object(source)).length === 0))
      warnings.push(`volume "${name}" (Projected) has no sources provided`);
    return warnings;
  });
}

/** Paths of files that are one, or of which one lies in the other. */
function overlapsOf(paths: readonly string[]): string[] {
  return paths.flatMap((path, index) =>
    paths
      .slice(0, index)
      .filter((other) => other === path || path.startsWith(`${other}/`) || other.startsWith(`${path}/`))
      .map((other) => `${quote(path)} with ${quote(other)}`),
  );
}

function duplicateWarnings(spec: JsonObject, path: string, name: string, key: string): string[] {
  const seen = new Set<string>();
  return list(spec, name).flatMap((item, index) => {
    const value = text(item, key);
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [`${path}.${name}[${index}].${key}: duplicate ${key} ${quote(value)}`];
  });
}

/** A variable that hides an earlier one without making use of it. */
function variableWarnings(container: Json, path: string): string[] {
  const seen = new Set<string>();
  return list(container, 'env').flatMap((variable, index) => {
    const name = text(variable, 'name');
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const value = text(variable, 'value');
    const builds = value.includes(reference) && value !== reference && !isObject(at(variable, 'valueFrom'));
    return builds
      ? []
      : [`${path}.env[${index}]: hides previous definition of ${quote(name)}, which may be dropped when using apply`];
  });
}

interface Port {
  readonly place: string;
  readonly host: number;
  readonly address: string;
}

function portWarnings(containers: Placed): string[] {
  const known = new Map<string, Port[]>();
  return containers.flatMap(([container, path]) =>
    list(container, 'ports').flatMap((port, index) => {
      const place = `${path}.ports[${index}]`;
      const host = numeric(at(port, 'hostPort')) ?? 0;
      const own: Port = { place, host, address: text(port, 'hostIP') };
      const number = numeric(at(port, 'containerPort')) ?? 0;
      const protocol = text(port, 'protocol');
      const warnings: string[] = [];
      if (own.address !== '' && host === 0) {
        const shown = `{Name:${text(port, 'name')} HostPort:0 ContainerPort:${number} Protocol:${protocol} HostIP:${own.address}}`;
        warnings.push(`${place}: hostIP set without hostPort: ${shown}`);
      }
      const key = `${number}/${protocol}`;
      const others = known.get(key) ?? [];
      for (const other of others) {
        const sameHost = other.host === host;
        if (sameHost && other.address === own.address)
          warnings.push(`${place}: duplicate port definition with ${other.place}`);
        else if (host === 0 || other.host === 0)
          warnings.push(`${place}: overlapping port definition with ${other.place}`);
        else if (sameHost && (own.address === '') !== (other.address === ''))
          warnings.push(`${place}: dangerously ambiguous port definition with ${other.place}`);
      }
      known.set(key, [...others, own]);
      return warnings;
    }),
  );
}

function portNameWarnings(containers: Placed): string[] {
  const known = new Map<string, string>();
  return containers.flatMap(([container, path]) =>
    list(container, 'ports').flatMap((port, index) => {
      const name = text(port, 'name');
      if (name === '') return [];
      const place = `${path}.ports[${index}]`;
      const other = known.get(name);
      if (other === undefined) {
        known.set(name, place);
        return [];
      }
      return [
        `${place}: duplicate port name ${quote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      ];
    }),
  );
}
