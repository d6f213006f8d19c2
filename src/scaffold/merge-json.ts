/** A JSON text with both changes, or `undefined` where they contradict each other, or a text is no JSON object. */
export function mergeJsonText(base: string, ours: string, theirs: string): string | undefined {
  const values = [base, ours, theirs].map(parsed);
  const [baseValue, ourValue, theirValue] = values;
  if (!isObject(baseValue) || !isObject(ourValue) || !isObject(theirValue)) return undefined;
  const merged = mergeMembers(baseValue, ourValue, theirValue, []);
  if (merged === undefined) return undefined;
  const indent = /^([ \t]+)\S/m.exec(ours)?.[1] ?? '  ';
  return `${JSON.stringify(merged, undefined, indent)}${ours.endsWith('\n') ? '\n' : ''}`;
}

/** Whether two JSON texts say the same, in whatever layout; false where one is no JSON. */
export function sayTheSame(a: string, b: string): boolean {
  const [left, right] = [parsed(a), parsed(b)];
  return left !== undefined && right !== undefined && isSame(left, right);
}

interface Members {
  readonly [name: string]: unknown;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is merged as text.
    return undefined;
  }
}

/** Compared as texts: the order of members does not count. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

/** Our members in our order, and theirs that are new behind the one that stands before them there. */
function mergeMembers(base: Members, ours: Members, theirs: Members, path: readonly string[]): Members | undefined {
  const merged = new Map<string, unknown>();
  for (const [name, value] of Object.entries(ours)) {
    const result = mergeMember(own(base, name), value, own(theirs, name), [...path, name]);
    if (result === conflict) return undefined;
    if (result !== undefined) merged.set(name, result);
  }
  const order = [...merged.keys()];
  let previous: string | undefined;
  for (const [name, value] of Object.entries(theirs)) {
    if (!Object.hasOwn(ours, name)) {
      const result = mergeMember(own(base, name), undefined, value, [...path, name]);
      if (result === conflict) return undefined;
      if (result !== undefined) {
        order.splice(previous === undefined ? 0 : order.indexOf(previous) + 1, 0, name);
        merged.set(name, result);
      }
    }
    if (merged.has(name)) previous = name;
  }
  return Object.fromEntries(order.map((name) => [name, merged.get(name)]));
}

const conflict = Symbol('conflict');

/** `undefined` stands for a member that is not there. */
function mergeMember(base: unknown, ours: unknown, theirs: unknown, path: readonly string[]): unknown {
  if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
  if (isSame(base, ours)) return theirs;
  if (isObject(ours) && isObject(theirs)) {
    return mergeMembers(isObject(base) ? base : {}, ours, theirs, path) ?? conflict;
  }
  const isDependency = path.length === 2 && /^(dev|peer|optional)?dependencies$/i.test(path[0] ?? '');
  return isDependency ? mergeDependency(ours, theirs) : conflict;
}

/**
 * A dependency of which both sides changed the version: the higher one. What comes from elsewhere than a registry (`file:`,
 * `workspace:`), and what the user has removed, stays as the user has it.
 */
function mergeDependency(ours: unknown, theirs: unknown): unknown {
  if (typeof ours !== 'string' || typeof theirs !== 'string') return ours;
  const [our, their] = [numbersOf(ours), numbersOf(theirs)];
  if (our === undefined || their === undefined) return ours;
  for (let index = 0; index < 3; index++) {
    const difference = (our[index] ?? 0) - (their[index] ?? 0);
    if (difference !== 0) return difference > 0 ? ours : theirs;
  }
  return ours;
}

function numbersOf(range: string): number[] | undefined {
  return /^[~^]?\d+(\.\d+){0,2}(-[\w.]+)?$/.test(range)
    ? range.replace(/^[~^]/, '').split(/[.-]/, 3).map(Number)
    : undefined;
}

function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
