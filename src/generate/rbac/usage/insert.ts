import { compareText, type MarkerPlace, type PermissionUse, type PolicyRule } from '../../../model/index.ts';
import { isSubresource } from '../rules.ts';
import { compareVerbs } from './compare.ts';
import { type MarkerStyle, markerText, members, type NewMarker } from './marker-text.ts';

export interface InsertInput {
  /** Uses that nothing grants. */
  readonly missing: readonly PermissionUse[];
  /** The classes that are read for markers. */
  readonly places: readonly MarkerPlace[];
  readonly policyRules: readonly PolicyRule[];
  /** The namespace of uses in the operator's own; undefined where it is not known. */
  readonly ownNamespace: string | undefined;
  /** The text of a file, by its path as in `places`. */
  readonly read: (file: string) => string;
}

/** A file with markers inserted. */
export interface EditedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Inserts the markers that grant what is missing; undefined where no class can carry one. Nothing else of the files changes. */
export function insertMarkers(input: InsertInput): EditedFile[] | undefined {
  const byPlace = new Map<MarkerPlace, PermissionUse[]>();
  for (const use of input.missing) {
    const place = placeFor(use, input);
    if (place === undefined) return undefined;
    byPlace.set(place, [...(byPlace.get(place) ?? []), use]);
  }
  const byFile = new Map<string, [MarkerPlace, PermissionUse[]][]>();
  for (const [place, uses] of byPlace) byFile.set(place.file, [...(byFile.get(place.file) ?? []), [place, uses]]);
  return [...byFile]
    .sort(([a], [b]) => compareText(a, b))
    .map(([file, places]) => {
      const before = input.read(file);
      return { file, before, after: applyEdits(before, editsOf(before, places, input)) };
    });
}

/** The class of the call; else one of its file; else one that has markers for the resource, or any reconciler. */
function placeFor(use: PermissionUse, { places, policyRules }: InsertInput): MarkerPlace | undefined {
  const { file, line } = use.position;
  const here = places.filter((place) => place.file === file);
  const around = here.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  if (around !== undefined) return around;
  const beside = here.find(({ reconciles }) => reconciles) ?? here.find(({ notation }) => notation !== undefined);
  if (beside !== undefined) return beside;
  const [main = ''] = use.resource.split('/');
  const related = policyRules.filter(
    ({ groups, resources }) => groups.includes(use.group) && resources.some((each) => each.split('/')[0] === main),
  );
  const carriers = related.flatMap(
    ({ position }) =>
      places.find(
        (place) => place.file === position.file && place.firstLine <= position.line && position.line <= place.lastLine,
      ) ?? [],
  );
  return carriers[0] ?? places.find(({ reconciles }) => reconciles) ?? places.find(({ notation }) => notation);
}

/** The fewest markers for some uses: one for the resources of a group that need the same verbs. */
export function markersFor(uses: readonly PermissionUse[], ownNamespace: string | undefined): NewMarker[] {
  const resources = new Map<string, NewMarker>();
  for (const use of uses) {
    const namespace = use.ownNamespace === true ? ownNamespace : use.namespace;
    const key = JSON.stringify([use.group, use.resource, namespace]);
    const verbs = new Set([...(resources.get(key)?.verbs ?? []), use.verb]);
    resources.set(key, {
      group: use.group,
      resources: [use.resource],
      verbs: [...verbs].sort(compareVerbs),
      namespace,
    });
  }
  const markers = new Map<string, NewMarker>();
  for (const marker of resources.values()) {
    const { group, verbs, namespace } = marker;
    const key = JSON.stringify([group, verbs, namespace, marker.resources.some(isSubresource)]);
    const other = markers.get(key);
    markers.set(key, { ...marker, resources: [...(other?.resources ?? []), ...marker.resources].sort(compareText) });
  }
  return [...markers.values()].sort(
    (a, b) => compareText(a.group, b.group) || compareText(a.resources.join(), b.resources.join()),
  );
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function editsOf(text: string, places: readonly [MarkerPlace, PermissionUse[]][], input: InsertInput): Edit[] {
  const endOfLine = text.includes('\r\n') ? '\r\n' : '\n';
  const quote = (text.match(/from "/g)?.length ?? 0) > (text.match(/from '/g)?.length ?? 0) ? '"' : "'";
  const edits: Edit[] = [];
  let imports: Edit | undefined;
  for (const [place, uses] of places) {
    const notation = place.notation ?? commonNotation(input.places);
    const style: MarkerStyle = { notation, decoratorName: place.decoratorName ?? 'Rbac', quote };
    const lines = markersFor(uses, input.ownNamespace).flatMap((marker) => linesOf(marker, style));
    if (notation === 'tag') edits.push(commentEdit(text, place, lines, endOfLine));
    else {
      edits.push(insertion(place.decoratorOffset, lines.map((line) => line + endOfLine).join('')));
      if (place.decoratorName === undefined) imports = importEdit(place, quote, endOfLine);
    }
  }
  return imports === undefined ? edits : [...edits, imports];
}

/** As most classes of the program have it; tags where there are none, as they need no import and no compiler option. */
function commonNotation(places: readonly MarkerPlace[]): 'decorator' | 'tag' {
  const decorated = places.filter(({ notation }) => notation === 'decorator').length;
  const tagged = places.filter(({ notation }) => notation === 'tag').length;
  return decorated > tagged ? 'decorator' : 'tag';
}

const longestLine = 120;

function linesOf(marker: NewMarker, style: MarkerStyle): string[] {
  const line = markerText(marker, style);
  if (line.length + (style.notation === 'tag' ? 3 : 0) <= longestLine) return [line];
  const isTag = style.notation === 'tag';
  return [
    isTag ? '@rbac {' : `@${style.decoratorName}({`,
    ...members(marker, style).map((member) => `  ${member},`),
    isTag ? '}' : '})',
  ];
}

function insertion(offset: number, text: string): Edit {
  return { start: offset, end: offset, text };
}

function commentEdit(text: string, place: MarkerPlace, lines: readonly string[], endOfLine: string): Edit {
  const { comment } = place;
  const tags = lines.map((line) => ` * ${line}`);
  if (comment === undefined) {
    return insertion(place.commentOffset, ['/**', ...tags, ' */', ''].join(endOfLine));
  }
  const old = text.slice(comment.start, comment.end);
  const body = old
    .slice(3, -2)
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  if (body.length > 1) {
    // Only the end of the comment changes.
    const end = comment.start + 3 + old.slice(3, -2).replace(/(\s|\*)+$/, '').length;
    const last = body.findLast((line) => line !== '') ?? '';
    const isTagged = body.some((line) => /^@\w/.test(line)) && last !== '';
    return insertion(end, ['', ...(isTagged ? [] : [' *']), ...tags].join(endOfLine));
  }
  const [only = ''] = body;
  const first = only.trim();
  const kept = first === '' ? [] : [` * ${first}`, ...(first.startsWith('@') ? [] : [' *'])];
  return { start: comment.start, end: comment.end, text: ['/**', ...kept, ...tags, ' */'].join(endOfLine) };
}

function importEdit(place: MarkerPlace, quote: string, endOfLine: string): Edit {
  if (place.markerImportOffset !== undefined) return insertion(place.markerImportOffset, ', Rbac');
  return insertion(place.importOffset, `import { Rbac } from ${quote}operator-runtime/markers${quote};${endOfLine}`);
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: inserted }) => result.slice(0, start) + inserted + result.slice(end), text);
}
