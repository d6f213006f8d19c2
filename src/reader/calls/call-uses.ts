import { ts } from 'ts-morph';
import type { PermissionUse, UnresolvedCall } from '../../model/index.ts';
import type { SourceProject } from '../source-project.ts';
import { type ApiCall, apiCall, isRaw, type Need } from './api.ts';
import type { Call, CallIndex } from './call-index.ts';
import { type KindResolver, shortText } from './kind-resolver.ts';
import { KindReceivers } from './kind-receivers.ts';
import type { KindName, KnownKinds } from './known-kinds.ts';
import { unwrap } from './unwrap.ts';

/** The one object or namespace that a request goes to, where the source says it. */
interface Place {
  readonly name?: string;
  readonly namespace?: string;
}

/** Takes what is found. */
export interface CallSink {
  use(use: PermissionUse): void;
  unresolved(call: UnresolvedCall): void;
}

/** Finds what each call of operator-runtime needs on the API server. */
export class CallUses {
  readonly #project: SourceProject;
  readonly #index: CallIndex;
  readonly #known: KnownKinds;
  readonly #resolver: KindResolver;
  readonly #receivers: KindReceivers;
  readonly #sink: CallSink;

  constructor(project: SourceProject, index: CallIndex, known: KnownKinds, resolver: KindResolver, sink: CallSink) {
    this.#project = project;
    this.#index = index;
    this.#known = known;
    this.#resolver = resolver;
    this.#receivers = new KindReceivers(project, index, known);
    this.#sink = sink;
  }

  read(call: Call): void {
    const seen = new Set<string>();
    for (const declaration of this.#index.declarationsOf(call)) {
      const found = this.#apiOf(declaration);
      // Overloads are one function, and methods of several types are several.
      if (found === undefined || seen.has(found.id)) continue;
      seen.add(found.id);
      if (found.api === undefined) this.#raw(call, found.name);
      else this.#readApi(call, found.name, found.api);
    }
  }

  /** A function of operator-runtime that sends requests; `api` is undefined where nothing is known of these. */
  #apiOf(declaration: ts.Node): { readonly id: string; readonly name: string; readonly api?: ApiCall } | undefined {
    const isMember = ts.isMethodSignature(declaration) || ts.isMethodDeclaration(declaration);
    const owner = this.#project.runtimeDeclaration(isMember ? declaration.parent : declaration);
    if (owner === undefined) return undefined;
    const name = isMember ? declaration.name.getText() : owner.name;
    const id = isMember ? `${owner.name}.${name}` : name;
    if (!isMember && isRaw(name)) return { id, name };
    const api = apiCall(id);
    return api === undefined ? undefined : { id, name, api };
  }

  #raw(call: Call, name: string): void {
    const configuration = call.arguments?.[0];
    this.#sink.unresolved({
      call: `${name}(${configuration === undefined ? '' : shortText(configuration)})`,
      problem: 'sends requests that do not go through the typed client',
      verbs: [],
      position: this.#project.positionOf(call),
    });
  }

  #readApi(call: Call, name: string, api: ApiCall): void {
    const given = call.arguments ?? ts.factory.createNodeArray<ts.Expression>();
    const needs = api.uncached !== undefined && this.#hasNoCache(call) ? api.uncached : api.needs;
    if (api.blockingArgument !== undefined && this.#isNotBlocking(given[api.blockingArgument])) return;
    if ('regardingArgument' in api.kind) {
      this.#readEvent(call, given[api.kind.regardingArgument], api);
      return;
    }
    if ('receiver' in api.kind) {
      this.#readReceiver(call, name, api);
      return;
    }
    const isObject = 'objectArgument' in api.kind;
    const argument = given[isObject ? api.kind.objectArgument : api.kind.kindArgument];
    const position = this.#positionOf(call);
    const label = calleeText(call, name);
    const verbs = [...new Set(needs.flatMap((need) => need.verbs))];
    if (argument === undefined || given.some((each) => ts.isSpreadElement(each))) {
      const problem = 'its arguments are spread from a list';
      this.#sink.unresolved({ call: shortText(call), problem, verbs, position });
      return;
    }
    const { kinds, problems } = this.#resolver.resolve(argument, isObject ? 'object' : 'kind');
    if (problems.length > 0 || kinds.length === 0) {
      const problem =
        problems.length > 0 ? problems.join('; ') : `it is not known which kind ${shortText(argument)} is`;
      this.#sink.unresolved({ call: `${label}(${shortText(argument)})`, problem, verbs, position });
    }
    const key = api.keyArgument === undefined ? undefined : given[api.keyArgument];
    for (const kind of kinds) {
      for (const need of needs) this.#addNeed(call, label, kind, need, key, isObject, position);
    }
  }

  /** A call of the client of one kind. */
  #readReceiver(call: Call, name: string, api: ApiCall): void {
    const { expression } = call;
    const receiver = ts.isPropertyAccessExpression(expression) ? expression.expression : undefined;
    const type = receiver && this.#receivers.objectType(receiver);
    const kinds = type && this.#resolver.kindsOfObject(type);
    const label = calleeText(call, name);
    if (receiver === undefined || kinds === undefined) {
      const problem = 'the kind of its client is known only at run time';
      const verbs = [...new Set(api.needs.flatMap((need) => need.verbs))];
      this.#sink.unresolved({ call: shortText(call), problem, verbs, position: this.#positionOf(call) });
      return;
    }
    const key = api.keyArgument === undefined ? undefined : call.arguments?.[api.keyArgument];
    const namespace = this.#receivers.namespace(receiver);
    const constant = key && this.#known.constant(key);
    const named = typeof constant === 'string' ? constant : this.#known.textMember(key && metadataOf(key), 'name');
    for (const kind of kinds) {
      for (const need of api.needs) {
        const isNamed = need.keyed === true && named !== undefined && !need.verbs.includes('create');
        const place = {
          ...(isNamed ? { name: named } : {}),
          ...(need.keyed === true && namespace !== undefined ? { namespace } : {}),
        };
        this.#use(kind, need.verbs, need.subresource, place, label, need.why, this.#positionOf(call));
      }
    }
  }

  #readEvent(call: Call, regarding: ts.Expression | undefined, { needs }: ApiCall): void {
    const kinds = regarding === undefined ? [] : this.#resolver.resolve(regarding, 'object').kinds;
    const inDefault = kinds.length > 0 && kinds.every(({ scope }) => scope === 'Cluster');
    for (const { verbs, why } of needs) {
      for (const verb of verbs) {
        this.#sink.use({
          group: 'events.k8s.io',
          resource: 'events',
          verb,
          ...(inDefault ? { namespace: 'default' } : {}),
          clusterScoped: false,
          reason: `${calleeText(call, 'event')}(${kinds.map(({ kind }) => kind).join(', ')}): ${why ?? ''}`,
          position: this.#positionOf(call),
        });
      }
    }
  }

  #addNeed(
    call: Call,
    label: string,
    kind: KindName,
    need: Need,
    key: ts.Expression | undefined,
    isObject: boolean,
    position: PermissionUse['position'],
  ): void {
    const subresource = need.subresource === '*' ? this.#subresourceOf(call) : need.subresource;
    if (need.subresource !== undefined && subresource === undefined) {
      const problem = 'the name of the subresource is known only at run time';
      this.#sink.unresolved({ call: `${label}(${kind.kind})`, problem, verbs: need.verbs, position });
      return;
    }
    const place = need.keyed === true ? this.#placeOf(key, isObject, need) : {};
    this.#use(kind, need.verbs, subresource, place, label, need.why, position);
  }

  #use(
    kind: KindName,
    verbs: readonly string[],
    subresource: string | undefined,
    place: Place,
    label: string,
    why: string | undefined,
    position: PermissionUse['position'],
  ): void {
    for (const verb of verbs) {
      this.#sink.use({
        group: kind.group,
        resource: subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`,
        verb,
        ...place,
        ...(kind.scope === undefined ? {} : { clusterScoped: kind.scope === 'Cluster' }),
        reason: `${label}(${kind.kind})${why === undefined ? '' : `: ${why}`}`,
        position,
      });
    }
  }

  /** The object or namespace that the key of a call, or the metadata of its object, names. */
  #placeOf(key: ts.Expression | undefined, isObject: boolean, need: Need): Place {
    if (key === undefined) return {};
    // Configurations of `apply` have metadata as objects have; keys have not.
    const node = metadataOf(this.#known.initial(key)) ?? (isObject ? undefined : key);
    const selected = /^metadata\.name==?([^,]+)$/.exec(this.#known.textMember(key, 'fields') ?? '')?.[1];
    const name = need.verbs.includes('create') ? undefined : (selected ?? this.#known.textMember(node, 'name'));
    const namespace = this.#known.textMember(node, 'namespace');
    return { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) };
  }

  /** `client.subresource('eviction')`, in place or by a constant. */
  #subresourceOf(call: Call): string | undefined {
    const { expression } = call;
    if (!ts.isPropertyAccessExpression(expression)) return undefined;
    const receiver = this.#known.initial(expression.expression);
    const [argument] = ts.isCallExpression(receiver) ? receiver.arguments : [];
    const name = argument && this.#known.constant(argument);
    return typeof name === 'string' ? name : undefined;
  }

  /** Whether the receiver is made, in sight, by `createClient` without a cache. */
  #hasNoCache(call: Call): boolean {
    const { expression } = call;
    if (!ts.isPropertyAccessExpression(expression)) return false;
    const made = this.#known.initial(expression.expression);
    if (!ts.isCallExpression(made)) return false;
    const isClient = this.#index.declarationsOf(made).some((each) => {
      const found = this.#project.runtimeDeclaration(each);
      return found?.module === 'client/client' && found.name === 'createClient';
    });
    const [options] = made.arguments;
    return (
      isClient &&
      options !== undefined &&
      ts.isObjectLiteralExpression(options) &&
      options.properties.every((each) => each.name !== undefined && each.name.getText() !== 'cache')
    );
  }

  #isNotBlocking(options: ts.Expression | undefined): boolean {
    const node = options && unwrap(options);
    if (node === undefined || !ts.isObjectLiteralExpression(node)) return false;
    return node.properties.some(
      (each) =>
        ts.isPropertyAssignment(each) &&
        each.name.getText() === 'blockOwnerDeletion' &&
        each.initializer.kind === ts.SyntaxKind.FalseKeyword,
    );
  }

  /** Where the name of the called function stands: calls in a chain begin at one place. */
  #positionOf(call: Call): PermissionUse['position'] {
    const { expression } = call;
    return this.#project.positionOf(ts.isPropertyAccessExpression(expression) ? expression.name : expression);
  }
}

function metadataOf(node: ts.Expression): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  for (const property of node.properties) {
    if (ts.isPropertyAssignment(property) && property.name.getText() === 'metadata') return property.initializer;
  }
  return undefined;
}

/** `client.live.get`, `addFinalizer`; of a chain of calls the last name. */
function calleeText(call: Call, name: string): string {
  const { expression } = call;
  if (!ts.isPropertyAccessExpression(expression)) return ts.isIdentifier(expression) ? expression.text : name;
  const isChain = (node: ts.Node): boolean =>
    ts.isCallExpression(node) || (ts.isPropertyAccessExpression(node) && isChain(node.expression));
  return isChain(expression.expression) ? expression.name.text : shortText(expression);
}
