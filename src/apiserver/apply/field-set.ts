import { isObject, jsonObject, type Json, type JsonObject } from '../json.ts';

/**
 * A set of paths into an object, as `managedFields` keep it. The elements of a path are written as FieldsV1 writes them: `f:<name>`
 * for a member, `k:{"name":"a"}` for an item of a list map, `v:<value>` for an item of a set, `i:<index>` for one of another list.
 */
export class FieldSet {
  readonly #children = new Map<string, FieldSet>();
  /** Whether the path that leads here is itself in the set. */
  isMember = false;

  get isEmpty(): boolean {
    return !this.isMember && this.#children.size === 0;
  }

  get children(): ReadonlyMap<string, FieldSet> {
    return this.#children;
  }

  insert(path: readonly string[]): void {
    const [element, ...rest] = path;
    if (element === undefined) this.isMember = true;
    else this.#at(element).insert(rest);
  }

  has(path: readonly string[]): boolean {
    return this.find(path)?.isMember === true;
  }

  find(path: readonly string[]): FieldSet | undefined {
    const [element, ...rest] = path;
    return element === undefined ? this : this.#children.get(element)?.find(rest);
  }

  #at(element: string): FieldSet {
    let child = this.#children.get(element);
    if (child === undefined) this.#children.set(element, (child = new FieldSet()));
    return child;
  }

  union(other: FieldSet): FieldSet {
    return combine(this, other, (left, right) => left || right);
  }

  intersection(other: FieldSet): FieldSet {
    return combine(this, other, (left, right) => left && right);
  }

  difference(other: FieldSet): FieldSet {
    return combine(this, other, (left, right) => left && !right);
  }

  /** This set without a path and all that lies below it. */
  without(path: readonly string[]): FieldSet {
    const [element, ...rest] = path;
    if (element === undefined) return new FieldSet();
    const result = new FieldSet();
    result.isMember = this.isMember;
    for (const [name, child] of this.#children) {
      const kept = name === element ? child.without(rest) : child;
      if (!kept.isEmpty) result.#children.set(name, kept);
    }
    return result;
  }

  /** This set with every member on the way to another one: fields are there when something below them is. */
  withNamedParents(): FieldSet {
    const result = new FieldSet();
    result.isMember = this.isMember;
    for (const [name, child] of this.#children) {
      const extended = child.withNamedParents();
      if (name.startsWith('f:') && child.#children.size > 0) extended.isMember = true;
      result.#children.set(name, extended);
    }
    return result;
  }

  equals(other: FieldSet): boolean {
    if (this.isMember !== other.isMember || this.#children.size !== other.#children.size) return false;
    for (const [name, child] of this.#children) {
      const found = other.#children.get(name);
      if (found === undefined || !child.equals(found)) return false;
    }
    return true;
  }

  /** All paths, in the order in which messages list them: the fields of a level before those below it. */
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    const children = [...sorted(this.#children)];
    for (const [name, child] of children) if (child.isMember) yield [...prefix, name];
    for (const [name, child] of children) yield* child.paths([...prefix, name]);
  }

  /** FieldsV1. */
  toJson(): JsonObject {
    const result = jsonObject();
    if (this.isMember && this.#children.size > 0) result['.'] = jsonObject();
    for (const [name, child] of sorted(this.#children)) result[name] = child.toJson();
    return result;
  }

  static fromJson(value: Json | undefined): FieldSet {
    const result = new FieldSet();
    if (!isObject(value)) return result;
    for (const [name, inner] of Object.entries(value)) {
      if (name === '.') {
        result.isMember = true;
        continue;
      }
      const child = FieldSet.fromJson(inner);
      if (isObject(inner) && Object.keys(inner).length === 0) child.isMember = true;
      result.#children.set(name, child);
    }
    return result;
  }

  static empty(): FieldSet {
    return new FieldSet();
  }

  /** A set with these members of the root, each with its own set. */
  static of(isMember: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
    const result = new FieldSet();
    result.isMember = isMember;
    for (const [name, child] of children) if (!child.isEmpty) result.#children.set(name, child);
    return result;
  }
}

function combine(left: FieldSet, right: FieldSet, rule: (left: boolean, right: boolean) => boolean): FieldSet {
  const names = new Set([...left.children.keys(), ...right.children.keys()]);
  const nothing = new FieldSet();
  return FieldSet.of(
    rule(left.isMember, right.isMember),
    [...names].map(
      (name) => [name, combine(left.children.get(name) ?? nothing, right.children.get(name) ?? nothing, rule)] as const,
    ),
  );
}

function sorted(children: ReadonlyMap<string, FieldSet>): readonly (readonly [string, FieldSet])[] {
  return [...children].sort(([left], [right]) => compareElements(left, right));
}

/** Elements with keys or values of numbers stand in the order of the numbers. */
function compareElements(left: string, right: string): number {
  const kind = left.slice(0, 2);
  const parsed = (element: string): readonly unknown[] => {
    const value: unknown = JSON.parse(element.slice(2));
    return kind === 'k:' && typeof value === 'object' && value !== null ? Object.values(value) : [value];
  };
  if (kind === right.slice(0, 2) && (kind === 'k:' || kind === 'v:')) {
    const others = parsed(right);
    for (const [index, value] of parsed(left).entries()) {
      const other = others[index];
      if (typeof value === 'number' && typeof other === 'number' && value !== other) return value - other;
      if (value !== other) break;
    }
  }
  return left < right ? -1 : 1;
}

/** A path as messages show it: `.spec.list[name="a"].value`. */
export function printPath(path: readonly string[]): string {
  return path
    .map((element) => {
      const body = element.slice(2);
      switch (element.slice(0, 2)) {
        case 'f:':
          return `.${body}`;
        case 'k:':
          return `[${Object.entries(JSON.parse(body) as Record<string, unknown>)
            .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
            .join(',')}]`;
        case 'v:':
          return `[=${body}]`;
        default:
          return `[${body}]`;
      }
    })
    .join('');
}
