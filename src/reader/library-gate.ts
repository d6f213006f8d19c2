import { ts } from 'ts-morph';

/**
 * Whether the types of these files could mean something else with the whole library than with the minimal one, without an error to
 * show it: where members of texts, numbers or lists come into play, or a type is chosen by what is assignable.
 *
 * Everything that is not known to be safe counts.
 */
export function needsLibrary(files: Iterable<ts.SourceFile>, checker: ts.TypeChecker): boolean {
  for (const file of files) if (visit(file, checker)) return true;
  return false;
}

function visit(node: ts.Node, checker: ts.TypeChecker): boolean {
  return (
    dependsOnLibrary(node, checker) || (ts.forEachChild(node, (child) => visit(child, checker) || undefined) ?? false)
  );
}

function dependsOnLibrary(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (ts.isConditionalTypeNode(node) || ts.isInferTypeNode(node)) return true;
  if (ts.isMappedTypeNode(node)) return node.nameType !== undefined;
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) {
    return !isMappedOver(node) && !hasOwnMembers(node.type, checker);
  }
  if (ts.isIndexedAccessTypeNode(node)) return !isSafeAccess(node, checker);
  // Named members of a list or a text beside those of an object: `string & { brand: 1 }`.
  if (ts.isIntersectionTypeNode(node)) {
    return !node.types.every((part) => isEmptyLiteral(part) || hasOwnMembers(part, checker) || isTextKeyword(part));
  }
  if (ts.isExpressionWithTypeArguments(node)) return !hasOwnMembers(node, checker);
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) {
    const picks = node.typeName.text === 'Pick' || node.typeName.text === 'Omit';
    const [from] = node.typeArguments ?? [];
    return picks && from !== undefined && !hasOwnMembers(from, checker);
  }
  return false;
}

function isTextKeyword(node: ts.TypeNode): boolean {
  return node.kind === ts.SyntaxKind.StringKeyword || node.kind === ts.SyntaxKind.NumberKeyword;
}

function isEmptyLiteral(node: ts.TypeNode): boolean {
  return ts.isTypeLiteralNode(node) && node.members.length === 0;
}

/** `[P in keyof T]`: the compiler maps lists and primitives by itself. */
function isMappedOver(node: ts.TypeNode): boolean {
  return ts.isTypeParameterDeclaration(node.parent) && ts.isMappedTypeNode(node.parent.parent);
}

/** `T[P]` inside of `[P in keyof T]`, members of objects, items of lists. */
function isSafeAccess(node: ts.IndexedAccessTypeNode, checker: ts.TypeChecker): boolean {
  if (node.indexType.kind === ts.SyntaxKind.NumberKeyword) return true;
  if (hasOwnMembers(node.objectType, checker)) return true;
  const index = checker.getTypeFromTypeNode(node.indexType) as ts.Type & { readonly symbol?: ts.Symbol };
  const parameter = index.symbol?.declarations?.[0];
  return parameter !== undefined && ts.isMappedTypeNode(parameter.parent);
}

/** Whether all members of a type are written in its declaration: no primitive, no list, no type parameter. */
function hasOwnMembers(node: ts.TypeNode, checker: ts.TypeChecker): boolean {
  return isObject(checker.getTypeFromTypeNode(node), checker);
}

function isObject(type: ts.Type, checker: ts.TypeChecker): boolean {
  if (type.isUnionOrIntersection()) return type.types.every((part) => isObject(part, checker));
  return (type.flags & ts.TypeFlags.Object) !== 0 && !checker.isArrayLikeType(type);
}
