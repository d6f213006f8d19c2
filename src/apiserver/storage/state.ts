import { isArray, isObject, jsonObject, numeric, text, type Json, type JsonObject } from '../json.ts';
import { JsonSyntaxError, parseJsonText, stringify } from '../json-text.ts';

/** All objects by their storage, with the revisions that they had. */
export interface StoreState {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, readonly JsonObject[]>;
}

/** A text that is no saved state. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

const kind = 'ApiServerState';
const formatVersion = 1;

/** A state as text: one line of JSON, integers kept exactly. Tokens and keys are no part of it. */
export function printState({ revision, objects }: StoreState): string {
  const byStorage = jsonObject([...objects].map(([storage, items]) => [storage, [...items]]));
  return `${stringify(
    jsonObject([
      ['kind', kind],
      ['formatVersion', formatVersion],
      ['revision', revision],
      ['objects', byStorage],
    ]),
  )}\n`;
}

/** @throws StateError */
export function parseState(source: string): StoreState {
  let value: Json;
  try {
    value = parseJsonText(source);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new StateError(`it is no JSON: ${error.message}`);
  }
  if (!isObject(value) || value['kind'] !== kind) throw new StateError(`it does not say "kind": "${kind}"`);
  if (value['formatVersion'] !== formatVersion)
    throw new StateError(`its formatVersion must be ${formatVersion}: it was written by another version`);
  const revision = numeric(value['revision']);
  if (revision === undefined || !Number.isSafeInteger(revision) || revision < 1)
    throw new StateError('its revision must be a whole number from 1 on');
  if (!isObject(value['objects'])) throw new StateError('its objects are missing');
  const objects = new Map<string, readonly JsonObject[]>();
  for (const [storage, items] of Object.entries(value['objects'])) {
    if (!isArray(items)) throw new StateError(`objects.${storage} must be a list`);
    objects.set(
      storage,
      items.map((item, index) => checked(item, `objects.${storage}[${index}]`, revision)),
    );
  }
  return { revision, objects };
}

function checked(item: Json, place: string, revision: number): JsonObject {
  const version = text(item, 'metadata', 'resourceVersion');
  if (!isObject(item) || text(item, 'metadata', 'name') === '' || text(item, 'metadata', 'uid') === '')
    throw new StateError(`${place} must be an object with a name and a uid`);
  if (!/^\d+$/.test(version) || Number(version) > revision)
    throw new StateError(`${place} has the resourceVersion "${version}", the revision is ${revision}`);
  return item;
}
