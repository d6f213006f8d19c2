import {
  child,
  type FieldError,
  forbidden,
  index,
  invalid,
  invalidJson,
  key,
  notSupported,
  required,
} from './field-error.ts';
import { FieldPathError, resolveFieldPath } from './field-path.ts';
import { dumpSchemaOrList } from './go-dump.ts';
import { goJson } from './go-format.ts';
import type { SchemaNode, ValidationRule } from './schema-node.ts';
import { findUnsupported } from './structural.ts';

/** Which rules hold on an update is relaxed by what the stored definition already breaks. */
export interface SchemaRuleOptions {
  readonly requireValidTypes: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapListKeys: boolean;
}

interface State {
  readonly options: SchemaRuleOptions;
  /** Why defaults are forbidden here, or undefined when they are not. */
  readonly noDefaults?: string;
  readonly isInsideMeta: boolean;
  readonly isRoot: boolean;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** The rules that each node of a schema must keep, apart from those of structural schemas and from CEL. */
export function validateSchemaRules(schema: SchemaNode, path: string, options: SchemaRuleOptions): FieldError[] {
  return validateNode(schema, path, { options, isInsideMeta: false, isRoot: true });
}

/** Nodes that keep the rules wherever they stand below a root and outside of metadata, for each set of options. */
const sound = new WeakMap<SchemaRuleOptions, WeakSet<SchemaNode>>();

function validateNode(node: SchemaNode, path: string, state: State): FieldError[] {
  if (state.isRoot || state.isInsideMeta || state.noDefaults !== undefined) return nodeErrors(node, path, state);
  const known = sound.get(state.options) ?? new WeakSet();
  if (known.has(node)) return [];
  const errors = nodeErrors(node, path, state);
  if (errors.length === 0) sound.set(state.options, known.add(node));
  return errors;
}

function nodeErrors(node: SchemaNode, path: string, state: State): FieldError[] {
  return [
    ...validateKeywords(node, path, state),
    ...validateBelow(node, path, { ...state, isRoot: false }, state.isRoot),
    ...validateExtensions(node, path, state.options),
    ...(state.options.requireMapListKeys ? mapListErrors(node, path) : []),
    ...node.xValidations.flatMap((rule, i) =>
      validateRule(node, rule, index(child(path, 'x-kubernetes-validations'), i)),
    ),
  ];
}

function validateKeywords(node: SchemaNode, path: string, state: State): FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (isSet: boolean, name: string, detail?: string) => {
    if (isSet) errors.push(forbidden(child(path, name), detail ?? `${name} is not supported`));
  };
  if (state.options.requireValidTypes && node.type !== '' && !types.includes(node.type)) {
    errors.push(notSupported(child(path, 'type'), node.type, types));
  }
  if (node.default !== undefined && state.noDefaults !== undefined) {
    forbid(true, 'default', `must not be set ${state.noDefaults}`);
  }
  forbid(node.id !== '', 'id');
  forbid(node.additionalItems !== undefined, 'additionalItems');
  forbid(node.patternProperties.size > 0, 'patternProperties');
  forbid(node.definitions.size > 0, 'definitions');
  forbid(node.dependencies !== undefined, 'dependencies');
  forbid(node.ref !== undefined, '$ref');
  forbid(node.type === 'null', 'type', 'type cannot be set to null, use nullable as an alternative');
  forbid(node.itemSchemas.length > 0, 'items', 'items must be a schema object and not an array');
  forbid(
    state.isInsideMeta && node.xEmbeddedResource,
    'x-kubernetes-embedded-resource',
    'must not be used inside of resource meta',
  );
  forbid(
    node.uniqueItems,
    'uniqueItems',
    'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
  );
  const additional = node.additionalProperties;
  forbid(
    additional !== undefined && node.properties.size > 0 && (!additional.allows || additional.schema !== undefined),
    'additionalProperties',
    'additionalProperties and properties are mutual exclusive',
  );
  return errors;
}

const metaNames = new Set(['metadata', 'kind', 'apiVersion']);

function validateBelow(node: SchemaNode, path: string, state: State, isRoot: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const additional = node.additionalProperties?.schema;
  if (additional !== undefined) {
    const below = state.isInsideMeta
      ? { ...state, noDefaults: 'inside additionalProperties applying to object metadata' }
      : state;
    errors.push(...validateNode(additional, child(path, 'additionalProperties'), below));
  }
  for (const [name, property] of node.properties) {
    const isMeta = (isRoot || node.xEmbeddedResource) && metaNames.has(name);
    const below: State = {
      ...state,
      isInsideMeta: state.isInsideMeta || isMeta,
      ...(isMeta && isRoot ? { noDefaults: `in top-level ${name}` } : {}),
    };
    errors.push(...validateNode(property, key(child(path, 'properties'), name), below));
  }
  if (node.not !== undefined) errors.push(...validateNode(node.not, child(path, 'not'), state));
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, clause] of node[name].entries())
      errors.push(...validateNode(clause, index(child(path, name), i), state));
  }
  for (const [name, definition] of node.definitions) {
    errors.push(...validateNode(definition, key(child(path, 'definitions'), name), state));
  }
  if (node.items !== undefined) errors.push(...validateNode(node.items, child(path, 'items'), state));
  for (const [i, item] of node.itemSchemas.entries())
    errors.push(...validateNode(item, index(child(path, 'items'), i), state));
  for (const [name, dependency] of node.dependencies ?? []) {
    if ('type' in dependency) errors.push(...validateNode(dependency, key(child(path, 'dependencies'), name), state));
  }
  return errors;
}

function validateExtensions(node: SchemaNode, path: string, options: SchemaRuleOptions): FieldError[] {
  const errors: FieldError[] = [];
  const at = (name: string) => child(path, name);
  if (node.xPreserveUnknownFields === false) {
    errors.push(invalid(at('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  const needType = (type: string, extension: string) => {
    const detail = `must be ${type} if ${extension} is specified`;
    errors.push(node.type === '' ? required(at('type'), detail) : invalid(at('type'), node.type, detail));
  };
  if (node.xMapType !== undefined) {
    if (node.type !== 'object') needType('object', 'x-kubernetes-map-type');
    const mapTypes = ['atomic', 'granular'];
    if (!mapTypes.includes(node.xMapType))
      errors.push(notSupported(at('x-kubernetes-map-type'), node.xMapType, mapTypes));
  }
  if (node.xListType !== undefined) {
    if (node.type !== 'array') needType('array', 'x-kubernetes-list-type');
    else if (options.requireAtomicSets) errors.push(...setErrors(node, path));
    const listTypes = ['atomic', 'set', 'map'];
    if (!listTypes.includes(node.xListType))
      errors.push(notSupported(at('x-kubernetes-list-type'), node.xListType, listTypes));
  }
  if (node.xListMapKeys.length > 0 && node.xListType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const listType = at('x-kubernetes-list-type');
    errors.push(node.xListType === undefined ? required(listType, detail) : invalid(listType, node.xListType, detail));
  }
  if (node.xListType === 'map') errors.push(...listMapErrors(node, path));
  return errors;
}

/** Items of sets that are objects or lists must be atomic. */
export function setErrors(node: SchemaNode, path: string): FieldError[] {
  const { items } = node;
  if (node.xListType !== 'set' || items === undefined) return [];
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const at = child(path, 'items');
  if (items.type === 'array' && items.xListType !== undefined && items.xListType !== 'atomic') {
    // A pointer in Go, and so printed as JSON.
    return [invalidJson(child(at, 'x-kubernetes-list-type'), goJson(items.xListType), detail)];
  }
  if (items.type === 'object' && items.xMapType !== 'atomic') {
    // The server shows the list type of the item here.
    return [invalidJson(child(at, 'x-kubernetes-map-type'), goJson(items.xListType ?? null), detail)];
  }
  return [];
}

function listMapErrors(node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keysPath = child(path, 'x-kubernetes-list-map-keys');
  const itemsPath = child(path, 'items');
  if (node.xListMapKeys.length === 0)
    errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (!node.hasItems) errors.push(required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
  else if (node.items === undefined) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map';
    errors.push(invalidJson(itemsPath, dumpSchemaOrList(node), detail));
  }
  const { items } = node;
  if (items === undefined) return errors;
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(child(itemsPath, 'type'), items.type, detail)];
  }
  const seen = new Set<string>();
  for (const name of node.xListMapKeys) {
    const property = items.properties.get(name);
    if (property === undefined) {
      errors.push(invalid(keysPath, node.xListMapKeys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const at = child(key(child(itemsPath, 'properties'), name), 'type');
      errors.push(invalid(at, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    if (seen.has(name)) errors.push(invalid(keysPath, node.xListMapKeys, 'must not contain duplicate entries'));
    seen.add(name);
  }
  return errors;
}

/** Items of sets and list maps must not be null, and keys of list maps must be there. */
export function mapListErrors(node: SchemaNode, path: string): FieldError[] {
  const { items, xListType } = node;
  if (items === undefined || (xListType !== 'set' && xListType !== 'map')) return [];
  const errors: FieldError[] = [];
  const at = child(path, 'items');
  if (items.nullable) {
    errors.push(forbidden(child(at, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${xListType}`));
  }
  if (xListType === 'set') return errors;
  for (const name of node.xListMapKeys) {
    const property = items.properties.get(name);
    if (property === undefined) continue;
    const keyPath = key(child(at, 'properties'), name);
    if (!items.required.includes(name) && property.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(child(keyPath, 'default'), detail));
    }
    if (property.nullable) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbidden(child(keyPath, 'nullable'), detail));
    }
  }
  return errors;
}

/** What can be said of a rule without reading its expression. */
function validateRule(node: SchemaNode, rule: ValidationRule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = (name: string) => child(path, name);
  const [expression, message] = [goTrim(rule.rule), goTrim(rule.message)];
  if (expression === '') errors.push(required(at('rule'), 'rule is not specified'));
  else if (rule.message !== '' && message === '') {
    errors.push(invalid(at('message'), rule.message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message)) errors.push(invalid(at('message'), rule.message, 'must not contain line breaks'));
  else if (hasLineBreak(expression) && message === '') {
    errors.push(required(at('message'), 'message must be specified if rule contains line breaks'));
  }
  if (rule.messageExpression !== '' && goTrim(rule.messageExpression) === '') {
    errors.push(required(at('messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    errors.push(notSupported(at('reason'), rule.reason, reasons));
  }
  if (rule.fieldPath === '') return errors;
  const fieldPath = at('fieldPath');
  if (goTrim(rule.fieldPath) === '') errors.push(invalid(fieldPath, rule.fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(rule.fieldPath)) errors.push(invalid(fieldPath, rule.fieldPath, 'must not contain line breaks'));
  if (!isFieldPath(rule.fieldPath, node)) errors.push(invalid(fieldPath, rule.fieldPath, 'must be a valid path'));
  return errors;
}

function isFieldPath(path: string, node: SchemaNode): boolean {
  if (findUnsupported(node) !== undefined) return true;
  try {
    resolveFieldPath(path, node, { allowBrackets: true });
    return true;
  } catch (error) {
    if (error instanceof FieldPathError) return false;
    throw error;
  }
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** `strings.TrimSpace`, which knows U+0085 and not U+FEFF. */
function goTrim(text: string): string {
  return text.replace(/^[\s\u0085]+|[\s\u0085]+$/g, (blanks) => (blanks.includes('\ufeff') ? blanks : ''));
}
