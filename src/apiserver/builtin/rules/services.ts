import { duplicate, forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, equal, list, numeric, object, text, texts, type Json, type JsonObject } from '../../json.ts';
import { validateLabels } from '../../objects/metadata.ts';
import {
  addressErrors,
  blockErrors,
  goStruct,
  label,
  nameErrors,
  oneOf,
  portErrors,
  portNumber,
  qualifiedNameErrors,
  subdomain,
} from './fields.ts';
import { parseIp } from '../../../schema/ip.ts';

/** The first three numbers of the addresses that Services get. */
export const serviceRange = '10.0.0.0/24';
const onlyBalancers = "may only be used when `type` is 'LoadBalancer'";
const protocols = ['SCTP', 'TCP', 'UDP'];

/** What a Service says. */
export function serviceErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  const type = text(spec, 'type');
  const errors: FieldError[] = [];
  const headless = text(spec, 'clusterIP') === 'None';
  const ports = list(spec, 'ports');
  if (ports.length === 0 && !headless && type !== 'ExternalName') errors.push(required('spec.ports'));
  const external = text(spec, 'externalName');
  if (type === 'ExternalName') {
    if (external === '') errors.push(required('spec.externalName'));
    else errors.push(...nameErrors(subdomain, external.replace(/\.$/, ''), 'spec.externalName'));
  }
  if ((type === 'NodePort' || type === 'LoadBalancer') && headless) {
    errors.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
  }
  errors.push(...portsErrors(ports, type));
  errors.push(...validateLabels(object(spec, 'selector'), 'spec.selector'));
  errors.push(...oneOf(spec, 'spec', 'sessionAffinity', ['ClientIP', 'None']));
  if (text(spec, 'sessionAffinity') === 'ClientIP') {
    const seconds = numeric(at(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds')) ?? 1;
    if (seconds <= 0 || seconds > 86_400) {
      errors.push(
        invalidValue(
          'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
          seconds,
          'must be greater than 0 and less than 86400',
        ),
      );
    }
  }
  errors.push(...externalErrors(spec, type));
  errors.push(...balancerErrors(spec, type));
  errors.push(...addressesErrors(spec, type));
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  const distribution = spec['trafficDistribution'];
  if (typeof distribution === 'string' && !distributions.includes(distribution))
    errors.push(notSupported('spec.trafficDistribution', distribution, distributions));
  return errors;
}

function portsErrors(ports: readonly Json[], type: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const used = new Set<string>();
  const nodePorts = new Set<string>();
  ports.forEach((port, index) => {
    const place = `spec.ports[${index}]`;
    const name = text(port, 'name');
    if (name === '') {
      if (ports.length > 1) errors.push(required(`${place}.name`));
    } else {
      errors.push(...nameErrors(label, name, `${place}.name`));
      if (names.has(name)) errors.push(duplicate(`${place}.name`, name));
      names.add(name);
    }
    const number = numeric(at(port, 'port')) ?? 0;
    errors.push(...portNumber(number, `${place}.port`));
    const protocol = text(port, 'protocol');
    if (protocol === '') errors.push(required(`${place}.protocol`));
    else errors.push(...oneOf(port, place, 'protocol', protocols));
    errors.push(...portErrors(at(port, 'targetPort'), `${place}.targetPort`));
    const application = at(port, 'appProtocol');
    if (typeof application === 'string') errors.push(...qualifiedNameErrors(application, `${place}.appProtocol`));
    const key = `${protocol}/${number}`;
    if (used.has(key)) {
      const shown = goStruct([
        ['Name', ''],
        ['Protocol', protocol],
        ['AppProtocol', undefined],
        ['Port', number],
        ['TargetPort', 0],
        ['NodePort', 0],
      ]);
      errors.push({ type: 'FieldValueDuplicate', field: place, message: `Duplicate value: ${shown}` });
    }
    used.add(key);
    const nodePort = numeric(at(port, 'nodePort')) ?? 0;
    if (nodePort === 0) return;
    if (type === 'ClusterIP' || type === 'ExternalName')
      errors.push(forbiddenField(`${place}.nodePort`, `may not be used when \`type\` is '${type}'`));
    else if (nodePorts.has(`${protocol}/${nodePort}`)) errors.push(duplicate(`${place}.nodePort`, nodePort));
    nodePorts.add(`${protocol}/${nodePort}`);
  });
  return errors;
}

function externalErrors(spec: JsonObject, type: string): FieldError[] {
  const errors: FieldError[] = [];
  texts(spec, 'externalIPs').forEach((address, index) => {
    const place = `spec.externalIPs[${index}]`;
    const wrong = addressErrors(address, place);
    errors.push(...wrong);
    if (wrong.length === 0) errors.push(...specialAddressErrors(address, place));
  });
  const reachable =
    type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && texts(spec, 'externalIPs').length > 0);
  const policies = ['Cluster', 'Local'];
  const policy = text(spec, 'externalTrafficPolicy');
  if (policy !== '') {
    if (!reachable) {
      errors.push(
        invalidValue('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services'),
      );
    } else if (!policies.includes(policy)) errors.push(notSupported('spec.externalTrafficPolicy', policy, policies));
  }
  errors.push(...oneOf(spec, 'spec', 'internalTrafficPolicy', policies));
  const health = numeric(spec['healthCheckNodePort']) ?? 0;
  if (health !== 0 && !(type === 'LoadBalancer' && policy === 'Local')) {
    errors.push(
      invalidValue(
        'spec.healthCheckNodePort',
        health,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    );
  }
  return errors;
}

function specialAddressErrors(address: string, place: string): FieldError[] {
  const bytes = parseIp(address, { sloppy: true }) ?? [];
  const [first = 0, second = 0] = bytes.length === 16 ? bytes.slice(12) : bytes;
  const small = address.includes(':');
  const refused = (detail: string): FieldError[] => [invalidValue(place, address, detail)];
  if (small ? /^(0*:)*:?0*$/.test(address) : bytes.slice(-4).every((byte) => byte === 0))
    return refused(`may not be unspecified (${small ? '::' : '0.0.0.0'})`);
  if (small ? address === '::1' : first === 127)
    return refused('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (small ? /^fe[89ab]/i.test(address) : first === 169 && second === 254)
    return refused('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  return !small && first === 224 && second === 0
    ? refused('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')
    : [];
}

function balancerErrors(spec: JsonObject, type: string): FieldError[] {
  const errors: FieldError[] = [];
  const balancer = type === 'LoadBalancer';
  const ranges = texts(spec, 'loadBalancerSourceRanges');
  if (ranges.length > 0) {
    if (!balancer) errors.push(forbiddenField('spec.LoadBalancerSourceRanges', onlyBalancers));
    ranges.forEach((range, index) =>
      errors.push(...blockErrors(range.trim(), `spec.LoadBalancerSourceRanges[${index}]`)),
    );
  }
  if (spec['loadBalancerClass'] !== undefined) {
    if (!balancer) errors.push(forbiddenField('spec.loadBalancerClass', onlyBalancers));
    else errors.push(...qualifiedNameErrors(text(spec, 'loadBalancerClass'), 'spec.loadBalancerClass'));
  }
  if (spec['allocateLoadBalancerNodePorts'] !== undefined && !balancer)
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', onlyBalancers));
  return errors;
}

function addressesErrors(spec: JsonObject, type: string): FieldError[] {
  const errors: FieldError[] = [];
  const addresses = texts(spec, 'clusterIPs');
  const first = text(spec, 'clusterIP');
  if (type === 'ExternalName') {
    for (const name of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
      if (isArrayOrText(spec[name]))
        errors.push(forbiddenField(`spec.${name}`, 'may not be set for ExternalName services'));
    return errors;
  }
  if (addresses.length > 0 && first === '')
    errors.push(invalidValue('spec.clusterIPs', [...addresses], 'must be empty when `clusterIP` is not specified'));
  else if (addresses.length > 0 && addresses[0] !== first)
    errors.push(invalidValue('spec.clusterIPs', [...addresses], 'first value must match `clusterIP`'));
  const families = texts(spec, 'ipFamilies');
  families.forEach((family, index) => {
    const place = `spec.ipFamilies[${index}]`;
    if (family !== 'IPv4' && family !== 'IPv6') errors.push(notSupported(place, family, ['IPv4', 'IPv6']));
    else if (families.indexOf(family) < index) errors.push(duplicate(place, family));
  });
  errors.push(...oneOf(spec, 'spec', 'ipFamilyPolicy', ['PreferDualStack', 'RequireDualStack', 'SingleStack']));
  addresses.forEach((address, index) => {
    if (address === 'None') return;
    const place = `spec.clusterIPs[${index}]`;
    const wrong = addressErrors(address, place);
    errors.push(...wrong);
    const family = families[index];
    const found = address.includes(':') ? 'IPv6' : 'IPv4';
    if (wrong.length === 0 && (family === 'IPv4' || family === 'IPv6') && family !== found)
      errors.push(invalidValue(place, address, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``));
  });
  return errors;
}

function isArrayOrText(value: Json | undefined): boolean {
  return typeof value === 'string' ? value !== '' : Array.isArray(value) && value.length > 0;
}

/** What this cluster cannot give: it has IPv4 only. */
export function newServiceErrors(value: JsonObject): FieldError[] {
  const spec = object(value, 'spec');
  if (text(spec, 'type') === 'ExternalName') return [];
  const headless = text(spec, 'clusterIP') === 'None';
  const withoutSelector = Object.keys(object(spec, 'selector')).length === 0;
  // Of headless Services without a selector others keep the addresses.
  if (headless && withoutSelector) return [];
  if (texts(spec, 'ipFamilies').length < 2 && text(spec, 'ipFamilyPolicy') === 'RequireDualStack') {
    return [
      invalidValue('spec.ipFamilyPolicy', 'RequireDualStack', 'this cluster is not configured for dual-stack services'),
    ];
  }
  return texts(spec, 'ipFamilies').flatMap((family, index) =>
    family === 'IPv6' && text(spec, 'clusterIP') === ''
      ? [invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')]
      : [],
  );
}

/** What is given out stays, and what routes traffic does not change under way. */
export function serviceUpdateErrors(value: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const spec = object(value, 'spec');
  const before = object(old, 'spec');
  const type = text(spec, 'type');
  const was = text(before, 'clusterIP');
  if (
    type !== 'ExternalName' &&
    text(before, 'type') !== 'ExternalName' &&
    was !== '' &&
    text(spec, 'clusterIP') !== was &&
    // What is no address is told of as that.
    (text(spec, 'clusterIP') === 'None' || addressErrors(text(spec, 'clusterIP') || was, '').length === 0)
  ) {
    errors.push(invalidValue('spec.clusterIPs[0]', [...texts(spec, 'clusterIPs')], 'may not change once set'));
  }
  if (
    type === 'LoadBalancer' &&
    text(before, 'type') === 'LoadBalancer' &&
    !equal(spec['loadBalancerClass'], before['loadBalancerClass'])
  )
    errors.push(invalidValue('spec.loadBalancerClass', spec['loadBalancerClass'], 'may not change once set'));
  return errors;
}

export function serviceStatusErrors(value: JsonObject): FieldError[] {
  return text(value, 'spec', 'type') !== 'LoadBalancer' && list(value, 'status', 'loadBalancer', 'ingress').length > 0
    ? [forbiddenField('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")]
    : [];
}

export function serviceWarnings(value: JsonObject): string[] {
  const spec = object(value, 'spec');
  const external = text(spec, 'type') === 'ExternalName';
  const headless = text(spec, 'clusterIP') === 'None';
  const addresses = list(spec, 'externalIPs').length > 0;
  const when = (condition: boolean, warning: string): string[] => (condition ? [warning] : []);
  return [
    ...when(headless && text(spec, 'loadBalancerIP') !== '', 'spec.loadBalancerIP is ignored for headless services'),
    ...when(headless && addresses, 'spec.externalIPs is ignored for headless services'),
    ...when(
      headless && text(spec, 'sessionAffinity') !== 'None',
      'spec.SessionAffinity is ignored for headless services',
    ),
    ...when(
      addresses && !headless && !external,
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ),
    ...when(external && addresses, 'spec.externalIPs is ignored when spec.type is "ExternalName"'),
    ...when(
      !external && text(spec, 'externalName') !== '',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ),
    ...(text(value, 'spec', 'trafficDistribution') === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
