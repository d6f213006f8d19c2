import { ts } from 'ts-morph';
import type { WrittenType, WrittenTypes } from './type-nodes.ts';

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
    const type = writtenTypes.closedType(part);
    if (type === undefined || !types.includes(type) || found.some((branch) => branch.type === type)) continue;
    found.push({ type, written: part });
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

function byDeclaration(a: ts.Type, b: ts.Type): number {
  const [one, other] = [a, b].map((type) => (type as { symbol?: ts.Symbol }).symbol?.declarations?.[0]);
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
