import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate, impersonate, type CertificateCheck, type TokenLookup } from '../access/authentication.ts';
import { deniedText, type Attributes, type RbacAuthorizer } from '../access/rbac.ts';
import { isReview, review } from '../access/reviews.ts';
import { anonymous, type User } from '../access/user.ts';
import type { ServiceAccountTokens } from '../access/service-account-tokens.ts';
import type { ServedDefinition } from '../custom/definition.ts';
import { decodeDocument, fieldValidation, readDocument } from '../handlers/documents.ts';
import { handleList } from '../handlers/list.ts';
import { handlePatch, type Applier } from '../handlers/patch.ts';
import { sendResource } from '../handlers/respond.ts';
import { handleScale, workloadScale } from '../handlers/scale.ts';
import { handleWatch, type WatchRegistry } from '../handlers/watch.ts';
import {
  handleCreate,
  handleDelete,
  handleDeleteCollection,
  handleUpdate,
  type ManageFields,
} from '../handlers/write.ts';
import { sendError, sendObject, sendText, type Exchange } from '../http/exchange.ts';
import { requestInfo, type RequestInfo } from '../http/request-info.ts';
import { jsonObject, text, type JsonObject } from '../json.ts';
import { timestamp, type Operations } from '../objects/operations.ts';
import type { WriteOptions } from '../objects/write-options.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { serves, type Resource } from '../resources/resource.ts';
import {
  ApiError,
  forbidden,
  internalError,
  methodNotAllowed,
  noSuchResource,
  notFound,
  verbNotSupported,
} from '../status.ts';
import type { TypeCatalogue } from '../typed/types.ts';
import type { AuditEvent } from './audit-event.ts';
import { type Admin, isAdminPath } from './admin.ts';
import { disturb, type Faults } from './faults.ts';
import type { RootDocuments } from './root-documents.ts';
import { evictPod } from './eviction.ts';
import type { RequestMetrics } from './metrics.ts';
import { bindPod, issueToken } from './subresources.ts';

export interface DispatcherParts {
  readonly operations: Operations;
  readonly registry: ResourceRegistry;
  readonly authorizer: RbacAuthorizer;
  readonly authorize: boolean;
  readonly tokens: TokenLookup;
  readonly isOurCertificate: CertificateCheck;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly roots: RootDocuments;
  readonly metrics: RequestMetrics;
  readonly watches: WatchRegistry;
  readonly faults: Faults;
  /** Serves `/_admin`, where that is wanted. */
  readonly admin: Admin | undefined;
  readonly definitions: () => readonly ServedDefinition[];
  readonly types: () => TypeCatalogue;
  readonly typesLoaded: () => Promise<unknown>;
  readonly manageFields: ManageFields;
  readonly applier: Applier;
  /** Notes what the server itself writes of a status. */
  readonly record: (resource: Resource) => Pick<WriteOptions, 'manageFields'>;
  readonly onRequest: ((event: AuditEvent) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** Takes each request through authentication, authorization and routing to the handler that answers it. */
export class Dispatcher {
  readonly #parts: DispatcherParts;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Serves a request; never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse, stopped: AbortSignal): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const query = url.searchParams;
    const info = requestInfo(request.method ?? 'GET', url.pathname, query);
    const aborted = new AbortController();
    const abort = (): void => aborted.abort();
    response.once('close', abort);
    stopped.addEventListener('abort', abort, { once: true });
    let exchange: Exchange = {
      request,
      response,
      info,
      query,
      user: anonymous,
      warnings: [],
      annotations: new Map(),
      signal: aborted.signal,
    };
    let allowed = false;
    try {
      const user = impersonate(
        request,
        authenticate(request, this.#parts.tokens, this.#parts.isOurCertificate),
        info,
        (attributes) => this.#parts.authorizer.authorize(attributes),
      );
      exchange = { ...exchange, user };
      response.setHeader('Audit-Id', this.#parts.operations.sources.uuid());
      this.authorize(user, info);
      allowed = true;
      const controlled = this.#parts.admin !== undefined && isAdminPath(info.path);
      if (!controlled && (await disturb(exchange, this.#parts.faults.strike(info, user.name)))) return;
      // Nothing is printed as YAML before what prints it is there.
      if (request.headers.accept?.includes('yaml') === true) await this.#parts.typesLoaded();
      await this.#route(exchange);
    } catch (error) {
      this.#fail(exchange, error);
    } finally {
      stopped.removeEventListener('abort', abort);
      response.removeListener('close', abort);
      this.#audit(exchange, allowed);
    }
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (exchange.signal.aborted && exchange.response.destroyed) return;
    if (!(error instanceof ApiError)) this.#parts.onError(error);
    const answer =
      error instanceof ApiError ? error : internalError(error instanceof Error ? error.message : String(error));
    exchange.response.setHeader('X-Content-Type-Options', 'nosniff');
    sendError(exchange, answer);
    // What is left of a body that was not read does not matter any more.
    exchange.request.resume();
  }

  #audit(exchange: Exchange, allowed: boolean): void {
    const { user, info, response, annotations } = exchange;
    const { verb, group, resource, subresource, namespace, name, path } = info;
    const code = response.headersSent ? response.statusCode : 0;
    if (response.headersSent) this.#parts.metrics.count(exchange);
    this.#parts.onRequest?.({
      user: user.name,
      verb,
      group,
      resource,
      subresource,
      namespace,
      name,
      path,
      allowed,
      code,
      ...(annotations.size > 0 && { annotations: Object.fromEntries(annotations) }),
    });
  }

  #attributes(user: User, info: RequestInfo, verb = info.verb): Attributes {
    return {
      user,
      verb,
      resourceRequest: info.isResourceRequest,
      namespace: info.namespace,
      group: info.group,
      resource: info.resource,
      subresource: info.subresource,
      name: info.name,
      path: info.path,
    };
  }

  /** @throws ApiError 403 */
  authorize(user: User, info: RequestInfo, verb = info.verb): void {
    if (!this.#parts.authorize) return;
    const attributes = this.#attributes(user, info, verb);
    const decision = this.#parts.authorizer.authorize(attributes);
    if (decision.allowed) return;
    const message = deniedText(attributes, decision.reason);
    if (!info.isResourceRequest) throw new ApiError(403, 'Forbidden', `forbidden: ${message}`, {});
    throw forbidden({ group: info.group, resource: info.resource }, info.name, message);
  }

  async #route(exchange: Exchange): Promise<void> {
    const { info } = exchange;
    if (this.#parts.admin !== undefined && isAdminPath(info.path)) {
      await this.#parts.admin.serve(exchange);
      return;
    }
    if (!info.isResourceRequest) {
      if (exchange.request.method !== 'GET' && exchange.request.method !== 'HEAD') {
        if (['version', 'api', 'apis'].includes(info.path.split('/')[1] ?? '')) throw methodNotAllowed();
      } else if (await this.#parts.roots.serve(exchange)) return;
      notFoundPage(exchange);
      return;
    }
    const { registry } = this.#parts;
    const resource = registry.find(info.group, info.version, info.resource);
    if (resource === undefined || info.parts.length > 3) {
      if (
        registry
          .groups()
          .some(
            (group) =>
              group.name === info.group &&
              (group.versions.some(({ resources }) => resources.some(({ custom }) => !custom)) || info.group === ''),
          )
      )
        throw noSuchResource();
      notFoundPage(exchange);
      return;
    }
    if (!resource.namespaced && info.namespace !== '' && resource.storage !== 'namespaces') {
      if (!resource.custom) throw noSuchResource();
      notFoundPage(exchange);
      return;
    }
    await this.#parts.typesLoaded();
    const deprecation = resource.custom ? undefined : builtinDeprecations[resource.storage];
    if (deprecation !== undefined) exchange.warnings.push(deprecation);
    for (const definition of this.#parts.definitions()) {
      const warning = definition.deprecations.get(resource);
      if (warning !== undefined) exchange.warnings.push(warning);
    }
    if (info.subresource === '') await this.#object(exchange, resource);
    else await this.#subresource(exchange, resource);
  }

  async #object(exchange: Exchange, resource: Resource): Promise<void> {
    const { operations, manageFields, watches, registry } = this.#parts;
    const { info } = exchange;
    const method = exchange.request.method ?? '';
    if (resource.namespaced && info.namespace === '' && info.verb !== 'list' && info.verb !== 'watch')
      throw methodNotAllowed();
    if ((method === 'POST' && info.name !== '') || ((method === 'PUT' || method === 'PATCH') && info.name === ''))
      throw methodNotAllowed();
    if (isReview(resource.resource)) {
      await this.#review(exchange, resource);
      return;
    }
    if (!serves(resource, info.verb, ''))
      throw resource.custom ? verbNotSupported(resource, info.verb) : methodNotAllowed();
    switch (info.verb) {
      case 'list':
        await handleList(operations, exchange, resource);
        return;
      case 'watch':
        // The old form of a watch names the object in the path.
        if (info.parts.length > 1 && info.name !== '')
          exchange.query.append('fieldSelector', `metadata.name=${info.name}`);
        await handleWatch(operations, watches, exchange, resource);
        return;
      case 'create': {
        const pods = resource.storage === 'bindings' ? registry.find('', 'v1', 'pods') : undefined;
        if (pods !== undefined) await bindPod(operations, exchange, pods, resource);
        else await handleCreate(operations, exchange, resource, manageFields);
        return;
      }
      case 'delete':
        await handleDelete(operations, exchange, resource);
        return;
      case 'deletecollection':
        await handleDeleteCollection(operations, exchange, resource);
        return;
      default:
        await this.#read(exchange, resource);
    }
  }

  /** Reads, replaces or patches an object, or its part that the endpoint of a subresource stands for. */
  async #read(exchange: Exchange, resource: Resource): Promise<void> {
    const { operations, manageFields, applier } = this.#parts;
    const { info } = exchange;
    const key = { namespace: resource.namespaced ? info.namespace : '', name: info.name };
    switch (info.verb) {
      case 'get':
        sendResource(operations, exchange, resource, 200, await operations.get(resource, key));
        return;
      case 'update':
        await handleUpdate(
          operations,
          exchange,
          resource,
          ({ user }, verb) => this.authorize(user, info, verb),
          manageFields,
        );
        return;
      case 'patch':
        await handlePatch(operations, exchange, resource, this.#node(resource), manageFields, applier);
        return;
      default:
        throw methodNotAllowed();
    }
  }

  #node(resource: Resource) {
    return this.#parts.types().kind(resource.group, resource.version, resource.kind);
  }

  async #review(exchange: Exchange, resource: Resource): Promise<void> {
    if (exchange.info.verb !== 'create') throw methodNotAllowed();
    const read = await readDocument(exchange, resource.kind, true);
    const document = decodeDocument(resource, read, fieldValidation(exchange.query), (warning) =>
      exchange.warnings.push(warning),
    );
    const { authorize, authorizer, serviceAccountTokens, tokens, operations } = this.#parts;
    document['metadata'] ??= jsonObject();
    this.#parts.manageFields(exchange, resource, '').manageFields?.(document, undefined);
    const answer = review(resource.resource, document, {
      user: exchange.user,
      namespace: exchange.info.namespace,
      authorizer,
      authorize: (attributes) => (authorize ? authorizer.authorize(attributes) : { allowed: true, reason: '' }),
      now: timestamp(operations.sources.now()),
      authenticateToken(token) {
        const user = tokens(token);
        if (user === undefined) return undefined;
        const account = serviceAccountTokens.verify(token, (namespace, name) =>
          accountUid(operations, namespace, name),
        );
        return { user, audiences: account?.audiences ?? [serviceAccountTokens.audience] };
      },
    });
    sendObject(exchange, 201, answer);
  }

  async #subresource(exchange: Exchange, resource: Resource): Promise<void> {
    const { operations, manageFields, applier } = this.#parts;
    const { info } = exchange;
    const subresource = resource.subresources.get(info.subresource);
    if (subresource === undefined) throw resource.custom ? notFound(resource, info.name) : noSuchResource();
    if (!serves(resource, info.verb, info.subresource))
      throw resource.custom ? verbNotSupported(resource, info.verb) : methodNotAllowed();
    if (info.subresource === 'scale') {
      const paths = resource.custom
        ? this.#parts
            .definitions()
            .map(({ scale }) => scale.get(resource))
            .find((found) => found !== undefined)
        : workloadScale;
      if (paths === undefined) throw notFound(resource, info.name);
      await handleScale(operations, exchange, resource, paths, manageFields, applier);
      return;
    }
    if (info.subresource === 'binding') {
      await bindPod(operations, exchange, resource);
      return;
    }
    if (info.subresource === 'token') {
      await issueToken(operations, this.#parts.serviceAccountTokens, exchange, resource);
      return;
    }
    if (info.subresource === 'eviction') {
      await evictPod(this.#parts, exchange, resource);
      return;
    }
    if (['log', 'exec', 'attach', 'portforward', 'proxy'].includes(info.subresource)) {
      throw new ApiError(
        501,
        'NotImplemented',
        `the embedded API server runs no containers: ${resource.resource}/${info.subresource} is not served`,
      );
    }
    await this.#read(exchange, resource);
  }
}

/** The uid of an account that exists. */
export function accountUid(operations: Operations, namespace: string, name: string): string | undefined {
  const found: JsonObject | undefined = operations.store.collection('serviceaccounts').get({ namespace, name });
  return found === undefined ? undefined : text(found, 'metadata', 'uid');
}

const builtinDeprecations: Readonly<Record<string, string>> = {
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  componentstatuses: 'v1 ComponentStatus is deprecated in v1.19+',
};

/** What the plain handler behind all others answers. */
function notFoundPage(exchange: Exchange): void {
  sendText(exchange, 404, '404 page not found\n', {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  });
}
