import { ts } from 'ts-morph';
import type { Marker, MarkerTarget } from '../markers/index.ts';

/** As what a declaration takes markers; nothing where it takes none. */
export function placesOf(declaration: ts.Node): readonly MarkerTarget[] {
  if (ts.isClassDeclaration(declaration)) return ['kind', 'type', 'reconciler', 'webhook'];
  if (ts.isInterfaceDeclaration(declaration)) return ['kind', 'type'];
  if (ts.isTypeAliasDeclaration(declaration) || ts.isEnumDeclaration(declaration)) return ['type'];
  if (ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) return ['property'];
  return [];
}

const placeNames = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.ClassDeclaration, 'a class'],
  [ts.SyntaxKind.ClassExpression, 'a class expression'],
  [ts.SyntaxKind.InterfaceDeclaration, 'an interface'],
  [ts.SyntaxKind.TypeAliasDeclaration, 'a type alias'],
  [ts.SyntaxKind.EnumDeclaration, 'an enum'],
  [ts.SyntaxKind.EnumMember, 'a member of an enum'],
  [ts.SyntaxKind.PropertySignature, 'a member'],
  [ts.SyntaxKind.PropertyDeclaration, 'a member'],
  [ts.SyntaxKind.PropertyAssignment, 'a member of an object'],
  [ts.SyntaxKind.ShorthandPropertyAssignment, 'a member of an object'],
  [ts.SyntaxKind.MethodDeclaration, 'a method'],
  [ts.SyntaxKind.MethodSignature, 'a method'],
  [ts.SyntaxKind.GetAccessor, 'an accessor'],
  [ts.SyntaxKind.SetAccessor, 'an accessor'],
  [ts.SyntaxKind.Constructor, 'a constructor'],
  [ts.SyntaxKind.IndexSignature, 'an index signature'],
  [ts.SyntaxKind.Parameter, 'a parameter'],
  [ts.SyntaxKind.TypeParameter, 'a type parameter'],
  [ts.SyntaxKind.FunctionDeclaration, 'a function'],
  [ts.SyntaxKind.FunctionExpression, 'a function'],
  [ts.SyntaxKind.ArrowFunction, 'a function'],
  [ts.SyntaxKind.VariableStatement, 'a variable'],
  [ts.SyntaxKind.VariableDeclaration, 'a variable'],
  [ts.SyntaxKind.ModuleDeclaration, 'a namespace'],
]);

/** What a place is called in messages. */
export function placeName(node: ts.Node): string {
  return placeNames.get(node.kind) ?? (ts.isTypeNode(node) ? 'a part of a type' : 'a comment without a declaration');
}

/** The remedy for a marker that stands somewhere else. */
export function whereItStands(marker: Marker): string {
  return `it stands on ${marker.targets.map(targetName).join(' and ')}`;
}

function targetName(target: MarkerTarget): string {
  const names: Readonly<Record<MarkerTarget, string>> = {
    kind: 'kinds',
    type: 'types',
    property: 'members',
    reconciler: 'reconciler classes',
    webhook: 'webhook classes',
  };
  return names[target];
}
