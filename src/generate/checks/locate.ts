import type { Kind, Schema, SourcePosition, Version } from '../../model/index.ts';
import { memberPath } from './visit.ts';

/** Where in the user's sources a field of a definition was decided, and which member it concerns. */
export interface Location {
  readonly position: SourcePosition;
  /** `spec.size`; empty for what concerns the kind as a whole. */
  readonly path: string;
  /** What of the field lies within the place: `pattern`, `default.port`, `names.plural`. */
  readonly rest: string;
}

/**
 * Finds the place of a field in a kind's CustomResourceDefinition, as the API server names it: with one version, or where all are
 * alike, `spec.validation.openAPIV3Schema...` and `spec.additionalPrinterColumns[0]`, else `spec.versions[1].schema...`.
 */
export function locate(kind: Kind, field: string): Location {
  const { version, rest } = versionOf(kind, field);
  if (version === undefined) return { position: kind.position, path: '', rest: field.replace(/^spec\./, '') };
  const inSchema = /^(?:validation|schema)\.openAPIV3Schema(?:\.|$)/.exec(rest);
  if (inSchema !== null) return locateInSchema(version, rest.slice(inSchema[0].length));
  const [, list = '', index = ''] = /^(additionalPrinterColumns|selectableFields)\[(\d+)\]/.exec(rest) ?? [];
  const items = list === 'selectableFields' ? version.selectableFields : version.printerColumns;
  const listed = list === '' ? undefined : items[Number(index)]?.position;
  const scale = rest.startsWith('subresources.scale') ? version.scaleSubresource?.position : undefined;
  return { position: listed ?? scale ?? version.position, path: '', rest };
}

/** The code of an error, by what of the field lies within its place. */
export function codeOf(rest: string): 'CO2050' | 'CO2052' | 'CO2053' {
  if (/^x-kubernetes-validations\b/.test(rest)) return 'CO2053';
  return /^default\b/.test(rest) ? 'CO2052' : 'CO2050';
}

function versionOf(kind: Kind, field: string): { version: Version | undefined; rest: string } {
  const [prefix = '', index = ''] = /^spec\.versions\[(\d+)\]\.?/.exec(field) ?? [];
  if (prefix !== '') return { version: kind.versions[Number(index)], rest: field.slice(prefix.length) };
  const shared = /^spec\.((?:validation|additionalPrinterColumns|selectableFields|subresources|version)\b.*)$/s.exec(
    field,
  )?.[1];
  return { version: shared === undefined ? undefined : kind.versions[0], rest: shared ?? field };
}

function locateInSchema(version: Version, field: string): Location {
  let schema = version.schema;
  let position = schema.origin?.position ?? version.position;
  let path = '';
  let rest = field;
  for (;;) {
    const step = stepInto(schema, rest, path);
    if (step === undefined) break;
    ({ schema, rest, path } = step);
    position = schema.origin?.position ?? position;
  }
  const keyword = /^[\w$-]+/.exec(rest)?.[0] ?? '';
  return { position: schema.origin?.keywords?.get(keyword) ?? position, path, rest };
}

interface Step {
  readonly schema: Schema;
  readonly rest: string;
  readonly path: string;
}

/** The schema that a field leads to next, or `undefined` where it names a keyword, or something that the schema does not have. */
function stepInto(schema: Schema, field: string, path: string): Step | undefined {
  const into = (child: Schema | undefined, prefix: string, childPath: string): Step | undefined => {
    if (child === undefined || !field.startsWith(prefix)) return undefined;
    const rest = field.slice(prefix.length);
    if (rest !== '' && !rest.startsWith('.')) return undefined;
    return { schema: child, rest: rest.slice(1), path: childPath };
  };
  if (field.startsWith('properties[')) {
    // A name may hold brackets and dots: the longest that fits is meant.
    const names = [...(schema.properties?.keys() ?? [])].sort((a, b) => b.length - a.length);
    for (const name of names) {
      const step = into(schema.properties?.get(name), `properties[${name}]`, memberPath(path, name));
      if (step !== undefined) return step;
    }
    return undefined;
  }
  const [, junctor = '', index = ''] = /^(allOf|anyOf|oneOf)\[(\d+)\]/.exec(field) ?? [];
  if (junctor !== '') {
    return into(schema[junctor as 'allOf' | 'anyOf' | 'oneOf']?.[Number(index)], `${junctor}[${index}]`, path);
  }
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return (
    into(schema.items, 'items', `${path}[]`) ??
    into(values, 'additionalProperties', `${path}{}`) ??
    into(schema.not, 'not', path)
  );
}
