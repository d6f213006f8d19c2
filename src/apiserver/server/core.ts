import type { Authorize } from '../admission/expressions.ts';
import { MutatingPolicies } from '../admission/mutating-policies.ts';
import { ValidatingPolicies } from '../admission/validating-policies.ts';
import { WebhookAdmission } from '../admission/webhooks.ts';
import type { CertificateAuthority } from '../access/certificates.ts';
import { escalationCheck } from '../access/escalation.ts';
import { ownerReferencesPermissionEnforcement } from '../access/owner-references.ts';
import { RbacAuthorizer } from '../access/rbac.ts';
import type { ServiceAccountTokens } from '../access/service-account-tokens.ts';
import type { User } from '../access/user.ts';
import { ApplyService } from '../apply/service.ts';
import { admissionValidators } from '../builtin/admission-validators.ts';
import { podClasses } from '../builtin/class-admission.ts';
import { storageProtection } from '../builtin/storage-protection.ts';
import { createServiceAllocator } from '../builtin/service-allocator.ts';
import { certificateRequesters } from '../builtin/requester-admission.ts';
import { builtinResources } from '../builtin/resources.ts';
import { bootstrapObjects, populateNamespace } from '../controllers/bootstrap.ts';
import { Controllers } from '../controllers/controllers.ts';
import { checkDefinition } from '../custom/definition-validation.ts';
import { definitions } from '../custom/definition.ts';
import { OpenApiDocuments, type PublishedResource } from '../discovery/openapi.ts';
import { resolvedSchema } from '../discovery/resolved-schema.ts';
import type { WatchRegistry } from '../handlers/watch.ts';
import type { ApiServerOptions } from '../api-server.ts';
import { text } from '../json.ts';
import { lifecycle } from '../objects/lifecycle.ts';
import { Operations, type Sources } from '../objects/operations.ts';
import { ResourceRegistry } from '../resources/registry.ts';
import type { StoreState } from '../storage/state.ts';
import { Store } from '../storage/store.ts';
import type { TypeCatalogue } from '../typed/types.ts';
import type { Admin } from './admin.ts';
import type { ServerClock } from './clock.ts';
import { accountUid, Dispatcher } from './dispatcher.ts';
import type { Faults } from './faults.ts';
import { RequestMetrics } from './metrics.ts';
import { RootDocuments } from './root-documents.ts';

/** What outlives a restart: how the server is reached, who its users are, what disturbs it. */
export interface CoreParts {
  readonly options: ApiServerOptions;
  readonly sources: Sources;
  readonly clock: ServerClock;
  readonly authority: CertificateAuthority | undefined;
  /** The user that a token stands for, of those that are given to the server. */
  readonly user: (token: string) => User | undefined;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly faults: Faults;
  readonly watches: WatchRegistry;
  readonly admin: Admin | undefined;
  readonly types: () => TypeCatalogue;
  readonly typesLoaded: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/** The state of a server with all that works on it; a restart makes another one. */
export interface Core {
  readonly store: Store;
  readonly dispatcher: Dispatcher;
  readonly controllers: Controllers;
  stop(): Promise<void>;
}

/** Makes a server's inside, with what every cluster has from its start, or with the objects of a state. */
export async function createCore(parts: CoreParts, state?: StoreState): Promise<Core> {
  const { options, sources, watches, onError, types } = parts;
  const store = new Store(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit });
  if (state !== undefined) store.restore(state);
  const registry = new ResourceRegistry(
    await builtinResources({
      types,
      services: createServiceAllocator(store),
      validators: { [definitions]: checkDefinition, ...admissionValidators },
    }),
  );
  const operations = new Operations(store, sources);
  const authorizer = new RbacAuthorizer(store);
  operations.plugins.push(lifecycle(store), podClasses(store), storageProtection, certificateRequesters);
  if (options.authorization !== false) operations.plugins.push(escalationCheck(authorizer));
  if (options.enableAdmissionPlugins?.includes('OwnerReferencesPermissionEnforcement') === true) {
    operations.plugins.push(
      ownerReferencesPermissionEnforcement(authorizer, (apiVersion, kind) => registry.findKind(apiVersion, kind)),
    );
  }
  const resolveService = options.resolveService ?? (() => undefined);
  const authorize: Authorize = (attributes) =>
    options.authorization === false ? { allowed: true, reason: '' } : authorizer.authorize(attributes);
  operations.plugins.push(
    new MutatingPolicies({ operations, registry, authorize, typeOf: (resource) => applies.typeOf(resource) }),
    new ValidatingPolicies({ operations, registry, authorize }),
    new WebhookAdmission({
      store,
      uuid: sources.uuid,
      versionsOf: (resource) => registry.versionsOf(resource),
      resolveService,
      authorize,
    }),
  );
  await bootstrapObjects(store, sources);
  const controllers = new Controllers({
    operations,
    registry,
    endWatches: (storage) => watches.end(storage),
    recordStatus(value, old) {
      const resource = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
      if (resource !== undefined) applies.recordStatus(resource, value, old);
    },
    conversion: { uuid: sources.uuid, resolveService },
    record: (resource, subresource) => applies.managed(resource, 'kube-controller-manager', subresource),
    garbageCollection: options.garbageCollection !== false,
    ...((options.workloads === true || options.workloads === 'pending') && {
      workloads: {
        runsPods: options.workloads === true,
        record: (resource, subresource) => applies.managed(resource, 'kube-controller-manager', subresource),
        applyStatus: async (...change) => applies.applyStatus(...change),
        schemaOf: async (resource) => resolvedSchema(resource, published(), types()),
      },
    }),
    loaded: parts.typesLoaded,
    onError,
  });
  for (const namespace of store.collection('namespaces').list())
    populateNamespace(store, sources, text(namespace, 'metadata', 'name'));

  const published = (): readonly PublishedResource[] =>
    controllers.definitions.served().flatMap((served) => served.published);
  const applies = new ApplyService({
    operations,
    types,
    published,
    authorize: (exchange, verb) => dispatcher.authorize(exchange.user, exchange.info, verb),
  });
  const metrics = new RequestMetrics();
  const dispatcher: Dispatcher = new Dispatcher({
    operations,
    registry,
    authorizer,
    authorize: options.authorization !== false,
    tokens: (token) =>
      parts.user(token) ??
      parts.serviceAccountTokens.verify(token, (namespace, name) => accountUid(operations, namespace, name))?.user,
    isOurCertificate: (certificate) => parts.authority?.issued(certificate, sources.now()) === true,
    serviceAccountTokens: parts.serviceAccountTokens,
    roots: new RootDocuments(registry, new OpenApiDocuments(published, () => registry.generation), metrics),
    metrics,
    watches,
    faults: parts.faults,
    admin: parts.admin,
    definitions: () => controllers.definitions.served(),
    types,
    typesLoaded: parts.typesLoaded,
    manageFields: applies.manageFields,
    applier: applies,
    record: (resource) => applies.managed(resource, 'kube-apiserver', 'status'),
    onRequest: options.onRequest,
    onError,
  });
  if (state !== undefined) {
    // Definitions need what is loaded while a new server starts.
    await parts.typesLoaded();
    controllers.takeOver();
    await controllers.idle();
  }
  const forgetClock = parts.clock.onChange(() => controllers.clockChanged());
  const forgetStore = options.onChange === undefined ? undefined : store.onEvent(() => options.onChange?.());
  return {
    store,
    dispatcher,
    controllers,
    async stop() {
      forgetClock();
      forgetStore?.();
      await controllers.stop();
    },
  };
}
