import { forbidden, type FieldError, index, invalid, key, child, type Path, required } from './field-error.ts';
import { compareNames } from './go-format.ts';
import { compilePattern, PatternError } from './re2.ts';
import { noEntries, noItems, type SchemaNode } from './schema-node.ts';

/** Nodes that can be made structural: several definitions may share them. */
const supported = new WeakSet<SchemaNode>();

/** Why a schema cannot be made structural at all, or undefined: a keyword that structural schemas do not have. */
export function findUnsupported(node: SchemaNode): string | undefined {
  if (supported.has(node)) return undefined;
  const found = unsupportedIn(node);
  if (found === undefined) supported.add(node);
  return found;
}

function unsupportedIn(node: SchemaNode): string | undefined {
  const keyword = unsupportedKeyword(node);
  if (keyword !== undefined) return `OpenAPIV3Schema '${keyword}' is not supported`;
  for (const clause of [node.not, ...node.allOf, ...node.anyOf, ...node.oneOf]) {
    const found = clause === undefined ? undefined : findUnsupported(clause);
    if (found !== undefined) return found;
  }
  if (node.xPreserveUnknownFields === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (node.itemSchemas.length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const below of [node.items, ...node.properties.values(), node.additionalProperties?.schema]) {
    const found = below === undefined ? undefined : findUnsupported(below);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unsupportedKeyword(node: SchemaNode): string | undefined {
  if (node.id !== '') return 'id';
  if (node.schema !== '') return 'schema';
  if (node.ref !== undefined && node.ref !== '') return '$ref';
  if (node.patternProperties.size > 0) return 'patternProperties';
  if (node.dependencies !== undefined && node.dependencies.size > 0) return 'dependencies';
  if (node.additionalItems !== undefined) return 'additionalItems';
  return node.definitions.size > 0 ? 'definitions' : undefined;
}

type Level = 'root' | 'item' | 'field';

/** The rules of structural schemas (`apiserver/schema/validation.go` and `complete.go`), errors sorted by message. */
export function validateStructuralSchema(schema: SchemaNode, path?: Path): FieldError[] {
  const errors = [...validateInvariants(schema, 'root', path), ...completeness(schema, schema, path, path)];
  return errors.sort((left, right) => compareNames(left.message, right.message));
}

/** Nodes below a root that keep all invariants. */
const sound = new WeakSet<SchemaNode>();

function validateInvariants(node: SchemaNode, level: Level, path: Path): FieldError[] {
  if (level === 'root') return invariantErrors(node, level, path);
  if (sound.has(node)) return [];
  const errors = invariantErrors(node, level, path);
  if (errors.length === 0) sound.add(node);
  return errors;
}

function invariantErrors(node: SchemaNode, level: Level, path: Path): FieldError[] {
  const errors: FieldError[] = [];
  if (node.type === 'array' && node.items === undefined)
    errors.push(required(child(path, 'items'), 'must be specified'));
  if (node.items !== undefined) errors.push(...validateInvariants(node.items, 'item', child(path, 'items')));
  for (const [name, property] of node.properties) {
    errors.push(...validateInvariants(property, 'field', key(child(path, 'properties'), name)));
  }
  if (node.additionalProperties !== undefined) {
    const below = child(path, 'additionalProperties');
    if (level === 'root') errors.push(forbidden(below, 'must not be used at the root'));
    const { schema } = node.additionalProperties;
    if (schema !== undefined) errors.push(...validateInvariants(schema, 'field', below));
  }
  errors.push(...validateExtensions(node, path));
  const [firstAllOf] = node.allOf;
  errors.push(
    ...validateJunctors(
      node,
      isIntegerOrString(node.anyOf),
      firstAllOf !== undefined && isIntegerOrString(firstAllOf.anyOf),
      path,
    ),
  );
  errors.push(...validateType(node, level, path), ...validateMetadata(node, level, path));
  if (node.xEmbeddedResource && node.xPreserveUnknownFields !== true && node.properties.size === 0) {
    errors.push(
      required(
        child(path, 'properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  }
  return errors;
}

function validateExtensions(node: SchemaNode, path: Path): FieldError[] {
  const errors: FieldError[] = [];
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  if (node.xIntOrString && node.xPreserveUnknownFields === true) {
    errors.push(invalid(child(path, 'x-kubernetes-preserve-unknown-fields'), true, detail));
  }
  if (node.xIntOrString && node.xEmbeddedResource) {
    errors.push(invalid(child(path, 'x-kubernetes-embedded-resource'), true, detail));
  }
  return errors;
}

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateType(node: SchemaNode, level: Level, path: Path): FieldError[] {
  const errors: FieldError[] = [];
  const typePath = child(path, 'type');
  if (node.xEmbeddedResource && node.type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(node.type === '' ? required(typePath, detail) : invalid(typePath, node.type, detail));
  } else if (node.type === '' && !node.xIntOrString && node.xPreserveUnknownFields !== true) {
    errors.push(required(typePath, missingType[level]));
  }
  if (node.xEmbeddedResource && node.additionalProperties !== undefined) {
    errors.push(
      forbidden(child(path, 'additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  }
  if (level === 'root' && node.type !== '' && node.type !== 'object') {
    errors.push(invalid(typePath, node.type, 'must be object at the root'));
  }
  return errors;
}

function validateMetadata(node: SchemaNode, level: Level, path: Path): FieldError[] {
  const errors: FieldError[] = [];
  const isResource = level === 'root' || node.xEmbeddedResource;
  const at = (name: string) => key(child(path, 'properties'), name);
  for (const name of ['kind', 'apiVersion']) {
    const property = node.properties.get(name);
    if (isResource && property !== undefined && property.type !== 'string') {
      errors.push(invalid(child(at(name), 'type'), property.type, 'must be string'));
    }
  }
  const metadata = node.properties.get('metadata');
  if (metadata === undefined) return errors;
  if (isResource && metadata.type !== 'object') {
    errors.push(invalid(child(at('metadata'), 'type'), metadata.type, 'must be object'));
  }
  if (level === 'root' && !restrictsNamesOnly(metadata)) {
    errors.push(
      forbidden(
        at('metadata'),
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  }
  return errors;
}

/** Whether a schema says nothing but its type, its default (checked elsewhere) and something about name and generateName. */
function restrictsNamesOnly(node: SchemaNode): boolean {
  const names = [...node.properties.keys()];
  if (names.some((name) => name !== 'name' && name !== 'generateName')) return false;
  return (
    isEmptyClause(node) &&
    node.items === undefined &&
    node.additionalProperties === undefined &&
    node.description === '' &&
    node.title === '' &&
    !node.nullable &&
    node.externalDocs === undefined &&
    node.example === undefined &&
    node.xPreserveUnknownFields === undefined &&
    !node.xEmbeddedResource &&
    !node.xIntOrString &&
    node.xListMapKeys === noItems &&
    node.xListType === undefined &&
    node.xMapType === undefined &&
    node.xValidations === noItems
  );
}

/** Whether a node validates nothing by itself: no bounds, formats, enums or junctors. */
function isEmptyClause(node: SchemaNode): boolean {
  return (
    node.format === '' &&
    node.maximum === undefined &&
    !node.exclusiveMaximum &&
    node.minimum === undefined &&
    !node.exclusiveMinimum &&
    node.maxLength === undefined &&
    node.minLength === undefined &&
    node.pattern === '' &&
    node.maxItems === undefined &&
    node.minItems === undefined &&
    !node.uniqueItems &&
    node.multipleOf === undefined &&
    (node.enum === undefined || node.enum.length === 0) &&
    node.maxProperties === undefined &&
    node.minProperties === undefined &&
    node.required === noItems &&
    node.allOf.length === 0 &&
    node.anyOf.length === 0 &&
    node.oneOf.length === 0 &&
    node.not === undefined
  );
}

/** The pattern `anyOf: [{ type: integer }, { type: string }]`, which int-or-string may have in spite of its types. */
export function isIntegerOrString(clauses: readonly SchemaNode[]): boolean {
  return clauses.length === 2 && isTypeOnly(clauses[0], 'integer') && isTypeOnly(clauses[1], 'string');
}

function isTypeOnly(node: SchemaNode | undefined, type: string): boolean {
  return (
    node !== undefined &&
    node.type === type &&
    restrictsNamesOnly(node) &&
    node.properties === noEntries &&
    node.default === undefined
  );
}

function validateJunctors(node: SchemaNode, skipAnyOf: boolean, skipFirstAllOf: boolean, path: Path): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipAnyOf) {
    for (const [i, clause] of node.anyOf.entries())
      errors.push(...validateClause(clause, false, index(child(path, 'anyOf'), i)));
  }
  for (const [i, clause] of node.allOf.entries()) {
    errors.push(...validateClause(clause, skipFirstAllOf && i === 0, index(child(path, 'allOf'), i)));
  }
  for (const [i, clause] of node.oneOf.entries())
    errors.push(...validateClause(clause, false, index(child(path, 'oneOf'), i)));
  if (node.not !== undefined) errors.push(...validateClause(node.not, false, child(path, 'not')));
  if (node.pattern !== '') {
    try {
      compilePattern(node.pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const detail = `must be a valid regular expression, but isn't: ${error.message}`;
      errors.push(invalid(child(path, 'pattern'), node.pattern, detail));
    }
  }
  return errors;
}

/** A schema inside of a junctor: it may validate values, and may not say what is there. */
function validateClause(node: SchemaNode, skipAnyOf: boolean, path: Path): FieldError[] {
  const errors = validateJunctors(node, skipAnyOf, false, path);
  if (node.items !== undefined) errors.push(...validateClause(node.items, false, child(path, 'items')));
  for (const [name, property] of node.properties) {
    errors.push(...validateClause(property, false, key(child(path, 'properties'), name)));
  }
  const forbid = (isSet: boolean, name: string, state: string) => {
    if (isSet) errors.push(forbidden(child(path, name), `must be ${state} to be structural`));
  };
  forbid(node.type !== '', 'type', 'empty');
  forbid(node.additionalProperties?.allows === true, 'additionalProperties', 'undefined');
  forbid(node.default !== undefined, 'default', 'undefined');
  forbid(node.title !== '', 'title', 'empty');
  forbid(node.description !== '', 'description', 'empty');
  forbid(node.nullable, 'nullable', 'false');
  forbid(node.xPreserveUnknownFields === true, 'x-kubernetes-preserve-unknown-fields', 'false');
  forbid(node.xEmbeddedResource, 'x-kubernetes-embedded-resource', 'false');
  forbid(node.xIntOrString, 'x-kubernetes-int-or-string', 'false');
  forbid(node.xListMapKeys.length > 0, 'x-kubernetes-list-map-keys', 'empty');
  forbid(node.xListType !== undefined, 'x-kubernetes-list-type', 'undefined');
  forbid(node.xMapType !== undefined, 'x-kubernetes-map-type', 'undefined');
  forbid(node.xValidations.length > 0, 'x-kubernetes-validations', 'empty');
  if (node.properties.has('metadata')) {
    errors.push(forbidden(key(child(path, 'properties'), 'metadata'), 'must not be specified in a nested context'));
  }
  return errors;
}

/** What junctors of the root name must be specified outside of them, too. Junctors further down are not looked at, as in the server. */
function completeness(clauses: SchemaNode, node: SchemaNode, path: Path, clausePath: Path): FieldError[] {
  const errors: FieldError[] = [];
  if (clauses.not !== undefined) errors.push(...clauseCompleteness(clauses.not, node, path, child(clausePath, 'not')));
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, clause] of clauses[name].entries()) {
      errors.push(...clauseCompleteness(clause, node, path, index(child(clausePath, name), i)));
    }
  }
  return errors;
}

function clauseCompleteness(clause: SchemaNode, node: SchemaNode, path: Path, clausePath: string): FieldError[] {
  const errors = completeness(clause, node, path, clausePath);
  const check = (below: SchemaNode, counterpart: SchemaNode | undefined, nodePath: string, belowPath: string) => {
    if (counterpart === undefined) errors.push(required(nodePath, `because it is defined in ${belowPath}`));
    else errors.push(...clauseCompleteness(below, counterpart, nodePath, belowPath));
  };
  if (clause.items !== undefined) check(clause.items, node.items, child(path, 'items'), child(clausePath, 'items'));
  for (const [name, property] of clause.properties) {
    const at = (parent: Path) => key(child(parent, 'properties'), name);
    check(property, node.properties.get(name), at(path), at(clausePath));
  }
  return errors;
}
