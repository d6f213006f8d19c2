import { duplicate, forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, isObject, list, numeric, object, text, type Json, type JsonObject } from '../../json.ts';
import { resourceFieldErrors, fieldReferenceErrors } from './references.ts';
import {
  backStepErrors,
  goStruct,
  keyProblems,
  label,
  nameErrors,
  oneOf,
  portNameProblems,
  portNumber,
  subdomain,
} from './fields.ts';
import { initLifecycleErrors, lifecycleErrors } from './probes.ts';
import { resourceErrors } from './resources.ts';
import { deviceErrors, mountErrors, validVolumes, type ValidVolumes } from './volumes.ts';

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
    errors.push(...restartErrors(container, place));
    errors.push(...lifecycleErrors(container, place, numeric(spec['terminationGracePeriodSeconds']) ?? 30));
    errors.push(...hostPortErrors(container, place, hostPorts));
  });
  initContainers.forEach((container, index) => {
    const place = `${path}.initContainers[${index}]`;
    errors.push(...containerErrors(container, place, spec, names));
    errors.push(...restartErrors(container, place));
    if (text(container, 'restartPolicy') === 'Always')
      errors.push(...lifecycleErrors(container, place, numeric(spec['terminationGracePeriodSeconds']) ?? 30));
    else errors.push(...initLifecycleErrors(container, place));
    errors.push(...hostPortErrors(container, place, new Set(hostPorts)));
  });
  list(spec, 'ephemeralContainers').forEach((container, index) => {
    const place = `${path}.ephemeralContainers[${index}]`;
    errors.push(...containerErrors(container, place, spec, names));
    for (const name of ephemeralForbidden)
      if (at(container, name) !== undefined && !isEmpty(at(container, name)))
        errors.push(forbiddenField(`${place}.${name}`, 'cannot be set for an Ephemeral Container'));
  });
  return errors;
}

const ephemeralForbidden = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle', 'ports', 'resources'];

function isEmpty(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Whether and when a container starts again by itself. */
function restartErrors(container: Json, path: string): FieldError[] {
  const rules = list(container, 'restartPolicyRules');
  const errors = oneOf(container, path, 'restartPolicy', restartPolicies);
  if (rules.length > 0 && at(container, 'restartPolicy') === undefined)
    errors.push(required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used'));
  rules.forEach((rule, index) => {
    const place = `${path}.restartPolicyRules[${index}]`;
    const action = text(rule, 'action');
    const actions = ['Restart', 'RestartAllContainers'];
    if (!actions.includes(action)) errors.push(notSupported(`${place}.action`, action, actions));
    const codes = at(rule, 'exitCodes');
    if (!isObject(codes)) errors.push(required(`${place}.exitCodes`, 'must be specified'));
    else {
      const operator = text(codes, 'operator');
      if (!['In', 'NotIn'].includes(operator))
        errors.push(notSupported(`${place}.exitCodes.operator`, operator, ['In', 'NotIn']));
    }
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
  const volumes = validVolumes(spec);
  errors.push(...environmentErrors(container, path, volumes));
  errors.push(...mountErrors(container, path, volumes));
  errors.push(...deviceErrors(container, path, volumes));
  errors.push(...resourceErrors(container, path, spec));
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

function environmentErrors(container: Json, path: string, volumes: ValidVolumes): FieldError[] {
  const errors: FieldError[] = [];
  list(container, 'env').forEach((variable, index) => {
    const place = `${path}.env[${index}]`;
    const name = text(variable, 'name');
    if (name === '') errors.push(required(`${place}.name`));
    else if (!isVariableName(name)) errors.push(invalidValue(`${place}.name`, name, environmentProblem));
    errors.push(...variableSourceErrors(variable, `${place}.valueFrom`, volumes));
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

function variableSourceErrors(variable: Json, path: string, volumes: ValidVolumes): FieldError[] {
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
  if (present.includes('fieldRef'))
    errors.push(...fieldReferenceErrors(source['fieldRef'], `${path}.fieldRef`, environmentFields));
  if (present.includes('resourceFieldRef')) {
    errors.push(...resourceFieldErrors(source['resourceFieldRef'], `${path}.resourceFieldRef`, false));
  }
  if (present.includes('fileKeyRef'))
    errors.push(...fileKeyErrors(source['fileKeyRef'], `${path}.fileKeyRef`, volumes));
  for (const name of ['configMapKeyRef', 'secretKeyRef'] as const) {
    if (!present.includes(name)) continue;
    errors.push(...nameErrors(subdomain, text(source, name, 'name'), `${path}.${name}.name`));
    const key = text(source, name, 'key');
    if (key === '') errors.push(required(`${path}.${name}.key`));
    else errors.push(...keyProblems(key).map((problem) => invalidValue(`${path}.${name}.key`, key, problem)));
  }
  return errors;
}

function fileKeyErrors(reference: Json | undefined, path: string, volumes: ValidVolumes): FieldError[] {
  const errors: FieldError[] = [];
  const [key, volume, file] = [text(reference, 'key'), text(reference, 'volumeName'), text(reference, 'path')];
  if (key === '') errors.push(required(`${path}.key`));
  else if (!isVariableName(key)) errors.push(invalidValue(`${path}.key`, key, environmentProblem));
  if (volume === '') errors.push(required(`${path}.volumeName`));
  else errors.push(...nameErrors(label, volume, `${path}.volumeName`));
  if (file === '') errors.push(required(`${path}.path`));
  else errors.push(...backStepErrors(file, `${path}.path`));
  if (!volumes.has(volume)) {
    errors.push({
      type: 'FieldValueNotFound',
      field: `${path}.volumeName`,
      message: `Not found: ${JSON.stringify(volume)}`,
    });
  }
  return errors;
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
    const local = at(profile, 'localhostProfile');
    const known = ['Localhost', 'RuntimeDefault', 'Unconfined'].includes(type);
    const misplaced = `can only be set when ${what} type is Localhost`;
    if (type === '') errors.push(required(`${place}.type`, `type is required when ${member} is set`));
    if (type === 'Localhost') {
      if (local === undefined || (member === 'appArmorProfile' && text(profile, 'localhostProfile').trim() === ''))
        errors.push(required(`${place}.localhostProfile`, `must be set when ${what} type is Localhost`));
    } else if (local !== undefined && member === 'appArmorProfile') {
      // The message shows the profile alone, and of types that there are none of nothing.
      if (known) errors.push(invalidValue(`${place}.localhostProfile`, local, misplaced));
    } else if (local !== undefined) {
      errors.push({
        type: 'FieldValueInvalid',
        field: `${place}.localhostProfile`,
        message: `Invalid value: ${goStruct([
          ['Type', type],
          ['LocalhostProfile', local],
        ])}: ${misplaced}`,
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
