import { isObject, object, type JsonObject, type MutableObject } from '../json.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';

/** Gives an object the members of another one; its metadata stays the same object, which others hold. */
export function replace(target: MutableObject, source: JsonObject): void {
  const metadata = target['metadata'];
  const members = Object.entries(source);
  for (const name of Object.keys(target)) delete target[name];
  for (const [name, value] of members) target[name] = value;
  if (!isObject(metadata)) return;
  const kept: MutableObject = metadata;
  const given = Object.entries(object(source, 'metadata'));
  for (const name of Object.keys(kept)) delete kept[name];
  for (const [name, value] of given) kept[name] = value;
  target['metadata'] = kept;
}

/** An object of one version of a resource in another version of it. */
export async function convert(value: JsonObject, from: Resource, to: Resource): Promise<JsonObject> {
  if (from === to) return value;
  if (from.conversion === undefined) return to.strategy.fromStorage(from.strategy.toStorage(value));
  return (await from.conversion.convert([value], apiVersionOf(to)))[0] ?? value;
}
