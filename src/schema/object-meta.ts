import { Float, type Json, type JsonObject, jsonObject } from '../model/index.ts';
import {
  type DecodeContext,
  DecodeError,
  decodeBoolean,
  decodeInteger,
  decodeString,
  decodeCustom,
  decodeWhole,
  noteMismatch,
  mismatch,
} from './go-decoder.ts';
import { compareNames, goJson } from './go-format.ts';
import { normalizeTime } from './go-time.ts';
import { isList, isObject, parseNumber } from './json.ts';
import { mapList, mapMembers } from './pruning.ts';

/** Metadata as the server decodes it: known fields only, empty ones left out, times in UTC. */
export interface DecodedMeta {
  readonly metadata: JsonObject;
  /** Paths of unknown fields below the metadata (`ownerReferences[0].foo`). */
  readonly unknownFields: readonly string[];
}

export type Decode = (value: Json, context: DecodeContext, unknown: string[], path: string) => Json | undefined;

const text: Decode = (value, context) => decodeString(value, context) || undefined;
const requiredText: Decode = (value, context) => decodeString(value, context);
const boolean: Decode = (value, context) => (value === null ? undefined : decodeBoolean(value, context));

function named(type: string): Decode {
  return (value, context) => decodeString(value, context, type) || undefined;
}

function integer(isPointer: boolean): Decode {
  return (value, context) => {
    if (value === null) return undefined;
    const decoded = decodeInteger(value, context, 64);
    if (decoded === 0n && !isPointer) return undefined;
    return Number.isSafeInteger(Number(decoded)) ? Number(decoded) : decoded;
  };
}

export const decodeTime: Decode = (value, context) => {
  if (value === null) return undefined;
  const text = decodeCustom(context, (inner) => decodeString(value, inner));
  const parsed = normalizeTime(text);
  if ('problem' in parsed) throw new DecodeError(parsed.problem);
  return parsed.time;
};

const textMap: Decode = (value, context) => {
  if (value === null) return undefined;
  if (!isObject(value)) throw mismatch(value, context, 'map[string]string');
  const entries = Object.keys(value).sort(compareNames);
  if (entries.length === 0) return undefined;
  return jsonObject(
    entries.map(
      (name) => [name, noteMismatch(context, () => decodeString(value[name] ?? null, context)) ?? ''] as const,
    ),
  );
};

function list(type: string, item: Decode): Decode {
  return (value, context, unknown, path) => {
    if (value === null) return undefined;
    if (!isList(value)) throw mismatch(value, context, type);
    if (value.length === 0) return undefined;
    return value.map((entry, position) => {
      const at = `${path}[${position}]`;
      return noteMismatch(context, () => item(entry, context, unknown, at)) ?? '';
    });
  };
}

function struct(type: string, fields: ReadonlyMap<string, Decode>, always: readonly string[] = []): Decode {
  return (value, context, unknown, path) => {
    if (value !== null && !isObject(value)) throw mismatch(value, context, type);
    const decoded = jsonObject(always.map((name) => [name, ''] as const));
    // The server goes through JSON with sorted names, so that the first error is that of the first name.
    for (const name of Object.keys(value ?? {}).sort(compareNames)) {
      const at = path === '' ? name : `${path}.${name}`;
      const decode = fields.get(name);
      if (decode === undefined) {
        unknown.push(at);
        continue;
      }
      const below = { ...context, struct: type.replace(/^v1\./, ''), fields: [...context.fields, name] };
      const member = noteMismatch(context, () => decode(value?.[name] ?? null, below, unknown, at));
      if (member !== undefined) decoded[name] = member;
    }
    return decoded;
  };
}

const ownerReference = struct(
  'v1.OwnerReference',
  new Map<string, Decode>([
    ['apiVersion', requiredText],
    ['kind', requiredText],
    ['name', requiredText],
    ['uid', (value, context) => decodeString(value, context, 'types.UID')],
    ['controller', boolean],
    ['blockOwnerDeletion', boolean],
  ]),
  ['apiVersion', 'kind', 'name', 'uid'],
);

const managedFieldsEntry = struct(
  'v1.ManagedFieldsEntry',
  new Map<string, Decode>([
    ['manager', text],
    ['operation', named('v1.ManagedFieldsOperationType')],
    ['apiVersion', text],
    ['time', decodeTime],
    ['fieldsType', text],
    ['fieldsV1', (value) => value ?? undefined],
    ['subresource', text],
  ]),
);

const objectMetaFields = new Map<string, Decode>([
  ['name', text],
  ['generateName', text],
  ['namespace', text],
  ['selfLink', text],
  ['uid', named('types.UID')],
  ['resourceVersion', text],
  ['generation', integer(false)],
  ['creationTimestamp', decodeTime],
  ['deletionTimestamp', decodeTime],
  ['deletionGracePeriodSeconds', integer(true)],
  ['labels', textMap],
  ['annotations', textMap],
  ['ownerReferences', list('[]v1.OwnerReference', ownerReference)],
  ['finalizers', list('[]string', (value, context) => decodeString(value, context))],
  ['managedFields', list('[]v1.ManagedFieldsEntry', managedFieldsEntry)],
]);

const objectMeta = struct('v1.ObjectMeta', objectMetaFields);

/**
 * Decodes metadata of an object that is decoded already. The server writes it as JSON and reads that again, so that a whole float is
 * as good as an integer. Throws a {@link DecodeError} at the first field of a wrong type.
 */
export function decodeObjectMeta(value: Json): DecodedMeta {
  return decodeWhole((context) => decodeMetaText(withoutWholeFloats(value), context));
}

function withoutWholeFloats(value: Json): Json {
  if (value instanceof Float) return Math.abs(value.value) < 1e21 ? parseNumber(goJson(value)) : value;
  if (isList(value)) return mapList(value, withoutWholeFloats);
  return isObject(value) ? mapMembers(value, (_name, member) => withoutWholeFloats(member)) : value;
}

/** Decodes metadata as it stands in a text. Throws a {@link DecodeError} at the first field of a wrong type. */
export function decodeMetaText(value: Json, context: DecodeContext): DecodedMeta {
  const unknownFields: string[] = [];
  const metadata = objectMeta(value, context, unknownFields, '');
  return { metadata: isObject(metadata) ? metadata : jsonObject(), unknownFields };
}

/** Decodes metadata and leaves out the fields of wrong types. */
export function decodeValidFields(value: JsonObject): JsonObject {
  const decoded = jsonObject();
  for (const [name, member] of Object.entries(value)) {
    try {
      Object.assign(decoded, decodeObjectMeta(jsonObject([[name, member]])).metadata);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }
  return decoded;
}
