import type { Diagnostic, Schema, Version } from '../../model/index.ts';
import { memberPath, type Place, problemsOf, rootPlace } from './visit.ts';

/**
 * Warns of defaults that never take effect while the object around them is left out, though it could be defaulted as a whole. The
 * API server fills in the members of objects that are there, and makes none.
 */
export function checkDefaults(version: Version): Diagnostic[] {
  return problemsOf(rootPlace(version), clean, (outer) => {
    const found: Diagnostic[] = [];
    for (const [name, schema] of outer.schema.properties ?? []) {
      // A status is left out until the controller writes it.
      if (name !== 'status' || outer.path !== '') found.push(...checkObject(outer, name, schema));
    }
    return found;
  });
}

const clean = new WeakSet<Schema>();

function checkObject(outer: Place, name: string, schema: Schema): Diagnostic[] {
  const isThere = outer.schema.required?.includes(name) === true || schema.default !== undefined;
  if (isThere || schema.type !== 'object' || !mayBeEmpty(schema)) return [];
  const path = memberPath(outer.path, name);
  const defaulted = [...(schema.properties ?? [])]
    // Only what the user's own markers say: the types of Kubernetes are as they are.
    .filter(([, member]) => member.default !== undefined && member.origin?.keywords?.has('default') === true)
    .map(([member]) => memberPath(path, member));
  if (defaulted.length === 0) return [];
  const [verb, noun] = defaulted.length === 1 ? ['has', 'default'] : ['have', 'defaults'];
  return [
    {
      code: 'CO2020',
      severity: 'warning',
      message: `the ${noun} of ${defaulted.join(', ')} ${verb} no effect while ${path} is left out`,
      path,
      position: schema.origin?.position ?? outer.position,
      remedy: `give ${path} the default {}`,
    },
  ];
}

/** Whether `{}` is a value: no member is required that has no default. */
function mayBeEmpty(schema: Schema): boolean {
  return (schema.required ?? []).every((name) => schema.properties?.get(name)?.default !== undefined);
}
