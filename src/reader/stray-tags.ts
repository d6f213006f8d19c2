import { ts } from 'ts-morph';
import { type Marker, markerByTag } from '../markers/index.ts';
import { commentRanges } from './comment-ranges.ts';
import { type DocTag, parseDocComment } from './doc-comment.ts';
import { placeName, whereItStands } from './marker-places.ts';
import type { Problems } from './problems.ts';
import type { SourceProject } from './source-project.ts';

/** Tags of JSDoc and TSDoc that are markers on types and members only; elsewhere they are documentation. */
const documentation = new Set(['default', 'example', 'enum', 'ignore']);

export interface StrayTagOptions {
  /** Whether types of an API stand in the file: then all markers count, else only those of kinds, webhooks and permissions. */
  readonly hasTypes: boolean;
  /** Whether the comment that starts at an offset was read where it stands. */
  readonly isRead: (offset: number) => boolean;
  readonly allowedTags: ReadonlySet<string>;
}

/** Reports the markers in doc comments that belong to no declaration that takes markers: nobody would read them. */
export function reportStrayTags(
  file: ts.SourceFile,
  project: SourceProject,
  problems: Problems,
  options: StrayTagOptions,
): void {
  let readable: ReadonlySet<number> | undefined;
  for (const match of file.text.matchAll(/\/\*\*(?!\/)[^]*?\*\//g)) {
    const { index: offset } = match;
    if (options.isRead(offset)) continue;
    const tags = parseDocComment(match[0], offset, (tag) => markerByTag(tag) !== undefined).tags;
    const counted = tags.flatMap((tag) => {
      const marker = markerByTag(tag.name);
      return marker !== undefined && counts(marker, tag, options) ? [{ marker, tag }] : [];
    });
    if (counted.length === 0) continue;
    readable ??= readableComments(file);
    const owner = readable.has(offset) ? undefined : ownerOf(file, offset);
    if (owner === undefined) continue;
    for (const { marker, tag } of counted) {
      const values = { name: marker.name, place: placeName(owner) };
      const position = project.position(file, tag.offset);
      problems.report('markerPlace', values, { position, remedy: whereItStands(marker) });
    }
  }
}

function counts(marker: Marker, tag: DocTag, { hasTypes, allowedTags }: StrayTagOptions): boolean {
  if (allowedTags.has(tag.name) || documentation.has(tag.name)) return false;
  const { effect } = marker;
  if (effect.kind === 'policyRule' || effect.kind === 'webhook') return true;
  if (effect.kind === 'kind' && effect.of !== 'metadata') return true;
  // Prettier's `@format` at the top of a file has no arguments.
  return hasTypes && !(tag.name === 'format' && tag.text.trim() === '');
}

/** Where the comments of all declarations start that take markers, whether anything asks for them or not. */
function readableComments(file: ts.SourceFile): ReadonlySet<number> {
  const found = new Set<number>();
  const visit = (node: ts.Node): void => {
    const takesMarkers =
      ts.isClassDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isEnumDeclaration(node) ||
      ts.isPropertySignature(node) ||
      ts.isPropertyDeclaration(node);
    if (takesMarkers) for (const { pos } of commentRanges(node)) found.add(pos);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** What follows a comment: the outermost node that begins there. Undefined where what stands at the offset is no comment. */
function ownerOf(file: ts.SourceFile, offset: number): ts.Node | undefined {
  const path: ts.Node[] = [];
  let at: ts.Node | undefined = file;
  while (at !== undefined) {
    if (at.kind !== ts.SyntaxKind.SyntaxList && at !== file) path.push(at);
    at = at
      .getChildren(file)
      .find((child) => !ts.isJSDoc(child) && child.getFullStart() <= offset && offset < child.end);
  }
  const token = path.at(-1);
  if (token === undefined) return undefined;
  const start = token.getFullStart();
  const comments = [
    ...(ts.getTrailingCommentRanges(file.text, start) ?? []),
    ...(ts.getLeadingCommentRanges(file.text, start) ?? []),
  ];
  if (!comments.some(({ pos }) => pos === offset)) return undefined;
  return path.find((node) => node.getStart(file, false) === token.getStart(file, false));
}
