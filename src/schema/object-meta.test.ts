import { describe, expect, it } from 'vitest';
import { Float } from '../model/index.ts';
import { DecodeError } from './go-decoder.ts';
import { normalizeTime } from './go-time.ts';
import { decodeObjectMeta, decodeValidFields } from './object-meta.ts';

describe('decodeObjectMeta', () => {
  it('keeps known fields, leaves out empty ones and names unknown ones', () => {
    const decoded = decodeObjectMeta({
      name: 'a',
      namespace: '',
      generation: new Float(2),
      labels: { b: 'c', n: null },
      finalizers: [],
      extra: 1,
      ownerReferences: [{ kind: 'K', foo: true }],
      creationTimestamp: '2024-01-01T02:00:00.5+02:00',
    });
    expect(decoded.unknownFields).toEqual(['extra', 'ownerReferences[0].foo']);
    expect({ ...decoded.metadata, labels: { ...(decoded.metadata['labels'] as object) } }).toMatchObject({
      name: 'a',
      generation: 2,
      labels: { b: 'c', n: '' },
      ownerReferences: [{ apiVersion: '', kind: 'K', name: '', uid: '' }],
      creationTimestamp: '2024-01-01T00:00:00Z',
    });
    expect(Object.keys(decoded.metadata)).not.toContain('namespace');
  });

  it.each([
    [{ name: 1 }, 'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string'],
    [{ labels: { a: {} } }, 'json: cannot unmarshal object into Go struct field ObjectMeta.labels of type string'],
    [{ uid: true }, 'json: cannot unmarshal bool into Go struct field ObjectMeta.uid of type types.UID'],
    [{ generation: 1.5 }, 'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64'],
    [{ ownerReferences: [{ uid: 1 }] }, 'OwnerReference.ownerReferences.uid of type types.UID'],
    [{ creationTimestamp: 'x' }, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    // A type that decodes itself wins over wrong types before it.
    [{ annotations: 1, creationTimestamp: 1 }, 'ObjectMeta.creationTimestamp of type string'],
    ['x', 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
  ])('refuses %j', (value, message) => {
    expect(() => decodeObjectMeta(value)).toThrow(DecodeError);
    expect(() => decodeObjectMeta(value)).toThrow(message);
  });

  it('can leave out fields of wrong types', () => {
    expect(Object.entries(decodeValidFields({ name: 1, namespace: 'n', foo: 1 }))).toEqual([['namespace', 'n']]);
  });
});

describe('normalizeTime', () => {
  it.each([
    ['2024-13-01T00:00:00Z', ': month out of range'],
    ['2023-02-29T00:00:00Z', ': day out of range'],
    ['2024-01-01T24:00:00Z', ': hour out of range'],
    ['2024-01-01T00:00:00Zx', ': extra text: "x"'],
    ['2024-01-01', 'cannot parse "" as "T"'],
  ])('refuses %s', (text, problem) => {
    expect(normalizeTime(text)).toMatchObject({ problem: expect.stringContaining(problem) as string });
  });
});
