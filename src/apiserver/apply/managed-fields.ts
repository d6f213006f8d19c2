import { jsonObject, isObject, list, text, type Json } from '../json.ts';
import { byText } from '../storage/store.ts';
import { FieldSet } from './field-set.ts';

/** One entry of `metadata.managedFields`. */
export interface ManagerEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** `''` for the main endpoint. */
  readonly subresource: string;
  /** RFC 3339. */
  readonly time: string;
  readonly set: FieldSet;
}

/** What tells entries apart: appliers are one whatever their version. */
export function identityOf(entry: Omit<ManagerEntry, 'time' | 'set'>): string {
  return JSON.stringify([
    entry.manager,
    entry.operation,
    entry.operation === 'Update' ? entry.apiVersion : '',
    entry.subresource,
  ]);
}

/** Reads the list; nothing when an entry makes no sense. */
export function parseManagedFields(value: Json | undefined): readonly ManagerEntry[] | undefined {
  const entries: ManagerEntry[] = [];
  for (const entry of Array.isArray(value) ? value : []) {
    const operation = text(entry, 'operation');
    if (
      !isObject(entry) ||
      (operation !== 'Apply' && operation !== 'Update') ||
      text(entry, 'fieldsType') !== 'FieldsV1'
    )
      return undefined;
    entries.push({
      manager: text(entry, 'manager'),
      operation,
      apiVersion: text(entry, 'apiVersion'),
      subresource: text(entry, 'subresource'),
      time: text(entry, 'time'),
      set: FieldSet.fromJson(entry['fieldsV1']),
    });
  }
  return entries;
}

export function printManagedFields(entries: readonly ManagerEntry[]): readonly Json[] {
  const sorted = [...entries].sort(
    (left, right) =>
      byText(left.operation, right.operation) ||
      byText(left.time, right.time) ||
      byText(left.manager, right.manager) ||
      byText(left.apiVersion, right.apiVersion) ||
      byText(left.subresource, right.subresource),
  );
  return sorted.map(({ manager, operation, apiVersion, time, set, subresource }) => {
    const entry = jsonObject([
      ['manager', manager],
      ['operation', operation],
      ['apiVersion', apiVersion],
      ...(time === '' ? [] : [['time', time] as const]),
      ['fieldsType', 'FieldsV1'],
      ['fieldsV1', set.toJson()],
    ]);
    if (subresource !== '') entry['subresource'] = subresource;
    return entry;
  });
}

/** Whether a client wants all entries forgotten: it sent an empty list, or one with an empty entry. */
export function isReset(value: Json | undefined): boolean {
  const entries = list({ value: value ?? null }, 'value');
  return (
    Array.isArray(value) &&
    (entries.length === 0 || (entries.length === 1 && isObject(entries[0]) && Object.keys(entries[0]).length === 0))
  );
}

const maxUpdateEntries = 10;

/** Old entries of updates become one when there are too many. */
export function capEntries(entries: readonly ManagerEntry[]): readonly ManagerEntry[] {
  const updates = entries.filter(({ operation }) => operation === 'Update');
  if (updates.length <= maxUpdateEntries) return entries;
  const oldest = [...updates]
    .sort((left, right) => byText(left.time, right.time))
    .slice(0, updates.length - maxUpdateEntries + 1);
  const merged = new Map<string, ManagerEntry>();
  for (const entry of oldest) {
    const id = `${entry.apiVersion} ${entry.subresource}`;
    const known = merged.get(id);
    const set = known === undefined ? entry.set : known.set.union(entry.set);
    merged.set(id, { ...entry, manager: 'ancient-changes', set });
  }
  return [...entries.filter((entry) => !oldest.includes(entry)), ...merged.values()];
}
