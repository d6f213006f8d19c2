import { ts } from 'ts-morph';
import { compareText } from '../model/index.ts';
import type { WrittenTypes } from './type-nodes.ts';
import type { WrittenType } from './written-type.ts';

/**
 * The literals of a union in the order in which they are written. The checker orders them by when it met them first, which depends
 * on the other files; what is written nowhere (a computed union) is ordered by value.
 */
export function inWrittenOrder(
  literals: readonly (string | number)[],
  written: WrittenType | undefined,
  types: WrittenTypes,
  checker: ts.TypeChecker,
): (string | number)[] {
  const order = written === undefined ? [] : literalsOf(written, types, checker, 0);
  const rank = new Map<string | number, number>();
  for (const literal of order) if (!rank.has(literal)) rank.set(literal, rank.size);
  return [...literals].sort((a, b) => {
    const byRank = (rank.get(a) ?? rank.size) - (rank.get(b) ?? rank.size);
    if (byRank !== 0) return byRank;
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return compareText(String(a), String(b));
  });
}

function literalsOf(
  written: WrittenType,
  types: WrittenTypes,
  checker: ts.TypeChecker,
  depth: number,
): (string | number)[] {
  if (depth > 50) return [];
  const { node, bindings } = written;
  const deeper = (inner: ts.TypeNode): (string | number)[] =>
    literalsOf({ node: inner, bindings }, types, checker, depth + 1);
  if (ts.isUnionTypeNode(node)) return node.types.flatMap(deeper);
  if (ts.isTypeReferenceNode(node) && types.alias(written) === undefined) {
    const declaration = types.symbolOf(node)?.declarations?.find(ts.isEnumDeclaration);
    if (declaration !== undefined) {
      return declaration.members.flatMap((member) => checker.getConstantValue(member) ?? []);
    }
  }
  const next = types.step(written, checker.getAnyType()) ?? types.alias(written)?.of;
  if (next !== undefined) return literalsOf(next, types, checker, depth + 1);
  if (ts.isIndexedAccessTypeNode(node)) return indexedLiterals(node, checker);
  // `Exclude<State, 'x'>` and the like: the order of what goes in.
  if (ts.isConditionalTypeNode(node)) return deeper(node.checkType);
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) {
    const type = types.closedType({ node: node.type, bindings });
    return (type?.getProperties() ?? []).map(({ escapedName }) => ts.unescapeLeadingUnderscores(escapedName));
  }
  const type = types.closedType(written);
  if (type !== undefined && (type.isStringLiteral() || type.isNumberLiteral())) return [type.value];
  return [];
}

/** `(typeof X)[keyof typeof X]` and `(typeof X)[number]`: the order of the members of X. */
function indexedLiterals(node: ts.IndexedAccessTypeNode, checker: ts.TypeChecker): (string | number)[] {
  const object = checker.getTypeFromTypeNode(node.objectType);
  const elements = checker.isTupleType(object) ? checker.getTypeArguments(object as ts.TypeReference) : undefined;
  const types = elements ?? object.getProperties().map((symbol) => checker.getTypeOfSymbol(symbol));
  return types.flatMap((type) => (type.isStringLiteral() || type.isNumberLiteral() ? [type.value] : []));
}
