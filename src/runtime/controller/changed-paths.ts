import { equal } from '../client/draft.ts';
import { isRecord } from '../client/json.ts';

/** The JSON pointers at which two values differ, as deep as both are objects; a list that differs counts as a whole. */
export function changedPaths(from: unknown, to: unknown, path = ''): string[] {
  if (!isRecord(from) || !isRecord(to)) {
    return equal(from, to) ? [] : [path];
  }
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) => {
    const below = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    // One that is missing differs as a whole.
    return changedPaths(from[name], to[name], below);
  });
}
