import type { FieldError } from '../../schema/index.ts';
import type { Kind, Schema, Version } from '../../model/index.ts';
import { codeOf, locate } from './locate.ts';
import { memberPath } from './visit.ts';

/**
 * A kind in which any value can stand where the API server found a fault in the schema. The server looks no further then; what else
 * is wrong shows in the rest. Undefined where nothing is to be mended, or nothing would be left.
 */
export interface MendedKind {
  readonly kind: Kind;
  /** Whether a place of a version holds nothing, and lies in nothing, that was mended. */
  isWhole(version: number, path: string): boolean;
}

export function mend(kind: Kind, errors: readonly FieldError[]): MendedKind | undefined {
  const paths = kind.versions.map((_, index) => faultyPaths(kind, index, errors));
  if (paths.every((faulty) => faulty.size === 0) || paths.some((faulty) => faulty.has(''))) return undefined;
  const versions = kind.versions.map((version, index): Version => {
    const faulty = paths[index] ?? new Set();
    return faulty.size === 0 ? version : { ...version, schema: mended(version.schema, '', faulty) };
  });
  return {
    kind: { ...kind, versions },
    isWhole: (version, path) => ![...(paths[version] ?? [])].some((faulty) => isIn(faulty, path) || isIn(path, faulty)),
  };
}

/** The places of a version at which something else than a default or a rule is wrong. */
function faultyPaths(kind: Kind, version: number, errors: readonly FieldError[]): Set<string> {
  const inSchema = new RegExp(`^spec\\.(versions\\[${version}\\]\\.schema|validation)\\.openAPIV3Schema`);
  return new Set(
    errors.flatMap(({ field }) => {
      const { path, rest } = locate(kind, field);
      return inSchema.test(field) && codeOf(rest) === 'CO2050' ? [path] : [];
    }),
  );
}

function mended(schema: Schema, path: string, faulty: ReadonlySet<string>): Schema {
  if (faulty.has(path)) {
    const { origin } = schema;
    return { 'x-kubernetes-preserve-unknown-fields': true, ...(origin === undefined ? {} : { origin }) };
  }
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: new Map(
            [...properties].map(([name, property]) => [name, mended(property, memberPath(path, name), faulty)]),
          ),
        }),
    ...(items === undefined ? {} : { items: mended(items, `${path}[]`, faulty) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: mended(additionalProperties, `${path}{}`, faulty) }
      : {}),
  };
}

/** Whether a place is another one, or lies in it. */
function isIn(path: string, outer: string): boolean {
  return outer === '' || path === outer || (path.startsWith(outer) && /^[.[{]/.test(path.slice(outer.length)));
}
