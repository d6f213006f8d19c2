import { equal, isObject, jsonObject, object, shallow, type JsonObject, type MutableObject } from '../json.ts';
import { ApiError } from '../status.ts';
import { FieldSet, printPath } from './field-set.ts';
import {
  capEntries,
  identityOf,
  isReset,
  parseManagedFields,
  printManagedFields,
  type ManagerEntry,
} from './managed-fields.ts';
import type { ApplyType } from './types.ts';
import { compare, fieldSetOf, merge, removeItems, TypedError } from './walk.ts';

/** Who writes, and through which endpoint. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  /** Now, RFC 3339; `''` where the real server notes none. */
  readonly time: string;
  /** Fields that this endpoint does not write, as paths of names. */
  readonly resetFields: readonly (readonly string[])[];
}

/** Fields that nobody owns: the server's own, and those that name the object. */
const neverOwned: readonly (readonly string[])[] = [
  ['apiVersion'],
  ['kind'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
];

function stripped(set: FieldSet): FieldSet {
  let result = set;
  for (const path of neverOwned) result = result.without(path.map((name) => `f:${name}`));
  const metadata = result.children.get('f:metadata');
  if (metadata?.isMember !== true) return result;
  // The metadata itself belongs to nobody, what is in it does.
  const kept = FieldSet.of(false, metadata.children);
  return FieldSet.of(
    result.isMember,
    [...result.children].map(([name, child]) => [name, name === 'f:metadata' ? kept : child] as const),
  );
}

function withoutFields(set: FieldSet, fields: readonly (readonly string[])[]): FieldSet {
  let result = set;
  for (const path of fields) result = result.without(path.map((name) => `f:${name}`));
  return result;
}

function withoutManagedFields(value: JsonObject): JsonObject {
  const result = shallow(value);
  const metadata = shallow(value['metadata']);
  delete metadata['managedFields'];
  result['metadata'] = metadata;
  return value['kind'] === 'Pod' ? withoutEmptyMaps(result) : result;
}

/** Nobody owns maps without members: of pods some are kept until they are checked. */
function withoutEmptyMaps(pod: MutableObject): MutableObject {
  const spec = shallow(pod['spec']);
  for (const name of ['overhead', 'nodeSelector'])
    if (isObject(spec[name]) && Object.keys(object(spec, name)).length === 0) delete spec[name];
  if (pod['spec'] !== undefined) pod['spec'] = spec;
  return pod;
}

/** The managers whose fields a write changes, and what they keep. */
function takeOver(
  entries: readonly ManagerEntry[],
  writer: string,
  live: JsonObject,
  next: JsonObject,
  type: ApplyType,
  resetFields: Writer['resetFields'],
  force: boolean,
  forgiven = new FieldSet(),
): {
  readonly entries: readonly ManagerEntry[];
  readonly changed: ReturnType<typeof compare>;
  readonly conflicts: readonly Conflict[];
} {
  const all = compare(live, next, type);
  // What this endpoint does not write has not changed, whatever was sent.
  const changed = {
    added: withoutFields(all.added, resetFields),
    modified: withoutFields(all.modified, resetFields),
    removed: withoutFields(all.removed, resetFields),
  };
  const taken = changed.modified.union(changed.added);
  const conflicts: Conflict[] = [];
  const kept = entries.flatMap((entry) => {
    if (identityOf(entry) === writer) return [entry];
    const conflict = entry.set.intersection(taken);
    const counted = conflict.difference(forgiven);
    if (!counted.isEmpty) conflicts.push({ entry, set: counted });
    const set = entry.set.difference(conflict).difference(changed.removed);
    return set.isEmpty ? [] : [{ ...entry, set }];
  });
  return { entries: force || conflicts.length === 0 ? kept : entries, changed, conflicts: force ? [] : conflicts };
}

/** Nothing where a list has items without keys: nobody can own them, so the managers stay as they are. */
function takeOverUnlessUntyped(
  entries: readonly ManagerEntry[],
  self: string,
  live: JsonObject,
  next: JsonObject,
  type: ApplyType,
  { resetFields }: Writer,
): ReturnType<typeof takeOver> | undefined {
  try {
    return takeOver(entries, self, live, next, type, resetFields, true);
  } catch (error) {
    if (error instanceof TypedError) return undefined;
    throw error;
  }
}

interface Conflict {
  readonly entry: ManagerEntry;
  readonly set: FieldSet;
}

/**
 * Records a write that is no apply in the `managedFields` of the new object. `empty` is what an object of the kind is before
 * anything is set: a creation is compared with it.
 */
export function recordUpdate(
  next: MutableObject,
  old: JsonObject | undefined,
  empty: JsonObject,
  type: ApplyType,
  writer: Writer,
): void {
  const metadata = next['metadata'] as MutableObject;
  const before = old === undefined ? undefined : object(old, 'metadata')['managedFields'];
  const sent = metadata['managedFields'];
  if (old !== undefined && isReset(sent) && writer.subresource === '') {
    delete metadata['managedFields'];
    return;
  }
  const given = writer.subresource === '' && sent !== undefined ? parseManagedFields(sent) : undefined;
  const base = given ?? parseManagedFields(before) ?? [];
  // What is not tracked stays so until somebody applies.
  if (old !== undefined && base.length === 0) return;
  const live = withoutManagedFields(old ?? empty);
  const after = withoutManagedFields(next);
  const self = '[]';
  const taken = takeOverUnlessUntyped(base, self, live, after, type, writer);
  if (taken === undefined) {
    if (before === undefined) delete metadata['managedFields'];
    else metadata['managedFields'] = before;
    return;
  }
  const { entries, changed } = taken;
  const own = stripped(changed.modified.union(changed.added));
  // A scale knows of managers only when somebody owns the number of replicas.
  if (writer.subresource === 'scale' && !base.some(({ set }) => !set.intersection(own).isEmpty)) return;
  const entry: ManagerEntry = {
    manager: writer.manager,
    operation: 'Update',
    apiVersion: writer.apiVersion,
    subresource: writer.subresource,
    time: writer.time,
    set: own,
  };
  const id = identityOf(entry);
  const known = entries.find((found) => identityOf(found) === id);
  const others = entries.filter((found) => found !== known);
  const merged = own.isEmpty
    ? entries
    : [...others, known === undefined ? entry : { ...entry, set: own.union(known.set) }];
  store(metadata, capEntries(merged));
}

function store(metadata: MutableObject, entries: readonly ManagerEntry[]): void {
  if (entries.length === 0) delete metadata['managedFields'];
  else metadata['managedFields'] = printManagedFields(entries);
}

/**
 * Applies a configuration: merges it into the live object, takes away what this manager set before and sets no more, and records
 * what it owns.
 *
 * @throws ApiError 409 when others own what the configuration changes, unless `force`; fields in `forgiven` are no conflict
 */
export function applyConfiguration(
  live: JsonObject | undefined,
  configuration: JsonObject,
  empty: JsonObject,
  type: ApplyType,
  writer: Writer,
  force: boolean,
  forgiven?: FieldSet,
): MutableObject {
  const before = live === undefined ? undefined : object(live, 'metadata')['managedFields'];
  const current = withoutManagedFields(live ?? empty);
  let base = parseManagedFields(before) ?? [];
  if (live !== undefined && base.length === 0) {
    // The fields of an object that nobody recorded belong to a manager of this name.
    const existing = compare(empty, current, type);
    const set = withoutFields(stripped(existing.added.union(existing.modified)), writer.resetFields);
    if (!set.isEmpty)
      base = [
        {
          manager: 'before-first-apply',
          operation: 'Update',
          apiVersion: writer.apiVersion,
          subresource: '',
          time: writer.time,
          set,
        },
      ];
  }
  const wanted = withoutManagedFields(configuration);
  const identity = {
    manager: writer.manager,
    operation: 'Apply',
    apiVersion: writer.apiVersion,
    subresource: writer.subresource,
  } as const;
  const id = identityOf(identity);
  const last = base.find((entry) => identityOf(entry) === id);
  const set = withoutFields(stripped(fieldSetOf(wanted, type)), writer.resetFields);
  const entries = [...base.filter((entry) => entry !== last), { ...identity, time: writer.time, set }];
  const merged = merge(current, wanted, type) as JsonObject;
  const pruned = last === undefined ? merged : prune(merged, entries, last.set, wanted, type);
  // An apply that changes nothing leaves the time of its entry as it was.
  const time = equal(pruned, current) ? (last?.time ?? '') : writer.time;
  const timed = entries.map((entry) => (identityOf(entry) === id ? { ...entry, time } : entry));
  const outcome = takeOver(timed, id, current, pruned, type, writer.resetFields, force, forgiven);
  if (outcome.conflicts.length > 0) throw applyConflict(outcome.conflicts);
  const result = jsonObject(Object.entries(pruned));
  const metadata = shallow(pruned['metadata']);
  result['metadata'] = metadata;
  store(metadata, capEntries(outcome.entries.filter((entry) => !entry.set.isEmpty)));
  return result;
}

/** Takes away what the manager owned, unless it sets it still (names included, which nobody owns) or somebody else owns it. */
function prune(
  merged: JsonObject,
  entries: readonly ManagerEntry[],
  last: FieldSet,
  wanted: JsonObject,
  type: ApplyType,
): JsonObject {
  const all = fieldSetOf(merged, type).withNamedParents();
  const owned = entries.reduce((union, entry) => union.union(entry.set), fieldSetOf(wanted, type)).withNamedParents();
  const lastNamed = last.withNamedParents();
  const pruned = fieldSetOf(removeItems(merged, lastNamed, type), type).withNamedParents();
  const doomed = all.difference(pruned.union(owned)).intersection(lastNamed);
  return removeItems(merged, doomed, type) as JsonObject;
}

/** 409 with a cause for each field, in the words of the real server. */
function applyConflict(conflicts: readonly Conflict[]): ApiError {
  const name = ({ entry }: Conflict): string => {
    const using = entry.operation === 'Update' ? ` using ${entry.apiVersion}` : '';
    const through = entry.subresource === '' ? '' : ` with subresource ${JSON.stringify(entry.subresource)}`;
    return `${JSON.stringify(entry.manager)}${through}${using}`;
  };
  const sorted = [...conflicts].sort((left, right) => (name(left) < name(right) ? -1 : 1));
  const causes = sorted.flatMap((conflict) =>
    [...conflict.set.paths()].map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${name(conflict)}`,
      field: printPath(path),
    })),
  );
  let message: string;
  if (causes.length === 1)
    message = `Apply failed with 1 conflict: ${causes[0]?.message ?? ''}: ${causes[0]?.field ?? ''}`;
  else {
    const groups = sorted.map(
      (conflict) =>
        `conflicts with ${name(conflict)}:\n${[...conflict.set.paths()].map((path) => `- ${printPath(path)}`).join('\n')}`,
    );
    message = `Apply failed with ${causes.length} conflicts: ${groups.join('\n')}`;
  }
  return new ApiError(409, 'Conflict', message, { causes });
}
