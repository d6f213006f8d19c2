import { contentType } from '../http/negotiation.ts';
import { readBody, sendObject, type Exchange } from '../http/exchange.ts';
import { invalidValue } from '../field-error.ts';
import {
  at,
  child,
  clone,
  fromPlain,
  isObject,
  type Json,
  type JsonObject,
  type MutableObject,
  numeric,
  object,
  plain,
  text,
} from '../json.ts';
import type { AdmissionView } from '../objects/admission.ts';
import type { Operations } from '../objects/operations.ts';
import type { Resource } from '../resources/resource.ts';
import { badRequest, conflict, internalError, invalid, modified, unsupportedMediaType } from '../status.ts';
import { expectKind, parseYaml, readDocument } from './documents.ts';
import { acceptedPatches, patchTypes, readPatch, type Applier } from './patch.ts';
import type { ManageFields } from './write.ts';
import { writeOptions } from './write-options.ts';

/** Where a kind keeps what `Scale` shows: paths with a leading dot. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string;
  /** The selector is an object (built-in kinds), not a text. */
  readonly selectorIsObject: boolean;
}

export const workloadScale: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
  selectorIsObject: true,
};

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

function parts(path: string): readonly string[] {
  return path.split('.').filter((part) => part !== '');
}

/** The `Scale` of an object. */
export function scaleOf(value: JsonObject, paths: ScalePaths): JsonObject {
  const replicas = numeric(at(value, ...parts(paths.specReplicasPath)));
  if (replicas === undefined) throw internalError(`the spec replicas field "${paths.specReplicasPath}" does not exist`);
  const selector = paths.labelSelectorPath === '' ? undefined : at(value, ...parts(paths.labelSelectorPath));
  const metadata = object(value, 'metadata');
  return fromPlain({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name: metadata['name'],
      namespace: metadata['namespace'],
      uid: metadata['uid'],
      resourceVersion: metadata['resourceVersion'],
      creationTimestamp: metadata['creationTimestamp'],
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numeric(at(value, ...parts(paths.statusReplicasPath))) ?? 0,
      selector: selectorText(selector) || undefined,
    },
  }) as JsonObject;
}

function selectorText(selector: Json | undefined): string {
  if (typeof selector === 'string') return selector;
  if (!isObject(selector)) return '';
  const labels = isObject(selector['matchLabels'])
    ? selector['matchLabels']
    : selector['matchExpressions'] === undefined
      ? selector
      : object(undefined);
  const terms = Object.entries(labels).map(([key, value]) => `${key}=${plain(value)}`);
  for (const expression of Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : []) {
    const key = text(expression, 'key');
    const values = (Array.isArray(at(expression, 'values')) ? (at(expression, 'values') as string[]) : []).join(',');
    const operator = text(expression, 'operator');
    if (operator === 'In') terms.push(`${key} in (${values})`);
    else if (operator === 'NotIn') terms.push(`${key} notin (${values})`);
    else terms.push(operator === 'Exists' ? key : `!${key}`);
  }
  return terms.sort().join(',');
}

/** Webhooks and policies see the `Scale`, not the object that it belongs to. */
function scaleView(paths: ScalePaths): AdmissionView {
  return {
    of: (value, old) => ({
      operation: 'UPDATE',
      subresource: 'scale',
      kind: scaleKind,
      object: clone<MutableObject>(scaleOf(value, paths)),
      oldObject: scaleOf(old, paths),
    }),
    into: (target, scale) => setReplicas(target, paths, numeric(at(scale, 'spec', 'replicas')) ?? 0),
  };
}

function setReplicas(target: MutableObject, paths: ScalePaths, replicas: number): void {
  let parent = target;
  const path = parts(paths.specReplicasPath);
  for (const part of path.slice(0, -1)) parent = child(parent, part);
  parent[path.at(-1) ?? ''] = replicas;
}

export async function handleScale(
  operations: Operations,
  exchange: Exchange,
  resource: Resource,
  paths: ScalePaths,
  manage: ManageFields,
  applier: Applier,
): Promise<void> {
  const { info, request } = exchange;
  const key = { namespace: resource.namespaced ? info.namespace : '', name: info.name };
  const present = await operations.get(resource, key);
  if (info.verb === 'get') {
    sendObject(exchange, 200, scaleOf(present, paths));
    return;
  }
  const view = scaleView(paths);
  let make: (old: JsonObject) => JsonObject;
  let options;
  if (info.verb === 'update') {
    const read = await readDocument(exchange, 'Scale', !resource.custom);
    options = writeOptions(exchange, 'UpdateOptions');
    const document = expectKind(read.document, scaleKind);
    const name = text(document, 'metadata', 'name');
    if (name !== info.name)
      throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
    make = () => document;
  } else {
    const { type } = contentType(request.headers['content-type']);
    const accepted = acceptedPatches(!resource.custom);
    if (!accepted.includes(type)) throw unsupportedMediaType(accepted);
    if (type === patchTypes.apply) {
      const { document } = parseYaml((await readBody(request)).toString('utf8'));
      if (!isObject(document)) throw badRequest('error decoding YAML: the patch is no object');
      const { object: applied } = await applier.applyScale(exchange, resource, document, {
        path: parts(paths.specReplicasPath),
        view,
      });
      sendObject(exchange, 200, scaleOf(applied, paths));
      return;
    }
    options = writeOptions(exchange, 'PatchOptions');
    const patch = readPatch(type, await readBody(request), undefined);
    make = (old) => {
      const { patched } = patch(scaleOf(old, paths));
      if (!isObject(patched)) throw badRequest('the patched Scale is no object');
      return patched;
    };
  }
  const updated = await operations.update(
    resource,
    key,
    // The rules are those of the main endpoint: the generation counts, the status stays.
    '',
    (old) => {
      const before = old as JsonObject;
      const scale = make(before);
      const wanted = numeric(at(scale, 'spec', 'replicas')) ?? 0;
      if (!resource.custom && wanted < 0) {
        throw invalid('autoscaling', 'Scale', key.name, [
          invalidValue('spec.replicas', wanted, 'must be greater than or equal to 0'),
        ]);
      }
      const version = text(scale, 'metadata', 'resourceVersion');
      if (version !== '' && version !== text(before, 'metadata', 'resourceVersion'))
        throw conflict(resource, key.name, modified);
      const uid = text(scale, 'metadata', 'uid');
      if (uid !== '' && uid !== text(before, 'metadata', 'uid')) {
        throw conflict(
          resource,
          key.name,
          `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${text(before, 'metadata', 'uid')}`,
        );
      }
      const next = clone<MutableObject>(before);
      setReplicas(next, paths, wanted);
      return next;
    },
    { ...options, ...manage(exchange, resource, 'scale'), retry: true, view },
  );
  sendObject(exchange, 200, scaleOf(updated.object, paths));
}
