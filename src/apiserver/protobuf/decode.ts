import { protobuf, type ProtobufField } from '../data/index.ts';
import { jsonObject, type Json, type JsonObject, type MutableObject } from '../json.ts';
import { parseJsonText } from '../json-text.ts';

/** A body that cannot be read as a protobuf message of its kind. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

type Messages = Readonly<Record<string, Readonly<Record<string, ProtobufField>>>>;

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const metaPackage = 'k8s.io.apimachinery.pkg.apis.meta.v1';

/** Packages of API groups, where they are not `k8s.io.api.<first part of the group>.<version>`. */
const packages: Readonly<Record<string, string>> = {
  '': 'k8s.io.api.core',
  'rbac.authorization.k8s.io': 'k8s.io.api.rbac',
  'flowcontrol.apiserver.k8s.io': 'k8s.io.api.flowcontrol',
  'apiextensions.k8s.io': 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'k8s.io.kube_aggregator.pkg.apis.apiregistration',
  'meta.k8s.io': 'k8s.io.apimachinery.pkg.apis.meta',
};

let loaded: Promise<Messages> | undefined;

/**
 * Reads a body of type `application/vnd.kubernetes.protobuf` as the JSON document that it stands for. Members with Go's zero value
 * are left out: clients write them without being asked.
 *
 * @throws ProtobufError
 */
export async function decodeProtobuf(body: Buffer): Promise<JsonObject> {
  if (!body.subarray(0, 4).equals(magic))
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const messages = await (loaded ??= protobuf());
  const unknown = new Reader(body.subarray(4)).fields();
  const typeMeta = new Reader(bytes(unknown.get(1)?.[0])).fields();
  const apiVersion = bytes(typeMeta.get(1)?.[0]).toString('utf8');
  const kind = bytes(typeMeta.get(2)?.[0]).toString('utf8');
  const raw = bytes(unknown.get(2)?.[0]);
  const content = bytes(unknown.get(4)?.[0]).toString('utf8');
  if (content === 'application/json') return parseJsonText(raw.toString('utf8')) as JsonObject;
  const message = messageName(messages, apiVersion, kind);
  if (message === undefined) throw new ProtobufError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  const document = new MessageDecoder(messages).message(message, raw) as MutableObject;
  document['apiVersion'] = apiVersion;
  document['kind'] = kind;
  return document;
}

function messageName(messages: Messages, apiVersion: string, kind: string): string | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const base = packages[group] ?? `k8s.io.api.${group.split('.')[0] ?? ''}`;
  return [`${base}.${version}.${kind}`, `${metaPackage}.${kind}`].find((name) => Object.hasOwn(messages, name));
}

type Wire = bigint | Buffer;

function bytes(value: Wire | undefined): Buffer {
  return value instanceof Buffer ? value : Buffer.alloc(0);
}

class Reader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** The values of each field number, in their order. */
  fields(): Map<number, Wire[]> {
    const result = new Map<number, Wire[]>();
    while (this.#at < this.#buffer.length) {
      const tag = Number(this.#varint());
      const number = tag >>> 3;
      const value = this.#value(tag & 7);
      const values = result.get(number);
      if (values === undefined) result.set(number, [value]);
      else values.push(value);
    }
    return result;
  }

  /** All values as varints: a packed list. */
  packed(): bigint[] {
    const result: bigint[] = [];
    while (this.#at < this.#buffer.length) result.push(this.#varint());
    return result;
  }

  #value(wire: number): Wire {
    switch (wire) {
      case 0:
        return this.#varint();
      case 1:
        return this.#take(8);
      case 2:
        return this.#take(Number(this.#varint()));
      case 5:
        return this.#take(4);
      default:
        throw new ProtobufError(`proto: illegal wireType ${wire}`);
    }
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#buffer.length) throw new ProtobufError('unexpected EOF');
    const result = this.#buffer.subarray(this.#at, this.#at + length);
    this.#at += length;
    return result;
  }

  #varint(): bigint {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#buffer[this.#at++];
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
    throw new ProtobufError('proto: integer overflow');
  }
}

class MessageDecoder {
  readonly #messages: Messages;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  message(name: string, body: Buffer): Json {
    const special = this.#special(name, body);
    if (special !== undefined) return special;
    const fields = this.#messages[name];
    if (fields === undefined) throw new ProtobufError(`no message ${name}`);
    const wrapped = fields['items'];
    const values = new Reader(body).fields();
    const scope = name.slice(0, name.lastIndexOf('.'));
    // Lists with a name of their own (ExtraValue, Verbs) travel in a message of one member.
    if (wrapped !== undefined && Object.keys(fields).length === 1)
      return (values.get(wrapped[0]) ?? []).map((value) => this.#scalar(wrapped[1], scope, value));
    const result = jsonObject();
    for (const [field, [number, type, repeated]] of Object.entries(fields)) {
      const found = values.get(number);
      if (found === undefined) continue;
      const map = /^map<string,\.?(.+)>$/.exec(type);
      if (map !== null) {
        result[jsonName(name, field)] = this.#map(map[1] ?? '', scope, found);
        continue;
      }
      if (repeated !== undefined) {
        result[jsonName(name, field)] = this.#list(type, scope, found);
        continue;
      }
      const value = this.#scalar(type, scope, found.at(-1) as Wire);
      if (isEmbedded(name, field) && typeof value === 'object' && value !== null) Object.assign(result, value);
      else if (value !== '' && value !== 0 && value !== false && value !== null) result[jsonName(name, field)] = value;
      else if (pointers.has(field)) result[jsonName(name, field)] = value;
    }
    return result;
  }

  #list(type: string, scope: string, found: readonly Wire[]): Json[] {
    if (/^(int|uint)(32|64)$/.test(type)) {
      return found.flatMap((value) =>
        typeof value === 'bigint' ? [integer(value)] : new Reader(value).packed().map(integer),
      );
    }
    return found.map((value) => this.#scalar(type, scope, value));
  }

  #map(type: string, scope: string, found: readonly Wire[]): JsonObject {
    const result = jsonObject();
    for (const entry of found) {
      const fields = new Reader(bytes(entry)).fields();
      result[bytes(fields.get(1)?.[0]).toString('utf8')] = this.#scalar(
        type,
        scope,
        fields.get(2)?.[0] ?? Buffer.alloc(0),
      );
    }
    return result;
  }

  #scalar(type: string, scope: string, value: Wire): Json {
    switch (type) {
      case 'string':
        return bytes(value).toString('utf8');
      case 'bytes':
        return bytes(value).toString('base64');
      case 'bool':
        return value !== 0n;
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64':
        return typeof value === 'bigint' ? integer(value) : 0;
      case 'double':
        return value instanceof Buffer ? value.readDoubleLE(0) : 0;
      default: {
        const plain = type.replace(/^\./, '');
        const full = Object.hasOwn(this.#messages, `${scope}.${plain}`) ? `${scope}.${plain}` : plain;
        return this.message(full, bytes(value));
      }
    }
  }

  #special(name: string, body: Buffer): Json | undefined {
    const fields = (): Map<number, Wire[]> => new Reader(body).fields();
    switch (name) {
      case 'k8s.io.apimachinery.pkg.api.resource.Quantity':
        return bytes(fields().get(1)?.[0]).toString('utf8');
      case `${metaPackage}.Time`:
      case `${metaPackage}.MicroTime`: {
        if (body.length === 0) return null;
        const values = fields();
        const seconds = Number(BigInt.asIntN(64, (values.get(1)?.[0] as bigint | undefined) ?? 0n));
        const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
        if (name.endsWith('.Time')) return `${whole}Z`;
        const micros = Math.floor(Number((values.get(2)?.[0] as bigint | undefined) ?? 0n) / 1000);
        return `${whole}.${String(micros).padStart(6, '0')}Z`;
      }
      case `${metaPackage}.Duration`: {
        const nanos = Number(BigInt.asIntN(64, (fields().get(1)?.[0] as bigint | undefined) ?? 0n));
        return `${nanos / 1e9}s`;
      }
      case 'k8s.io.apimachinery.pkg.util.intstr.IntOrString': {
        const values = fields();
        return (values.get(1)?.[0] ?? 0n) === 1n
          ? bytes(values.get(3)?.[0]).toString('utf8')
          : integer((values.get(2)?.[0] as bigint | undefined) ?? 0n);
      }
      case `${metaPackage}.FieldsV1`:
      case 'k8s.io.apimachinery.pkg.runtime.RawExtension': {
        const raw = bytes(fields().get(1)?.[0]).toString('utf8');
        return raw === '' ? null : parseJsonText(raw);
      }
      case 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON': {
        const raw = bytes(fields().get(1)?.[0]).toString('utf8');
        return raw === '' ? null : parseJsonText(raw);
      }
      case 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': {
        const values = fields();
        const schema = values.get(2)?.[0];
        return schema === undefined
          ? values.get(1)?.[0] === 1n
          : this.message(name.replace('OrBool', ''), bytes(schema));
      }
      case 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray': {
        const values = fields();
        const schema = values.get(1)?.[0];
        const single = name.replace('OrArray', '');
        return schema === undefined
          ? (values.get(2) ?? []).map((value) => this.message(single, bytes(value)))
          : this.message(single, bytes(schema));
      }
      default:
        return undefined;
    }
  }
}

function integer(value: bigint): Json {
  const signed = BigInt.asIntN(64, value);
  return signed >= BigInt(Number.MIN_SAFE_INTEGER) && signed <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(signed)
    : signed;
}

/** Messages whose member stands for members of the message itself. */
const embedded: Readonly<Record<string, readonly string[]>> = {
  'k8s.io.api.core.v1.Volume': ['volumeSource'],
  'k8s.io.api.core.v1.PersistentVolumeSpec': ['persistentVolumeSource'],
  'k8s.io.api.core.v1.Probe': ['handler'],
  'k8s.io.api.core.v1.EphemeralContainer': ['ephemeralContainerCommon'],
  'k8s.io.api.core.v1.ConfigMapEnvSource': ['localObjectReference'],
  'k8s.io.api.core.v1.ConfigMapKeySelector': ['localObjectReference'],
  'k8s.io.api.core.v1.ConfigMapProjection': ['localObjectReference'],
  'k8s.io.api.core.v1.ConfigMapVolumeSource': ['localObjectReference'],
  'k8s.io.api.core.v1.SecretEnvSource': ['localObjectReference'],
  'k8s.io.api.core.v1.SecretKeySelector': ['localObjectReference'],
  'k8s.io.api.core.v1.SecretProjection': ['localObjectReference'],
  'k8s.io.api.admissionregistration.v1.RuleWithOperations': ['rule'],
  'k8s.io.api.admissionregistration.v1.NamedRuleWithOperations': ['ruleWithOperations'],
};

function isEmbedded(message: string, field: string): boolean {
  return embedded[message]?.includes(field) === true;
}

/** Members that are pointers in Go: their zero value means something. */
const pointers = new Set([
  'replicas',
  'optional',
  'controller',
  'blockOwnerDeletion',
  'automountServiceAccountToken',
  'immutable',
  'suspend',
  'minReplicas',
  'revisionHistoryLimit',
  'partition',
  'terminationGracePeriodSeconds',
  'runAsUser',
  'runAsGroup',
  'fsGroup',
  'runAsNonRoot',
  'readOnlyRootFilesystem',
  'allowPrivilegeEscalation',
  'privileged',
  'gracePeriodSeconds',
  'orphanDependents',
  'deletionGracePeriodSeconds',
  'defaultMode',
  'mode',
  'backoffLimit',
  'completions',
  'parallelism',
  'ttlSecondsAfterFinished',
  'leaseTransitions',
  'enableServiceLinks',
  'served',
  'storage',
]);

/** Members whose JSON name is not the one in the message. */
function jsonName(message: string, field: string): string {
  if (message.endsWith('.JSONSchemaProps')) {
    if (field === 'ref' || field === 'schema') return `$${field}`;
    if (field.startsWith('xKubernetes')) return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  }
  if (field === 'uID') return 'uid';
  if (field === 'aPIGroup') return 'apiGroup';
  // The port of a daemon's endpoint is the one member that JSON, too, writes with a capital.
  if (message.endsWith('.DaemonEndpoint')) return field;
  return /^[A-Z]/.test(field) ? field.charAt(0).toLowerCase() + field.slice(1) : field;
}
