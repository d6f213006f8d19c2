import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import type { Call, CallIndex } from './call-index.ts';
import type { CallSink } from './call-uses.ts';
import type { Doubts } from './doubt.ts';
import { shortText } from './kind-resolver.ts';
import type { KnownKinds } from './known-kinds.ts';
import { unwrap } from './unwrap.ts';

/** Leader election needs a Lease, metrics ask who their reader is, and the namespaces of the cache say where the objects are that are watched. */
export function readManagerOptions(
  project: SourceProject,
  index: CallIndex,
  known: KnownKinds,
  sink: CallSink,
  doubts?: Doubts,
): { readonly makesManager: boolean; readonly namespacedCache: boolean } {
  const belongs = (member: ts.ObjectLiteralElementLike): boolean => {
    if (!ts.isObjectLiteralExpression(member.parent)) return false;
    const type = project.checker.getContextualType(member.parent);
    doubts?.about(type);
    const name = member.name?.getText() ?? '';
    const parts = type === undefined ? [] : type.isUnion() ? type.types : [type];
    return parts.some((part) =>
      project.checker.getPropertyOfType(part, name)?.declarations?.some((declaration) => {
        return project.runtimeDeclaration(declaration)?.module === 'manager/options';
      }),
    );
  };
  for (const member of index.membersNamed('leaderElection')) {
    if (!belongs(member)) continue;
    const election = ts.isPropertyAssignment(member) ? unwrap(member.initializer) : undefined;
    if (election?.kind === ts.SyntaxKind.UndefinedKeyword) continue;
    addLease(project, known, sink, member, election, 'leaderElection');
  }
  for (const member of index.membersNamed('sharding')) {
    if (!belongs(member)) continue;
    const sharding = ts.isPropertyAssignment(member) ? unwrap(member.initializer) : undefined;
    if (sharding?.kind !== ts.SyntaxKind.UndefinedKeyword) addShards(project, known, sink, member, sharding);
  }
  for (const member of index.membersNamed('metrics')) {
    if (belongs(member) && isAuthorized(member, known)) addReviews(project, sink, member);
  }
  for (const call of index.calls) {
    if (isCallOf(project, index, call, 'createLeaseLock'))
      addLease(project, known, sink, call, call.arguments?.[0], shortText(call.expression));
  }
  const isMade = index.calls.some((call) => isCallOf(project, index, call, 'createManager'));
  return { makesManager: isMade, namespacedCache: !isMade || index.membersNamed('cache').some(belongs) };
}

function isCallOf(project: SourceProject, index: CallIndex, call: Call, name: string): boolean {
  return index.declarationsOf(call).some((declaration) => project.runtimeDeclaration(declaration)?.name === name);
}

function addLease(
  project: SourceProject,
  known: KnownKinds,
  sink: CallSink,
  node: ts.Node,
  options: ts.Expression | undefined,
  label: string,
): void {
  const name = known.textMember(options, 'id') ?? known.textMember(options, 'name');
  const namespace = known.textMember(options, 'namespace');
  for (const verb of ['get', 'create', 'update']) {
    sink.use({
      group: 'coordination.k8s.io',
      resource: 'leases',
      verb,
      ...(name === undefined || verb === 'create' ? {} : { name }),
      ...(namespace === undefined ? { ownNamespace: true } : { namespace }),
      clusterScoped: false,
      reason: `${label}: the Lease`,
      position: project.positionOf(node),
    });
  }
}

/** The Leases of all slots: which there are is found out by a list, and those of other counts are deleted. */
function addShards(
  project: SourceProject,
  known: KnownKinds,
  sink: CallSink,
  node: ts.Node,
  options: ts.Expression | undefined,
): void {
  const namespace = known.textMember(options, 'namespace');
  for (const verb of ['list', 'create', 'update', 'delete']) {
    sink.use({
      group: 'coordination.k8s.io',
      resource: 'leases',
      verb,
      ...(namespace === undefined ? { ownNamespace: true } : { namespace }),
      clusterScoped: false,
      reason: 'sharding: the Leases',
      position: project.positionOf(node),
    });
  }
}

/** Whether readers of metrics must show a token: by default where they are served over TLS, which is the default, too. */
function isAuthorized(member: ts.ObjectLiteralElementLike, known: KnownKinds): boolean {
  const options = ts.isPropertyAssignment(member) ? known.initial(member.initializer) : undefined;
  if (options?.kind === ts.SyntaxKind.UndefinedKeyword) return false;
  if (options === undefined || !ts.isObjectLiteralExpression(options)) return true;
  const value = (name: string): unknown => {
    const found = options.properties.find((each) => each.name?.getText() === name);
    if (found === undefined) return undefined;
    return (ts.isPropertyAssignment(found) ? known.constant(found.initializer) : undefined) ?? 'unknown';
  };
  const authorization = value('authorization') ?? value('secure');
  return authorization !== false;
}

function addReviews(project: SourceProject, sink: CallSink, node: ts.Node): void {
  for (const [group, resource] of [
    ['authentication.k8s.io', 'tokenreviews'],
    ['authorization.k8s.io', 'subjectaccessreviews'],
  ] as const) {
    const position = project.positionOf(node);
    sink.use({ group, resource, verb: 'create', clusterScoped: true, reason: 'metrics: who reads them', position });
  }
}
