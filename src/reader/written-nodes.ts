import { ts } from 'ts-morph';
import type { WrittenType } from './written-type.ts';

/** The key that a mapped type has renamed to a member's name, as the checker remembers it. */
export function keyBefore(type: ts.Type | undefined, name: string): string | undefined {
  const { links } = (type?.getProperty(name) ?? {}) as { readonly links?: { readonly keyType?: ts.Type } };
  return links?.keyType?.isStringLiteral() === true ? links.keyType.value : undefined;
}

export const anyOrNever = ts.TypeFlags.Any | ts.TypeFlags.Never;

export function only(parts: readonly ts.TypeNode[], bindings: WrittenType['bindings']): WrittenType | undefined {
  const [part] = parts;
  return parts.length === 1 && part !== undefined ? { node: part, bindings } : undefined;
}

export function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

export function oneOf(found: readonly WrittenType[]): WrittenType | undefined {
  return found.length === 1 ? found[0] : undefined;
}

export function isNullish(node: ts.TypeNode): boolean {
  if (node.kind === ts.SyntaxKind.UndefinedKeyword) return true;
  return ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword;
}

export function isEmptyLiteral(node: ts.TypeNode): boolean {
  return ts.isTypeLiteralNode(node) && node.members.length === 0;
}

export function hasInfer(node: ts.Node): boolean {
  return ts.isInferTypeNode(node) || (ts.forEachChild(node, (child) => hasInfer(child) || undefined) ?? false);
}

export function argumentsOf(node: ts.TypeNode): readonly ts.TypeNode[] {
  return ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node) || ts.isImportTypeNode(node)
    ? (node.typeArguments ?? [])
    : [];
}
