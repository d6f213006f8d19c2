import { forbiddenField, invalidValue, quote, required, type FieldError } from '../field-error.ts';
import {
  equal,
  isObject,
  type Json,
  jsonObject,
  type JsonObject,
  list,
  member,
  object,
  plain,
  text,
  texts,
} from '../json.ts';
import { isLabelValue, isQualifiedName } from '../selectors/label-selector.ts';
import { dns1123Label, pathSegment, type NameRule } from './names.ts';

const maxAnnotationBytes = 256 * 1024;

const qualifiedNameProblem =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueProblem =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Problems of the key of a label or annotation, or of a finalizer. */
export function qualifiedNameProblems(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')".replace(
        'a valid label key',
        'a qualified name',
      ),
    ];
  }
  const problems: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') problems.push('prefix part must be non-empty');
    else if (!isQualifiedName(`${prefix}/a`)) {
      problems.push(
        "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      );
    }
  }
  const name = parts.at(-1) ?? '';
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (name === '' || !isQualifiedName(name.slice(0, 63))) problems.push(qualifiedNameProblem);
  return problems;
}

export interface MetadataRules {
  readonly namespaced: boolean;
  readonly validateName: NameRule;
}

/** The rules of every object's metadata on creation. */
export function validateMetadata(value: JsonObject, rules: MetadataRules): FieldError[] {
  const metadata = object(value, 'metadata');
  const errors: FieldError[] = [];
  const generateName = text(metadata, 'generateName');
  if (generateName !== '') {
    for (const problem of rules.validateName(generateName, true))
      errors.push(invalidValue('metadata.generateName', generateName, problem));
  }
  const name = text(metadata, 'name');
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else {
    const problems = pathSegment(name, false);
    for (const problem of [...problems, ...rules.validateName(name, false)])
      errors.push(invalidValue('metadata.name', name, problem));
  }
  const namespace = text(metadata, 'namespace');
  if (rules.namespaced) {
    if (namespace === '') errors.push(required('metadata.namespace'));
    else
      for (const problem of dns1123Label(namespace, false))
        errors.push(invalidValue('metadata.namespace', namespace, problem));
  } else if (namespace !== '') {
    errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  }
  errors.push(...validateParts(metadata));
  return errors;
}

function validateParts(metadata: JsonObject): FieldError[] {
  const errors: FieldError[] = [
    ...validateLabels(object(metadata, 'labels'), 'metadata.labels'),
    ...validateAnnotations(object(metadata, 'annotations')),
  ];
  errors.push(...validateOwnerReferences(list(metadata, 'ownerReferences')));
  const finalizers = texts(metadata, 'finalizers');
  for (const finalizer of finalizers) {
    for (const problem of qualifiedNameProblems(finalizer))
      errors.push(invalidValue('metadata.finalizers', finalizer, problem));
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(
      invalidValue(
        'metadata.finalizers',
        [...finalizers],
        'finalizer orphan and foregroundDeletion cannot be both set',
      ),
    );
  }
  return errors;
}

export function validateLabels(labels: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const problem of qualifiedNameProblems(key)) errors.push(invalidValue(path, key, problem));
    const found = plain(value);
    if (found.length > 63) errors.push(invalidValue(path, found, 'must be no more than 63 bytes'));
    if (!isLabelValue(found.slice(0, 63))) errors.push(invalidValue(path, found, labelValueProblem));
  }
  return errors;
}

function validateAnnotations(annotations: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const problem of qualifiedNameProblems(key.toLowerCase()))
      errors.push(invalidValue('metadata.annotations', key, problem));
    size += Buffer.byteLength(key) + Buffer.byteLength(plain(value));
  }
  if (size > maxAnnotationBytes) {
    errors.push({
      type: 'FieldValueTooLong',
      field: 'metadata.annotations',
      message: `Too long: may not be more than ${maxAnnotationBytes} bytes`,
    });
  }
  return errors;
}

function validateOwnerReferences(references: readonly Json[]): FieldError[] {
  const errors: FieldError[] = [];
  let controller: Json | undefined;
  references.forEach((reference, index) => {
    const path = `metadata.ownerReferences[${index}]`;
    const apiVersion = text(reference, 'apiVersion');
    const shown = `${apiVersion}, Kind=${text(reference, 'kind')}`;
    for (const name of ['apiVersion', 'kind', 'name', 'uid']) {
      if (text(reference, name) === '') errors.push(required(`${path}.${name}`, 'must not be empty'));
    }
    if (apiVersion.endsWith('/'))
      errors.push(invalidValue(`${path}.apiVersion`, apiVersion, 'version must not be empty'));
    if (apiVersion === 'v1' && text(reference, 'kind') === 'Event') {
      errors.push(invalidValue(path, reference, `/${shown} is disallowed from being an owner`));
    }
    if (member(reference, 'controller') === true) {
      if (controller !== undefined) {
        const name = (owner: Json): string => `${text(owner, 'kind')}/${text(owner, 'name')}`;
        errors.push(
          invalidValue(
            'metadata.ownerReferences',
            references.map(inGoOrder),
            `Only one reference can have Controller set to true. Found "true" in references for ${name(controller)} and ${name(reference)}`,
          ),
        );
      } else controller = reference;
    }
  });
  return errors;
}

/** Members of an owner reference in the order in which the real server prints them. */
function inGoOrder(reference: Json): Json {
  const names = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];
  return jsonObject(
    names.flatMap((name) =>
      member(reference, name) === undefined ? [] : [[name, member(reference, name) ?? null] as const],
    ),
  );
}

/** Finalizers of built-in kinds: a well-known name or one with a domain. */
export function validateFinalizerNames(value: JsonObject): FieldError[] {
  return texts(value, 'metadata', 'finalizers').flatMap((finalizer, index) =>
    finalizer.includes('/') ||
    finalizer === 'kubernetes' ||
    finalizer === 'orphan' ||
    finalizer === 'foregroundDeletion'
      ? []
      : [
          invalidValue(
            `metadata.finalizers[${index}]`,
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  );
}

const immutable = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** The rules of every object's metadata on updates. */
export function validateMetadataUpdate(value: JsonObject, old: JsonObject): FieldError[] {
  const metadata = object(value, 'metadata');
  const before = object(old, 'metadata');
  const errors: FieldError[] = [];
  if (Object.hasOwn(before, 'deletionTimestamp')) {
    const known = new Set(texts(before, 'finalizers'));
    const added = texts(metadata, 'finalizers')
      .filter((finalizer) => !known.has(finalizer))
      .sort();
    if (added.length > 0) {
      errors.push(
        forbiddenField(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(quote).join(', ')}}`,
        ),
      );
    }
  }
  for (const name of immutable) {
    if (!equal(metadata[name] ?? '', before[name] ?? '')) {
      errors.push(invalidValue(`metadata.${name}`, metadata[name] ?? null, 'field is immutable'));
    }
  }
  const generation = Number(metadata['generation'] ?? 0);
  if (generation < Number(before['generation'] ?? 0))
    errors.push(invalidValue('metadata.generation', generation, 'must not be decremented'));
  errors.push(...validateParts(metadata));
  return errors;
}

/** The warning about finalizers that could be anybody's: a custom resource's finalizers should have a domain. */
export function finalizerWarnings(value: JsonObject, old?: JsonObject): string[] {
  const known = new Set(old === undefined ? [] : texts(old, 'metadata', 'finalizers'));
  return texts(value, 'metadata', 'finalizers')
    .filter(
      (finalizer) =>
        !known.has(finalizer) &&
        !finalizer.includes('/') &&
        finalizer !== 'orphan' &&
        finalizer !== 'foregroundDeletion',
    )
    .map((finalizer) => {
      const path = finalizer.includes('.') ? ' including a path (/)' : '';
      return `metadata.finalizers: ${quote(finalizer)}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    });
}

/** Owner references without those that stand twice, and whether there were any. */
export function withoutDuplicateOwners(references: readonly Json[]): {
  readonly references: readonly Json[];
  readonly duplicates: boolean;
} {
  const kept = references.filter(
    (reference, index) => !references.slice(0, index).some((earlier) => equal(reference, earlier)),
  );
  return { references: kept, duplicates: kept.length < references.length };
}

/** Whether an object is being deleted. */
export function isTerminating(value: JsonObject): boolean {
  return isObject(value['metadata']) && Object.hasOwn(value['metadata'], 'deletionTimestamp');
}
