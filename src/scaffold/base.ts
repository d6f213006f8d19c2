import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FileTree } from './change-plan.ts';
import { mergeText } from './merge-text.ts';

/** Where a project keeps what its scaffold was when it was last rendered. */
export const basePath = '.create-operator/base.json';

const comment =
  'What create-operator made of this project, before your changes: upgrade, edit and delete need it to keep them. Commit it; do not edit it.';

/** A base that cannot be read; the message is one line. */
export class BaseError extends Error {
  override readonly name = 'BaseError';
}

/**
 * The text of a base: JSON with one line for each file, so that git can merge it, and each file packed (raw deflate, base64), so that
 * searches in the project do not find everything twice. Files that have not changed keep their line of the text before, whatever version
 * of zlib packed it.
 */
export function formatBase(tree: FileTree, previous?: string): string {
  const lines = new Map<string, string>();
  if (previous !== undefined) {
    const packed = packedFiles(previous);
    for (const [path, content] of parseBase(previous))
      if (tree.get(path) === content) lines.set(path, packed[path] ?? '');
  }
  const files = [...tree.keys()]
    .sort()
    .map((path) => `    ${JSON.stringify(path)}: ${JSON.stringify(lines.get(path) ?? pack(tree.get(path) ?? ''))}`);
  const members = files.length === 0 ? '{}' : `{\n${files.join(',\n')}\n  }`;
  return `{\n  "comment": ${JSON.stringify(comment)},\n  "files": ${members}\n}\n`;
}

/**
 * The files of a base.
 *
 * @throws BaseError
 */
export function parseBase(text: string): Map<string, string> {
  const tree = new Map<string, string>();
  for (const [path, packed] of Object.entries(packedFiles(text))) {
    try {
      tree.set(path, inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8'));
    } catch {
      throw new BaseError(`${basePath}: the entry ${path} is damaged`);
    }
  }
  return tree;
}

function packedFiles(text: string): Readonly<Record<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BaseError(`${basePath}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const files = typeof value === 'object' && value !== null && 'files' in value ? value.files : undefined;
  if (
    typeof files !== 'object' ||
    files === null ||
    Object.values(files).some((packed) => typeof packed !== 'string')
  ) {
    throw new BaseError(`${basePath}: has no list of files`);
  }
  return files as Readonly<Record<string, string>>;
}

function pack(content: string): string {
  return deflateRawSync(Buffer.from(content, 'utf8'), { level: 9 }).toString('base64');
}

/**
 * The base after a change of the scaffold from `before` to `after`. Where the base is not what `before` says, because another version of
 * create-operator rendered it, the change is made in it as well, and nothing else: what that version did not say is left to `upgrade`.
 */
export function changedBase(base: FileTree, before: FileTree, after: FileTree): Map<string, string> {
  const changed = new Map(base);
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [was, becomes, stored] = [before.get(path), after.get(path), base.get(path)];
    if (was === becomes) continue;
    if (becomes === undefined) changed.delete(path);
    else if (stored === undefined || stored === was || was === undefined) changed.set(path, becomes);
    else {
      const merged = mergeText(was, stored, becomes, { ours: 'base', theirs: 'scaffold' });
      changed.set(path, merged.conflicts === 0 ? merged.content : becomes);
    }
  }
  return changed;
}
