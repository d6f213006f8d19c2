import type { PublishedResource } from '../discovery/openapi.ts';
import { decodeDocument, fieldValidation } from '../handlers/documents.ts';
import { patchedDocumentError, type Applier } from '../handlers/patch.ts';
import type { ManageFields } from '../handlers/write.ts';
import { fieldManager, writeOptions } from '../handlers/write-options.ts';
import type { Exchange } from '../http/exchange.ts';
import {
  child,
  isObject,
  jsonObject,
  member,
  object,
  shallow,
  text,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import type { AdmissionView } from '../objects/admission.ts';
import { timestamp, type Operations } from '../objects/operations.ts';
import { controllerOptions, type WriteOptions } from '../objects/write-options.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import { ApiError, badRequest, notFound, plainError } from '../status.ts';
import type { ObjectKey } from '../storage/store.ts';
import { decodeTyped } from '../typed/decode.ts';
import type { TypeCatalogue } from '../typed/types.ts';
import { applyConfiguration, recordUpdate, type Writer } from './field-manager.ts';
import { lastAppliedFields, withLastApplied } from './last-applied.ts';
import { deduced, typeOfNode, typeOfSchema, type ApplyType } from './types.ts';
import { checkTyped, TypedError } from './walk.ts';

export interface ApplyServiceParts {
  readonly operations: Operations;
  readonly types: () => TypeCatalogue;
  readonly published: () => readonly PublishedResource[];
  /** Asks whether the user may create what an apply finds missing. */
  readonly authorize: (exchange: Exchange, verb: string) => void;
}

/** Field management: who owns which fields, on every write, and server-side apply. */
export class ApplyService implements Applier {
  readonly #parts: ApplyServiceParts;
  readonly #types = new WeakMap<Resource, ApplyType>();

  constructor(parts: ApplyServiceParts) {
    this.#parts = parts;
  }

  /** Records the manager of writes that are no apply. */
  readonly manageFields: ManageFields = (exchange, resource, subresource) => {
    const writer = this.#writer(exchange, resource, subresource);
    const type = this.typeOf(resource);
    const empty = this.#emptyObject(resource);
    return {
      manageFields: (value, old) =>
        recordUpdate(value, old, resource.custom ? empty : withNulls(empty, value), type, writer),
    };
  };

  /** Records what the server itself writes into the status of an object. */
  recordStatus(resource: Resource, value: MutableObject, old: JsonObject): void {
    const apiVersion = apiVersionOf(resource);
    const time = timestamp(this.#parts.operations.sources.now());
    const writer: Writer = {
      manager: 'kube-apiserver',
      apiVersion,
      subresource: 'status',
      time,
      resetFields: [['spec'], ['metadata']],
    };
    recordUpdate(value, old, old, this.typeOf(resource), writer);
  }

  /** Records what a controller of the cluster writes. */
  managed(resource: Resource, manager: string, subresource: string): Pick<WriteOptions, 'manageFields'> {
    const type = this.typeOf(resource);
    const empty = this.#emptyObject(resource);
    const writer: Writer = {
      manager,
      apiVersion: apiVersionOf(resource),
      subresource: subresource === 'binding' ? '' : subresource,
      time: timestamp(this.#parts.operations.sources.now()),
      resetFields: subresource === 'status' ? statusResets(resource) : [],
    };
    return { manageFields: (value, old) => recordUpdate(value, old, withNulls(empty, value), type, writer) };
  }

  /** Applies a status as a controller of the cluster does. */
  async applyStatus(resource: Resource, key: ObjectKey, status: JsonObject, manager: string): Promise<void> {
    const { operations } = this.#parts;
    const configuration = jsonObject([
      ['apiVersion', apiVersionOf(resource)],
      ['kind', resource.kind],
      ['metadata', jsonObject([['name', key.name]])],
      ['status', status],
    ]);
    const writer: Writer = {
      manager,
      apiVersion: apiVersionOf(resource),
      subresource: 'status',
      time: timestamp(operations.sources.now()),
      resetFields: statusResets(resource),
    };
    const type = this.typeOf(resource);
    const empty = this.#emptyObject(resource);
    await operations.update(
      resource,
      key,
      'status',
      (old) => resource.strategy.decode(applyConfiguration(old, configuration, empty, type, writer, true)).object,
      { ...controllerOptions, retry: true },
    );
  }

  async apply(
    exchange: Exchange,
    resource: Resource,
    patch: JsonObject,
  ): Promise<{ readonly object: JsonObject; readonly created: boolean }> {
    const { subresource } = exchange.info;
    const configuration = this.#configuration(exchange, resource, patch, this.typeOf(resource));
    return this.#apply(exchange, resource, configuration, this.#writer(exchange, resource, subresource), subresource);
  }

  async applyScale(
    exchange: Exchange,
    resource: Resource,
    scale: JsonObject,
    { path, view }: { readonly path: readonly string[]; readonly view: AdmissionView },
  ): Promise<{ readonly object: JsonObject }> {
    const version = text(scale, 'metadata', 'resourceVersion');
    const metadata = jsonObject([['name', exchange.info.name]]);
    if (resource.namespaced) metadata['namespace'] = exchange.info.namespace;
    if (version !== '') metadata['resourceVersion'] = version;
    const configuration = jsonObject([
      ['apiVersion', apiVersionOf(resource)],
      ['kind', resource.kind],
      ['metadata', metadata],
    ]);
    const replicas = object(scale, 'spec')['replicas'];
    if (replicas !== undefined) {
      let parent = configuration;
      for (const name of path.slice(0, -1)) parent = child(parent, name);
      parent[path.at(-1) ?? ''] = replicas;
    }
    return this.#apply(exchange, resource, configuration, this.#writer(exchange, resource, 'scale'), '', view);
  }

  #apply(
    exchange: Exchange,
    resource: Resource,
    configuration: JsonObject,
    writer: Writer,
    subresource: string,
    view?: AdmissionView,
  ) {
    const { operations, authorize } = this.#parts;
    const { info, query } = exchange;
    const type = this.typeOf(resource);
    const empty = this.#emptyObject(resource);
    const force = query.get('force') === 'true' || query.get('force') === '1';
    const options = writeOptions(exchange, 'PatchOptions', true);
    const uid = text(configuration, 'metadata', 'uid');
    const validation = fieldValidation(query);
    return operations.update(
      resource,
      { namespace: resource.namespaced ? info.namespace : '', name: info.name },
      subresource,
      (old) => {
        if (old === undefined && uid !== '') {
          throw new ApiError(
            409,
            'Conflict',
            `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
          );
        }
        const forgiven = writer.manager === 'kubectl' && old !== undefined ? lastAppliedFields(old, type) : undefined;
        const merged = applyConfiguration(old, configuration, empty, type, writer, force, forgiven);
        const applied = writer.manager === 'kubectl' ? withLastApplied(merged, configuration) : merged;
        const wrap = patchedDocumentError(applied);
        const decoded = decodeDocument(
          resource,
          { document: applied, duplicates: [] },
          validation === 'Strict' ? 'Warn' : validation,
          options.warn,
          wrap,
        );
        return resource.custom ? withNullsOf(applied, decoded) : decoded;
      },
      {
        ...options,
        create: subresource === '' && view === undefined,
        authorizeCreate: () => authorize(exchange, 'create'),
        retry: true,
        ...(view !== undefined && { view }),
      },
    );
  }

  #configuration(exchange: Exchange, resource: Resource, patch: JsonObject, type: ApplyType): JsonObject {
    const { info } = exchange;
    const wanted = apiVersionOf(resource);
    const apiVersion = text(patch, 'apiVersion');
    const kind = text(patch, 'kind');
    const known =
      resource.custom ||
      this.#parts.types().schemaName(resource.group, apiVersion.slice(apiVersion.indexOf('/') + 1), kind) !== undefined;
    if (kind !== resource.kind || !known)
      throw badRequest(`invalid object type: ${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`);
    if (apiVersion !== wanted) {
      throw badRequest(
        `Incorrect version specified in apply patch. Specified patch version: ${apiVersion}, expected: ${wanted}`,
      );
    }
    const managed = member(patch['metadata'], 'managedFields');
    if (managed !== undefined && managed !== null) throw badRequest('metadata.managedFields must be nil');
    try {
      checkTyped(patch, type);
    } catch (error) {
      if (!(error instanceof TypedError)) throw error;
      const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
      const key = `${text(patch, 'metadata', 'namespace')}/${text(patch, 'metadata', 'name')}`;
      throw plainError(`failed to create typed patch object (${key}; ${version}, Kind=${kind}): ${error.message}`);
    }
    const name = text(patch, 'metadata', 'name');
    if (name !== '' && name !== info.name)
      throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
    const result = jsonObject(Object.entries(patch));
    const metadata = shallow(patch['metadata']);
    delete metadata['managedFields'];
    if (resource.namespaced && text(metadata, 'namespace') === '') metadata['namespace'] = info.namespace;
    result['metadata'] = metadata;
    return result;
  }

  #writer(exchange: Exchange, resource: Resource, subresource: string): Writer {
    const hasStatus = resource.subresources.has('status');
    const main = hasStatus ? [['status']] : [];
    if (resource.storage === 'namespaces') main.push(['spec', 'finalizers']);
    const status = statusResets(resource);
    return {
      manager: fieldManager(exchange),
      apiVersion: apiVersionOf(resource),
      subresource,
      time: subresource === 'scale' ? '' : timestamp(this.#parts.operations.sources.now()),
      resetFields: subresource === 'status' ? status : main,
    };
  }

  /** What an object of a kind is before anything is set: of built-in kinds Go prints some members even then. */
  #emptyObject(resource: Resource): JsonObject {
    const least = jsonObject([
      ['apiVersion', apiVersionOf(resource)],
      ['kind', resource.kind],
      ['metadata', jsonObject()],
    ]);
    const node = resource.custom
      ? undefined
      : this.#parts.types().kind(resource.group, resource.version, resource.kind);
    return node === undefined ? least : (decodeTyped(node, least, resource.kind).value as JsonObject);
  }

  /** How the objects of a resource are owned and merged. */
  typeOf(resource: Resource): ApplyType {
    let type = this.#types.get(resource);
    if (type === undefined) {
      const types = this.#parts.types();
      if (resource.custom) {
        const published = this.#parts.published().find((found) => found.resource === resource);
        if (published === undefined) throw notFound(resource, '');
        type = typeOfSchema(published.schema, types);
      } else {
        const node = types.kind(resource.group, resource.version, resource.kind);
        type = node === undefined ? deduced : typeOfNode(node);
      }
      this.#types.set(resource, type);
    }
    return type;
  }
}

/** Nulls that an apply leaves behind come to the validation of custom resources: nothing drops them on this way. */
function withNullsOf(applied: JsonObject, decoded: MutableObject): MutableObject {
  for (const [name, value] of Object.entries(applied)) {
    const known = decoded[name];
    if (value === null && known === undefined) decoded[name] = null;
    else if (isObject(value) && isObject(known) && name !== 'metadata')
      decoded[name] = withNullsOf(value, jsonObject(Object.entries(known)));
  }
  return decoded;
}

/** What the endpoint of a status leaves as it is. */
function statusResets(resource: Resource): readonly (readonly string[])[] {
  if (resource.custom || resource.storage === 'customresourcedefinitions.apiextensions.k8s.io')
    return [['spec'], ['metadata']];
  return resource.storage === 'deployments.apps' ? [['spec'], ['metadata', 'labels']] : [['spec']];
}

/** Members that Go prints as null when nothing is set are nobody's. */
function withNulls(empty: JsonObject, value: JsonObject): JsonObject {
  const nulls = Object.entries(value).filter(([name, inner]) => inner === null && !Object.hasOwn(empty, name));
  return nulls.length === 0 ? empty : jsonObject([...Object.entries(empty), ...nulls]);
}
