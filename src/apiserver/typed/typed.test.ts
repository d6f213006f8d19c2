import { describe, expect, it } from 'vitest';
import { fromPlain, type Json } from '../json.ts';
import { parseJsonText } from '../json-text.ts';
import { checkEnums, decodeTyped, DecodeError } from './decode.ts';
import { loadTypes, type TypedNode } from './types.ts';
import type { FieldError } from '../field-error.ts';

const types = await loadTypes();
const nodeOf = (group: string, version: string, kind: string): TypedNode => {
  const node = types.kind(group, version, kind);
  if (node === undefined) throw new Error(`no ${kind}`);
  return node;
};
const configMap = nodeOf('', 'v1', 'ConfigMap');
const deployment = nodeOf('apps', 'v1', 'Deployment');
const plain = (value: Json): unknown => JSON.parse(JSON.stringify(value));

describe('decodeTyped', () => {
  it('drops what the kind does not know and tells of it, sorted', () => {
    const { value, unknown } = decodeTyped(
      configMap,
      fromPlain({ z: 1, metadata: { name: 'a', nope: 1 }, data: { a: 'b' } }),
      'ConfigMap',
    );
    expect(plain(value)).toEqual({ metadata: { name: 'a' }, data: { a: 'b' } });
    expect(unknown).toEqual(['metadata.nope', 'z']);
  });

  it('gives paths of list items', () => {
    const document = fromPlain({ spec: { template: { spec: { containers: [{ name: 'a', nope: 1 }] } } } });
    expect(decodeTyped(deployment, document, 'Deployment').unknown).toEqual(['spec.template.spec.containers[0].nope']);
  });

  it('takes null for nothing', () => {
    expect(plain(decodeTyped(configMap, fromPlain({ metadata: null, data: null }), 'ConfigMap').value)).toEqual({
      metadata: {},
    });
  });

  it('fills in what Go always prints', () => {
    expect(plain(decodeTyped(deployment, fromPlain({}), 'Deployment').value)).toEqual({
      metadata: {},
      spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
      status: {},
    });
  });

  it.each([
    [configMap, { data: { a: 1 } }, 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string'],
    [
      configMap,
      { metadata: { labels: [] } },
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      deployment,
      { spec: { replicas: 'x' } },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment,
      { spec: { replicas: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment,
      { spec: { replicas: 2 ** 31 } },
      'json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
  ])('refuses %#', (node, document, message) => {
    expect(() => decodeTyped(node, fromPlain(document), node === configMap ? 'ConfigMap' : 'Deployment')).toThrow(
      new DecodeError(message),
    );
  });

  it.each([
    [{ metadata: { labels: 'x' } }, 'cannot restore map from string'],
    [{ metadata: { labels: { a: 1 } } }, 'cannot convert int64 to string'],
    [{ metadata: { labels: { a: true } } }, 'unrecognized type: string'],
    [{ metadata: [] }, 'cannot restore struct from: slice'],
    [{ metadata: { finalizers: {} } }, 'cannot restore slice from map'],
    [{ spec: { replicas: '1' } }, 'unrecognized type: int32'],
    [{ spec: { replicas: 1.5 } }, 'cannot convert float64 to int32'],
    [{ spec: { paused: 1 } }, 'unrecognized type: bool'],
    [
      { spec: { strategy: { rollingUpdate: { maxSurge: 1.5 } } } },
      'json: cannot unmarshal number 1.5 into Go value of type int32',
    ],
    [{ metadata: { creationTimestamp: 5 } }, 'json: cannot unmarshal number into Go value of type string'],
  ])('gives the texts of the converter for %j', (document, message) => {
    expect(() => decodeTyped(deployment, fromPlain(document), 'Deployment', 'converter')).toThrow(
      new DecodeError(message),
    );
  });

  it('takes whole numbers with a point, and of too large ones the bits that fit, in the converter', () => {
    const replicasOf = (source: string): unknown =>
      plain(decodeTyped(deployment, parseJsonText(`{"spec":{"replicas":${source}}}`), 'Deployment', 'converter').value);
    expect(replicasOf('5.0')).toMatchObject({ spec: { replicas: 5 } });
    expect(replicasOf('3000000000')).toMatchObject({ spec: { replicas: -1294967296 } });
  });

  it('keeps 64-bit integers exact and times in UTC', () => {
    const revision = decodeTyped(
      nodeOf('apps', 'v1', 'ControllerRevision'),
      parseJsonText('{"revision":9223372036854775807}'),
      'ControllerRevision',
    );
    expect((revision.value as { revision: unknown }).revision).toBe(9223372036854775807n);
    const lease = decodeTyped(
      nodeOf('coordination.k8s.io', 'v1', 'Lease'),
      fromPlain({ spec: { renewTime: '2026-01-01T01:00:00.5+01:00' } }),
      'Lease',
    );
    expect(plain(lease.value)).toMatchObject({ spec: { renewTime: '2026-01-01T00:00:00.500000Z' } });
  });

  it('tells of values that are none of those which a member knows', () => {
    const errors: FieldError[] = [];
    checkEnums(nodeOf('', 'v1', 'Service'), fromPlain({ spec: { type: 'Nope' } }), '', errors);
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.type: Unsupported value: "Nope": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ]);
  });
});
