import { duplicate, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, isObject, list, numeric, object, text, type Json, type JsonObject } from '../../json.ts';
import {
  goStruct,
  keyProblems,
  label,
  nameErrors,
  oneOf,
  portNameProblems,
  portNumber,
  qualifiedNameErrors,
  subdomain,
} from './fields.ts';
import { initLifecycleErrors, lifecycleErrors } from './probes.ts';
import { claimNames, resourceErrors } from './resources.ts';
import { deviceErrors, mountErrors } from './volumes.ts';

const environmentProblem =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";
const isVariableName = (name: string): boolean => /^[ -<>-~]+$/.test(name);
const restartPolicies = ['Always', 'Never', 'OnFailure'];

/** All containers of a pod. */
export function containersErrors(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const containers = list(spec, 'containers');
  const initContainers = list(spec, 'initContainers');
  if (containers.length === 0) errors.push(required(`${path}.containers`));
  const hostPorts = new Set<string>();
  containers.forEach((container, index) => {
    const place = `${path}.containers[${index}]`;
    errors.push(...containerErrors(container, place, spec, names));
    errors.push(...oneOf(container, place, 'restartPolicy', restartPolicies));
    errors.push(...lifecycleErrors(container, place, numeric(spec['terminationGracePeriodSeconds']) ?? 30));
    errors.push(...hostPortErrors(container, place, hostPorts));
  });
  initContainers.forEach((container, index) => {
    const place = `${path}.initContainers[${index}]`;
    errors.push(...containerErrors(container, place, spec, names));
    errors.push(...oneOf(container, place, 'restartPolicy', restartPolicies));
    if (text(container, 'restartPolicy') === 'Always')
      errors.push(...lifecycleErrors(container, place, numeric(spec['terminationGracePeriodSeconds']) ?? 30));
    else errors.push(...initLifecycleErrors(container, place));
    errors.push(...hostPortErrors(container, place, new Set(hostPorts)));
  });
  return errors;
}

function containerErrors(container: Json, path: string, spec: JsonObject, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const name = text(container, 'name');
  if (name === '') errors.push(required(`${path}.name`));
  else {
    errors.push(...nameErrors(label, name, `${path}.name`));
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  const image = text(container, 'image');
  if (image === '') errors.push(required(`${path}.image`));
  else if (image.trim() !== image)
    errors.push(invalidValue(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  errors.push(...oneOf(container, path, 'imagePullPolicy', ['Always', 'IfNotPresent', 'Never']));
  errors.push(...oneOf(container, path, 'terminationMessagePolicy', ['File', 'FallbackToLogsOnError']));
  errors.push(...portsErrors(container, path, spec['hostNetwork'] === true));
  errors.push(...environmentErrors(container, path));
  errors.push(...mountErrors(container, path, spec));
  errors.push(...deviceErrors(container, path, spec));
  errors.push(...resourceErrors(container, path, claimNames(spec)));
  errors.push(...securityErrors(object(container, 'securityContext'), `${path}.securityContext`));
  return errors;
}

function portsErrors(container: Json, path: string, hostNetwork: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  list(container, 'ports').forEach((port, index) => {
    const place = `${path}.ports[${index}]`;
    const name = text(port, 'name');
    if (name !== '') {
      const problems = portNameProblems(name);
      errors.push(...problems.map((problem) => invalidValue(`${place}.name`, name, problem)));
      if (problems.length === 0 && names.has(name)) errors.push(duplicate(`${place}.name`, name));
      names.add(name);
    }
    const number = numeric(at(port, 'containerPort')) ?? 0;
    if (number === 0) errors.push(required(`${place}.containerPort`));
    else errors.push(...portNumber(number, `${place}.containerPort`));
    const host = numeric(at(port, 'hostPort')) ?? 0;
    if (host !== 0) {
      errors.push(...portNumber(host, `${place}.hostPort`));
      if (hostNetwork && host !== number)
        errors.push(invalidValue(`${place}.hostPort`, host, 'must match `containerPort` when `hostNetwork` is true'));
    }
    errors.push(...oneOf(port, place, 'protocol', ['SCTP', 'TCP', 'UDP']));
  });
  return errors;
}

/** Two containers cannot have the same port of the node. */
function hostPortErrors(container: Json, path: string, taken: Set<string>): FieldError[] {
  return list(container, 'ports').flatMap((port, index) => {
    const number = numeric(at(port, 'hostPort')) ?? 0;
    if (number === 0) return [];
    const key = `${text(port, 'protocol')}/${text(port, 'hostIP')}/${number}`;
    if (taken.has(key)) return [duplicate(`${path}.ports[${index}].hostPort`, key)];
    taken.add(key);
    return [];
  });
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const environmentFields = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

function environmentErrors(container: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  list(container, 'env').forEach((variable, index) => {
    const place = `${path}.env[${index}]`;
    const name = text(variable, 'name');
    if (name === '') errors.push(required(`${place}.name`));
    else if (!isVariableName(name)) errors.push(invalidValue(`${place}.name`, name, environmentProblem));
    errors.push(...variableSourceErrors(variable, `${place}.valueFrom`));
  });
  list(container, 'envFrom').forEach((source, index) => {
    const place = `${path}.envFrom[${index}]`;
    const prefix = text(source, 'prefix');
    if (prefix !== '' && !isVariableName(prefix))
      errors.push(invalidValue(`${place}.prefix`, prefix, environmentProblem));
    const present = ['configMapRef', 'secretRef'].filter((name) => isObject(at(source, name)));
    for (const name of present) {
      const referred = text(source, name, 'name');
      if (referred === '') errors.push(required(`${place}.${name}.name`));
      else errors.push(...nameErrors(subdomain, referred, `${place}.${name}.name`));
    }
    if (present.length === 0)
      errors.push(invalidValue(`${path}.envFrom`, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (present.length > 1)
      errors.push(invalidValue(`${path}.envFrom`, '', 'may not have more than one field specified at a time'));
  });
  return errors;
}

function variableSourceErrors(variable: Json, path: string): FieldError[] {
  const source = at(variable, 'valueFrom');
  if (!isObject(source)) return [];
  const errors: FieldError[] = [];
  const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
  const present = sources.filter((name) => isObject(source[name]));
  if (present.length === 0) {
    errors.push(
      invalidValue(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  } else if (text(variable, 'value') !== '')
    errors.push(invalidValue(path, '', 'may not be specified when `value` is not empty'));
  if (present.length > 1) errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
  if (present.includes('fieldRef')) errors.push(...fieldReferenceErrors(source['fieldRef'], `${path}.fieldRef`));
  if (present.includes('resourceFieldRef')) {
    const resource = text(source, 'resourceFieldRef', 'resource');
    if (resource === '') errors.push(required(`${path}.resourceFieldRef.resource`));
    else if (!resourceFields.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource))
      errors.push(notSupported(`${path}.resourceFieldRef.resource`, resource, resourceFields));
  }
  for (const name of ['configMapKeyRef', 'secretKeyRef'] as const) {
    if (!present.includes(name)) continue;
    errors.push(...nameErrors(subdomain, text(source, name, 'name'), `${path}.${name}.name`));
    const key = text(source, name, 'key');
    if (key === '') errors.push(required(`${path}.${name}.key`));
    else errors.push(...keyProblems(key).map((problem) => invalidValue(`${path}.${name}.key`, key, problem)));
  }
  return errors;
}

function fieldReferenceErrors(reference: Json | undefined, path: string): FieldError[] {
  const fieldPath = text(reference, 'fieldPath');
  const place = `${path}.fieldPath`;
  if (fieldPath === '') return [required(place)];
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath);
  if (subscript !== null) return qualifiedNameErrors((subscript[2] ?? '').toLowerCase(), place);
  return environmentFields.has(fieldPath)
    ? []
    : [invalidValue(place, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
}

const idProblem = 'must be between 0 and 2147483647, inclusive';

/** A user or group. */
export function idErrors(owner: Json | undefined, path: string, ...names: readonly string[]): FieldError[] {
  return names.flatMap((name) => {
    const value = numeric(at(owner, name));
    return value !== undefined && (value < 0 || value > 2_147_483_647)
      ? [invalidValue(`${path}.${name}`, value, idProblem)]
      : [];
  });
}

/** `seccompProfile` and `appArmorProfile` of pods and containers. */
export function profileErrors(owner: Json | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [member, what] of [
    ['seccompProfile', 'seccomp'],
    ['appArmorProfile', 'AppArmor'],
  ] as const) {
    const profile = at(owner, member);
    if (!isObject(profile)) continue;
    const place = `${path}.${member}`;
    const type = text(profile, 'type');
    const local = text(profile, 'localhostProfile');
    if (type === '') errors.push(required(`${place}.type`, `type is required when ${member} is set`));
    else if (type === 'Localhost') {
      if (local === '')
        errors.push(required(`${place}.localhostProfile`, `must be set when ${what} type is Localhost`));
    } else if (local !== '') {
      errors.push({
        type: 'FieldValueInvalid',
        field: `${place}.localhostProfile`,
        message: `Invalid value: ${goStruct([
          ['Type', type],
          ['LocalhostProfile', local],
        ])}: can only be set when ${what} type is Localhost`,
      });
    }
  }
  return errors;
}

function securityErrors(context: JsonObject, path: string): FieldError[] {
  const errors = [...idErrors(context, path, 'runAsUser', 'runAsGroup'), ...profileErrors(context, path)];
  errors.push(...oneOf(context, path, 'procMount', ['Default', 'Unmasked']));
  if (context['allowPrivilegeEscalation'] !== false) return errors;
  const invalid = (detail: string): FieldError => ({
    type: 'FieldValueInvalid',
    field: path,
    message: `Invalid value: ${securityStruct(context)}: ${detail}`,
  });
  if (context['privileged'] === true)
    errors.push(invalid('cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
  if (list(context, 'capabilities', 'add').includes('CAP_SYS_ADMIN'))
    errors.push(invalid('cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'));
  return errors;
}

function securityStruct(context: JsonObject): string {
  const { capabilities } = context;
  const shown = isObject(capabilities)
    ? { Add: capabilities['add'] ?? null, Drop: capabilities['drop'] ?? null }
    : undefined;
  return goStruct([
    ['Capabilities', shown],
    ['Privileged', context['privileged']],
    ['SELinuxOptions', context['seLinuxOptions']],
    ['WindowsOptions', context['windowsOptions']],
    ['RunAsUser', context['runAsUser']],
    ['RunAsGroup', context['runAsGroup']],
    ['RunAsNonRoot', context['runAsNonRoot']],
    ['ReadOnlyRootFilesystem', context['readOnlyRootFilesystem']],
    ['AllowPrivilegeEscalation', context['allowPrivilegeEscalation']],
    ['ProcMount', context['procMount']],
    ['SeccompProfile', context['seccompProfile']],
    ['AppArmorProfile', context['appArmorProfile']],
  ]);
}
