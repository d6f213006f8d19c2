import { ts } from 'ts-morph';
import type { WrittenType } from './written-type.ts';

/**
 * Whether a written type depends on something that it does not say: `this`, or a type parameter that is neither bound nor its own
 * (`infer`, that of a function or of a mapped type). What stands around it can only matter then.
 */
export function needsOutside(written: WrittenType, symbolOf: (node: ts.TypeNode) => ts.Symbol | undefined): boolean {
  const seen = new Set<ts.Node>();
  const visit = ({ node, bindings }: WrittenType): boolean => {
    if (seen.has(node)) return false;
    seen.add(node);
    return any(node, (part) => {
      if (part.kind === ts.SyntaxKind.ThisType) return true;
      const symbol = ts.isTypeReferenceNode(part) ? symbolOf(part) : undefined;
      if (symbol === undefined || (symbol.flags & ts.SymbolFlags.TypeParameter) === 0) return false;
      const binding = bindings.get(symbol);
      if (binding !== undefined) return 'node' in binding && visit(binding);
      return !(symbol.declarations ?? []).some((declaration) => isDeclaredIn(declaration, node));
    });
  };
  return visit(written);
}

/** Whether a type parameter is declared inside of a type. */
export function isDeclaredIn(declaration: ts.Node, node: ts.Node): boolean {
  return (
    declaration.getSourceFile() === node.getSourceFile() && declaration.pos >= node.pos && declaration.end <= node.end
  );
}

function any(node: ts.Node, test: (node: ts.Node) => boolean): boolean {
  return test(node) || (ts.forEachChild(node, (child) => any(child, test) || undefined) ?? false);
}
