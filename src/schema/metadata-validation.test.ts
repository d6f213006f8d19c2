import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/index.ts';
import { validateFieldManager, validateObjectMeta, validateObjectMetaUpdate } from './metadata-validation.ts';

const accept = () => [];

function create(metadata: JsonObject, isNamespaced = false): string[] {
  return validateObjectMeta({ name: 'a', ...metadata }, isNamespaced, accept, 'metadata').map(
    (error) => `${error.type} ${error.field}`,
  );
}

describe('validateObjectMeta', () => {
  it.each<[JsonObject, string[]]>([
    [{}, []],
    [{ name: '' }, ['FieldValueRequired metadata.name']],
    [{ namespace: 'n' }, ['FieldValueForbidden metadata.namespace']],
    [{ generation: -1 }, ['FieldValueInvalid metadata.generation']],
    [{ labels: { a: '-b', c: '-b' } }, ['FieldValueInvalid metadata.labels']],
    [{ annotations: { 'A.example.com/b': 'x'.repeat(300_000) } }, ['FieldValueTooLong metadata.annotations']],
    [{ finalizers: ['orphan', 'foregroundDeletion'] }, ['FieldValueInvalid metadata.finalizers']],
    [{ finalizers: ['a b', 'a b'] }, ['FieldValueInvalid metadata.finalizers']],
    [
      { ownerReferences: [{ apiVersion: 'a/b/c', kind: 'K', name: 'n', uid: '' }] },
      [
        'FieldValueInvalid metadata.ownerReferences[0].apiVersion',
        'FieldValueRequired metadata.ownerReferences[0].uid',
      ],
    ],
    [
      { managedFields: [{ operation: 'Nope', fieldsType: 'X' }] },
      [
        'FieldValueNotSupported metadata.managedFields[0].operation',
        'FieldValueInvalid metadata.managedFields[0].fieldsType',
      ],
    ],
  ])('%j', (metadata, expected) => {
    expect(create(metadata)).toEqual(expected);
  });

  it('needs a namespace that is a label', () => {
    expect(create({}, true)).toEqual(['FieldValueRequired metadata.namespace']);
    expect(create({ namespace: 'A' }, true)).toEqual(['FieldValueInvalid metadata.namespace']);
  });

  it('allows one controller', () => {
    const owner = { apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', controller: true };
    const [error] = validateObjectMeta(
      { name: 'a', ownerReferences: [owner, { ...owner, name: 'm' }] },
      false,
      accept,
      'metadata',
    );
    expect(error?.detail).toBe(
      'Only one reference can have Controller set to true. Found "true" in references for K/n and K/m',
    );
  });
});

describe('validateObjectMetaUpdate', () => {
  const old = { name: 'a', resourceVersion: '1', generation: 2, uid: 'u' };

  it.each<[JsonObject, JsonObject, string[]]>([
    [old, old, []],
    [
      { ...old, resourceVersion: '' },
      old,
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    [{ ...old, generation: 1 }, old, ['metadata.generation: Invalid value: 1: must not be decremented']],
    [{ ...old, uid: '' }, old, ['metadata.uid: Invalid value: "": field is immutable']],
    [
      { ...old, deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['b', 'a'] },
      { ...old, deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['b'] },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a"}',
      ],
    ],
  ])('%j after %j', (metadata, before, expected) => {
    expect(validateObjectMetaUpdate(metadata, before, 'metadata').map((error) => error.message)).toEqual(expected);
  });
});

describe('validateFieldManager', () => {
  it('wants printable names of at most 128 bytes', () => {
    expect(validateFieldManager('kubectl', 'p')).toEqual([]);
    expect(validateFieldManager('é\u0007', 'p').map((error) => error.detail)).toEqual([
      'invalid character U+0007 (at position 2)',
    ]);
    expect(validateFieldManager('x'.repeat(129), 'p').map((error) => error.type)).toEqual(['FieldValueTooLong']);
  });
});
