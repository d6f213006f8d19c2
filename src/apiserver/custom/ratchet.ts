import { equal, isArray, isObject, type Json, type JsonObject, list, member, plain } from '../json.ts';

type Step = { readonly name: string } | { readonly index: number };

/** The steps of a path such as `spec.items[2].name` or `spec.labels[a.b]`. */
function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  for (const match of path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    const [, bracketed, plain] = match;
    if (plain !== undefined) steps.push({ name: plain });
    else if (bracketed !== undefined)
      steps.push(/^\d+$/.test(bracketed) ? { index: Number(bracketed) } : { name: bracketed });
  }
  return steps;
}

/**
 * Whether the value at a path is what it was in the old object. Items of list maps are found by their keys; those of other lists
 * only when the whole list is unchanged, as the server correlates them.
 */
export function isUnchanged(value: Json, old: Json, schema: JsonObject, path: string): boolean {
  let current: Json | undefined = value;
  let before: Json | undefined = old;
  let node: Json | undefined = schema;
  for (const step of stepsOf(path)) {
    if (current === undefined || before === undefined) return false;
    if ('name' in step || !isArray(current)) {
      const name: string = 'name' in step ? step.name : String(step.index);
      current = member(current, name);
      before = member(before, name);
      node = member(member(node, 'properties'), name) ?? member(node, 'additionalProperties');
      continue;
    }
    if (!isArray(before)) return false;
    const item: Json | undefined = current[step.index];
    const keys: readonly Json[] =
      member(node, 'x-kubernetes-list-type') === 'map' ? list(node, 'x-kubernetes-list-map-keys') : [];
    if (keys.length > 0 && isObject(item)) {
      before = before.find((other) => keys.every((key) => equal(member(item, plain(key)), member(other, plain(key)))));
    } else before = equal(current, before) ? before[step.index] : undefined;
    current = item;
    node = member(node, 'items');
  }
  return current !== undefined && before !== undefined && equal(current, before);
}
