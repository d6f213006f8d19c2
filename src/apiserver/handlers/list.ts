import { negotiate } from '../http/negotiation.ts';
import { sendObject, sendText, type Exchange } from '../http/exchange.ts';
import { fromPlain, text, type JsonObject } from '../json.ts';
import { isObject } from '../json.ts';
import { JsonSyntaxError, parseJsonText } from '../json-text.ts';
import { member } from '../json.ts';
import type { Operations } from '../objects/operations.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import { badRequest, expired, notAcceptable, resourceVersionTooLarge } from '../status.ts';
import { CompactedError, keyOf } from '../storage/store.ts';
import { objectMediaTypes } from '../http/negotiation.ts';
import { includeObject, listItem, listObject, listText, partialMetadata, table, type ListMetadata } from './forms.ts';
import { listOptions, type ListOptions } from './list-options.ts';
import { waitForRevision } from './revision.ts';

interface ContinueToken {
  /** -1: whatever is newest. */
  readonly revision: number;
  readonly start: string;
}

const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
const expiredList = 'The resourceVersion for the provided list is too old.';

/** A page of the objects of a collection. */
export interface Page {
  readonly items: readonly JsonObject[];
  readonly metadata: ListMetadata;
}

/**
 * Lists by the rules of resourceVersion, resourceVersionMatch, limit and continue.
 *
 * @throws ApiError 400, 410, 504
 */
export async function listPage(
  operations: Operations,
  resource: Resource,
  namespace: string | undefined,
  options: ListOptions,
  signal: AbortSignal,
): Promise<Page> {
  const { store } = operations;
  const collection = operations.collection(resource);
  let revision: number | undefined;
  let start: string | undefined;
  let limit = options.limit;
  if (options.continue !== '') {
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const token = decodeContinue(options.continue);
    start = token.start;
    if (token.revision > 0) revision = token.revision;
  } else if (options.resourceVersion !== '') {
    const requested = parseRevision(options.resourceVersion);
    const exact =
      options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && limit > 0 && requested > 0);
    if (requested > store.revision) await waitForRevision(store, requested, signal);
    if (requested > store.revision) throw resourceVersionTooLarge(requested, store.revision);
    if (exact) revision = requested;
    else if (requested === 0) limit = 0;
  }
  const now = store.revision;
  let stored: readonly JsonObject[];
  try {
    stored = collection.list(namespace, revision);
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    throw start === undefined ? expired(expiredList) : expired(expiredContinue, encodeContinue(-1, start));
  }
  const at = revision ?? now;
  const objects = await operations.readAll(resource, stored);
  const matching: JsonObject[] = [];
  let next: string | undefined;
  let remaining: number | undefined;
  for (let index = 0; index < stored.length; index++) {
    const value = stored[index] as JsonObject;
    const key = storageKey(value);
    if (start !== undefined && key < start) continue;
    const object = objects[index] as JsonObject;
    if (!options.matches(object)) continue;
    matching.push(object);
    if (limit > 0 && matching.length === limit && index + 1 < stored.length) {
      next = encodeContinue(at, `${key}\u0000`);
      if (!options.selective) remaining = stored.length - index - 1;
      break;
    }
  }
  return {
    items: matching,
    metadata: {
      resourceVersion: String(at),
      continue: next ?? (resource.custom ? '' : undefined),
      remainingItemCount: remaining,
    },
  };
}

/** Where an object stands in the order of a list. */
function storageKey(value: JsonObject): string {
  const { namespace, name } = keyOf(value);
  return namespace === '' ? name : `${namespace}/${name}`;
}

export function parseRevision(value: string): number {
  if (!/^\d+$/.test(value)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${value}": strconv.ParseUint: parsing "${value}": invalid syntax`,
    );
  }
  return Number(value);
}

function encodeContinue(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

function decodeContinue(token: string): ContinueToken {
  let problem = 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)';
  try {
    const value = parseJsonText(Buffer.from(token, 'base64url').toString('utf8'));
    const revision = member(value, 'rv');
    const start = text(value, 'start');
    if (isObject(value) && text(value, 'v') === 'meta.k8s.io/v1' && typeof revision === 'number' && start !== '')
      return { revision, start };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    problem = error.message;
  }
  throw badRequest(`invalid continue token: continue key is not valid: ${problem}`);
}

export async function handleList(operations: Operations, exchange: Exchange, resource: Resource): Promise<void> {
  const form = negotiate(exchange.request.headers.accept, !resource.custom);
  const options = listOptions(resource, exchange.query, false);
  if (form.as === 'PartialObjectMetadata') throw notAcceptable(objectMediaTypes);
  const include = form.as === 'Table' ? includeObject(exchange.query) : 'Metadata';
  const namespace = exchange.info.namespace === '' || !resource.namespaced ? undefined : exchange.info.namespace;
  const { items, metadata } = await listPage(operations, resource, namespace, options, exchange.signal);
  if (form.as === 'Table') {
    sendObject(
      exchange,
      200,
      table(
        resource,
        fromPlain({ ...metadata, continue: metadata.continue || undefined }),
        items,
        include,
        operations.sources.now(),
      ),
    );
    return;
  }
  if (form.as === 'PartialObjectMetadataList') {
    const partial = items.map(partialMetadata);
    const body = fromPlain({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { ...metadata, continue: metadata.continue || undefined },
    });
    sendObject(exchange, 200, { ...(body as JsonObject), items: partial });
    return;
  }
  if (
    form.media === 'yaml' ||
    exchange.query.has('pretty') ||
    /^(curl|Wget|Mozilla)/.test(exchange.request.headers['user-agent'] ?? '')
  ) {
    sendObject(exchange, 200, listObject(resource, metadata, items));
    return;
  }
  const body = listText(
    resource.listKind,
    apiVersionOf(resource),
    metadata,
    items.map((item) => listItem(resource, item)),
  );
  sendText(exchange, 200, `${body}\n`, { 'Content-Type': 'application/json' });
}
