import type { Diagnostic, Schema, SourcePosition, Version } from '../../model/index.ts';

/** A schema within a version's schema. */
export interface Place {
  readonly schema: Schema;
  /** As in messages: `spec.ports[].port`, `spec.tags{}`. */
  readonly path: string;
  /** Where the schema, or what is around it, was declared. */
  readonly position: SourcePosition;
}

/** A schema within another; its path and its position are only made out where something is said about it. */
class InnerPlace implements Place {
  readonly schema: Schema;
  readonly #outer: Place;
  readonly #step: (path: string) => string;

  constructor(schema: Schema, outer: Place, step: (path: string) => string) {
    this.schema = schema;
    this.#outer = outer;
    this.#step = step;
  }

  get path(): string {
    return this.#step(this.#outer.path);
  }

  get position(): SourcePosition {
    return this.schema.origin?.position ?? this.#outer.position;
  }
}

/** The outermost schema of a version. */
export function rootPlace({ schema, position }: Version): Place {
  return { schema, path: '', position: schema.origin?.position ?? position };
}

/** The first place, the outer before the inner, that is the one looked for. Schemas without one are kept in `without`. */
export function findPlace(
  place: Place,
  isWanted: (schema: Schema) => boolean,
  without = new WeakSet<Schema>(),
): Place | undefined {
  if (without.has(place.schema)) return undefined;
  if (isWanted(place.schema)) return place;
  for (const child of childrenOf(place)) {
    const found = findPlace(child, isWanted, without);
    if (found !== undefined) return found;
  }
  without.add(place.schema);
  return undefined;
}

/**
 * What a check of single schemas says of all schemas of a place, the outer before the inner. Schemas of which it says nothing, and
 * nothing of those below them, are kept in `clean` and not looked at again: those of Kubernetes' types stand in many kinds.
 */
export function problemsOf(place: Place, clean: WeakSet<Schema>, check: (place: Place) => Diagnostic[]): Diagnostic[] {
  if (clean.has(place.schema)) return [];
  const found = check(place);
  for (const child of childrenOf(place)) found.push(...problemsOf(child, clean, check));
  if (found.length === 0) clean.add(place.schema);
  return found;
}

const same = (path: string): string => path;
const item = (path: string): string => `${path}[]`;
const value = (path: string): string => `${path}{}`;

/** The schemas right below a place. */
export function childrenOf(place: Place): Place[] {
  const { schema } = place;
  const children: Place[] = [];
  const add = (child: Schema, step: (path: string) => string): void => {
    children.push(new InnerPlace(child, place, step));
  };
  for (const [name, property] of schema.properties ?? []) add(property, (path) => memberPath(path, name));
  if (schema.items !== undefined) add(schema.items, item);
  if (typeof schema.additionalProperties === 'object') add(schema.additionalProperties, value);
  for (const junctor of [schema.allOf, schema.anyOf, schema.oneOf]) {
    for (const child of junctor ?? []) add(child, same);
  }
  if (schema.not !== undefined) add(schema.not, same);
  return children;
}

/** The path of a member: `spec.size`, `spec["a.b"]`. */
export function memberPath(path: string, name: string): string {
  if (!/^[\p{L}\p{N}_$-]+$/u.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** Where a keyword of a place was set. */
export function keywordPosition(place: Place, ...keywords: readonly string[]): SourcePosition {
  const set = keywords.flatMap((keyword) => place.schema.origin?.keywords?.get(keyword) ?? []);
  return set[0] ?? place.position;
}
