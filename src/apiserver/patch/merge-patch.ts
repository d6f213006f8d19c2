import { clone, isObject, jsonObject, type Json, type MutableObject } from '../json.ts';

/** Applies an RFC 7386 merge patch: null deletes, objects merge, everything else replaces. The document is not changed. */
export function applyMergePatch(document: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return clone(patch);
  const result: MutableObject = isObject(document) ? jsonObject(Object.entries(document)) : jsonObject();
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null;
    if (value === null) delete result[name];
    else result[name] = applyMergePatch(result[name], value);
  }
  return result;
}
