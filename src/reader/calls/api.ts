/** Where an argument of a call says which kind is meant. */
export type KindSource = { readonly kindArgument: number } | { readonly objectArgument: number };

/** Verbs on the kind's resource or on one of its subresources, and what for. */
export interface Need {
  readonly verbs: readonly string[];
  /** `'*'`: the one that the receiver names, `client.subresource('eviction')`. */
  readonly subresource?: string;
  readonly why?: string;
  /** Whether the request goes to one object or namespace, which the call's key may name. */
  readonly keyed?: boolean;
}

/** What a function of operator-runtime does on the API server. */
export interface ApiCall {
  readonly kind: KindSource;
  readonly needs: readonly Need[];
  /** What it does for a client that has no cache. */
  readonly uncached?: readonly Need[];
  /** The argument with `namespace` and `name`. */
  readonly keyArgument?: number;
  /** The argument whose `blockOwnerDeletion: false` makes the needs void. */
  readonly blockingArgument?: number;
}

const cache: Need = { verbs: ['list', 'watch'], why: 'the cache' };
const onKind = { kindArgument: 0 } as const;
const keyed = (verbs: readonly string[], subresource?: string, why?: string): Need => ({
  verbs,
  keyed: true,
  ...(subresource === undefined ? {} : { subresource }),
  ...(why === undefined ? {} : { why }),
});
const onKey = (...needs: readonly Need[]): ApiCall => ({ kind: onKind, keyArgument: 1, needs });
const onObject = (...needs: readonly Need[]): ApiCall => ({ kind: onKind, needs });

const watched: ApiCall = { kind: onKind, needs: [cache] };
const blocking = (blockingArgument: number): ApiCall => ({
  kind: onKind,
  needs: [{ verbs: ['update'], subresource: 'finalizers', why: 'blockOwnerDeletion' }],
  blockingArgument,
});
const finalizer: ApiCall = { kind: { kindArgument: 1 }, needs: [{ verbs: ['patch'], why: 'the finalizer' }] };

/**
 * What each call needs, by the module of operator-runtime, and the interface and method or the function. It follows what the runtime sends:
 * `update` is a JSON patch, and `apply` creates what is not there, for which the API server asks for `create`, too.
 */
const calls: Readonly<Record<string, Readonly<Record<string, ApiCall>>>> = {
  'client/types': {
    'Client.get': {
      kind: onKind,
      keyArgument: 1,
      needs: [cache, keyed(['get'], undefined, 'a live read where the cache is behind')],
      uncached: [keyed(['get'])],
    },
    'Client.list': { kind: onKind, needs: [cache], uncached: [{ verbs: ['list'], keyed: true }], keyArgument: 1 },
    'Client.create': { kind: { objectArgument: 0 }, needs: [keyed(['create'])], keyArgument: 0 },
    'Client.delete': onKey(keyed(['delete'])),
    'Client.update': onObject({ verbs: ['patch'] }),
    'Client.updateStatus': onObject({ verbs: ['patch'], subresource: 'status' }),
    'Client.updateScale': onObject({ verbs: ['get', 'patch'], subresource: 'scale' }),
    'Client.mergePatch': onKey(keyed(['patch'])),
    'Client.jsonPatch': onKey(keyed(['patch'])),
    'Client.apply': onKey(keyed(['patch']), keyed(['create'], undefined, 'it may not be there yet')),
    'Client.deleteCollection': onKey(keyed(['deletecollection'])),
    'StatusClient.mergePatch': onKey(keyed(['patch'], 'status')),
    'StatusClient.jsonPatch': onKey(keyed(['patch'], 'status')),
    'StatusClient.apply': onKey(keyed(['patch'], 'status')),
    'ScaleClient.get': onKey(keyed(['get'], 'scale')),
    'ScaleClient.mergePatch': onKey(keyed(['patch'], 'scale')),
    'ScaleClient.jsonPatch': onKey(keyed(['patch'], 'scale')),
    'SubresourceClient.get': onKey(keyed(['get'], '*')),
    'SubresourceClient.create': onKey(keyed(['create'], '*')),
    'SubresourceClient.update': onKey(keyed(['update'], '*')),
    'SubresourceClient.mergePatch': onKey(keyed(['patch'], '*')),
    'SubresourceClient.jsonPatch': onKey(keyed(['patch'], '*')),
    'LiveReader.get': onKey(keyed(['get'])),
    'LiveReader.list': onKey(keyed(['list'])),
    'LiveReader.watch': onKey(keyed(['watch'])),
  },
  'controller/builder': {
    'ControllerBuilder.for': watched,
    'ControllerBuilder.owns': watched,
    'ControllerBuilder.watches': watched,
  },
  'cache/cache': { 'Cache.informerFor': watched },
  'owner/finalizer': { addFinalizer: finalizer, removeFinalizer: finalizer },
  'owner/owner-reference': { controllerReference: blocking(2), withControllerReference: blocking(3) },
};

/** What a declaration of operator-runtime needs when it is called; undefined where that is nothing. */
export function apiCall(module: string, name: string): ApiCall | undefined {
  return calls[module]?.[name];
}

/** Through which values of these types calls reach the API server: they are followed wherever they go. */
const carriers: Readonly<Record<string, readonly string[]>> = {
  'client/types': ['Client', 'LiveReader', 'StatusClient', 'ScaleClient', 'SubresourceClient'],
  'controller/builder': ['ControllerBuilder'],
  'controller/reconcile': ['ReconcileContext'],
  'cache/cache': ['Cache'],
  'manager/manager': ['Manager', 'RunnableContext'],
};

export function isCarrier(module: string, name: string): boolean {
  return carriers[module]?.includes(name) === true;
}

/** Functions of operator-runtime that send requests of which nothing is known. */
const raw: Readonly<Record<string, readonly string[]>> = {
  'client/transport': ['createTransport'],
};

export function isRaw(module: string, name: string): boolean {
  return raw[module]?.includes(name) === true;
}
