import type { JsonObject } from '../model/index.ts';
import { validateDefaults, type RuleEvaluator } from './default-validation.ts';
import type {
  DefinitionSchema,
  DefinitionSpec,
  DefinitionVersion,
  PrinterColumn,
  ScaleSubresource,
  SelectableField,
  Subresources,
} from './definition.ts';
import type { Strictness } from './definition-strictness.ts';
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  invalidJson,
  required,
  tooMany,
} from './field-error.ts';
import { FieldPathError, resolveFieldPath } from './field-path.ts';
import { dumpSchema } from './go-dump.ts';
import { goJson } from './go-format.ts';
import { checkSimpleJsonPath } from './json-path.ts';
import { type SchemaNode, source } from './schema-node.ts';
import { everyNode } from './schema-walk.ts';
import { validateSchemaRules } from './schema-rules.ts';
import { findUnsupported, validateStructuralSchema } from './structural.ts';

/** Compiles the CEL rules of a schema and reports their errors; `isUnchanged` lifts the limits of cost of single rules. */
export type RuleChecker = (
  schema: JsonObject,
  path: string,
  options: { readonly isUnchanged: boolean },
) => readonly FieldError[];

interface Hooks {
  readonly checkRules: RuleChecker | undefined;
  readonly evaluateRules: RuleEvaluator | undefined;
}

/** The nodes of each schema of a definition, junctors included. */
export function allSchemas(spec: DefinitionSpec): (readonly SchemaNode[])[] {
  return [spec.validation, ...spec.versions.map((version) => version.schema)].flatMap((schema) =>
    schema?.openAPIV3Schema === undefined ? [] : [everyNode(schema.openAPIV3Schema)],
  );
}

/** Validates the schema of a version, or of all of them (`version` undefined). */
export function validateVersionSchema(
  schema: DefinitionSchema | undefined,
  spec: DefinitionSpec,
  version: DefinitionVersion | undefined,
  path: string,
  strictness: Strictness,
  hooks: Hooks,
): FieldError[] {
  const root = schema?.openAPIV3Schema;
  if (root === undefined) return [];
  const schemaPath = child(path, 'openAPIV3Schema');
  const errors = hasStatus(spec, version) ? rootErrors(root, schemaPath) : [];
  if (root.nullable) errors.push(forbidden(child(schemaPath, 'nullable'), 'nullable cannot be true at the root'));
  const requireStructural =
    strictness.requireStructural ||
    !spec.preserveUnknownFields ||
    allSchemas(spec).some((nodes) => nodes.some(needsStructural));
  const unsupported = requireStructural ? findUnsupported(root) : undefined;
  let isSound = false;
  if (requireStructural && unsupported === undefined) {
    let found = validateStructuralSchema(root, schemaPath);
    if (found.length === 0) {
      const options = { requirePruned: strictness.requirePrunedDefaults, evaluateRules: hooks.evaluateRules };
      found = validateDefaults(root, schemaPath, options);
    }
    isSound = found.length === 0;
    errors.push(...found);
  }
  const ruleErrors = validateSchemaRules(root, schemaPath, strictness);
  errors.push(...ruleErrors);
  if (isSound && hooks.checkRules !== undefined) {
    const isUnchanged = strictness.unchangedSchemas.has(version?.name ?? spec.version);
    const found = hooks.checkRules(root[source], schemaPath, { isUnchanged });
    errors.push(...found.filter((error) => !isHidden(error, ruleErrors)));
  }
  // What makes a schema unfit to be structural is said only when nothing else is.
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(schemaPath, '', unsupported));
  return errors;
}

/** Rules are not compiled where the schema has other errors at their node or below it, and no error is told twice. */
function isHidden(error: FieldError, others: readonly FieldError[]): boolean {
  const node = error.field.slice(0, error.field.lastIndexOf('.x-kubernetes-validations'));
  return others.some((other) => other.message === error.message || other.field.startsWith(node));
}

function needsStructural(node: SchemaNode): boolean {
  return (
    node.default !== undefined ||
    node.xEmbeddedResource ||
    node.xPreserveUnknownFields !== undefined ||
    node.xIntOrString ||
    node.xListMapKeys.length > 0 ||
    node.xListType !== undefined ||
    node.xValidations.length > 0
  );
}

function hasStatus(spec: DefinitionSpec, version: DefinitionVersion | undefined): boolean {
  const perVersion = spec.versions.some((item) => item.subresources !== undefined);
  if (version === undefined) return [spec, ...spec.versions].some((item) => item.subresources?.status === true);
  const subresources = perVersion
    ? spec.versions.find((item) => item.name === version.name)?.subresources
    : spec.subresources;
  return subresources?.status === true;
}

const allowedAtRoot =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]';

/** With the status subresource the root may say only what still holds when the status is validated alone. */
function rootErrors(root: SchemaNode, path: string): FieldError[] {
  const refuse = (): FieldError[] => {
    const detail = `only ${allowedAtRoot} fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidJson(path, dumpSchema(root), detail)];
  };
  // In the order of Go's fields: the first one that is wrong is reported.
  if (root.id !== '' || root.schema !== '' || root.ref !== undefined) return refuse();
  if (root.type !== '' && root.type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(child(path, 'type'), root.type, detail)];
  }
  const isRefused =
    root.nullable ||
    root.default !== undefined ||
    root.enum !== undefined ||
    root.maxProperties !== undefined ||
    root.minProperties !== undefined ||
    root.allOf.length + root.oneOf.length + root.anyOf.length > 0 ||
    root.not !== undefined ||
    root.additionalProperties !== undefined ||
    root.patternProperties.size > 0 ||
    root.dependencies !== undefined ||
    root.additionalItems !== undefined ||
    root.definitions.size > 0 ||
    root.xEmbeddedResource ||
    root.xIntOrString ||
    root.xListMapKeys.length > 0 ||
    root.xListType !== undefined ||
    root.xMapType !== undefined;
  return isRefused ? refuse() : [];
}

interface VersionParts {
  readonly subresources?: Subresources;
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly SelectableField[];
}

/** Validates what a version, or the spec for all of them, has beside its schema. */
export function validateVersionParts(
  parts: VersionParts,
  schema: DefinitionSchema | undefined,
  path: string,
  version: string,
  strictness: Strictness,
): FieldError[] {
  const errors: FieldError[] = [];
  const scale = parts.subresources?.scale;
  if (scale !== undefined) errors.push(...validateScale(scale, child(path, 'subresources')));
  for (const [i, column] of parts.additionalPrinterColumns.entries()) {
    errors.push(...validateColumn(column, index(child(path, 'additionalPrinterColumns'), i)));
  }
  if (parts.selectableFields.length === 0) return errors;
  const fieldsPath = child(path, 'selectableFields');
  const root = schema?.openAPIV3Schema;
  if (root === undefined) {
    const detail =
      version === ''
        ? 'may only be set when validations.schema is included'
        : 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [...errors, invalid(fieldsPath, '', detail)];
  }
  const unsupported = findUnsupported(root);
  if (unsupported !== undefined) return [...errors, invalid(child(path, 'schema.openAPIV3Schema'), '', unsupported)];
  const isLimited = !strictness.unlimitedSelectableFields.has(version);
  return [...errors, ...validateSelectableFields(parts.selectableFields, root, fieldsPath, isLimited)];
}

function validateScale(scale: ScaleSubresource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, start] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const at = child(path, `scale.${name}`);
    const value = scale[name];
    const problem = checkSimpleJsonPath(value);
    if (value === '') errors.push(required(at));
    else if (problem !== undefined) errors.push(invalid(at, value, problem));
    else if (!value.startsWith(`${start}.`)) errors.push(invalid(at, value, `should be a json path under ${start}`));
  }
  const selector = scale.labelSelectorPath;
  if (selector === undefined || selector === '') return errors;
  const at = child(path, 'scale.labelSelectorPath');
  const problem = checkSimpleJsonPath(selector);
  if (problem !== undefined) errors.push(invalid(at, selector, problem));
  else if (!/^\.(?:spec|status)\./.test(selector)) {
    // A pointer in Go, and so printed as JSON.
    errors.push(invalidJson(at, goJson(selector), 'should be a json path under either .spec or .status'));
  }
  return errors;
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function validateColumn(column: PrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (column.name === '') errors.push(required(child(path, 'name')));
  const oneOf = `must be one of ${columnTypes.join(',')}`;
  if (column.type === '') errors.push(required(child(path, 'type'), oneOf));
  else if (!columnTypes.includes(column.type)) errors.push(invalid(child(path, 'type'), column.type, oneOf));
  if (column.format !== '' && !columnFormats.includes(column.format)) {
    errors.push(invalid(child(path, 'format'), column.format, `must be one of ${columnFormats.join(',')}`));
  }
  const problem = checkSimpleJsonPath(column.jsonPath);
  if (column.jsonPath === '') errors.push(required(child(path, 'JSONPath')));
  else if (problem !== undefined) errors.push(invalid(child(path, 'JSONPath'), column.jsonPath, problem));
  return errors;
}

const maxSelectableFields = 8;

function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: SchemaNode,
  path: string,
  isLimited: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const unique = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = child(index(path, i), 'jsonPath');
    if (jsonPath === '') {
      errors.push(required(at));
      continue;
    }
    try {
      const found = resolveFieldPath(jsonPath, schema, { allowBrackets: false });
      if (found.root === 'metadata') errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
      if (!['string', 'boolean', 'integer'].includes(found.schema?.type ?? '')) {
        const detail =
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
        errors.push(invalid(at, jsonPath, detail));
      }
      const name = found.path ?? '';
      if (unique.has(name)) errors.push(duplicate(at, jsonPath));
      unique.add(name);
    } catch (error) {
      if (!(error instanceof FieldPathError)) throw error;
      errors.push(invalid(at, jsonPath, `is an invalid path: ${error.message}`));
    }
  }
  if (isLimited && unique.size > maxSelectableFields) errors.push(tooMany(path, unique.size, maxSelectableFields));
  return errors;
}
