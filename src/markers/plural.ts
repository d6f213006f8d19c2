import { acronyms, endings, irregularWords } from './plural-words.ts';

const acronymSet = new Set(split(acronyms));
const pluralOf = new Map<string, string>();
const plurals = new Set<string>();
/** The first ending that fits decides; a plural's own ending leaves the word as it is. */
const rules: { readonly ending: string; readonly replacement?: string }[] = [];

for (const entry of split(irregularWords)) {
  const [, flags = '', singular = '', plural = '', alternative] =
    /^([~=]*)([^:]+):([^|]+)(?:\|(.+))?$/.exec(entry) ?? [];
  pluralOf.set(singular, plural);
  if (!flags.includes('~')) {
    plurals.add(plural);
    if (alternative !== undefined) plurals.add(alternative);
  }
  if (!flags.includes('=')) rules.unshift({ ending: plural }, { ending: singular, replacement: plural });
}
for (const entry of split(endings)) {
  const [ending = '', replacement = ''] = entry.split(':');
  rules.push({ ending: replacement }, { ending, replacement });
}

/**
 * The plural that controller-gen gives a kind (`Ec2Instance`: `ec2instances`, `Policy`: `policies`, `Chassis`: `chassis`), in lower
 * case: the resource's name in URLs, CRDs and roles unless the kind says otherwise.
 */
export function pluralOfKind(kind: string): string {
  return pluralize(kind).toLowerCase();
}

function pluralize(name: string): string {
  const exact = pluralOf.get(name);
  if (exact !== undefined) return exact;
  if (plurals.has(name)) return name;
  const word = lastWord(name);
  const lower = word.toLowerCase();
  if (plurals.has(lower)) return name;
  const irregular = pluralOf.get(lower);
  if (irregular !== undefined) return replaceEnding(name, word, irregular);
  for (const { ending, replacement } of rules) {
    if (!word.endsWith(ending)) continue;
    if (replacement === undefined) return replaceEnding(name, word, word);
    return replaceEnding(name, word, word.slice(0, word.length - ending.length) + replacement);
  }
  return lower.endsWith('s') ? name : `${name}s`;
}

function replaceEnding(name: string, ending: string, replacement: string): string {
  return (name.endsWith(ending) ? name.slice(0, name.length - ending.length) : name) + replacement;
}

/** The last word of a name in CamelCase; a known acronym is a word (`HTTPRoute`: `Route`), and comes in capitals. */
function lastWord(name: string): string {
  let word = '';
  let last = '';
  let before = '';
  for (const character of name) {
    const starts = isUpper(character) && (!isUpper(before) || acronymSet.has(word.toUpperCase()));
    if (starts) {
      if (word !== '') last = word;
      word = '';
    }
    word += character;
    before = character;
  }
  const found = word === '' ? last : word;
  return acronymSet.has(found.toUpperCase()) ? found.toUpperCase() : found;
}

function isUpper(character: string): boolean {
  return /^\p{Lu}$/u.test(character);
}

function split(text: string): string[] {
  return text.split(/\s+/).filter((part) => part !== '');
}
