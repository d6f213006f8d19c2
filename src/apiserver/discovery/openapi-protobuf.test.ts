import { describe, expect, it } from 'vitest';
import { fromPlain, type JsonObject } from '../json.ts';
import { swaggerProtobuf } from './openapi-protobuf.ts';

type Field = readonly [number: number, value: number | Buffer];

/** The fields of a message as any decoder reads them. */
function fields(bytes: Buffer): readonly Field[] {
  const result: Field[] = [];
  let position = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[position++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (position < bytes.length) {
    const tag = varint();
    if ((tag & 7) === 0) result.push([tag >>> 3, varint()]);
    else {
      const length = (tag & 7) === 1 ? 8 : varint();
      result.push([tag >>> 3, bytes.subarray(position, (position += length))]);
    }
  }
  return result;
}

/** The content of a field, for the path of numbers that leads to it; of several the one at `index`. */
function at(bytes: Buffer, ...path: readonly (number | readonly [number: number, index: number])[]): Buffer {
  return path.reduce<Buffer>((current, step) => {
    const [number, index] = typeof step === 'number' ? [step, 0] : step;
    const found = fields(current).filter(([own]) => own === number)[index]?.[1];
    if (!Buffer.isBuffer(found)) throw new Error(`there is no field ${number}`);
    return found;
  }, bytes);
}

const encoded = (document: unknown): Buffer => swaggerProtobuf(fromPlain(document) as JsonObject);

describe('OpenAPI 2 in protobuf', () => {
  it('has definitions with types, references and extensions', () => {
    const bytes = encoded({
      swagger: '2.0',
      info: { title: 'Kubernetes', version: '1.37' },
      definitions: {
        Pod: {
          type: 'object',
          required: ['spec', 'kind'],
          properties: {
            spec: { $ref: '#/definitions/PodSpec', description: 'wanted — état' },
            names: { type: 'array', items: { type: 'string' } },
            labels: { type: 'object', additionalProperties: { type: 'string' } },
          },
          'x-kubernetes-group-version-kind': [{ group: '', kind: 'Pod', version: 'v1' }],
        },
      },
    });
    expect(at(bytes, 1).toString()).toBe('2.0');
    expect(at(bytes, 2, 1).toString()).toBe('Kubernetes');
    const pod = at(bytes, 9, 1);
    expect(at(pod, 1).toString()).toBe('Pod');
    const schema = at(pod, 2);
    expect(at(schema, 22, 1).toString()).toBe('object');
    expect([at(schema, [19, 0]), at(schema, [19, 1])].map(String)).toEqual(['spec', 'kind']);
    const properties = at(schema, 25);
    const names = fields(properties).map(([, value]) => at(value as Buffer, 1).toString());
    expect(names).toEqual(['spec', 'names', 'labels']);
    expect(at(properties, [1, 0], 2, 1).toString()).toBe('#/definitions/PodSpec');
    expect(at(properties, [1, 0], 2, 4).toString()).toBe('wanted — état');
    expect(at(properties, [1, 1], 2, 23, 1, 22, 1).toString()).toBe('string');
    expect(at(properties, [1, 2], 2, 21, 1, 22, 1).toString()).toBe('string');
    expect(at(schema, 31, 1).toString()).toBe('x-kubernetes-group-version-kind');
    expect(JSON.parse(at(schema, 31, 2, 2).toString())).toEqual([{ group: '', kind: 'Pod', version: 'v1' }]);
  });

  it('has operations with their parameters', () => {
    const bytes = encoded({
      paths: {
        '/api/v1/pods/{name}': {
          patch: {
            operationId: 'patchPod',
            consumes: ['application/json-patch+json'],
            parameters: [
              { in: 'body', name: 'body', required: true, schema: { type: 'object' } },
              { in: 'query', name: 'dryRun', type: 'string', uniqueItems: true },
              { in: 'path', name: 'name', required: true, type: 'string' },
            ],
            responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Pod' } } },
          },
        },
      },
    });
    expect(at(bytes, 8, 2, 1).toString()).toBe('/api/v1/pods/{name}');
    const patch = at(bytes, 8, 2, 2, 8);
    expect(at(patch, 5).toString()).toBe('patchPod');
    expect(at(patch, 7).toString()).toBe('application/json-patch+json');
    expect(at(patch, [8, 0], 1, 1, 5, 22, 1).toString()).toBe('object');
    expect(at(patch, [8, 1], 1, 2, 3, 4).toString()).toBe('dryRun');
    expect(at(patch, [8, 2], 1, 2, 4, 4).toString()).toBe('name');
    expect(at(patch, 9, 1, 1).toString()).toBe('200');
    expect(at(patch, 9, 1, 2, 1, 2, 1, 1).toString()).toBe('#/definitions/Pod');
  });

  it('grows with what it holds, and keeps numbers', () => {
    const text = 'é'.repeat(700_000);
    const bytes = encoded({
      definitions: { A: { description: text, maximum: 1.5, maxLength: 300, minItems: 0, uniqueItems: true } },
    });
    const schema = at(bytes, 9, 1, 2);
    expect(at(schema, 4).toString()).toBe(text);
    expect(at(schema, 7).readDoubleLE()).toBe(1.5);
    expect(fields(schema).filter(([, value]) => typeof value === 'number')).toEqual([
      [11, 300],
      [15, 0],
      [16, 1],
    ]);
  });
});
