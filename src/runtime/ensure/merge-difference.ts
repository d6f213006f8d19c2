import { difference } from '../client/draft.ts';
import { InvalidCallError } from '../client/errors.ts';
import { isRecord } from '../client/json.ts';

/**
 * The JSON merge patch (RFC 7386) that makes `to` of `from`, both plain JSON; undefined when they do not differ. Lists that differ are
 * named whole. Members of `to` that are `undefined` count as absent.
 *
 * Throws an `InvalidCallError` for what such a patch cannot say: a member that becomes `null`, and integers that JavaScript cannot hold.
 */
export function mergeDifference(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  // Also refuses integers that would not come out as they came in.
  return difference(from, to).length === 0 ? undefined : changes(from, to, '');
}

function changes(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
  path: string,
): Record<string, unknown> {
  const patch: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && (!Object.hasOwn(to, name) || to[name] === undefined)) {
      patch[name] = null;
    }
  }
  for (const [name, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, name) ? from[name] : undefined;
    if (value === undefined || difference({ value: before }, { value }).length === 0) {
      continue;
    }
    refuseNull(value, `${path}/${name}`);
    // A value that is no object would be merged as an empty one: what is new is named whole, whatever it is.
    patch[name] = isRecord(before) && isRecord(value) ? changes(before, value, `${path}/${name}`) : value;
  }
  return patch;
}

/** In a merge patch `null` removes a member; only within lists it is a value. */
function refuseNull(value: unknown, path: string): void {
  if (value === null) {
    throw new InvalidCallError(
      `${path} cannot be set to null by a merge patch: null removes; leave it out, or use jsonPatch`,
    );
  }
  if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (member !== undefined) {
        refuseNull(member, `${path}/${name}`);
      }
    }
  }
}
