import type { JsonObject } from '../model/index.ts';
import type { Definition, DefinitionNames, DefinitionSpec, DefinitionVersion } from './definition.ts';
import { decodeDefinition } from './definition-decoder.ts';
import { defaultDefinition } from './definition-defaults.ts';
import { createStrictness, type Strictness, updateStrictness } from './definition-strictness.ts';
import type { RuleEvaluator } from './default-validation.ts';
import { findWarnings } from './definition-warnings.ts';
import { child, type FieldError, index, invalid, invalidJson, key, notSupported, required } from './field-error.ts';
import { dumpVersions } from './go-dump.ts';
import { goJson, isPrintable } from './go-format.ts';
import { member } from './json.ts';
import { textOf, validateObjectMeta, validateObjectMetaUpdate } from './metadata-validation.ts';
import { checkDns1035Label, checkDns1123Subdomain } from './names.ts';
import { type RuleChecker, validateVersionParts, validateVersionSchema, allSchemas } from './version-validation.ts';
import { noItems } from './schema-node.ts';
import { parseRequestUri } from './uri.ts';
import { validateConversion } from './webhook-validation.ts';

export interface DefinitionValidationOptions {
  /** The stored definition, for an update. */
  readonly old?: JsonObject;
  /** Compiles the CEL rules of a schema that is valid otherwise; supplied by the room of CEL. */
  readonly checkRules?: RuleChecker;
  /** Evaluates CEL rules on defaults; supplied by the room of CEL. */
  readonly evaluateRules?: RuleEvaluator;
  /**
   * Schemas that were decoded before, by the identity of their JSON, which nobody may change then: what several definitions hold is
   * decoded, and most of it checked, once.
   */
  readonly decoded?: WeakMap<object, object>;
}

export interface DefinitionVerdict {
  readonly errors: readonly FieldError[];
  /** What the server sends along as warnings. */
  readonly warnings: readonly string[];
}

/**
 * Validates a whole CustomResourceDefinition of apiextensions.k8s.io/v1 as the server does on create, or on update with `old`. It is
 * defaulted first. Throws a `DecodeError` where a member has the wrong type, which the server refuses before it validates.
 */
export function validateDefinition(
  definition: JsonObject,
  options: DefinitionValidationOptions = {},
): DefinitionVerdict {
  const current = decodeDefinition(defaultDefinition(definition), options.decoded);
  const old = options.old === undefined ? undefined : decodeDefinition(defaultDefinition(options.old));
  const strictness = old === undefined ? createStrictness : updateStrictness(current, old);
  const hooks = { checkRules: options.checkRules, evaluateRules: options.evaluateRules };
  const errors = [
    ...validateMetadata(current, old),
    ...validateSpec(current.spec, strictness, hooks),
    ...(old === undefined ? [] : validateImmutable(current.spec, old.spec, strictness)),
    ...validateNames(current.status.acceptedNames, 'status.acceptedNames'),
    ...validateStoredVersions(current),
    ...validateApproval(current, old),
    ...validatePreserveUnknownFields(current, old),
  ];
  return { errors, warnings: findWarnings(current, old) };
}

interface Hooks {
  readonly checkRules: RuleChecker | undefined;
  readonly evaluateRules: RuleEvaluator | undefined;
}

function validateMetadata({ metadata, spec }: Definition, old: Definition | undefined): FieldError[] {
  if (old !== undefined) return validateObjectMetaUpdate(metadata, old.metadata, 'metadata');
  const checkName = (name: string, isPrefix: boolean) => {
    const masked = isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
    const problems = checkDns1123Subdomain(masked);
    if (name !== `${spec.names.plural}.${spec.group}`) problems.push('must be spec.names.plural+"."+spec.group');
    return problems;
  };
  return validateObjectMeta(metadata, false, checkName, 'metadata');
}

function validateSpec(spec: DefinitionSpec, strictness: Strictness, hooks: Hooks): FieldError[] {
  const errors = [...validateGroup(spec.group), ...validateScope(spec.scope)];
  errors.push(...validateSchemaPresence(spec, strictness));
  if (spec.preserveUnknownFields && allSchemas(spec).some((schema) => hasAnyDefault(schema))) {
    errors.push(invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
  }
  for (const [i, version] of spec.versions.entries()) {
    const path = index('spec.versions', i);
    errors.push(...joined(checkDns1035Label(version.name), child(path, 'name'), version.name));
    errors.push(...validateDeprecation(version, path));
    errors.push(...validateVersionSchema(version.schema, spec, version, child(path, 'schema'), strictness, hooks));
    errors.push(...validateVersionParts(version, version.schema, path, version.name, strictness));
  }
  errors.push(...validateVersionSet(spec));
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (spec.names[name] === '') errors.push(required(`spec.names.${name}`));
  }
  errors.push(...validateNames(spec.names, 'spec.names'));
  errors.push(...validateVersionSchema(spec.validation, spec, undefined, 'spec.validation', strictness, hooks));
  errors.push(...validateVersionParts(spec, spec.validation, 'spec', '', strictness));
  if (spec.conversion !== undefined) {
    if (spec.conversion.strategy !== 'None' && spec.preserveUnknownFields) {
      const detail = 'must be None if spec.preserveUnknownFields is true';
      errors.push(invalid('spec.conversion.strategy', spec.conversion.strategy, detail));
    }
    errors.push(...validateConversion(spec.conversion, 'spec.conversion', strictness));
  }
  return errors;
}

function hasAnyDefault(schema: ReturnType<typeof allSchemas>[number]): boolean {
  return schema.some((node) => node.default !== undefined);
}

function joined(problems: readonly string[], path: string, value: string, prefix = ''): FieldError[] {
  return problems.length === 0 ? [] : [invalid(path, value, prefix + problems.join(','))];
}

function validateGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const problems = checkDns1123Subdomain(group);
  if (problems.length > 0) return joined(problems, 'spec.group', group);
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function validateScope(scope: string): FieldError[] {
  if (scope === '') return [required('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function validateSchemaPresence(spec: DefinitionSpec, strictness: Strictness): FieldError[] {
  if (spec.validation?.openAPIV3Schema !== undefined) return [];
  const isLax = !strictness.requireSchema;
  if (isLax && spec.preserveUnknownFields) return [];
  return spec.versions.flatMap((version, i) => {
    if (version.schema?.openAPIV3Schema !== undefined || (isLax && !version.served)) return [];
    const path = `${index('spec.versions', i)}.schema.openAPIV3Schema`;
    return [required(path, isLax ? 'because otherwise all fields are pruned' : '')];
  });
}

function validateDeprecation(version: DefinitionVersion, path: string): FieldError[] {
  const warning = version.deprecationWarning;
  if (warning === undefined) return [];
  const problems: string[] = [];
  if (!version.deprecated) problems.push('can only be set for deprecated versions');
  else {
    if (Buffer.byteLength(warning) > 256) problems.push('must be <= 256 characters long');
    if (warning === '') problems.push('must not be an empty string');
    let position = 0;
    for (const character of warning) {
      if (!isPrintable(character)) {
        const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${position}`;
        problems.push(detail);
        break;
      }
      position += Buffer.byteLength(character);
    }
  }
  // A pointer in Go, and so printed as JSON.
  const at = child(path, 'deprecationWarning');
  return problems.map((problem) => invalidJson(at, goJson(warning), problem));
}

/** What the versions are together: their names, the storage version, and nothing alike in all of them beside the same at the top. */
function validateVersionSet(spec: DefinitionSpec): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (detail: string) => {
    errors.push(invalidJson('spec.versions', dumpVersions(spec.versions), detail));
  };
  const names = spec.versions.map((version) => version.name);
  if (new Set(names).size !== names.length) refuse('must contain unique version names');
  if (spec.versions.filter((version) => version.storage).length !== 1) {
    refuse('must have exactly one version marked as storage version');
  }
  if (spec.version !== '') errors.push(...joined(checkDns1035Label(spec.version), 'spec.version', spec.version));
  return errors;
}

function validateNames(names: DefinitionNames, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const mixed = 'may have mixed case, but should otherwise match: ';
  for (const name of ['plural', 'singular'] as const) {
    if (names[name] !== '') errors.push(...joined(checkDns1035Label(names[name]), child(path, name), names[name]));
  }
  for (const name of ['kind', 'listKind'] as const) {
    const problems = names[name] === '' ? [] : checkDns1035Label(names[name].toLowerCase());
    errors.push(...joined(problems, child(path, name), names[name], mixed));
  }
  for (const name of ['shortNames', 'categories'] as const) {
    for (const [i, value] of names[name].entries()) {
      errors.push(...joined(checkDns1035Label(value), index(child(path, name), i), value));
    }
  }
  if (names.kind !== '' && names.kind === names.listKind) {
    errors.push(invalid(child(path, 'listKind'), names.listKind, 'kind and listKind may not be the same'));
  }
  return errors;
}

function validateImmutable(spec: DefinitionSpec, old: DefinitionSpec, strictness: Strictness): FieldError[] {
  const errors: FieldError[] = [];
  const keep = (path: string, value: string, before: string) => {
    if (value !== before) errors.push(invalid(path, value, 'field is immutable'));
  };
  if (strictness.requireImmutableNames) {
    keep('spec.scope', spec.scope, old.scope);
    keep('spec.names.kind', spec.names.kind, old.names.kind);
  }
  keep('spec.group', spec.group, old.group);
  keep('spec.names.plural', spec.names.plural, old.names.plural);
  return errors;
}

function validateStoredVersions({ spec, status }: Definition): FieldError[] {
  const path = 'status.storedVersions';
  const stored = status.storedVersions;
  if (stored.length === 0)
    return [invalidJson(path, stored === noItems ? 'null' : '[]', 'must have at least one stored version')];
  const errors: FieldError[] = [];
  const names = new Set(spec.versions.map((version) => version.name));
  const left = new Map(stored.map((name, i) => [name, i] as const));
  for (const version of spec.versions) {
    if (version.storage && !left.has(version.name)) {
      errors.push(invalid(path, stored, `must have the storage version ${version.name}`));
    }
    left.delete(version.name);
  }
  for (const [name, i] of left) {
    if (names.has(name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(index(path, i), name, detail));
  }
  return errors;
}

const approvalAnnotation = 'api-approved.kubernetes.io';

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

function approvalOf(definition: Definition): readonly [Approval, string] {
  const annotations = member(definition.metadata, 'annotations');
  const value =
    typeof annotations === 'object' && annotations !== null
      ? textOf(annotations as JsonObject, approvalAnnotation)
      : '';
  if (value === '') return ['missing', value];
  if (value.startsWith('unapproved')) return ['bypassed', value];
  const url = parseRequestUri(value);
  return ['problem' in url || url.host === '' || url.scheme === '' ? 'invalid' : 'approved', value];
}

/** Groups of the community need an annotation that says who approved the API. */
function validateApproval(definition: Definition, old: Definition | undefined): FieldError[] {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(definition.spec.group)) return [];
  const [state, value] = approvalOf(definition);
  if (old !== undefined && approvalOf(old)[0] === state) return [];
  const path = key('metadata.annotations', approvalAnnotation);
  const start = `protected groups must have approval annotation "${approvalAnnotation}"`;
  const end = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (state === 'missing') return [required(path, `${start}, ${end}`)];
  if (state !== 'invalid') return [];
  return [invalid(path, value, `${start} with either a URL or a reason starting with "unapproved", ${end}`)];
}

function validatePreserveUnknownFields({ spec }: Definition, old: Definition | undefined): FieldError[] {
  if (!spec.preserveUnknownFields || old?.spec.preserveUnknownFields === true) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid('spec.preserveUnknownFields', true, detail)];
}
