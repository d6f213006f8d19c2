import {
  child,
  clone,
  isArray,
  isObject,
  jsonObject,
  object,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import { JsonSyntaxError, parseJsonText, stringify } from '../json-text.ts';
import type { FieldSet } from './field-set.ts';
import type { ApplyType } from './types.ts';
import { fieldSetOf } from './walk.ts';

/** The annotation in which kubectl's client-side apply notes what it applied. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** What client-side apply left in the annotation: kubectl may take it over without a conflict. */
export function lastAppliedFields(old: JsonObject, type: ApplyType): FieldSet | undefined {
  const annotation = object(old, 'metadata', 'annotations')[lastApplied];
  if (typeof annotation !== 'string') return undefined;
  try {
    const value = parseJsonText(annotation);
    return isObject(value) ? fieldSetOf(value, type) : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Where client-side apply has left its annotation, kubectl's server-side apply keeps it up, so that there is a way back. */
export function withLastApplied(merged: JsonObject, configuration: JsonObject): JsonObject {
  const annotations = object(merged, 'metadata', 'annotations');
  if (!Object.hasOwn(annotations, lastApplied)) return merged;
  const result = clone<MutableObject>(merged);
  const noted = clone<MutableObject>(configuration);
  const metadata = child(noted, 'metadata');
  delete metadata['managedFields'];
  if (isObject(metadata['annotations'])) delete child(metadata, 'annotations')[lastApplied];
  child(child(result, 'metadata'), 'annotations')[lastApplied] = `${stringify(inOrder(noted))}\n`;
  return result;
}

/** With the members of all objects in the order of their names. */
function inOrder(value: Json): Json {
  if (isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  return jsonObject(
    Object.keys(value)
      .sort()
      .map((name) => [name, inOrder(value[name] ?? null)] as const),
  );
}
