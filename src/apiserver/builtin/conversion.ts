import {
  at,
  jsonObject,
  list,
  member,
  object,
  shallow,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';

/** How the second form of a resource that is served in two groups or versions is kept: in the form of the first. */
export interface Conversion {
  toStorage(object: JsonObject): JsonObject;
  fromStorage(object: JsonObject): JsonObject;
}

/** Members that two forms name differently: `[name in the second, name in the stored form]`. */
const eventNames: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reportingController', 'reportingComponent'],
];

function renamed(value: JsonObject, names: ReadonlyMap<string, string>, apiVersion: string): MutableObject {
  const result = jsonObject();
  for (const [name, inner] of Object.entries(value)) result[names.get(name) ?? name] = inner;
  result['apiVersion'] = apiVersion;
  return result;
}

const toCoreEvent = new Map(eventNames);
const fromCoreEvent = new Map(eventNames.map(([second, stored]) => [stored, second]));

const events: Conversion = {
  toStorage: (value) => renamed(value, toCoreEvent, 'v1'),
  fromStorage(value) {
    const result = renamed(value, fromCoreEvent, 'events.k8s.io/v1');
    for (const name of ['reportingController', 'reportingInstance']) if (result[name] === '') delete result[name];
    return result;
  },
};

/** autoscaling/v1 knows one metric, the average use of CPU; the others go into an annotation, as in the real server. */
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';

const autoscalers: Conversion = {
  toStorage(value) {
    const result = shallow(value);
    const spec = shallow(result['spec']);
    const target = spec['targetCPUUtilizationPercentage'];
    delete spec['targetCPUUtilizationPercentage'];
    if (target !== undefined) {
      spec['metrics'] = [
        jsonObject([
          ['type', 'Resource'],
          [
            'resource',
            jsonObject([
              ['name', 'cpu'],
              [
                'target',
                jsonObject([
                  ['type', 'Utilization'],
                  ['averageUtilization', target],
                ]),
              ],
            ]),
          ],
        ]),
      ];
    }
    result['spec'] = spec;
    const status = shallow(result['status']);
    delete status['currentCPUUtilizationPercentage'];
    if (Object.keys(status).length > 0) result['status'] = status;
    result['apiVersion'] = 'autoscaling/v2';
    return result;
  },
  fromStorage(value) {
    const result = shallow(value);
    const spec = shallow(result['spec']);
    const metrics = list(spec, 'metrics');
    const isCpu = (metric: Json): boolean =>
      at(metric, 'resource', 'name') === 'cpu' && at(metric, 'resource', 'target', 'averageUtilization') !== undefined;
    const cpu = metrics.find(isCpu);
    const others = metrics.filter((metric) => metric !== cpu);
    delete spec['metrics'];
    if (cpu !== undefined)
      spec['targetCPUUtilizationPercentage'] = at(cpu, 'resource', 'target', 'averageUtilization') ?? null;
    if (others.length > 0) {
      const metadata = shallow(object(result, 'metadata'));
      const annotations = shallow(member(metadata, 'annotations'));
      annotations[metricsAnnotation] = JSON.stringify(others);
      metadata['annotations'] = annotations;
      result['metadata'] = metadata;
    }
    delete spec['behavior'];
    result['spec'] = spec;
    const status = shallow(result['status']);
    delete status['conditions'];
    delete status['currentMetrics'];
    status['currentReplicas'] ??= 0;
    result['status'] = status;
    result['apiVersion'] = 'autoscaling/v1';
    return result;
  },
};

/** The storage of a resource, and how its form becomes the stored one where they differ. */
export function conversionOf(
  group: string,
  version: string,
  resource: string,
): { readonly storage: string; readonly conversion?: Conversion } {
  if (group === 'events.k8s.io' && resource === 'events') return { storage: 'events', conversion: events };
  if (group === 'autoscaling' && version === 'v1' && resource === 'horizontalpodautoscalers') {
    return { storage: 'horizontalpodautoscalers.autoscaling', conversion: autoscalers };
  }
  return { storage: group === '' ? resource : `${resource}.${group}` };
}
