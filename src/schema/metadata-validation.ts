import type { Json, JsonObject } from '../model/index.ts';
import { child, type FieldError, forbidden, index, invalid, notSupported, required, tooLong } from './field-error.ts';
import { compareNames, goQuote, isPrintable } from './go-format.ts';
import { equalJson, isList, isObject, member } from './json.ts';
import { checkDns1123Label, checkLabelValue, checkQualifiedName } from './names.ts';

/** What is wrong with a name; with `isPrefix` with a generateName. */
export type NameCheck = (name: string, isPrefix: boolean) => string[];

/** Reads a text member of decoded metadata; '' when it is absent. */
export function textOf(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === 'string' ? value : '';
}

function listOf(object: JsonObject, name: string): readonly Json[] {
  const value = member(object, name);
  return isList(value) ? value : [];
}

/** Validates decoded metadata of a new object (`ValidateObjectMeta`). */
export function validateObjectMeta(
  metadata: JsonObject,
  isNamespaced: boolean,
  checkName: NameCheck,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const generateName = textOf(metadata, 'generateName');
  if (generateName !== '') {
    errors.push(
      ...checkName(generateName, true).map((problem) => invalid(child(path, 'generateName'), generateName, problem)),
    );
  }
  const name = textOf(metadata, 'name');
  if (name === '') errors.push(required(child(path, 'name'), 'name or generateName is required'));
  else errors.push(...checkName(name, false).map((problem) => invalid(child(path, 'name'), name, problem)));
  const namespace = textOf(metadata, 'namespace');
  const namespacePath = child(path, 'namespace');
  if (!isNamespaced && namespace !== '') errors.push(forbidden(namespacePath, 'not allowed on this type'));
  if (isNamespaced && namespace === '') errors.push(required(namespacePath));
  if (isNamespaced && namespace !== '') {
    errors.push(...checkDns1123Label(namespace).map((problem) => invalid(namespacePath, namespace, problem)));
  }
  errors.push(...validateGeneration(metadata, path), ...validateCommon(metadata, path));
  errors.push(...validateFinalizers(metadata, child(path, 'finalizers')));
  return unique(errors);
}

/** Validates decoded metadata of a changed object (`ValidateObjectMetaUpdate`). */
export function validateObjectMetaUpdate(metadata: JsonObject, old: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (member(old, 'deletionTimestamp') !== undefined) {
    const known = listOf(old, 'finalizers');
    const added = listOf(metadata, 'finalizers')
      .filter((item) => typeof item === 'string')
      .filter((item) => !known.includes(item));
    if (added.length > 0) {
      const shown = `[]string{${[...new Set(added)]
        .sort(compareNames)
        .map((item) => goQuote(item))
        .join(', ')}}`;
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
      errors.push(forbidden(child(path, 'finalizers'), detail));
    }
  }
  if (textOf(metadata, 'resourceVersion') === '') {
    errors.push(invalid(child(path, 'resourceVersion'), '', 'must be specified for an update'));
  }
  errors.push(...validateGeneration(metadata, path));
  const [generation, oldGeneration] = [numberOf(metadata, 'generation'), numberOf(old, 'generation')];
  if (generation < oldGeneration)
    errors.push(invalid(child(path, 'generation'), generation, 'must not be decremented'));
  for (const name of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ]) {
    const [value, before] = [member(metadata, name) ?? null, member(old, name) ?? null];
    if (!equalJson(value, before)) {
      const shown = value === null && ['name', 'namespace', 'uid'].includes(name) ? '' : value;
      errors.push(invalid(child(path, name), shown, 'field is immutable'));
    }
  }
  errors.push(...validateCommon(metadata, path));
  return unique(errors);
}

/** Of errors with one message the server keeps the first. */
function unique(errors: readonly FieldError[]): FieldError[] {
  return [...new Map(errors.toReversed().map((error) => [error.message, error] as const)).values()].toReversed();
}

function numberOf(object: JsonObject, name: string): number | bigint {
  const value = member(object, name);
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}

function validateGeneration(metadata: JsonObject, path: string): FieldError[] {
  const generation = numberOf(metadata, 'generation');
  return generation < 0 ? [invalid(child(path, 'generation'), generation, 'must be greater than or equal to 0')] : [];
}

function validateCommon(metadata: JsonObject, path: string): FieldError[] {
  return [
    ...validateLabels(metadata, child(path, 'labels')),
    ...validateAnnotations(metadata, child(path, 'annotations')),
    ...validateOwnerReferences(metadata, child(path, 'ownerReferences')),
    ...validateManagedFields(metadata, child(path, 'managedFields')),
  ];
}

function entriesOf(object: JsonObject, name: string): [string, string][] {
  const value = member(object, name);
  if (!isObject(value)) return [];
  return Object.entries(value).map(([entry, text]) => [entry, typeof text === 'string' ? text : '']);
}

function validateLabels(metadata: JsonObject, path: string): FieldError[] {
  return entriesOf(metadata, 'labels').flatMap(([name, value]) => [
    ...checkQualifiedName(name).map((problem) => invalid(path, name, problem)),
    ...checkLabelValue(value).map((problem) => invalid(path, value, problem)),
  ]);
}

const annotationsLimit = 256 * 1024;

function validateAnnotations(metadata: JsonObject, path: string): FieldError[] {
  const entries = entriesOf(metadata, 'annotations');
  const errors = entries.flatMap(([name]) =>
    checkQualifiedName(name.toLowerCase()).map((problem) => invalid(path, name, problem)),
  );
  const size = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  return size > annotationsLimit ? [...errors, tooLong(path, annotationsLimit)] : errors;
}

function validateOwnerReferences(metadata: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const references = listOf(metadata, 'ownerReferences');
  let controller = '';
  for (const [position, reference] of references.entries()) {
    if (!isObject(reference)) continue;
    const at = index(path, position);
    const apiVersion = textOf(reference, 'apiVersion');
    const isVersion = apiVersion === '/' ? false : /^(?:[^/]*\/)?[^/]+$/.test(apiVersion);
    if (apiVersion === '') errors.push(required(child(at, 'apiVersion'), 'must not be empty'));
    else if (!isVersion)
      errors.push(invalid(child(at, 'apiVersion'), apiVersion, 'must be <group>/<version> or <version>'));
    for (const name of ['kind', 'name', 'uid']) {
      if (textOf(reference, name) === '') errors.push(required(child(at, name), 'must not be empty'));
    }
    if (apiVersion === 'v1' && textOf(reference, 'kind') === 'Event') {
      errors.push(invalid(at, reference, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (member(reference, 'controller') !== true) continue;
    const current = `${textOf(reference, 'kind')}/${textOf(reference, 'name')}`;
    if (controller === '') controller = current;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`;
      errors.push(invalid(path, references, detail));
    }
  }
  return errors;
}

function validateFinalizers(metadata: JsonObject, path: string): FieldError[] {
  const finalizers = listOf(metadata, 'finalizers').filter((item) => typeof item === 'string');
  const errors = finalizers.flatMap((name) => checkQualifiedName(name).map((problem) => invalid(path, name, problem)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

function validateManagedFields(metadata: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [position, entry] of listOf(metadata, 'managedFields').entries()) {
    if (!isObject(entry)) continue;
    const at = index(path, position);
    const operation = textOf(entry, 'operation');
    if (operation === '') errors.push(required(child(at, 'operation'), 'must not be empty'));
    else if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(notSupported(child(at, 'operation'), operation, ['Apply', 'Update']));
    }
    const fieldsType = textOf(entry, 'fieldsType');
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalid(child(at, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
    }
    errors.push(...validateFieldManager(textOf(entry, 'manager'), child(at, 'manager')));
    if (Buffer.byteLength(textOf(entry, 'subresource')) > 256) errors.push(tooLong(child(at, 'subresource'), 256));
  }
  return errors;
}

/** Validates the name of a field manager: printable, at most 128 bytes. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > 128) errors.push(tooLong(path, 128));
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(character);
  }
  return errors;
}
