import { dirname, join, sep } from 'node:path';
import { nearest } from './settings.ts';

/** The nearest `tsconfig.json` above all of the sources, or `undefined`. */
export function findTsconfig(files: readonly string[]): string | undefined {
  const [first, ...others] = files.map((file) => dirname(file));
  if (first === undefined) return undefined;
  let common = first;
  for (const folder of others) {
    while (
      folder !== common &&
      !folder.startsWith(common.endsWith(sep) ? common : common + sep) &&
      common !== dirname(common)
    ) {
      common = dirname(common);
    }
  }
  const folder = nearest(common, 'tsconfig.json');
  return folder === undefined ? undefined : join(folder, 'tsconfig.json');
}
