import type { Json, Kind, PrinterColumn, Schema, SelectableField, Version } from '../../model/index.ts';
import { at } from './model.ts';

/** A CustomResourceDefinition as YAML readers give it; as far as tests need it. */
export interface PlainDefinition {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly group: string;
    readonly scope: Kind['scope'];
    readonly names: Pick<Kind, 'kind' | 'listKind' | 'plural' | 'singular'> &
      Partial<Pick<Kind, 'shortNames' | 'categories'>>;
    readonly versions: readonly PlainVersion[];
  };
}

interface PlainVersion extends Pick<Version, 'name' | 'served' | 'storage'> {
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: Readonly<Record<string, Json>> };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: Omit<NonNullable<Version['scaleSubresource']>, 'position'>;
  };
  readonly additionalPrinterColumns?: readonly Omit<PrinterColumn, 'position'>[];
  readonly selectableFields?: readonly Omit<SelectableField, 'position'>[];
}

/** The kind that a definition describes. */
export function kindOf({ metadata, spec }: PlainDefinition): Kind {
  const { names } = spec;
  return {
    group: spec.group,
    kind: names.kind,
    listKind: names.listKind,
    plural: names.plural,
    singular: names.singular,
    scope: spec.scope,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    labels: new Map(Object.entries(metadata.labels ?? {})),
    annotations: new Map(Object.entries(metadata.annotations ?? {})),
    versions: spec.versions.map(versionOf),
    position: at(1),
  };
}

function versionOf(version: PlainVersion): Version {
  const { scale, status } = version.subresources ?? {};
  return {
    name: version.name,
    served: version.served,
    storage: version.storage,
    deprecated: version.deprecated === true,
    ...(version.deprecationWarning === undefined ? {} : { deprecationWarning: version.deprecationWarning }),
    schema: schemaOf(version.schema.openAPIV3Schema),
    statusSubresource: status !== undefined,
    ...(scale === undefined ? {} : { scaleSubresource: { ...scale, position: at(1) } }),
    printerColumns: (version.additionalPrinterColumns ?? []).map((column) => ({ ...column, position: at(1) })),
    selectableFields: (version.selectableFields ?? []).map((field) => ({ ...field, position: at(1) })),
    declaration: { file: 'src/api.types.ts', name: 'Declared' },
    position: at(1),
  };
}

/** A schema as it stands in a definition as one of the model. */
export function schemaOf(json: Readonly<Record<string, unknown>>): Schema {
  const inner = (value: unknown): Schema => schemaOf(value as Record<string, unknown>);
  const entries = Object.entries(json).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'properties') {
      return [keyword, new Map(Object.entries(value as object).map(([name, property]) => [name, inner(property)]))];
    }
    if (['items', 'not'].includes(keyword)) return [keyword, inner(value)];
    if (keyword === 'additionalProperties') return [keyword, typeof value === 'object' ? inner(value) : value];
    if (['allOf', 'anyOf', 'oneOf'].includes(keyword)) return [keyword, (value as unknown[]).map(inner)];
    return [keyword, value];
  });
  return Object.fromEntries(entries) as Schema;
}
