import { parseYaml } from './documents.ts';
import { invalidValue } from '../field-error.ts';
import { contentType, negotiate } from '../http/negotiation.ts';
import { readBody, type Exchange } from '../http/exchange.ts';
import { isArray, isObject, jsonObject, type Json, type JsonObject, type MutableObject } from '../json.ts';
import { JsonSyntaxError, parseDocument, stringify } from '../json-text.ts';
import type { AdmissionView } from '../objects/admission.ts';
import type { Operations, UpdateOptions } from '../objects/operations.ts';
import { applyJsonPatch, parseJsonPatch, PatchError, PatchFormError } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError, badRequest, invalid, plainError, tooLarge, unsupportedMediaType } from '../status.ts';
import { goText } from '../typed/mismatch.ts';
import type { TypedNode } from '../typed/types.ts';
import { decodeDocument, fieldValidation } from './documents.ts';
import { sendResource } from './respond.ts';
import type { ManageFields } from './write.ts';
import { writeOptions } from './write-options.ts';

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

const maxOperations = 10_000;

/** Which patches an endpoint takes, in the order in which the real server names them. */
export function acceptedPatches(strategic: boolean): readonly string[] {
  return strategic ? Object.values(patchTypes) : [patchTypes.json, patchTypes.merge, patchTypes.apply];
}

export interface Patched {
  readonly patched: Json;
  readonly problems: readonly string[];
  /** The patch as Go prints it, where errors show it instead of the patched document: those of strategic merge patches. */
  readonly shown?: string;
}

/** Turns a document into the patched one. */
export type Patch = (document: JsonObject) => Patched;

function rejected(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** Reads a patch of any type but apply. Errors in the patch's form are 400, in what it does 422. */
export function readPatch(type: string, body: Buffer, node: TypedNode | undefined): Patch {
  const source = body.toString('utf8');
  if (type === patchTypes.json) {
    const { value } = parse(source, (problem) => badRequest(`error decoding patch: ${problem}`));
    if (!isArray(value))
      throw badRequest(
        'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
      );
    const operations = parseJsonPatch(value);
    if (operations.length > maxOperations) {
      throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`);
    }
    const problems = operations.flatMap((operation, index) =>
      Object.keys(operation)
        .filter((name) => !['op', 'path', 'from', 'value'].includes(name))
        .map((name) => `json patch unknown field "[${index}].${name}"`),
    );
    return (document) => {
      try {
        return { patched: applyJsonPatch(document, operations), problems };
      } catch (error) {
        throw error instanceof PatchError ? rejected() : error;
      }
    };
  }
  const { value, duplicates } = parse(source, () => badRequest('invalid JSON patch'));
  const problems = duplicates.map((path) => `duplicate field "${path}"`);
  if (!isObject(value)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${isArray(value) ? 'array' : typeof value} into Go value of type map[string]interface {}`,
    );
  }
  if (type === patchTypes.merge) return (document) => ({ patched: applyMergePatch(document, value), problems });
  return (document) => {
    try {
      const patched = applyStrategicMergePatch(document, value, node ?? { kind: 'any' });
      return { patched, problems, shown: goText(value) };
    } catch (error) {
      if (error instanceof PatchFormError) throw badRequest(error.message);
      throw error instanceof PatchError ? plainError(error.message) : error;
    }
  };
}

function parse(
  source: string,
  wrap: (problem: string) => ApiError,
): { readonly value: Json; readonly duplicates: readonly string[] } {
  try {
    return parseDocument(source);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? wrap(error.message) : error;
  }
}

/** The error of a patched document that is none of its kind any more; `shown` is what it shows in place of the document. */
export function patchedDocumentError(patched: Json, shown?: string): (problem: string) => ApiError {
  return (problem) => invalid('', '', '', [invalidValue('patch', shown ?? stringify(inGoOrder(patched)), problem)]);
}

const metadataOrder = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** A patched document as the real server prints it: members sorted, metadata in the order of its type. */
function inGoOrder(document: Json): Json {
  if (!isObject(document)) return document;
  const result = jsonObject();
  for (const name of Object.keys(document).sort()) result[name] = inGoOrder(document[name] ?? null);
  const metadata = document['metadata'];
  if (isObject(metadata)) {
    const rank = (name: string): number =>
      metadataOrder.includes(name) ? metadataOrder.indexOf(name) : metadataOrder.length;
    result['metadata'] = jsonObject(Object.entries(metadata).sort(([left], [right]) => rank(left) - rank(right)));
  }
  return result;
}

/** Server-side apply. */
export interface Applier {
  /** Applies a `Scale`: `path` leads to the number of replicas in the object, `view` is what admission sees of it. */
  applyScale(
    exchange: Exchange,
    resource: Resource,
    scale: JsonObject,
    target: { readonly path: readonly string[]; readonly view: AdmissionView },
  ): Promise<{ readonly object: JsonObject }>;
  apply(
    exchange: Exchange,
    resource: Resource,
    patch: JsonObject,
  ): Promise<{ readonly object: JsonObject; readonly created: boolean }>;
}

export async function handlePatch(
  operations: Operations,
  exchange: Exchange,
  resource: Resource,
  node: TypedNode | undefined,
  manage: ManageFields,
  applier: Applier,
): Promise<void> {
  negotiate(exchange.request.headers.accept, !resource.custom);
  const { info } = exchange;
  const { type } = contentType(exchange.request.headers['content-type']);
  const accepted = acceptedPatches(resource.strategy.strategicMerge);
  if (!accepted.includes(type)) {
    throw resource.custom || Object.values<string>(patchTypes).includes(type)
      ? unsupportedMediaType(accepted)
      : new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  const body = await readBody(exchange.request);
  const base = writeOptions(exchange, 'PatchOptions', type === patchTypes.apply);
  if (type === patchTypes.apply) {
    const { document } = parseYaml(body.toString('utf8'));
    if (!isObject(document)) throw badRequest('error decoding YAML: the patch is no object');
    const { object, created } = await applier.apply(exchange, resource, document);
    sendResource(operations, exchange, resource, created ? 201 : 200, object);
    return;
  }
  const patch = readPatch(type, body, node);
  const validation = fieldValidation(exchange.query);
  const options: UpdateOptions = { ...base, ...manage(exchange, resource, info.subresource), retry: true };
  let warned = false;
  const warn = (warning: string): void => {
    if (!warned) base.warn(warning);
  };
  const { object } = await operations.update(
    resource,
    { namespace: resource.namespaced ? info.namespace : '', name: info.name },
    info.subresource,
    (old) => {
      const before = old as JsonObject;
      const { patched, problems, shown } = patch(before);
      const wrap = patchedDocumentError(patched, shown);
      if (problems.length > 0 && validation === 'Strict') throw wrap(`strict decoding error: ${problems.join(', ')}`);
      if (validation === 'Warn') problems.forEach(warn);
      if (!isObject(patched)) throw wrap('json: cannot unmarshal into Go value');
      const document: MutableObject = decodeDocument(
        resource,
        { document: patched, duplicates: [] },
        validation,
        warn,
        wrap,
        shown === undefined ? 'decoder' : 'converter',
      );
      warned = true;
      return document;
    },
    options,
  );
  sendResource(operations, exchange, resource, 200, object);
}
