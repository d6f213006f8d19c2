import { discovery, columns, type DiscoveryResource, type TableColumn } from '../data/index.ts';
import type { FieldError } from '../field-error.ts';
import {
  equal,
  type Json,
  jsonObject,
  type JsonObject,
  list,
  type MutableObject,
  numeric,
  object,
  plain,
  text,
  texts,
} from '../json.ts';
import { apiVersionOf, type Resource, type Strategy, type Verdict } from '../resources/resource.ts';
import { qualified } from '../status.ts';
import { checkEnums, decodeTyped } from '../typed/decode.ts';
import type { TypeCatalogue } from '../typed/types.ts';
import { builtinCells } from '../table/builtin-cells.ts';
import { conversionOf } from './conversion.ts';
import { defaultsOf } from './defaults.ts';
import { dropEmptySelectors, prepareChanged, prepareNew, withJobLabels } from './preparation.ts';
import type { ServiceAllocator } from './service-allocator.ts';
import { rulesOf } from './rules.ts';
import { allocationErrors } from './service-preparation.ts';
import { builtinWarnings, validateBuiltin, validateBuiltinUpdate, validateNewBuiltin } from './validation.ts';

/** What built-in strategies take from the server; `types` is read only after it has been loaded. */
export interface BuiltinContext {
  readonly types: () => TypeCatalogue;
  readonly services: ServiceAllocator;
  /** Checks of a kind that stand elsewhere, by resource; they take the place of ours. */
  readonly validators?: Readonly<Record<string, (object: JsonObject, old: JsonObject | undefined) => Verdict>>;
}

/** The resources of all built-in kinds by group and version, in the order of discovery. */
export async function builtinResources(context: BuiltinContext): Promise<readonly Resource[]> {
  const [groups, tables] = await Promise.all([discovery(), columns()]);
  const resources: Resource[] = [];
  for (const group of groups) {
    for (const { version, resources: described } of group.versions) {
      for (const entry of described) {
        const table = tables[`${apiVersionOf({ group: group.name, version })}/${entry.resource}`] ?? defaultColumns;
        resources.push(builtinResource(group.name, version, entry, table, context));
      }
    }
  }
  return resources;
}

const defaultColumns: readonly TableColumn[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Created At', type: 'date', format: '', priority: 0 },
];

function builtinResource(
  group: string,
  version: string,
  entry: DiscoveryResource,
  table: readonly TableColumn[],
  context: BuiltinContext,
): Resource {
  const kind = entry.responseKind.kind;
  const own = { group, version, kind };
  return {
    ...own,
    resource: entry.resource,
    singular: entry.singularResource,
    listKind: `${kind}List`,
    namespaced: entry.scope === 'Namespaced',
    verbs: entry.verbs,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    subresources: new Map(
      (entry.subresources ?? []).map((subresource) => {
        const { responseKind } = subresource;
        // An empty group and version stand for the resource's own.
        const kind = responseKind.version === '' ? { group, version, kind: responseKind.kind } : responseKind;
        return [
          subresource.subresource,
          { name: subresource.subresource, verbs: subresource.verbs, responseKind: kind },
        ];
      }),
    ),
    storage: conversionOf(group, version, entry.resource).storage,
    custom: false,
    strategy: builtinStrategy(group, version, entry, table, context),
  };
}

function builtinStrategy(
  group: string,
  version: string,
  entry: DiscoveryResource,
  table: readonly TableColumn[],
  context: BuiltinContext,
): Strategy {
  const kind = entry.responseKind.kind;
  const name = qualified({ group, resource: entry.resource });
  const rules = rulesOf(name);
  const { conversion, storage } = conversionOf(group, version, entry.resource);
  const apiVersion = apiVersionOf({ group, version });
  const hasStatus = (entry.subresources ?? []).some(({ subresource }) => subresource === 'status');
  const selectable = new Set(['metadata.name', 'metadata.namespace', ...rules.fields]);
  const defaults = defaultsOf(name);
  const own = context.validators?.[name];
  const isDefinition = name === 'customresourcedefinitions.apiextensions.k8s.io';

  const verdict = (value: JsonObject, errors: Verdict['errors'], old?: JsonObject): Verdict => {
    const all = [...errors];
    const node = context.types().kind(group, version, kind);
    if (node !== undefined) {
      const listed: FieldError[] = [];
      checkEnums(node, value, '', listed);
      // A value can be reported by a rule of its own and by the list of its values: once is enough.
      all.push(
        ...listed.filter(
          ({ field }) =>
            // That nothing at all may change says nothing of a value.
            !errors.some(
              (error) =>
                !(error.type === 'FieldValueForbidden' && error.field === 'spec') && coversValue(error.field, field),
            ),
        ),
      );
    }
    const seen = new Set<string>();
    return {
      errors: all.filter(
        (error) => !seen.has(`${error.field} ${error.message}`) && seen.add(`${error.field} ${error.message}`),
      ),
      warnings: builtinWarnings(name, value, old),
    };
  };

  /** Addresses and ports are given out once all else is right. */
  const withAllocations = (
    errors: Verdict['errors'],
    value: JsonObject,
    old: JsonObject | undefined,
    dryRun: boolean,
  ): Verdict['errors'] =>
    name === 'services' && errors.length === 0 ? allocationErrors(value, old, servicesOf(dryRun)) : errors;
  const servicesOf = (dryRun: boolean): ServiceAllocator => (dryRun ? context.services.dryRun : context.services);

  return {
    allowUnconditionalUpdate: rules.allowUnconditionalUpdate,
    allowCreateOnUpdate: rules.allowCreateOnUpdate,
    returnsDeletedObject: rules.returnsDeletedObject,
    garbageCollected: storage !== 'events',
    strategicMerge: true,
    ...(name === 'pods' && { gracePeriodSeconds: podGracePeriod }),
    decode(document, reader) {
      const node = context.types().kind(group, version, kind);
      if (node === undefined) throw new Error(`no schema of ${apiVersion} ${kind}`);
      const { value, unknown } = decodeTyped(node, document, kind, reader);
      const decoded = value as MutableObject;
      decoded['kind'] = kind;
      decoded['apiVersion'] = apiVersion;
      defaults?.(decoded);
      return { object: decoded, unknown };
    },
    toStorage: (value) => (name === 'jobs.batch' ? withJobLabels(value) : (conversion?.toStorage(value) ?? value)),
    fromStorage: (value) => conversion?.fromStorage(value) ?? value,
    prepareForCreate(value, dryRun = false) {
      const metadata = value['metadata'] as MutableObject;
      if (rules.generation) metadata['generation'] = 1;
      else delete metadata['generation'];
      if (name === 'namespaces') value['spec'] = jsonObject([['finalizers', ['kubernetes']]]);
      if (isDefinition) value['status'] = newDefinitionStatus(value);
      else if (hasStatus && !keepsStatus.has(name))
        resetStatus(value, name, context.types().kind(group, version, kind));
      prepareNew(name, value, servicesOf(dryRun));
    },
    prepareForUpdate(value, old, subresource, dryRun = false) {
      if (subresource === 'status' || subresource === 'approval') keepAllButStatus(value, old, name, subresource);
      else if (subresource !== 'binding' && (hasStatus || name === 'namespaces')) {
        delete value['status'];
        const status = old['status'];
        if (status !== undefined) value['status'] = status;
        if (name === 'namespaces' && subresource !== 'finalize') {
          const spec = jsonObject(Object.entries(object(value, 'spec')));
          const finalizers = object(old, 'spec')['finalizers'];
          delete spec['finalizers'];
          if (finalizers !== undefined) spec['finalizers'] = finalizers;
          value['spec'] = spec;
        }
      }
      if (isDefinition && subresource === '') addStoredVersions(value);
      if (subresource === '') prepareChanged(name, value, old, servicesOf(dryRun));
      const metadata = value['metadata'] as MutableObject;
      const generation = object(old, 'metadata')['generation'];
      if (generation === undefined) delete metadata['generation'];
      else metadata['generation'] = generation;
      if (rules.generation && subresource === '' && specDiffers(value, old, name))
        metadata['generation'] = Number(generation ?? 0) + 1;
      if (name === 'networkpolicies.networking.k8s.io') dropEmptySelectors(value);
    },
    validateName: rules.nameRule,
    validate: (value, dryRun = false) =>
      own?.(value, undefined) ??
      verdict(
        value,
        withAllocations(
          [...validateBuiltin(name, value), ...validateNewBuiltin(name, value)],
          value,
          undefined,
          dryRun,
        ),
      ),
    validateUpdate: (value, old, subresource, dryRun = false) =>
      (subresource === '' ? own?.(value, old) : undefined) ??
      verdict(
        value,
        withAllocations(
          [
            ...(subresource === '' ? validateBuiltin(name, value) : []),
            ...validateBuiltinUpdate(name, value, old, subresource),
          ],
          value,
          old,
          dryRun,
        ),
        old,
      ),
    fields: selectable,
    field(value, field) {
      if (!selectable.has(field)) return undefined;
      if (name === 'pods' && field === 'spec.hostNetwork') return plain(object(value, 'spec')['hostNetwork'] ?? false);
      if (name === 'nodes')
        return field === 'metadata.name'
          ? text(value, 'metadata', 'name')
          : plain(object(value, 'spec')['unschedulable'] ?? false);
      if (storage === 'events' && field === 'source')
        return text(value, 'source', 'component') || text(value, 'reportingComponent');
      let current: Json | undefined = value;
      for (const part of field.split('.')) current = object(current)[part];
      return typeof current === 'string' ? current : numeric(current) === undefined ? '' : String(numeric(current));
    },
    columns: table,
    cells: (value, now) => builtinCells(name, value, now, table),
  };
}

/** Whether an error at one field is about the value of another: at the same place, or at what holds it. */
function coversValue(reported: string, field: string): boolean {
  const bare = (path: string): string => path.replaceAll(/\[\d+\]/g, '');
  return bare(field) === bare(reported) || bare(field).startsWith(`${bare(reported)}.`);
}

/** The endpoints of the status change nothing else, except for metadata where the real server lets that through. */
function keepAllButStatus(value: MutableObject, old: JsonObject, name: string, subresource: string): void {
  let status = value['status'];
  if (subresource === 'approval') {
    // Whoever approves a certificate request writes conditions only.
    status = jsonObject([...Object.entries(object(old, 'status')), ['conditions', object(status)['conditions'] ?? []]]);
  }
  for (const member of Object.keys(value)) if (member !== 'metadata') delete value[member];
  for (const [member, inner] of Object.entries(old))
    if (member !== 'metadata' && member !== 'status') value[member] = inner;
  if (status !== undefined) value['status'] = status;
  const metadata = value['metadata'] as MutableObject;
  const kept = object(old, 'metadata');
  const fields =
    name === 'customresourcedefinitions.apiextensions.k8s.io'
      ? ['labels', 'annotations', 'finalizers', 'ownerReferences']
      : name === 'deployments.apps'
        ? ['labels']
        : [];
  for (const field of fields) {
    delete metadata[field];
    if (kept[field] !== undefined) metadata[field] = kept[field];
  }
}

/** Their status is written along with them. */
const keepsStatus = new Set(['nodes', 'apiservices.apiregistration.k8s.io', 'namespaces']);

const initialStatus: Readonly<Record<string, readonly (readonly [string, Json])[]>> = {
  pods: [['phase', 'Pending']],
  persistentvolumeclaims: [['phase', 'Pending']],
  persistentvolumes: [['phase', 'Pending']],
  'horizontalpodautoscalers.autoscaling': [['currentMetrics', null]],
};

/** A new object starts with the empty status of its kind. */
function resetStatus(value: MutableObject, name: string, node: ReturnType<TypeCatalogue['kind']>): void {
  delete value['status'];
  const property = node?.kind === 'object' ? node.properties.get('status') : undefined;
  if (property?.absent === undefined || property.absent === null) return;
  const status = decodeTyped(property.node, property.absent, 'status').value as MutableObject;
  for (const [field, inner] of initialStatus[name] ?? []) status[field] = inner;
  value['status'] = status;
}

function specDiffers(value: JsonObject, old: JsonObject, name: string): boolean {
  const ignored = new Set(['metadata', 'status', 'apiVersion', 'kind']);
  const names = new Set([...Object.keys(value), ...Object.keys(old)].filter((member) => !ignored.has(member)));
  if ([...names].some((member) => !equal(value[member], old[member]))) return true;
  // A deployment's annotations count, too.
  return (
    name === 'deployments.apps' &&
    !equal(object(value, 'metadata', 'annotations'), object(old, 'metadata', 'annotations'))
  );
}

/** Pods on no node, and finished ones, go at once. */
function podGracePeriod(pod: JsonObject): number {
  const phase = text(pod, 'status', 'phase');
  if (text(pod, 'spec', 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  return numeric(object(pod, 'spec')['terminationGracePeriodSeconds']) ?? 30;
}

/** The status of a definition that no controller has looked at yet. */
function newDefinitionStatus(definition: JsonObject): JsonObject {
  return jsonObject([
    [
      'acceptedNames',
      jsonObject([
        ['plural', ''],
        ['kind', ''],
      ]),
    ],
    ['conditions', null],
    ['storedVersions', storageVersions(definition).length === 0 ? null : storageVersions(definition)],
  ]);
}

function storageVersions(definition: JsonObject): readonly string[] {
  return list(definition, 'spec', 'versions')
    .filter((version) => object(version)['storage'] === true)
    .map((version) => text(version, 'name'));
}

/** A version in which objects are stored from now on is remembered. */
function addStoredVersions(definition: MutableObject): void {
  const status = jsonObject(Object.entries(object(definition, 'status')));
  const stored = texts(status, 'storedVersions');
  status['storedVersions'] = [...stored, ...storageVersions(definition).filter((version) => !stored.includes(version))];
  definition['status'] = status;
}
