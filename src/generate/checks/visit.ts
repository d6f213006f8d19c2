import type { Schema, SourcePosition, Version } from '../../model/index.ts';

/** A schema within a version's schema. */
export interface Place {
  readonly schema: Schema;
  /** As in messages: `spec.ports[].port`, `spec.tags{}`. */
  readonly path: string;
  /** Where the schema, or what is around it, was declared. */
  readonly position: SourcePosition;
}

/** All schemas of a version, the outer before the inner. */
export function* placesOf(version: Version): Generator<Place> {
  yield* visit({ schema: version.schema, path: '', position: version.schema.origin?.position ?? version.position });
}

function* visit(place: Place): Generator<Place> {
  yield place;
  for (const child of childrenOf(place)) yield* visit(child);
}

/** The schemas right below a place. */
export function childrenOf({ schema, path, position }: Place): Place[] {
  const at = (child: Schema, childPath: string): Place => ({
    schema: child,
    path: childPath,
    position: child.origin?.position ?? position,
  });
  const children: Place[] = [];
  for (const [name, property] of schema.properties ?? []) children.push(at(property, memberPath(path, name)));
  if (schema.items !== undefined) children.push(at(schema.items, `${path}[]`));
  if (typeof schema.additionalProperties === 'object') children.push(at(schema.additionalProperties, `${path}{}`));
  for (const junctor of [schema.allOf, schema.anyOf, schema.oneOf]) {
    for (const child of junctor ?? []) children.push(at(child, path));
  }
  if (schema.not !== undefined) children.push(at(schema.not, path));
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
