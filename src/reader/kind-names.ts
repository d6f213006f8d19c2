import type { Kind } from '../model/index.ts';
import type { Problems } from './problems.ts';

interface Name {
  readonly name: string;
  /** As what the kind has it. */
  readonly as: string;
}

/**
 * Reports the names that two kinds of a group share. The rule is the API server's naming controller's (condition NamesAccepted):
 * plural, singular and short names are one space, kind and list kind another; a kind may repeat its own names.
 */
export function checkNames(kinds: readonly Kind[], problems: Problems): void {
  const resources = new Map<string, Taken>();
  const types = new Map<string, Taken>();
  for (const kind of kinds) {
    const { group, plural, singular, shortNames } = kind;
    const short = shortNames.map((name) => ({ name, as: 'short name' }));
    const ofResource = [{ name: plural, as: 'plural' }, { name: singular, as: 'singular' }, ...short];
    const ofType = [
      { name: kind.kind, as: 'kind' },
      { name: kind.listKind, as: 'list kind' },
    ];
    take(kind, group, ofResource, resources, problems);
    take(kind, group, ofType, types, problems);
  }
}

interface Taken extends Name {
  readonly by: Kind;
}

function take(kind: Kind, group: string, names: readonly Name[], taken: Map<string, Taken>, problems: Problems): void {
  const refused = new Set<string>();
  for (const { name, as } of names) {
    const key = `${name}.${group}`;
    const other = taken.get(key);
    if (other === undefined) {
      taken.set(key, { name, as, by: kind });
    } else if (other.by !== kind && !refused.has(name)) {
      refused.add(name);
      const { file, line } = other.by.position;
      const values = { kind: kind.kind, otherKind: other.by.kind, name, group, here: as, there: other.as };
      const remedy = remedies.get(as);
      problems.report('duplicateName', { ...values, other: `${file}:${line}` }, { position: kind.position, remedy });
    }
  }
}

const remedies = new Map([
  ['plural', "give one of them another 'plural' in its Resource marker"],
  ['singular', "give one of them another 'singular' in its Resource marker"],
  ['short name', "take it out of the 'shortNames' of one of them"],
  ['kind', "give one of them another 'kind' in its Resource marker"],
  ['list kind', "give one of them another 'kind' in its Resource marker"],
]);
