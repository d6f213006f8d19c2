import { isObject, list, numeric, object, shallow, text, type JsonObject, type MutableObject } from '../json.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../objects/admission.ts';
import { forbidden } from '../status.ts';
import type { Store } from '../storage/store.ts';

/** What every cluster makes of the classes that a new pod names: its priority, and what its runtime needs. */
export function podClasses(store: Store): AdmissionPlugin {
  const find = (storage: string, name: string): JsonObject | undefined =>
    store.collection(storage).get({ namespace: '', name });
  return {
    name: 'PodClasses',
    admit(request) {
      const { object: pod, operation, resource, subresource } = request;
      if (operation !== 'CREATE' || subresource !== '' || pod === undefined || resource.storage !== 'pods') return;
      const spec = shallow(pod['spec']);
      prioritize(spec, request, store);
      const runtime = text(spec, 'runtimeClassName');
      if (runtime !== '') {
        const found = find('runtimeclasses.node.k8s.io', runtime);
        if (found === undefined) throw forbid(request, `pod rejected: RuntimeClass "${runtime}" not found`);
        runOn(spec, found);
      }
      if (runtime === '' && spec['overhead'] !== undefined) {
        throw forbid(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
      }
      pod['spec'] = spec;
    },
  };
}

function forbid({ resource, name }: AdmissionRequest, why: string): Error {
  return forbidden(resource, name, why);
}

function prioritize(spec: MutableObject, request: AdmissionRequest, store: Store): void {
  const classes = store.collection('priorityclasses.scheduling.k8s.io');
  let name = text(spec, 'priorityClassName');
  if (name === '') {
    // Of several defaults the least important one.
    const [standard] = classes
      .list()
      .filter((found) => found['globalDefault'] === true)
      .sort((left, right) => (numeric(left['value']) ?? 0) - (numeric(right['value']) ?? 0));
    name = text(standard, 'metadata', 'name');
    if (name !== '') spec['priorityClassName'] = name;
  }
  const found = name === '' ? undefined : classes.get({ namespace: '', name });
  if (name !== '' && found === undefined) throw forbid(request, `no PriorityClass with name ${name} was found`);
  const priority = numeric(found?.['value']) ?? 0;
  const policy = text(found, 'preemptionPolicy') || 'PreemptLowerPriority';
  const given = numeric(spec['priority']);
  const computed = 'must not be provided in pod spec; priority admission controller computed';
  if (given !== undefined && given !== priority) {
    throw forbid(
      request,
      `the integer value of priority (${given}) ${computed} ${priority} from the given PriorityClass name`,
    );
  }
  const givenPolicy = spec['preemptionPolicy'];
  if (typeof givenPolicy === 'string' && givenPolicy !== policy) {
    throw forbid(
      request,
      `the string value of PreemptionPolicy (${givenPolicy}) ${computed} ${policy} from the given PriorityClass name`,
    );
  }
  spec['priority'] = priority;
  spec['preemptionPolicy'] = policy;
}

function runOn(spec: MutableObject, runtime: JsonObject): void {
  const overhead = object(runtime, 'overhead')['podFixed'];
  if (isObject(overhead)) spec['overhead'] = overhead;
  const selector = object(runtime, 'scheduling', 'nodeSelector');
  if (Object.keys(selector).length > 0) spec['nodeSelector'] = Object.assign(shallow(spec['nodeSelector']), selector);
  const tolerations = list(runtime, 'scheduling', 'tolerations');
  if (tolerations.length > 0) spec['tolerations'] = [...list(spec, 'tolerations'), ...tolerations];
}
