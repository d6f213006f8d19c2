import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, isObject, list, numeric, object, text, texts, type Json, type JsonObject } from '../../json.ts';
import { parseIp } from '../../../schema/ip.ts';
import {
  blockErrors,
  label,
  nameErrors,
  needed,
  neededName,
  oneOf,
  optionalName,
  parseBlock,
  portErrors,
  portNameProblems,
  portNumber,
  selectorErrors,
  subdomain,
} from './fields.ts';

export function ingressErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors: FieldError[] = [];
  const rules = list(spec, 'rules');
  list(spec, 'tls').forEach((tls, index) => {
    texts(tls, 'hosts').forEach((host, position) =>
      errors.push(...hostErrors(host, `spec.tls[${index}].hosts[${position}]`)),
    );
    errors.push(...optionalName(subdomain, tls, `spec.tls[${index}]`, 'secretName'));
  });
  const backend = spec['defaultBackend'];
  if (rules.length === 0 && !isObject(backend))
    errors.push(invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified'));
  if (isObject(backend)) errors.push(...backendErrors(backend, 'spec.defaultBackend'));
  rules.forEach((rule, index) => errors.push(...ruleErrors(rule, `spec.rules[${index}]`)));
  const chosen = spec['ingressClassName'];
  if (typeof chosen === 'string') errors.push(...nameErrors(subdomain, chosen, 'spec.ingressClassName'));
  return errors;
}

const classAnnotation = 'kubernetes.io/ingress.class';

export function newIngressErrors(value: JsonObject): FieldError[] {
  const annotated = text(value, 'metadata', 'annotations', classAnnotation);
  const name = text(value, 'spec', 'ingressClassName');
  return annotated !== '' && name !== '' && annotated !== name
    ? [
        invalidValue(
          `annotations.${classAnnotation}`,
          annotated,
          'must match `ingressClassName` when both are specified',
        ),
      ]
    : [];
}

function hostErrors(host: string, place: string): FieldError[] {
  if (!host.includes('*')) return nameErrors(subdomain, host, place);
  return /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(host)
    ? []
    : [
        invalidValue(
          place,
          host,
          "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ),
      ];
}

function ruleErrors(rule: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const host = text(rule, 'host');
  if (host !== '') {
    if (parseIp(host) !== undefined)
      errors.push(invalidValue(`${path}.host`, host, 'must be a DNS name, not an IP address'));
    else errors.push(...hostErrors(host, `${path}.host`));
  }
  const http = at(rule, 'http');
  if (!isObject(http)) return errors;
  const paths = list(http, 'paths');
  if (paths.length === 0) errors.push(required(`${path}.http.paths`));
  paths.forEach((entry, index) => errors.push(...pathErrors(entry, `${path}.http.paths[${index}]`)));
  return errors;
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function pathErrors(entry: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = text(entry, 'pathType');
  const value = text(entry, 'path');
  const place = `${path}.path`;
  if ((at(entry, 'pathType') ?? undefined) === undefined)
    return [required(`${path}.pathType`, 'pathType must be specified')];
  if (type === 'Exact' || type === 'Prefix') {
    if (!value.startsWith('/')) errors.push(invalidValue(place, value, 'must be an absolute path'));
    else {
      for (const sequence of ['//', '/./', '/../', '%2f', '%2F'])
        if (value.includes(sequence)) errors.push(invalidValue(place, value, `must not contain '${sequence}'`));
      for (const suffix of ['/..', '/.'])
        if (value.endsWith(suffix)) errors.push(invalidValue(place, value, `cannot end with '${suffix}'`));
    }
  } else if (type === 'ImplementationSpecific') {
    if (value !== '' && !value.startsWith('/')) errors.push(invalidValue(place, value, 'must be an absolute path'));
  } else errors.push(notSupported(`${path}.pathType`, type, pathTypes));
  errors.push(...backendErrors(object(entry, 'backend'), `${path}.backend`));
  return errors;
}

function backendErrors(backend: JsonObject, path: string): FieldError[] {
  const resource = isObject(backend['resource']);
  const service = isObject(backend['service']);
  if (resource && service) return [invalidValue(path, '', 'cannot set both resource and service backends')];
  if (resource) {
    const group = at(backend['resource'], 'apiGroup');
    return [
      ...needed(backend['resource'], `${path}.resource`, 'kind', 'name'),
      ...(typeof group === 'string' ? nameErrors(subdomain, group, `${path}.resource.apiGroup`) : []),
    ];
  }
  if (!service) return [invalidValue(path, '', 'resource or service backend is required')];
  const errors: FieldError[] = neededName(label, backend['service'], `${path}.service`, 'name');
  const name = text(backend, 'service', 'port', 'name');
  const number = numeric(at(backend, 'service', 'port', 'number')) ?? 0;
  if (name !== '' && number !== 0) errors.push(invalidValue(path, '', 'cannot set both port name & port number'));
  else if (name !== '')
    errors.push(...portNameProblems(name).map((problem) => invalidValue(`${path}.service.port.name`, name, problem)));
  else if (number !== 0) errors.push(...portNumber(number, `${path}.service.port.number`));
  else errors.push(required(path, 'port name or number is required'));
  return errors;
}

const protocols = ['TCP', 'UDP', 'SCTP'];

export function networkPolicyErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const errors = selectorErrors(spec, 'spec', 'podSelector');
  for (const [direction, side] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    list(spec, direction).forEach((rule, index) => {
      const place = `spec.${direction}[${index}]`;
      list(rule, 'ports').forEach((port, position) =>
        errors.push(...policyPortErrors(port, `${place}.ports[${position}]`)),
      );
      list(rule, side).forEach((peer, position) => errors.push(...peerErrors(peer, `${place}.${side}[${position}]`)));
    });
  }
  const types = texts(spec, 'policyTypes');
  const known = ['Ingress', 'Egress'];
  if (types.length > 2)
    return [...errors, invalidValue('spec.policyTypes', [...types], 'may not specify more than two policyTypes')];
  types.forEach((type, index) => {
    if (!known.includes(type)) errors.push(notSupported(`spec.policyTypes[${index}]`, type, known));
  });
  return errors;
}

function policyPortErrors(port: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  errors.push(...oneOf(port, path, 'protocol', protocols));
  const value = at(port, 'port');
  const end = numeric(at(port, 'endPort'));
  if (value !== undefined && value !== null) errors.push(...portErrors(value, `${path}.port`));
  if (end === undefined) return errors;
  const place = `${path}.endPort`;
  const number = numeric(value);
  if (value === undefined || value === null)
    errors.push(invalidValue(place, end, 'may not be specified when `port` is not specified'));
  else if (number === undefined)
    errors.push(invalidValue(place, end, 'may not be specified when `port` is non-numeric'));
  else {
    if (end < number) errors.push(invalidValue(place, end, 'must be greater than or equal to `port`'));
    errors.push(...portNumber(end, place));
  }
  return errors;
}

function peerErrors(peer: Json, path: string): FieldError[] {
  const present = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((name) => isObject(at(peer, name)));
  const errors = [...selectorErrors(peer, path, 'podSelector'), ...selectorErrors(peer, path, 'namespaceSelector')];
  if (present.includes('ipBlock')) errors.push(...ipBlockErrors(object(peer, 'ipBlock'), `${path}.ipBlock`));
  if (present.length === 0) errors.push(required(path, 'must specify a peer'));
  else if (present.length > 1 && present.includes('ipBlock'))
    errors.push(forbiddenField(path, 'may not specify both ipBlock and another peer'));
  return errors;
}

function ipBlockErrors(block: JsonObject, path: string): FieldError[] {
  const cidr = text(block, 'cidr');
  if (cidr === '') return [required(`${path}.cidr`)];
  const wrong = blockErrors(cidr, `${path}.cidr`);
  if (wrong.length > 0) return wrong;
  return texts(block, 'except').flatMap((exception, index) => {
    const place = `${path}.except[${index}]`;
    const errors = blockErrors(exception, place);
    if (errors.length === 0 && !isInside(exception, cidr))
      errors.push(invalidValue(place, exception, 'must be a strict subset of `cidr`'));
    return errors;
  });
}

/** Whether a block lies in another one and is smaller. */
function isInside(inner: string, outer: string): boolean {
  const small = parseBlock(inner);
  const large = parseBlock(outer);
  if (small === undefined || large === undefined || small.bytes.length !== large.bytes.length) return false;
  if (small.bits <= large.bits) return false;
  const offset = small.bytes.length === 16 && !outer.includes(':') ? 96 : 0;
  return Array.from({ length: large.bits }).every((_, index) => {
    const bit = index + offset;
    const mask = 0x80 >> (bit % 8);
    return ((small.bytes[bit >> 3] ?? 0) & mask) === ((large.bytes[bit >> 3] ?? 0) & mask);
  });
}
