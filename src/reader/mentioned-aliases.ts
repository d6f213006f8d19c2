import { ts } from 'ts-morph';
import type { Bindings, WrittenType } from './written-type.ts';

/**
 * Every alias that a written type mentions, however deep, with those of the members of the types it names: what could have been lost
 * where a written type cannot be followed.
 */
export function mentionedAliases(
  written: WrittenType,
  symbolOf: (node: ts.TypeNode) => ts.Symbol | undefined,
): ts.TypeAliasDeclaration[] {
  const found = new Set<ts.TypeAliasDeclaration>();
  const seen = new Set<ts.Node>();
  const visit = (node: ts.Node, bindings: Bindings | undefined): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (ts.isTypeNode(node)) {
      const symbol = symbolOf(node);
      const binding = symbol && bindings?.get(symbol);
      if (binding !== undefined && 'node' in binding) visit(binding.node, binding.bindings);
      for (const declaration of symbol?.declarations ?? []) {
        if (ts.isTypeAliasDeclaration(declaration)) found.add(declaration);
        if (!ts.isTypeParameterDeclaration(declaration)) visit(declaration, undefined);
      }
    }
    ts.forEachChild(node, (child) => visit(child, bindings));
  };
  visit(written.node, written.bindings);
  return [...found];
}
