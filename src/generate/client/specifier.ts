import { posix } from 'node:path';

/**
 * The specifier by which one file imports another: relative, with `/`, and with the ending of the JavaScript that Node loads. Paths
 * have `/` and are absolute or relative to `root`; `undefined` where no relative path leads (another drive on Windows).
 */
export function importSpecifier(root: string, fromFile: string, toFile: string): string | undefined {
  const from = absolute(root, fromFile);
  const to = absolute(root, toFile);
  if (driveOf(from) !== driveOf(to)) return undefined;
  const relative = posix.relative(posix.dirname(from), to);
  const specifier = relative.startsWith('../') ? relative : `./${relative}`;
  return specifier.replace(/(?:\.d)?\.([cm]?)tsx?$/, '.$1js');
}

/** With a `/` before a drive's letter, so that what follows is plain text. */
function absolute(root: string, path: string): string {
  const full = /^(\/|[A-Za-z]:\/)/.test(path) ? path : posix.join(root, path);
  const drive = driveOf(full);
  return drive === '' ? full : `/${drive}${full.slice(full.indexOf(':') + 1)}`;
}

function driveOf(path: string): string {
  return /^\/?([A-Za-z]:)(?:\/|$)/.exec(path)?.[1]?.toLowerCase() ?? '';
}
