import { type Json, type JsonObject, jsonObject } from '../model/index.ts';
import { isList, isObject, member } from './json.ts';

/**
 * A definition with the server's defaults: singular and list kind from the kind, conversion `None`, port 443 of a webhook's service,
 * and the storage version in `status.storedVersions` when none is there. What is malformed is left as it is.
 */
export function defaultDefinition(definition: JsonObject): JsonObject {
  const spec = member(definition, 'spec');
  const status = member(definition, 'status');
  const result = jsonObject(Object.entries(definition));
  const specObject = isObject(spec) ? spec : {};
  if (spec === undefined || spec === null || isObject(spec)) result['spec'] = defaultSpec(specObject);
  const storage = storageVersion(specObject);
  if (storage !== undefined && (status === undefined || status === null || isObject(status))) {
    const statusObject = isObject(status) ? status : {};
    const stored = member(statusObject, 'storedVersions') ?? null;
    if (stored === null || (isList(stored) && stored.length === 0)) {
      result['status'] = jsonObject([...Object.entries(statusObject), ['storedVersions', [storage]]]);
    }
  }
  return result;
}

function storageVersion(spec: JsonObject): string | undefined {
  const versions = member(spec, 'versions');
  if (!isList(versions)) return undefined;
  const version = versions.find((item) => isObject(item) && member(item, 'storage') === true);
  const name = isObject(version) ? (member(version, 'name') ?? '') : undefined;
  return typeof name === 'string' ? name : undefined;
}

function defaultSpec(spec: JsonObject): JsonObject {
  const result = jsonObject(Object.entries(spec));
  const names = member(spec, 'names');
  if (isObject(names)) result['names'] = defaultNames(names);
  const conversion = member(spec, 'conversion') ?? null;
  result['conversion'] = conversion === null ? jsonObject([['strategy', 'None']]) : defaultPort(conversion);
  return result;
}

function defaultNames(names: JsonObject): JsonObject {
  const result = jsonObject(Object.entries(names));
  const kind = member(names, 'kind');
  if (typeof kind !== 'string') return result;
  const isEmpty = (name: string) => (member(names, name) ?? '') === '';
  if (isEmpty('singular')) result['singular'] = kind.toLowerCase();
  if (isEmpty('listKind') && kind !== '') result['listKind'] = `${kind}List`;
  return result;
}

function defaultPort(conversion: Json): Json {
  return replace(conversion, 'webhook', (webhook) =>
    replace(webhook, 'clientConfig', (config) =>
      replace(config, 'service', (service) =>
        isObject(service) && (member(service, 'port') ?? null) === null
          ? jsonObject([...Object.entries(service), ['port', 443]])
          : service,
      ),
    ),
  );
}

function replace(value: Json, name: string, change: (value: Json) => Json): Json {
  const inner = isObject(value) ? member(value, name) : undefined;
  if (!isObject(value) || inner === undefined) return value;
  return jsonObject([...Object.entries(value), [name, change(inner)]]);
}
