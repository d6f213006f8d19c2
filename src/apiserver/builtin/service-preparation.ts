import { invalidValue, type FieldError } from '../field-error.ts';
import {
  child,
  equal,
  isArray,
  list,
  numeric,
  object,
  text,
  texts,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import { parseIp } from '../../schema/ip.ts';
import { fill, fillPointers, items } from './pod-defaults.ts';
import type { ServiceAllocator } from './service-allocator.ts';

/** What the real server gives to Services: addresses, families and ports, and what it takes back when their type changes. */

/** All addresses that Services can have. */
const addresses = '10.0.0.0/8';

const hasAddress = (spec: JsonObject): boolean => text(spec, 'type') !== 'ExternalName';
const hasNodePorts = (spec: JsonObject): boolean => ['NodePort', 'LoadBalancer'].includes(text(spec, 'type'));

export function prepareService(value: MutableObject, services: ServiceAllocator): void {
  const spec = child(value, 'spec');
  const asked = text(spec, 'clusterIP');
  if (asked !== '') fill(spec, { clusterIPs: [asked] });
  allocate(spec, services);
}

function allocate(spec: MutableObject, services: ServiceAllocator): void {
  if (!hasAddress(spec)) return;
  // What contradicts itself is left for the validation to refuse.
  if (texts(spec, 'clusterIPs').length > 0 && text(spec, 'clusterIP') === '') return;
  const headless = text(spec, 'clusterIP') === 'None';
  if (headless && Object.keys(object(spec, 'selector')).length === 0) {
    fillPointers(spec, { ipFamilyPolicy: 'RequireDualStack' });
    const [first = 'IPv4'] = texts(spec, 'ipFamilies');
    if (text(spec, 'ipFamilyPolicy') === 'SingleStack') fill(spec, { ipFamilies: [first] });
    else spec['ipFamilies'] = [first, first === 'IPv4' ? 'IPv6' : 'IPv4'];
  }
  const families = texts(spec, 'ipFamilies');
  fillPointers(spec, { ipFamilyPolicy: 'SingleStack' });
  if (families.length === 0) spec['ipFamilies'] = ['IPv4'];
  if (families.includes('IPv6') && !headless) return;
  fill(spec, { clusterIP: headless ? 'None' : services.address() });
  fill(spec, { clusterIPs: [spec['clusterIP'] ?? ''] });
  if (!hasNodePorts(spec) || spec['allocateLoadBalancerNodePorts'] === false) return;
  const given: number[] = [];
  for (const port of items(spec, 'ports')) {
    if ((numeric(port['nodePort']) ?? 0) === 0) port['nodePort'] = services.nodePort(given);
    given.push(numeric(port['nodePort']) ?? 0);
  }
}

/** What an update leaves out stays, and what belongs to the old type only goes unless the update sets it anew. */
export function prepareChangedService(value: MutableObject, old: JsonObject, services: ServiceAllocator): void {
  const spec = child(value, 'spec');
  const before = object(old, 'spec');
  const was = text(before, 'clusterIP');
  const now = text(spec, 'clusterIP');
  if (now !== was && equal(spec['clusterIPs'], before['clusterIPs'])) {
    if (now === '') delete spec['clusterIPs'];
    else spec['clusterIPs'] = [now];
  } else if (now === was && !equal(spec['clusterIPs'], before['clusterIPs']) && texts(spec, 'clusterIPs').length === 0)
    delete spec['clusterIPs'];
  if (hasAddress(spec) && hasAddress(before)) keepAddresses(spec, before);
  const allocates = spec['allocateLoadBalancerNodePorts'] !== false;
  if (hasNodePorts(spec) && hasNodePorts(before) && allocates) keepPorts(spec, before);
  dropOfOldType(spec, before);
  allocate(spec, services);
}

function keepAddresses(spec: MutableObject, before: JsonObject): void {
  if (text(spec, 'clusterIP') === '') {
    delete spec['clusterIP'];
    if (texts(spec, 'clusterIPs').length === 0) delete spec['clusterIPs'];
  }
  const other = text(spec, 'clusterIP');
  if (other !== '' && other !== text(before, 'clusterIP') && texts(spec, 'clusterIPs').length === 0)
    spec['clusterIPs'] = [other];
  for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
    if (spec[name] === undefined && before[name] !== undefined) spec[name] = before[name];
}

function keepPorts(spec: MutableObject, before: JsonObject): void {
  const known = new Map(
    list(before, 'ports').map((port) => [portKey(object(port)), numeric(object(port)['nodePort']) ?? 0] as const),
  );
  const used = new Set(list(spec, 'ports').map((port) => numeric(object(port)['nodePort']) ?? 0));
  for (const port of items(spec, 'ports')) {
    const kept = known.get(portKey(port)) ?? 0;
    if ((numeric(port['nodePort']) ?? 0) !== 0 || kept === 0 || used.has(kept)) continue;
    port['nodePort'] = kept;
    used.add(kept);
  }
}

const portKey = (port: JsonObject): string => `${text(port, 'protocol')}/${numeric(port['port'])}`;

function dropOfOldType(spec: MutableObject, before: JsonObject): void {
  const drop = (...names: readonly string[]): void => {
    for (const name of names) if (equal(spec[name], before[name])) delete spec[name];
  };
  if (hasAddress(before) && !hasAddress(spec)) {
    // An address that was not changed goes with its list, whichever of the two the update left.
    if (text(spec, 'clusterIP') === '' || equal(spec['clusterIP'], before['clusterIP'])) {
      delete spec['clusterIP'];
      delete spec['clusterIPs'];
    }
    drop('ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy');
  }
  if (hasNodePorts(before) && !hasNodePorts(spec)) {
    const ports = list(before, 'ports').map((port) => numeric(object(port)['nodePort']) ?? 0);
    for (const port of items(spec, 'ports')) {
      if (ports.includes(numeric(port['nodePort']) ?? 0)) delete port['nodePort'];
    }
    if (text(spec, 'type') !== 'ClusterIP' || texts(spec, 'externalIPs').length === 0) drop('externalTrafficPolicy');
  }
  if (text(before, 'type') === 'LoadBalancer' && text(spec, 'type') !== 'LoadBalancer')
    drop('allocateLoadBalancerNodePorts', 'loadBalancerClass', 'healthCheckNodePort');
}

/** Addresses and ports that cannot be given, because they are not among those of the cluster or others have them. */
export function allocationErrors(
  value: JsonObject,
  old: JsonObject | undefined,
  services: ServiceAllocator,
): FieldError[] {
  const spec = object(value, 'spec');
  const before = object(old, 'spec');
  if (!hasAddress(spec)) return [];
  const errors: FieldError[] = [];
  const address = text(spec, 'clusterIP');
  const problem =
    address === 'None' || address === '' || address === text(before, 'clusterIP')
      ? undefined
      : parseIp(address)?.at(-4) !== 10
        ? `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is ${addresses}`
        : services.isTaken(address)
          ? `failed to allocate IP ${address}: provided IP is already allocated`
          : undefined;
  if (problem !== undefined && isArray(spec['clusterIPs']))
    errors.push(invalidValue('spec.clusterIPs', [...texts(spec, 'clusterIPs')], problem));
  const own = new Set(list(before, 'ports').map((port) => numeric(object(port)['nodePort']) ?? 0));
  list(spec, 'ports').forEach((port, index) => {
    const number = numeric(object(port)['nodePort']) ?? 0;
    if (number === 0 || own.has(number)) return;
    const place = `spec.ports[${index}].nodePort`;
    if (!services.isPort(number)) {
      errors.push(
        invalidValue(place, number, 'provided port is not in the valid range. The range of valid ports is 30000-32767'),
      );
    } else if (services.isPortTaken(number))
      errors.push(invalidValue(place, number, 'provided port is already allocated'));
  });
  return errors;
}
