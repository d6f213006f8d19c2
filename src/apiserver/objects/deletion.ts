import { notSupported, invalidValue, type FieldError } from '../field-error.ts';
import {
  list,
  member,
  numeric,
  object,
  shallow,
  text,
  texts,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError, conflict, forbidden, invalid, notFound, success } from '../status.ts';
import { keyOf, type ObjectKey } from '../storage/store.ts';
import { admissionRequest, admit, validate } from './admission.ts';
import { isTerminating } from './metadata.ts';
import { copyOf, timestamp, type Operations } from './operations.ts';
import type { WriteOptions } from './write-options.ts';

/** `metav1.DeleteOptions`, as far as they matter. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface DeleteResult {
  readonly object: JsonObject;
  /** The object is gone; otherwise it waits for its finalizers or its grace period. */
  readonly removed: boolean;
  readonly body: Json;
}

/** Reads and checks a document of kind DeleteOptions. */
export function deleteOptionsOf(document: JsonObject, dryRun: readonly string[]): DeleteOptions {
  const errors: FieldError[] = [];
  const policy = text(document, 'propagationPolicy');
  const orphan = member(document, 'orphanDependents');
  if (policy !== '' && typeof orphan === 'boolean') {
    errors.push(
      invalidValue('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (policy !== '' && !['Foreground', 'Background', 'Orphan'].includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  const runs = [...dryRun, ...texts(document, 'dryRun')];
  if (runs.some((run) => run !== 'All')) errors.push(notSupported('dryRun', runs, ['All']));
  if (errors.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', errors);
  const grace = numeric(member(document, 'gracePeriodSeconds'));
  const preconditions = object(document, 'preconditions');
  return {
    ...(grace !== undefined && { gracePeriodSeconds: grace < 0 ? 1 : grace }),
    ...(policy !== '' && { propagationPolicy: policy }),
    ...(typeof orphan === 'boolean' && { orphanDependents: orphan }),
    ...(text(preconditions, 'uid') !== '' && { uid: text(preconditions, 'uid') }),
    ...(text(preconditions, 'resourceVersion') !== '' && { resourceVersion: text(preconditions, 'resourceVersion') }),
  };
}

const protectedNamespaces = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Deletes an object, or marks it when finalizers, a grace period or a namespace's content hold it back.
 *
 * @throws ApiError 403, 404, 409
 */
export async function deleteObject(
  operations: Operations,
  resource: Resource,
  key: ObjectKey,
  deletion: DeleteOptions,
  options: WriteOptions,
): Promise<DeleteResult> {
  const { strategy } = resource;
  const collection = operations.collection(resource);
  for (;;) {
    const stored = collection.get(key);
    if (stored === undefined) throw notFound(resource, key.name);
    const old = await operations.read(resource, stored);
    checkPreconditions(resource, key.name, old, deletion);
    if (resource.storage === 'namespaces' && protectedNamespaces.has(key.name)) {
      throw forbidden(resource, key.name, 'this namespace may not be deleted');
    }
    const request = admissionRequest(
      {
        operation: 'DELETE',
        resource,
        subresource: '',
        namespace: key.namespace,
        name: key.name,
        oldObject: old,
      },
      { ...options, given: givenOptions(deletion) },
    );
    await admit(operations.plugins, request);
    await validate(operations.plugins, request);
    if (collection.get(key) !== stored) continue;
    const now = operations.sources.now();
    // Only the metadata changes: it is the same in every version.
    const marked = mark(resource, stored, deletion, now);
    if (marked === undefined) {
      const last = options.dryRun ? old : await operations.read(resource, collection.delete(key));
      const object = strategy.gracePeriodSeconds === undefined ? last : asDeleted(last, now);
      const uid = text(old, 'metadata', 'uid');
      return { object, removed: true, body: strategy.returnsDeletedObject ? object : success(resource, key.name, uid) };
    }
    const unchanged = marked === stored || options.dryRun;
    const next = await operations.read(resource, unchanged ? marked : collection.update(key, marked));
    return { object: next, removed: false, body: next };
  }
}

/** The options as webhooks get to see them. */
function givenOptions(deletion: DeleteOptions): Readonly<Record<string, unknown>> {
  const { uid, resourceVersion, ...given } = deletion;
  return uid === undefined && resourceVersion === undefined
    ? given
    : { ...given, preconditions: { uid, resourceVersion } };
}

function checkPreconditions({ group, kind }: Resource, name: string, old: JsonObject, deletion: DeleteOptions): void {
  const metadata = object(old, 'metadata');
  // These answers name the kind where others name the resource.
  const resource = { group, resource: kind };
  if (deletion.uid !== undefined && deletion.uid !== metadata['uid']) {
    throw conflict(
      resource,
      name,
      `the UID in the precondition (${deletion.uid}) does not match the UID in record (${text(metadata, 'uid')}). The object might have been deleted and then recreated`,
    );
  }
  if (deletion.resourceVersion !== undefined && deletion.resourceVersion !== metadata['resourceVersion']) {
    throw conflict(
      resource,
      name,
      `the ResourceVersion in the precondition (${deletion.resourceVersion}) does not match the ResourceVersion in record (${text(metadata, 'resourceVersion')}). The object might have been modified`,
    );
  }
}

/** The object marked for deletion; the object itself when nothing changes; nothing when it can go at once. */
function mark(resource: Resource, old: JsonObject, deletion: DeleteOptions, now: number): JsonObject | undefined {
  const before = texts(old, 'metadata', 'finalizers');
  const finalizers = resource.strategy.garbageCollected ? propagated(before, deletion) : [...before];
  const terminating = isTerminating(old);
  const isNamespace = resource.storage === 'namespaces';
  const definition = resource.storage === 'customresourcedefinitions.apiextensions.k8s.io';
  const grace = gracePeriod(resource, old, deletion);
  const contentWaits = isNamespace && list(old, 'spec', 'finalizers').length > 0;
  if (isNamespace && terminating && contentWaits) {
    throw new ApiError(
      409,
      'Conflict',
      `Operation cannot be fulfilled on namespaces "${text(old, 'metadata', 'name')}": The system is ensuring all content is removed from this namespace.  Upon completion, this namespace will automatically be purged by the system.`,
      { name: text(old, 'metadata', 'name'), kind: 'namespaces' },
    );
  }
  if (definition && !finalizers.includes(definitionFinalizer)) {
    if (!terminating) finalizers.push(definitionFinalizer);
  }
  if (finalizers.length === 0 && grace === 0 && !contentWaits) return undefined;
  const sameFinalizers =
    finalizers.length === before.length && finalizers.every((finalizer, index) => finalizer === before[index]);
  if (terminating && sameFinalizers && Number(object(old, 'metadata')['deletionGracePeriodSeconds'] ?? 0) <= grace)
    return old;
  const marked: MutableObject = copyOf(old);
  const metadata = marked['metadata'] as MutableObject;
  if (finalizers.length > 0) metadata['finalizers'] = finalizers;
  else delete metadata['finalizers'];
  if (!terminating && typeof metadata['generation'] === 'number' && metadata['generation'] > 0)
    metadata['generation'] += 1;
  if (!terminating || grace > 0) metadata['deletionTimestamp'] = timestamp(now + grace * 1000);
  metadata['deletionGracePeriodSeconds'] =
    isNamespace || definition ? (metadata['deletionGracePeriodSeconds'] ?? 0) : grace;
  if (isNamespace) {
    delete metadata['deletionGracePeriodSeconds'];
    const status = shallow(marked['status']);
    status['phase'] = 'Terminating';
    marked['status'] = status;
  }
  return marked;
}

export const definitionFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

function propagated(before: readonly string[], deletion: DeleteOptions): string[] {
  const explicit = deletion.propagationPolicy !== undefined || deletion.orphanDependents !== undefined;
  const orphan =
    deletion.propagationPolicy === 'Orphan' ||
    deletion.orphanDependents === true ||
    (!explicit && before.includes('orphan'));
  const foreground =
    deletion.propagationPolicy === 'Foreground' || (!explicit && before.includes('foregroundDeletion'));
  const rest = before.filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion');
  if (orphan) rest.push('orphan');
  if (foreground) rest.push('foregroundDeletion');
  return rest;
}

function gracePeriod(resource: Resource, old: JsonObject, deletion: DeleteOptions): number {
  const { gracePeriodSeconds } = resource.strategy;
  if (gracePeriodSeconds === undefined) return 0;
  const own = gracePeriodSeconds(old);
  return own === 0 ? 0 : (deletion.gracePeriodSeconds ?? own);
}

/** The answer to a deletion with a grace period that is over at once shows the object as it would have been marked. */
function asDeleted(last: JsonObject, now: number): JsonObject {
  const result = copyOf(last);
  const metadata = result['metadata'] as MutableObject;
  if (typeof metadata['generation'] === 'number' && !isTerminating(last)) metadata['generation'] += 1;
  metadata['deletionTimestamp'] ??= timestamp(now);
  metadata['deletionGracePeriodSeconds'] = 0;
  return result;
}

/** Deletes every object of a list and gives them back; one that is gone already is no error. */
export async function deleteAll(
  operations: Operations,
  resource: Resource,
  objects: readonly JsonObject[],
  deletion: DeleteOptions,
  options: WriteOptions,
): Promise<void> {
  for (const found of objects) {
    try {
      await deleteObject(operations, resource, keyOf(found), deletion, options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error;
    }
  }
}
