import type { Definition, DefinitionSchema, DefinitionSpec } from './definition.ts';
import { isEqual } from './definition-decoder.ts';
import { pruneDefaults } from './default-pruning.ts';
import { mapListErrors, type SchemaRuleOptions, setErrors } from './schema-rules.ts';
import type { SchemaNode } from './schema-node.ts';
import { everyNode } from './schema-walk.ts';
import { findUnsupported, validateStructuralSchema } from './structural.ts';
import { type ConversionOptions, hasRecognizedVersion, isCaBundle } from './webhook-validation.ts';

/** Which rules hold. An update may keep what the stored definition already breaks. */
export interface Strictness extends SchemaRuleOptions, ConversionOptions {
  /** Whether scope and kind may not change: from the moment a definition is established. */
  readonly requireImmutableNames: boolean;
  /** Whether each version must have a schema. */
  readonly requireSchema: boolean;
  readonly requireStructural: boolean;
  readonly requirePrunedDefaults: boolean;
  /** The names of the versions whose schemas an update leaves as they are. */
  readonly unchangedSchemas: ReadonlySet<string>;
  /** The versions (`''` for all alike) whose too many selectable fields an update leaves as they are. */
  readonly unlimitedSelectableFields: ReadonlySet<string>;
}

export const createStrictness: Strictness = {
  requireValidTypes: true,
  requireAtomicSets: true,
  requireMapListKeys: true,
  requireRecognizedVersion: true,
  allowInvalidCaBundle: true,
  requireImmutableNames: false,
  requireSchema: true,
  requireStructural: true,
  requirePrunedDefaults: true,
  unchangedSchemas: new Set(),
  unlimitedSelectableFields: new Set(),
};

const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);

export function updateStrictness(definition: Definition, old: Definition): Strictness {
  const schemas = schemasOf(old.spec);
  const nodes = schemas.flatMap(everyNode);
  const { conversion } = old.spec;
  return {
    requireValidTypes: !nodes.some((node) => node.type !== '' && !types.has(node.type)),
    requireAtomicSets: !nodes.some((node) => setErrors(node, '').length > 0),
    requireMapListKeys: !nodes.some((node) => mapListErrors(node, '').length > 0),
    requireRecognizedVersion:
      conversion === undefined ||
      conversion.reviewVersions.length === 0 ||
      hasRecognizedVersion(conversion.reviewVersions),
    allowInvalidCaBundle: !old.status.isEstablished || !isCaBundle(conversion?.clientConfig?.caBundle ?? ''),
    requireImmutableNames: old.status.isEstablished,
    requireSchema:
      old.spec.validation?.openAPIV3Schema !== undefined ||
      old.spec.versions.every((version) => version.schema?.openAPIV3Schema !== undefined),
    requireStructural: !schemas.some((schema) => !isStructural(schema)),
    requirePrunedDefaults: !schemas.some(hasUnprunedDefaults),
    unchangedSchemas: unchangedSchemas(definition.spec, old.spec),
    unlimitedSelectableFields: unlimitedSelectableFields(definition.spec, old.spec),
  };
}

function schemasOf(spec: DefinitionSpec): SchemaNode[] {
  return [spec.validation, ...spec.versions.map((version) => version.schema)].flatMap((schema) =>
    schema?.openAPIV3Schema === undefined ? [] : [schema.openAPIV3Schema],
  );
}

function isStructural(schema: SchemaNode): boolean {
  return findUnsupported(schema) === undefined && validateStructuralSchema(schema).length === 0;
}

function hasUnprunedDefaults(schema: SchemaNode): boolean {
  return schema.hasDefaults && isStructural(schema) && !isEqual(pruneDefaults(schema), schema);
}

function schemaOf(spec: DefinitionSpec, name: string): DefinitionSchema | undefined {
  const perVersion = spec.versions.some((version) => version.schema !== undefined);
  return perVersion ? spec.versions.find((version) => version.name === name)?.schema : spec.validation;
}

function unchangedSchemas(spec: DefinitionSpec, old: DefinitionSpec): Set<string> {
  const names = spec.versions
    .map((version) => version.name)
    .filter((name) => old.versions.some((item) => item.name === name));
  return new Set(names.filter((name) => isEqual(schemaOf(spec, name), schemaOf(old, name))));
}

function unlimitedSelectableFields(spec: DefinitionSpec, old: DefinitionSpec): Set<string> {
  const names = new Set<string>();
  if (old.selectableFields.length > 8 && isEqual(spec.selectableFields, old.selectableFields)) names.add('');
  for (const version of spec.versions) {
    const before = old.versions.find((item) => item.name === version.name);
    if (before === undefined || before.selectableFields.length <= 8) continue;
    if (isEqual(version.selectableFields, before.selectableFields)) names.add(version.name);
  }
  return names;
}
