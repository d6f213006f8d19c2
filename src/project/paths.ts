import nodePath, { type PlatformPath } from 'node:path';

/**
 * A path as our model has it: relative to the root and with `/`, whatever the platform. `undefined` where no relative path leads
 * there (another drive on Windows). `path` is the platform's path module.
 */
export function toProjectPath(file: string, root: string, path: PlatformPath = nodePath): string | undefined {
  const relative = path.relative(path.resolve(root), path.resolve(root, file));
  if (path.isAbsolute(relative)) return undefined;
  return relative === '' ? '.' : relative.split(path.sep).join('/');
}

/** A glob as users type it, in either slash style, as an absolute pattern with `/`. */
export function toPattern(glob: string, folder: string, path: PlatformPath = nodePath): string {
  const slashed = glob.replaceAll('\\', '/');
  const base = path.resolve(folder).replaceAll('\\', '/');
  const absolute = slashed.startsWith('/') || path.isAbsolute(slashed);
  return absolute ? slashed : `${base.replace(/\/$/, '')}/${slashed.replace(/^(\.\/)+/, '')}`;
}

/** Whether a path has signs that a glob gives a meaning. */
export function isGlob(pattern: string): boolean {
  return /[*?[\]{}!()]/.test(pattern);
}
