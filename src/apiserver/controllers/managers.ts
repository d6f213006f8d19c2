import { fromPlain, list, object, shallow, text, type Json, type JsonObject, type MutableObject } from '../json.ts';

/** Who makes what every cluster has from its start. */
const server = 'kube-apiserver';
/** Who fills in the rules of roles that are aggregated. */
const aggregator = 'clusterrole-aggregation-controller';

interface Entry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** RFC 3339. */
  readonly time: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function entryOf({ fields, ...entry }: Entry): Json {
  return fromPlain({ ...entry, fieldsType: 'FieldsV1', fieldsV1: fields });
}

/** An entry for an object of the start: what stands at its top is one field each, but for labels, annotations and aggregation rules. */
export function managedFromStart(value: JsonObject, time: string): Json[] {
  const fields: Record<string, unknown> = {};
  const metadata: Record<string, unknown> = {};
  for (const name of ['annotations', 'labels']) {
    const names = Object.keys(object(value, 'metadata', name));
    if (names.length > 0)
      metadata[`f:${name}`] = { '.': {}, ...Object.fromEntries(names.map((key) => [`f:${key}`, {}])) };
  }
  for (const name of Object.keys(value).sort()) {
    if (name === 'metadata' && Object.keys(metadata).length > 0) fields['f:metadata'] = metadata;
    if (name === 'aggregationRule') fields[`f:${name}`] = { '.': {}, 'f:clusterRoleSelectors': {} };
    // The rules of an aggregated role are another's, the spec and status of a namespace nobody's.
    const isOthers = name === 'rules' && value['aggregationRule'] !== undefined;
    if (!isOthers && !['apiVersion', 'kind', 'metadata', 'aggregationRule', 'spec', 'status'].includes(name)) {
      fields[`f:${name}`] = {};
    }
  }
  return [entryOf({ manager: server, operation: 'Update', apiVersion: text(value, 'apiVersion'), time, fields })];
}

export function ownsRules(role: JsonObject): boolean {
  return list(role, 'metadata', 'managedFields').some((entry) => text(entry, 'manager') === aggregator);
}

/** Makes the rules of a role the aggregator's, as its apply with force does; without a time nobody's. */
export function giveRules(role: MutableObject, time: string | undefined): void {
  const others: Json[] = [];
  for (const entry of list(role, 'metadata', 'managedFields')) {
    if (text(entry, 'manager') === aggregator) continue;
    const { ['f:rules']: _, ...fields } = object(entry, 'fieldsV1');
    if (Object.keys(fields).length > 0) others.push({ ...object(entry), fieldsV1: fields });
  }
  const apiVersion = text(role, 'apiVersion');
  const own =
    time === undefined
      ? []
      : [entryOf({ manager: aggregator, operation: 'Apply', apiVersion, time, fields: { 'f:rules': {} } })];
  const metadata = shallow(role['metadata']);
  metadata['managedFields'] = [...own, ...others];
  role['metadata'] = metadata;
}
