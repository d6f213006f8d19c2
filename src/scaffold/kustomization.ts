import { isSeq, parseDocument, YAMLSeq } from 'yaml';

/**
 * A kustomization with these resources added to those that it has, in its own order and with its comments kept. The same text comes
 * back when nothing is missing.
 *
 * Throws an Error when the text is no YAML or its `resources` no list.
 */
export function addKustomizeResources(text: string, resources: readonly string[]): string {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(problem.message.split('\n')[0]);
  const present: unknown = document.get('resources');
  let list: YAMLSeq;
  if (isSeq(present)) {
    list = present;
  } else if (present === undefined || present === null) {
    list = new YAMLSeq();
    document.set('resources', list);
  } else {
    throw new Error('its "resources" is no list');
  }
  const known = new Set(list.items.map((item) => String(item)));
  const missing = resources.filter((resource) => !known.has(resource));
  if (missing.length === 0) return text;
  list.flow = false;
  for (const resource of missing) list.add(document.createNode(resource));
  return document.toString({ lineWidth: 0 });
}
