/** Where an argument of a call says which kind is meant. */
export type KindSource =
  | { readonly kindArgument: number }
  | { readonly objectArgument: number }
  /** The client of one kind: its type says which. */
  | { readonly receiver: true }
  /** Events are written about an object: in its namespace, in `default` about those that have none. */
  | { readonly regardingArgument: number };

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
  /** The argument with `namespace` and `name`; of the client of one kind the name, or what has one in its metadata. */
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
const behind = keyed(['get'], undefined, 'a live read where the cache is behind');
const onKey = (...needs: readonly Need[]): ApiCall => ({ kind: onKind, keyArgument: 1, needs });
const receiver = { receiver: true } as const;
const ofKind = (...needs: readonly Need[]): ApiCall => ({ kind: receiver, keyArgument: 0, needs });
const onObject = (...needs: readonly Need[]): ApiCall => ({ kind: onKind, needs });

const watched: ApiCall = { kind: onKind, needs: [cache] };
const blocking = (blockingArgument: number): ApiCall => ({
  kind: onKind,
  needs: [{ verbs: ['update'], subresource: 'finalizers', why: 'blockOwnerDeletion' }],
  blockingArgument,
});
const createOr: ApiCall = {
  kind: { kindArgument: 1 },
  keyArgument: 2,
  needs: [cache, behind, keyed(['create'], undefined, 'where it is not there'), keyed(['patch'])],
};
const finalizer: ApiCall = { kind: { kindArgument: 1 }, needs: [{ verbs: ['patch'], why: 'the finalizer' }] };

/**
 * What each call needs, by the interface and method of operator-runtime, or the function. It follows what the runtime sends:
 * `update` is a JSON patch, and `apply` creates what is not there, for which the API server asks for `create`, too.
 */
const calls: Readonly<Record<string, ApiCall>> = {
  'Client.get': {
    kind: onKind,
    keyArgument: 1,
    needs: [cache, behind],
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
  'KindMethods.get': ofKind(cache, behind),
  'KindMethods.list': { kind: receiver, needs: [cache] },
  'KindMethods.create': ofKind(keyed(['create'])),
  'KindMethods.delete': ofKind(keyed(['delete'])),
  'KindMethods.update': { kind: receiver, needs: [keyed(['patch'])] },
  'KindMethods.mergePatch': ofKind(keyed(['patch'])),
  'KindMethods.jsonPatch': ofKind(keyed(['patch'])),
  'KindMethods.apply': ofKind(keyed(['patch']), keyed(['create'], undefined, 'it may not be there yet')),
  'KindMethods.deleteCollection': { kind: receiver, needs: [keyed(['deletecollection'])] },
  'KindLiveReader.get': ofKind(keyed(['get'])),
  'KindLiveReader.list': { kind: receiver, needs: [keyed(['list'])] },
  'KindLiveReader.watch': { kind: receiver, needs: [keyed(['watch'])] },
  'KindStatusClient.update': { kind: receiver, needs: [keyed(['patch'], 'status')] },
  'KindStatusClient.mergePatch': ofKind(keyed(['patch'], 'status')),
  'KindStatusClient.jsonPatch': ofKind(keyed(['patch'], 'status')),
  'KindStatusClient.apply': ofKind(keyed(['patch'], 'status')),
  'KindScaleClient.get': ofKind(keyed(['get'], 'scale')),
  'KindScaleClient.update': { kind: receiver, needs: [keyed(['get', 'patch'], 'scale')] },
  'KindScaleClient.mergePatch': ofKind(keyed(['patch'], 'scale')),
  'KindScaleClient.jsonPatch': ofKind(keyed(['patch'], 'scale')),
  'ControllerBuilder.for': watched,
  'ControllerBuilder.owns': watched,
  'ControllerBuilder.watches': watched,
  'Cache.informerFor': watched,
  'Cache.acquire': watched,
  // Where undeclared kinds are cached it makes the informer.
  'Cache.forRead': watched,
  'EventRecorder.event': {
    kind: { regardingArgument: 0 },
    needs: [{ verbs: ['create', 'patch'], why: 'the event, and its count' }],
  },
  addFinalizer: finalizer,
  removeFinalizer: finalizer,
  'Finalizers.reconcile': finalizer,
  createOrUpdate: createOr,
  createOrPatch: createOr,
  applyIfChanged: {
    kind: { kindArgument: 1 },
    keyArgument: 2,
    needs: [cache, behind, keyed(['patch']), keyed(['create'], undefined, 'it may not be there yet')],
  },
  patchStatus: {
    kind: { kindArgument: 1 },
    keyArgument: 2,
    needs: [cache, behind, keyed(['patch'], 'status')],
  },
  controllerReference: blocking(2),
  withControllerReference: blocking(3),
};

/** What a function (`addFinalizer`) or a method (`Client.get`) of operator-runtime needs; undefined where that is nothing. */
export function apiCall(name: string): ApiCall | undefined {
  return Object.hasOwn(calls, name) ? calls[name] : undefined;
}

/** Through which values of these types calls reach the API server: they are followed wherever they go. */
const carriers = new Set(
  (
    'Client LiveReader StatusClient ScaleClient SubresourceClient KindMethods KindLiveReader KindStatusClient KindScaleClient ' +
    'ControllerBuilder ReconcileContext Cache Manager RunnableContext EventRecorder'
  ).split(' '),
);

/** Whether a type of operator-runtime lets calls through. */
export function isCarrier(name: string): boolean {
  return carriers.has(name);
}

/** Whether a function of operator-runtime sends requests of which nothing is known. */
export function isRaw(name: string): boolean {
  return name === 'createTransport';
}

/** The names of all methods that send requests, and of the members that lead to them. */
export const sensitiveNames: ReadonlySet<string> = new Set([
  ...Object.keys(calls).map((name) => name.slice(name.indexOf('.') + 1)),
  ...'client live status scale subresource cache controller events kindFor createTransport'.split(' '),
]);
