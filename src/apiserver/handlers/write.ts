import { negotiate } from '../http/negotiation.ts';
import { readBody, sendObject, type Exchange } from '../http/exchange.ts';
import { jsonObject, text, type JsonObject, type MutableObject } from '../json.ts';
import { deleteAll, deleteObject, deleteOptionsOf, type DeleteOptions } from '../objects/deletion.ts';
import type { Operations, UpdateOptions } from '../objects/operations.ts';
import type { WriteOptions } from '../objects/write-options.ts';
import type { Resource } from '../resources/resource.ts';
import { badRequest, unsupportedMediaType } from '../status.ts';
import { contentType } from '../http/negotiation.ts';
import { decodeProtobuf } from '../protobuf/decode.ts';
import { decodeDocument, fieldValidation, parseBody, readDocument } from './documents.ts';
import { listOptions } from './list-options.ts';
import { listPage } from './list.ts';
import { listObject } from './forms.ts';
import { sendResource } from './respond.ts';
import { writeOptions } from './write-options.ts';

/** Asks whether the request's user may do one more thing than the request itself says; throws ApiError 403. */
export type Authorize = (exchange: Exchange, verb: string) => Promise<void> | void;

/** Keeps track of who wrote which fields. */
export type ManageFields = (
  exchange: Exchange,
  resource: Resource,
  subresource: string,
) => Pick<WriteOptions, 'manageFields'>;

export async function handleCreate(
  operations: Operations,
  exchange: Exchange,
  resource: Resource,
  manage: ManageFields,
): Promise<void> {
  negotiate(exchange.request.headers.accept, !resource.custom);
  const read = await readDocument(exchange, resource.kind, !resource.custom);
  const options = writeOptions(exchange, 'CreateOptions');
  const document = decodeDocument(resource, read, fieldValidation(exchange.query), options.warn);
  const created = await operations.create(resource, exchange.info.namespace, document, {
    ...options,
    ...manage(exchange, resource, ''),
  });
  sendResource(operations, exchange, resource, 201, created);
}

export async function handleUpdate(
  operations: Operations,
  exchange: Exchange,
  resource: Resource,
  authorize: Authorize,
  manage: ManageFields,
): Promise<void> {
  negotiate(exchange.request.headers.accept, !resource.custom);
  const { info } = exchange;
  const read = await readDocument(exchange, resource.kind, !resource.custom);
  const base = writeOptions(exchange, 'UpdateOptions');
  const document = decodeDocument(resource, read, fieldValidation(exchange.query), base.warn);
  const name = text(document, 'metadata', 'name');
  if (name !== '' && name !== info.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  if (name === '')
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  const options: UpdateOptions = {
    ...base,
    ...manage(exchange, resource, info.subresource),
    create: resource.strategy.allowCreateOnUpdate && info.subresource === '',
    authorizeCreate: () => authorize(exchange, 'create'),
  };
  const key = { namespace: resource.namespaced ? info.namespace : '', name: info.name };
  let first = true;
  const { object, created } = await operations.update(
    resource,
    key,
    info.subresource,
    () => {
      // A second attempt needs a document that the first one did not change.
      if (first) {
        first = false;
        return document;
      }
      return decodeDocument(resource, read, 'Ignore', () => undefined);
    },
    options,
  );
  sendResource(operations, exchange, resource, created ? 201 : 200, object);
}

async function readDeleteOptions(
  exchange: Exchange,
): Promise<{ readonly deletion: DeleteOptions; readonly options: WriteOptions }> {
  const { query, request } = exchange;
  const body = await readBody(request);
  let document: JsonObject;
  if (body.length > 0) {
    const { type } = contentType(request.headers['content-type']);
    if (type === 'application/vnd.kubernetes.protobuf') document = await decodeProtobuf(body);
    else if (type === 'application/json' || type === 'application/yaml') {
      document = parseBody(body, type === 'application/yaml', 'DeleteOptions').document as JsonObject;
    } else throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
  } else {
    const fromQuery: MutableObject = jsonObject();
    const grace = query.get('gracePeriodSeconds');
    if (grace !== null) {
      if (!/^-?\d+$/.test(grace)) throw badRequest(`strconv.ParseInt: parsing "${grace}": invalid syntax`);
      fromQuery['gracePeriodSeconds'] = Number(grace);
    }
    const policy = query.get('propagationPolicy');
    if (policy !== null) fromQuery['propagationPolicy'] = policy;
    const orphan = query.get('orphanDependents');
    if (orphan !== null) fromQuery['orphanDependents'] = orphan !== 'false' && orphan !== '0';
    document = fromQuery;
  }
  const runs = query.getAll('dryRun').filter((run) => run !== '');
  const deletion = deleteOptionsOf(document, runs);
  const dryRun = runs.length > 0 || (Array.isArray(document['dryRun']) && document['dryRun'].length > 0);
  return {
    deletion,
    options: { user: exchange.user, dryRun, warn: (warning) => void exchange.warnings.push(warning) },
  };
}

export async function handleDelete(operations: Operations, exchange: Exchange, resource: Resource): Promise<void> {
  negotiate(exchange.request.headers.accept, !resource.custom);
  const { deletion, options } = await readDeleteOptions(exchange);
  const key = { namespace: resource.namespaced ? exchange.info.namespace : '', name: exchange.info.name };
  const { body, removed } = await deleteObject(operations, resource, key, deletion, options);
  const code = !removed && deletion.orphanDependents === false ? 202 : 200;
  if (text(body, 'kind') === 'Status') sendObject(exchange, code, body);
  else sendResource(operations, exchange, resource, code, body as JsonObject);
}

export async function handleDeleteCollection(
  operations: Operations,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  negotiate(exchange.request.headers.accept, !resource.custom);
  const { deletion, options } = await readDeleteOptions(exchange);
  const namespace = exchange.info.namespace === '' || !resource.namespaced ? undefined : exchange.info.namespace;
  const page = await listPage(
    operations,
    resource,
    namespace,
    listOptions(resource, exchange.query, false),
    exchange.signal,
  );
  await deleteAll(operations, resource, page.items, deletion, options);
  const metadata = { resourceVersion: String(operations.store.revision), ...(resource.custom && { continue: '' }) };
  sendObject(exchange, 200, listObject(resource, metadata, page.items));
}
