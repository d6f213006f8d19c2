import { isSeq, type Document, parseDocument, YAMLSeq } from 'yaml';

/**
 * A kustomization with these resources added to those that it has, in its own order and with its comments kept. The same text comes
 * back when nothing is missing.
 *
 * Throws an Error when the text is no YAML or its `resources` no list.
 */
export function addKustomizeResources(text: string, resources: readonly string[]): string {
  return changeKustomizeResources(text, resources, []);
}

/** The same, with some removed as well. */
export function changeKustomizeResources(text: string, added: readonly string[], removed: readonly string[]): string {
  const document = parseDocument(text);
  const list = resourcesOf(document);
  const known = new Set(list?.items.map(String));
  const missing = added.filter((resource) => !known.has(resource));
  const surplus = removed.filter((resource) => known.has(resource));
  if (missing.length === 0 && surplus.length === 0) return text;
  const changed = list ?? new YAMLSeq();
  if (list === undefined) document.set('resources', changed);
  changed.items = changed.items.filter((item) => !surplus.includes(String(item)));
  for (const resource of missing) changed.add(document.createNode(resource));
  changed.flow = changed.items.length === 0;
  return document.toString({ lineWidth: 0 });
}

/**
 * A kustomization of which one side changed nothing but resources, with this change made in the other: whatever stands beside them. `undefined`
 * where more was changed, or where a text cannot be read.
 */
export function mergeKustomizations(base: string, ours: string, theirs: string): string | undefined {
  try {
    const [before, after] = [base, theirs].map((text) => resourceNames(text));
    if (before === undefined || after === undefined) return undefined;
    const added = after.filter((name) => !before.includes(name));
    const removed = before.filter((name) => !after.includes(name));
    const onlyResources = rest(base) === rest(theirs);
    return onlyResources ? changeKustomizeResources(ours, added, removed) : undefined;
  } catch {
    // A text that is no kustomization is merged as text, and its conflict shown.
    return undefined;
  }
}

function resourceNames(text: string): string[] {
  return resourcesOf(parseDocument(text))?.items.map(String) ?? [];
}

/** All but the resources, comments among them left out. */
function rest(text: string): string {
  const document = parseDocument(text);
  document.delete('resources');
  return JSON.stringify(document.toJS());
}

function resourcesOf(document: Document.Parsed): YAMLSeq | undefined {
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(problem.message.split('\n')[0]);
  const present: unknown = document.get('resources');
  if (present === undefined || present === null) return undefined;
  if (!isSeq(present)) throw new Error('its "resources" is no list');
  return present;
}
