import { ts } from 'ts-morph';
import type { WrittenTypes } from './type-nodes.ts';
import type { WrittenType } from './written-type.ts';
import { symbolOf } from './type-parts.ts';

interface WrittenBranch {
  readonly type: ts.Type;
  /** How it is written, where that is known. */
  readonly written: WrittenType | undefined;
}

/**
 * The types of a union in the order in which they are written. The checker's own order depends on what it met first in other files;
 * types that are written nowhere (those of a computed union) come last, by where they are declared.
 */
export function branchesInOrder(
  types: readonly ts.Type[],
  written: WrittenType | undefined,
  writtenTypes: WrittenTypes,
): WrittenBranch[] {
  const parts = written === undefined ? [] : partsOf(written, writtenTypes, 0);
  const found: WrittenBranch[] = [];
  for (const part of parts) {
    const closed = writtenTypes.closedType(part);
    // With a type parameter in it the checker's type of it is another one: that which comes from the same declaration.
    const possible = closed === undefined ? types.filter((type) => comesFrom(type, part, writtenTypes)) : [closed];
    const [type] = possible;
    if (type === undefined || possible.length > 1 || !types.includes(type)) continue;
    if (!found.some((branch) => branch.type === type)) found.push({ type, written: part });
  }
  const rest = types.filter((type) => !found.some((branch) => branch.type === type));
  return [...found, ...rest.sort(byDeclaration).map((type) => ({ type, written: undefined }))];
}

/** The members of a union, those of unions that it names included; each as it is written first. */
function partsOf(written: WrittenType, types: WrittenTypes, depth: number): WrittenType[] {
  if (depth > 50) return [];
  const { node, bindings } = types.shape(written, types.anyType);
  if (!ts.isUnionTypeNode(node)) return [written];
  return node.types.flatMap((part) => partsOf({ node: part, bindings }, types, depth + 1));
}

/** Whether a type may be what became of a written one: both are of one declaration, and what is known of its members agrees. */
function comesFrom(type: ts.Type, written: WrittenType, types: WrittenTypes): boolean {
  if (!isOfDeclaration(type, written, types)) return false;
  return type.getProperties().every((property) => {
    const name = ts.unescapeLeadingUnderscores(property.escapedName);
    const [member, ...others] = types.member(written, name);
    const closed = member === undefined || others.length > 0 ? undefined : types.closedType(member);
    return closed === undefined || types.isTypeOf(property, closed);
  });
}

function isOfDeclaration(type: ts.Type, written: WrittenType, types: WrittenTypes): boolean {
  const { node, bindings } = types.shape(written, types.anyType);
  if (ts.isIntersectionTypeNode(node)) {
    if (!type.isIntersection()) return false;
    return node.types.every((part) =>
      type.types.some((each) => isOfDeclaration(each, { node: part, bindings }, types)),
    );
  }
  const symbol = symbolOf(type);
  if (symbol === undefined) return false;
  return (
    symbol === types.symbolOf(node) ||
    symbol.declarations?.some((declaration: ts.Node) => declaration === node) === true
  );
}

function byDeclaration(a: ts.Type, b: ts.Type): number {
  const [one, other] = [a, b].map((type) => symbolOf(type)?.declarations?.[0]);
  if (one === undefined || other === undefined) return 0;
  const files = [one, other].map((node) => node.getSourceFile().fileName);
  if (files[0] !== files[1]) return (files[0] ?? '') < (files[1] ?? '') ? -1 : 1;
  return one.pos - other.pos;
}

/** The members that no object of this type has: `name?: never`, `name?: undefined`. */
export function absentMembers(type: ts.Type, checker: ts.TypeChecker): ReadonlySet<string> {
  const nothing = ts.TypeFlags.Undefined | ts.TypeFlags.Never;
  const absent = checker.getPropertiesOfType(type).filter((symbol) => {
    if ((symbol.flags & ts.SymbolFlags.Optional) === 0) return false;
    const member = checker.getTypeOfSymbol(symbol);
    return (member.isUnion() ? member.types : [member]).every(({ flags }) => (flags & nothing) !== 0);
  });
  return new Set(absent.map(({ escapedName }) => ts.unescapeLeadingUnderscores(escapedName)));
}
