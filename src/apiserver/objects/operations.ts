import { invalidValue, printFieldError, type FieldError } from '../field-error.ts';
import { clone, equal, jsonObject, list, object, shallow, text, type JsonObject, type MutableObject } from '../json.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import {
  alreadyExists,
  ApiError,
  badRequest,
  conflict,
  internalError,
  invalid,
  modified,
  notFound,
  plainError,
} from '../status.ts';
import { keyOf, type Collection, type ObjectKey, type Store } from '../storage/store.ts';
import { admissionRequest, admit, validate, type AdmissionPlugin, type AdmissionView } from './admission.ts';
import {
  finalizerWarnings,
  isTerminating,
  validateFinalizerNames,
  validateMetadata,
  validateMetadataUpdate,
  withoutDuplicateOwners,
} from './metadata.ts';
import { generateName, pathSegment } from './names.ts';
import type { WriteOptions } from './write-options.ts';

/** What the outside gives to operations: time in milliseconds since 1970, random numbers in [0, 1), identifiers. */
export interface Sources {
  readonly now: () => number;
  readonly random: () => number;
  readonly uuid: () => string;
}

export interface UpdateOptions extends WriteOptions {
  /** Makes the object when it is missing (apply, and the kinds that allow it); given no object, `transform` makes it. */
  readonly create?: boolean;
  /** The caller names no resourceVersion: whoever comes in between makes the transformation run again. */
  readonly retry?: boolean;
  /** Checked before the object is made, when it is missing. */
  readonly authorizeCreate?: () => Promise<void> | void;
  /** How admission sees the write where that is not as an update of the resource. */
  readonly view?: AdmissionView;
}

export function timestamp(now: number): string {
  return `${new Date(Math.floor(now / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Creating and updating objects by the rules that all kinds share; deletion stands in deletion.ts. */
export class Operations {
  readonly store: Store;
  readonly sources: Sources;
  readonly plugins: AdmissionPlugin[] = [];

  constructor(store: Store, sources: Sources) {
    this.store = store;
    this.sources = sources;
  }

  collection(resource: Resource): Collection {
    return this.store.collection(resource.storage);
  }

  /** Stored objects in the resource's version. */
  async readAll(resource: Resource, stored: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    const { conversion, strategy } = resource;
    const own = conversion === undefined ? stored : await conversion.convert(stored, apiVersionOf(resource));
    return own.map((value) => strategy.fromStorage(value));
  }

  /** A stored object in the resource's version. */
  async read(resource: Resource, stored: JsonObject): Promise<JsonObject> {
    if (resource.conversion === undefined) return resource.strategy.fromStorage(stored);
    try {
      return (await this.readAll(resource, [stored]))[0] as JsonObject;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== '') throw error;
      // The real server cannot tell an object that does not convert from one that is broken.
      const { namespace, name } = keyOf(stored);
      const key = ['', resource.group, resource.resource, namespace, name]
        .filter((part, index) => index === 0 || part !== '')
        .join('/');
      const revision = text(stored, 'metadata', 'resourceVersion');
      throw internalError(
        `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=${revision}: ${error.message}`,
      );
    }
  }

  /** An object of the resource's version in the form in which it is stored. */
  async #toStored(resource: Resource, value: JsonObject): Promise<JsonObject> {
    const { conversion, strategy } = resource;
    if (conversion === undefined) return strategy.toStorage(value);
    return (await conversion.convert([value], conversion.storedApiVersion))[0] as JsonObject;
  }

  /** @throws ApiError 404 */
  async get(resource: Resource, key: ObjectKey): Promise<JsonObject> {
    const stored = this.collection(resource).get(key);
    if (stored === undefined) throw notFound(resource, key.name);
    return this.read(resource, stored);
  }

  /**
   * Creates an object from a document in the resource's form.
   *
   * @throws ApiError 400, 403, 404 (namespace), 409, 422
   */
  async create(
    resource: Resource,
    namespace: string,
    document: MutableObject,
    options: WriteOptions,
  ): Promise<JsonObject> {
    const { strategy } = resource;
    const metadata = shallow(document['metadata']);
    document['metadata'] = metadata;
    agreeOnNamespace(metadata, resource, namespace);
    const version = text(metadata, 'resourceVersion');
    for (const name of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'])
      delete metadata[name];
    this.#dropDuplicateOwners(metadata, options);
    options.manageFields?.(document, undefined);
    const requestedName = text(metadata, 'name');
    const request = admissionRequest(
      { operation: 'CREATE', resource, subresource: '', namespace, name: requestedName, object: document },
      options,
    );
    await admit(this.plugins, request);
    metadata['uid'] = this.sources.uuid();
    metadata['creationTimestamp'] = timestamp(this.sources.now());
    const generated = requestedName === '' && text(metadata, 'generateName') !== '';
    for (let attempt = 1; ; attempt++) {
      if (generated) metadata['name'] = generateName(text(metadata, 'generateName'), this.sources.random);
      if (attempt === 1) strategy.prepareForCreate(document, options.dryRun);
      const name = text(metadata, 'name');
      const verdict = strategy.validate(document, options.dryRun);
      const errors = [
        ...validateMetadata(document, { namespaced: resource.namespaced, validateName: strategy.validateName }),
        ...(resource.custom ? [] : validateFinalizerNames(document)),
        ...verdict.errors,
      ];
      if (errors.length > 0) throw invalid(groupOfErrors(resource), resource.kind, name, unique(errors));
      if (attempt === 1)
        for (const warning of [...verdict.warnings, ...(resource.custom ? finalizerWarnings(document) : [])])
          options.warn(warning);
      await validate(this.plugins, request);
      // The storage looks at this, and a dry run does not get there.
      if (!options.dryRun && version !== '' && version !== '0')
        throw plainError('resourceVersion should not be set on objects to be created');
      const key = { namespace: resource.namespaced ? namespace : '', name };
      delete metadata['resourceVersion'];
      const stored = await this.#toStored(resource, document);
      const existing = this.collection(resource).get(key);
      if (existing === undefined) {
        if (options.dryRun) return this.read(resource, stored);
        return this.read(resource, this.collection(resource).create(key, stored));
      }
      if (!generated) throw alreadyExists(resource, name, isTerminating(existing));
      if (attempt >= 8) {
        throw new ApiError(
          409,
          'AlreadyExists',
          `${alreadyExists(resource, name, false).message}, the server was not able to generate a unique name for the object`,
          { name, group: resource.group, kind: resource.resource, retryAfterSeconds: 1 },
        );
      }
    }
  }

  /**
   * Brings an object into the state that `transform` makes of the present one. A state that equals the present one is not written.
   * Taking the last finalizer from an object that is being deleted removes it.
   *
   * @throws ApiError 400, 403, 404, 409, 422
   */
  async update(
    resource: Resource,
    key: ObjectKey,
    subresource: string,
    transform: (old: JsonObject | undefined) => MutableObject | Promise<MutableObject>,
    options: UpdateOptions,
  ): Promise<{ readonly object: JsonObject; readonly created: boolean; readonly removed: boolean }> {
    const { strategy } = resource;
    const collection = this.collection(resource);
    for (;;) {
      const stored = collection.get(key);
      if (stored === undefined) {
        if (options.create !== true) throw notFound(resource, key.name);
        await options.authorizeCreate?.();
        const document = await transform(undefined);
        agreeOnName(document, key.name);
        return { object: await this.create(resource, key.namespace, document, options), created: true, removed: false };
      }
      const old = await this.read(resource, stored);
      const candidate = await transform(old);
      const metadata = shallow(candidate['metadata']);
      candidate['metadata'] = metadata;
      agreeOnNamespace(metadata, resource, key.namespace);
      agreeOnName(candidate, key.name);
      checkPreconditions(resource, key, metadata, stored, options.retry === true);
      const conditional = text(metadata, 'resourceVersion') !== '';
      this.#inherit(metadata, old);
      this.#dropDuplicateOwners(metadata, options);
      const { view } = options;
      const where = { resource, namespace: key.namespace, name: key.name };
      const request = admissionRequest(
        view === undefined
          ? { ...where, operation: 'UPDATE', subresource, object: candidate, oldObject: old }
          : { ...where, ...view.of(candidate, old) },
        options,
      );
      // Who wrote what is settled by what was sent, before the kind's own rules change it.
      options.manageFields?.(candidate, old);
      await admit(this.plugins, request);
      if (request.object !== undefined) view?.into(candidate, request.object);
      strategy.prepareForUpdate(candidate, old, subresource, options.dryRun);
      const verdict = strategy.validateUpdate(candidate, old, subresource, options.dryRun);
      const metadataErrors = validateMetadataUpdate(candidate, old);
      // The real server looks at a custom resource's metadata twice here, and tells what it finds as often.
      const errors = [
        ...metadataErrors,
        ...(resource.custom ? metadataErrors : []),
        ...(resource.custom ? [] : validateFinalizerNames(candidate)),
        ...verdict.errors,
      ];
      if (errors.length > 0) throw invalid(groupOfErrors(resource), resource.kind, key.name, errors);
      for (const warning of verdict.warnings) options.warn(warning);
      if (resource.custom && subresource === '')
        for (const warning of finalizerWarnings(candidate, old)) options.warn(warning);
      await validate(this.plugins, request);
      metadata['resourceVersion'] = text(stored, 'metadata', 'resourceVersion');
      const next = await this.#toStored(resource, candidate);
      if (collection.get(key) !== stored) {
        if (conditional && options.retry !== true) throw conflict(resource, key.name, modified);
        continue;
      }
      const { written, removed } = this.#commit(resource, key, next, stored, options);
      return {
        created: false,
        removed,
        object: written === undefined ? candidate : await this.read(resource, written),
      };
    }
  }

  /** Writes the new state; what is given back is stored, nothing when the candidate itself is the answer. */
  #commit(
    resource: Resource,
    key: ObjectKey,
    next: JsonObject,
    stored: JsonObject,
    options: WriteOptions,
  ): { readonly written: JsonObject | undefined; readonly removed: boolean } {
    const collection = this.collection(resource);
    const graceful = Number(object(stored, 'metadata')['deletionGracePeriodSeconds'] ?? 0) > 0;
    const waits = resource.storage === 'namespaces' && list(next, 'spec', 'finalizers').length > 0;
    if (isTerminating(stored) && list(next, 'metadata', 'finalizers').length === 0 && !graceful && !waits) {
      if (!options.dryRun) collection.delete(key);
      return { written: undefined, removed: true };
    }
    if (equal(withoutTimes(next), withoutTimes(stored))) return { written: stored, removed: false };
    if (options.dryRun) return { written: undefined, removed: false };
    return { written: collection.update(key, next), removed: false };
  }

  /** What no update can change: filled in from the stored object. */
  #inherit(metadata: MutableObject, old: JsonObject): void {
    const before = object(old, 'metadata');
    for (const name of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink']) {
      const value = before[name];
      if (value !== undefined) metadata[name] = value;
      else if (name === 'creationTimestamp' || name === 'selfLink') delete metadata[name];
    }
    for (const name of ['uid', 'generateName'] as const)
      if (metadata[name] === undefined && before[name] !== undefined && name === 'uid') metadata[name] = before[name];
    // The strategy decides about the generation, starting from the old one.
    if (before['generation'] === undefined) delete metadata['generation'];
    else metadata['generation'] = before['generation'];
  }

  #dropDuplicateOwners(metadata: MutableObject, options: WriteOptions): void {
    const { references, duplicates } = withoutDuplicateOwners(list(metadata, 'ownerReferences'));
    if (!duplicates) return;
    metadata['ownerReferences'] = references;
    options.warn(
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ' +
        [...new Set(references.map((reference) => text(reference, 'uid')))].join(', '),
    );
  }
}

/** The uid of a PUT is a precondition; a patch that changes it fails as any change of what is immutable. */
function checkPreconditions(
  resource: Resource,
  key: ObjectKey,
  metadata: MutableObject,
  stored: JsonObject,
  patch: boolean,
): void {
  const before = object(stored, 'metadata');
  const uid = text(metadata, 'uid');
  const path = ['/registry', resource.group, resource.resource, key.namespace, key.name]
    .filter((part) => part !== '')
    .join('/');
  if (uid !== '' && uid !== before['uid'] && !patch) {
    throw conflict(
      resource,
      key.name,
      `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${text(before, 'uid')}`,
    );
  }
  const version = text(metadata, 'resourceVersion');
  if (version === '' || version === '0') {
    if (resource.strategy.allowUnconditionalUpdate) return;
    throw invalid(resource.group, resource.resource, key.name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (!/^\d+$/.test(version)) {
    throw invalid(resource.group, resource.resource, key.name, [
      invalidValue('metadata.resourceVersion', version, `strconv.ParseUint: parsing "${version}": invalid syntax`),
    ]);
  }
  if (version !== before['resourceVersion']) throw conflict(resource, key.name, modified);
}

function agreeOnNamespace(metadata: MutableObject, resource: Resource, namespace: string): void {
  if (!resource.namespaced) {
    delete metadata['namespace'];
    return;
  }
  const given = text(metadata, 'namespace');
  if (given === '') metadata['namespace'] = namespace;
  else if (given !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function agreeOnName(document: JsonObject, name: string): void {
  const given = text(document, 'metadata', 'name');
  if (given === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  const problems = pathSegment(name, false);
  if (problems.length > 0) throw badRequest(`invalid name: ${problems.join(', ')}`);
}

/** An object without the times of its managers: a write that changes nothing else changes nothing. */
function withoutTimes(value: JsonObject): JsonObject {
  const entries = list(value, 'metadata', 'managedFields');
  if (entries.length === 0) return value;
  const result = shallow(value);
  const metadata = shallow(value['metadata']);
  metadata['managedFields'] = entries.map((entry) => {
    const copy = shallow(entry);
    delete copy['time'];
    return copy;
  });
  result['metadata'] = metadata;
  return result;
}

/** A kind's own rules may look at the metadata, too: each error is told once. */
function unique(errors: readonly FieldError[]): readonly FieldError[] {
  const seen = new Set<string>();
  return errors.filter((error) => !seen.has(printFieldError(error)) && seen.add(printFieldError(error)));
}

/** A copy of an object for changing. */
export function copyOf(value: JsonObject | undefined): MutableObject {
  return value === undefined ? jsonObject() : clone<MutableObject>(value);
}

export { keyOf };

/** Events of both groups are checked as those of the core group. */
function groupOfErrors(resource: Resource): string {
  return resource.storage === 'events' ? '' : resource.group;
}
