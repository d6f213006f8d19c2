import { type Diagnostic, Float, type Json, type JsonObject, type Kind } from '../../model/index.ts';
import { definitionToJson } from '../crd/definition.ts';
import { schemaToJson } from '../crd/schema-json.ts';
import { childrenOf, type Place } from './visit.ts';

/** What the annotation of a client-side `kubectl apply` can hold; bytes. */
const limit = 262_144;

/** Warns of a definition that `kubectl apply` cannot store beside itself, and names what makes it large. */
export function checkSize(kind: Kind): Diagnostic[] {
  const size = bytes(definitionToJson(kind));
  if (size <= limit) return [];
  const roots = kind.versions.map((version): Place => ({
    schema: version.schema,
    path: '',
    position: version.position,
  }));
  const largest = descend(largestOf(roots));
  return [
    {
      code: 'CO2030',
      severity: 'warning',
      message:
        `the definition of ${kind.kind} has ${size} bytes; kubectl apply stores it in an annotation of at most ${limit} bytes` +
        (largest === undefined
          ? ''
          : `; ${largest.path === '' ? 'a version' : largest.path} takes ${bytes(schemaToJson(largest.schema))} of them`),
      position: largest?.position ?? kind.position,
      ...(largest === undefined || largest.path === '' ? {} : { path: largest.path }),
      remedy: 'shorten descriptions with DescriptionDepth, or apply with kubectl apply --server-side',
    },
  ];
}

/** The innermost place that still makes most of what is around it. */
function descend(place: Place | undefined): Place | undefined {
  if (place === undefined) return undefined;
  const child = largestOf(childrenOf(place));
  if (child === undefined || bytes(schemaToJson(child.schema)) * 2 < bytes(schemaToJson(place.schema))) return place;
  return descend(child);
}

function largestOf(places: readonly Place[]): Place | undefined {
  let largest: Place | undefined;
  let most = 0;
  for (const place of places) {
    const size = bytes(schemaToJson(place.schema));
    if (size > most) {
      largest = place;
      most = size;
    }
  }
  return largest;
}

/** The sizes of objects that were measured before; Kubernetes' types stand in many kinds. */
const sizes = new WeakMap<object, number>();

/** The size as compact JSON in UTF-8. */
function bytes(value: Json): number {
  if (typeof value === 'bigint') return bytes(Number(value));
  if (typeof value !== 'object' || value === null || value instanceof Float) {
    return Buffer.byteLength(JSON.stringify(value));
  }
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const members = Object.entries(value as JsonObject);
  // Brackets, commas, and the names with their colons.
  let size = 2 + Math.max(0, members.length - 1);
  for (const [name, member] of members) size += (Array.isArray(value) ? 0 : bytes(name) + 1) + bytes(member);
  sizes.set(value, size);
  return size;
}
