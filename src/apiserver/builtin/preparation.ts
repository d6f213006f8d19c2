import { child, equal, jsonObject, list, object, text, type JsonObject, type MutableObject } from '../json.ts';
import type { Store } from '../storage/store.ts';
import { fill, items, preparePod } from './pod-defaults.ts';

/** Addresses and ports that services get. */
export interface ServiceAllocator {
  address(): string;
  nodePort(): number;
}

/** Gives out what is next and no service has: nothing routes to it, so nothing is ever given back. */
export function createServiceAllocator(store: Store): ServiceAllocator {
  let address = 1;
  let port = 30_000;
  const services = (): readonly JsonObject[] => store.collection('services').list();
  const taken = (candidate: string): boolean =>
    services().some((service) => text(service, 'spec', 'clusterIP') === candidate);
  const takenPort = (candidate: number): boolean =>
    services().some((service) =>
      list(service, 'spec', 'ports').some((found) => object(found)['nodePort'] === candidate),
    );
  return {
    address() {
      let candidate: string;
      do {
        address++;
        candidate = `10.${(address >>> 16) & 0xff}.${(address >>> 8) & 0xff}.${address & 0xff}`;
      } while (taken(candidate));
      return candidate;
    },
    nodePort() {
      while (takenPort(port)) port++;
      return port++;
    },
  };
}

/** What the real server fills in when an object is made, after it noted who set what. */
export function prepareNew(qualifiedResource: string, value: MutableObject, services: ServiceAllocator): void {
  if (qualifiedResource === 'pods') preparePod(value);
  else if (qualifiedResource === 'services') prepareService(value, services);
  else if (qualifiedResource === 'jobs.batch') prepareJob(value);
}

function prepareService(value: MutableObject, services: ServiceAllocator): void {
  const spec = child(value, 'spec');
  const type = text(spec, 'type');
  if (type === 'ExternalName') return;
  fill(spec, { clusterIP: services.address(), ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  fill(spec, { clusterIPs: [spec['clusterIP'] ?? ''] });
  if (type !== 'NodePort' && type !== 'LoadBalancer') return;
  for (const port of items(spec, 'ports'))
    if (port['nodePort'] === undefined || port['nodePort'] === 0) port['nodePort'] = services.nodePort();
}

/** A job finds its pods by its own uid unless it says otherwise. */
function prepareJob(value: MutableObject): void {
  const spec = child(value, 'spec');
  if (spec['manualSelector'] === true) return;
  const uid = text(value, 'metadata', 'uid');
  const name = text(value, 'metadata', 'name');
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const template = child(child(spec, 'template'), 'metadata');
  Object.assign(child(template, 'labels'), labels);
  Object.assign(child(child(value, 'metadata'), 'labels'), labels);
  spec['selector'] = jsonObject([['matchLabels', jsonObject([['batch.kubernetes.io/controller-uid', uid]])]]);
}

const templateGeneration = 'deprecated.daemonset.template.generation';

/** What stays with an object whatever an update says. */
export function prepareChanged(qualifiedResource: string, value: MutableObject, old: JsonObject): void {
  if (qualifiedResource === 'services') {
    const spec = child(value, 'spec');
    const before = object(old, 'spec');
    // What was given out stays when an update leaves it out.
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
      if (spec[name] === undefined && before[name] !== undefined) spec[name] = before[name];
    items(spec, 'ports').forEach((port, index) => {
      const known = object(list(before, 'ports')[index])['nodePort'];
      if (port['nodePort'] === undefined && known !== undefined && text(spec, 'type') !== 'ClusterIP')
        port['nodePort'] = known;
    });
  } else if (qualifiedResource === 'daemonsets.apps') {
    const before = Number(text(old, 'metadata', 'annotations', templateGeneration) || '1');
    const changed = !equal(object(value, 'spec')['template'], object(old, 'spec')['template']);
    child(child(value, 'metadata'), 'annotations')[templateGeneration] = String(changed ? before + 1 : before);
  }
}
