import { posix } from 'node:path';

/**
 * The specifier by which one file imports another: relative, with `/`, and with the ending of the JavaScript that Node loads. Both
 * paths are relative to the project's root and written with `/`.
 */
export function importSpecifier(fromFile: string, toFile: string): string {
  const relative = posix.relative(posix.dirname(fromFile), toFile);
  const specifier = relative.startsWith('../') ? relative : `./${relative}`;
  return specifier.replace(/(?:\.d)?\.([cm]?)tsx?$/, '.$1js');
}
