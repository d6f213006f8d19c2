/** One place where two documents differ; an absent side is undefined. */
export interface Difference {
  /** A JSON pointer without escapes: `/spec/versions/0/...`. */
  readonly at: string;
  readonly ours?: unknown;
  readonly theirs?: unknown;
}

/** Every place where two values of JSON differ, as deep as both have a list or an object there. */
export function differencesOf(ours: unknown, theirs: unknown, at = ''): Difference[] {
  if (isContainer(ours) && isContainer(theirs) && Array.isArray(ours) === Array.isArray(theirs)) {
    const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...names].flatMap((name) => differencesOf(member(ours, name), member(theirs, name), `${at}/${name}`));
  }
  if (Object.is(ours, theirs)) return [];
  return [{ at, ...(ours === undefined ? {} : { ours }), ...(theirs === undefined ? {} : { theirs }) }];
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function member(container: object, name: string): unknown {
  return Object.hasOwn(container, name) ? (container as Record<string, unknown>)[name] : undefined;
}
