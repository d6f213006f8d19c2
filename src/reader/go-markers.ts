import { ts } from 'ts-morph';
import { markerForGoMarker } from '../markers/index.ts';
import type { Problems } from './problems.ts';
import type { SourceProject } from './source-project.ts';

const goMarker =
  /(?:^[ \t]*\*|\/\/|\/\*+)[ \t]*(@kubebuilder:|\+(?:kubebuilder:|k8s:|(?:optional|required|nullable|default|listType|listMapKey|mapType|structType|groupName|versionName)\b))[^\r\n]*/gm;

/** Reports the comment lines that are markers of controller-gen: nobody would read them, and they would seem to work. */
export function reportGoMarkers(file: ts.SourceFile, project: SourceProject, problems: Problems): void {
  for (const match of file.text.matchAll(goMarker)) {
    const prefix = match[1] ?? '';
    const start = match.index + match[0].indexOf(prefix);
    if (isInsideText(file, start) || isQuoted(match[0], file.text, match.index)) continue;
    const text = match[0]
      .slice(match[0].indexOf(prefix))
      .replace(/\*\/.*$/, '')
      .trim();
    const marker = markerForGoMarker(text.slice(1));
    problems.report('goMarker', { text }, { position: project.position(file, start), remedy: remedyFor(marker) });
  }
}

/** The text of a tag up to a line that is a marker of controller-gen, of which `reportGoMarkers` tells. */
export function withoutGoMarkers(text: string): string {
  const start = text.search(
    /\n[ \t]*\+(?:kubebuilder:|k8s:|(?:optional|required|nullable|default|list\w+|mapType|structType|\w+Name)\b)/,
  );
  return start === -1 || /[`({[]/.test(text.slice(0, start)) ? text : text.slice(0, start);
}

function remedyFor(marker: ReturnType<typeof markerForGoMarker>): string {
  if (marker === undefined) return 'remove it';
  if (marker === 'optional') return "write '?' behind the name of an optional member, and remove it";
  return `write the marker ${marker.name} (@${marker.name}(...) or the tag @${marker.tag})`;
}

/** Whether a `// +marker` is only spoken of: it stands in a line of a doc comment, as Go code in an example. */
function isQuoted(match: string, text: string, offset: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return match.startsWith('//') && /^[ \t]*(\/\*)?\*/.test(line);
}

/** Whether an offset lies in a string or template, which may span lines and look like a comment. */
function isInsideText(file: ts.SourceFile, offset: number): boolean {
  const find = (node: ts.Node): boolean => {
    if (offset < node.getStart(file) || offset >= node.end) return false;
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) return true;
    return ts.forEachChild(node, (child) => find(child) || undefined) ?? false;
  };
  return find(file);
}
