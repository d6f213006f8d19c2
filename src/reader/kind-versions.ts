import { compareText, type Kind, type SourcePosition, type Version } from '../model/index.ts';
import { checkNames } from './kind-names.ts';
import type { Problems } from './problems.ts';

/** One version of a kind as its declaration has it, with what it says about the whole kind. */
export interface KindDraft extends Omit<Kind, 'versions' | 'listKind'> {
  readonly version: Version;
  readonly storageMarked: boolean;
  readonly storageRefused: boolean;
}

/** Puts the versions of each kind together, in text order, and checks what they must agree on. */
export function mergeVersions(drafts: readonly KindDraft[], problems: Problems): Kind[] {
  const byKind = new Map<string, KindDraft[]>();
  for (const draft of drafts) {
    const key = `${draft.group}/${draft.kind}`;
    byKind.set(key, [...(byKind.get(key) ?? []), draft]);
  }
  const kinds = [...byKind.values()].flatMap((versions) => mergeOnce(versions, problems) ?? []);
  kinds.sort((a, b) => compareText(a.group, b.group) || compareText(a.kind, b.kind));
  checkNames(kinds, problems);
  return kinds;
}

/** Kinds of one version, by their drafts: what is made of a kind can be kept as long as it is the same. */
const merged = new WeakMap<KindDraft, Kind>();

function mergeOnce(drafts: KindDraft[], problems: Problems): Kind | undefined {
  const only = drafts.length === 1 ? drafts[0] : undefined;
  const known = only && merged.get(only);
  if (known !== undefined) return known;
  const before = problems.size;
  const kind = mergeKind(drafts, problems);
  if (only !== undefined && kind !== undefined && problems.size === before) merged.set(only, kind);
  return kind;
}

function mergeKind(drafts: KindDraft[], problems: Problems): Kind | undefined {
  drafts.sort(
    (a, b) => compareText(a.version.name, b.version.name) || compareText(place(a.position), place(b.position)),
  );
  const [first, ...others] = drafts;
  if (first === undefined) return undefined;
  drafts.forEach((draft, index) => {
    const before = drafts[index - 1];
    if (before?.version.name !== draft.version.name) return;
    const values = { kind: draft.kind, version: draft.version.name, other: place(before.position) };
    problems.report('duplicateVersion', values, { position: draft.position });
  });
  for (const other of others) checkAgreement(first, other, problems);
  const versions = withStorage(drafts, problems);
  if (versions.every(({ served }) => !served)) {
    problems.report('servedVersion', { kind: first.kind }, { position: first.position });
  }
  const { version: _, storageMarked: __, storageRefused: ___, ...facts } = first;
  return {
    ...facts,
    listKind: `${first.kind}List`,
    labels: new Map(drafts.flatMap(({ labels }) => [...labels])),
    annotations: new Map(drafts.flatMap(({ annotations }) => [...annotations])),
    versions,
  };
}

function checkAgreement(first: KindDraft, other: KindDraft, problems: Problems): void {
  const facts = {
    scope: [other.scope, first.scope],
    plural: [other.plural, first.plural],
    singular: [other.singular, first.singular],
    shortNames: [show(other.shortNames), show(first.shortNames)],
    categories: [show(other.categories), show(first.categories)],
  };
  for (const [what, [here = '', there = '']] of Object.entries(facts)) {
    if (here === there) continue;
    const values = { kind: first.kind, what, here, there, other: place(first.position) };
    problems.report('versionsDisagree', values, { position: other.position });
  }
  for (const facet of ['labels', 'annotations'] as const) {
    for (const [name, value] of other[facet]) {
      const there = first[facet].get(name);
      if (there === undefined || there === value) continue;
      const values = { kind: first.kind, what: `${facet} ${name}`, here: value, there, other: place(first.position) };
      problems.report('versionsDisagree', values, { position: other.position });
    }
  }
}

/** A kind with one version stores that one; else exactly one must be marked. */
function withStorage(drafts: readonly KindDraft[], problems: Problems): Version[] {
  const [only] = drafts;
  if (drafts.length === 1 && only !== undefined && !only.storageRefused) return [{ ...only.version, storage: true }];
  const marked = drafts.filter(({ storageMarked }) => storageMarked);
  if (marked.length !== 1) {
    const listed = marked.length === 0 ? drafts : marked;
    const list = listed.map(({ version, position }) => `${version.name} (${place(position)})`).join(', ');
    const values = { kind: only?.kind ?? '', count: marked.length === 0 ? 'no' : String(marked.length), list };
    const remedy = 'write storage: true in the Resource marker of one version';
    problems.report('storageVersion', values, { position: listed[0]?.position, remedy });
  }
  return drafts.map(({ version }) => version);
}

function show(names: readonly string[]): string {
  return `[${names.join(', ')}]`;
}

function place({ file, line }: SourcePosition): string {
  return `${file}:${line}`;
}
