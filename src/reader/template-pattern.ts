import { ts } from 'ts-morph';
import { compareText } from '../model/index.ts';

/**
 * The regular expression (RE2) of texts that a template-literal type, or a union of such and of literals, describes; undefined where
 * a part has none, such as `Uppercase<string>`.
 *
 * `${number}` stands for a decimal number as JSON and JavaScript write it, with or without an exponent; TypeScript also takes
 * hexadecimal numbers and blanks around them, which nobody means.
 */
export function patternOfTexts(types: readonly ts.Type[]): string | undefined {
  const alternatives = types.map(textPattern);
  if (!alternatives.every((pattern) => pattern !== undefined)) return undefined;
  const sorted = [...new Set(alternatives)].sort(compareText);
  return sorted.length === 1 ? `^${sorted[0] ?? ''}$` : `^(${sorted.join('|')})$`;
}

function textPattern(type: ts.Type): string | undefined {
  if (type.isStringLiteral()) return escaped(type.value);
  if ((type.flags & ts.TypeFlags.TemplateLiteral) === 0) return undefined;
  const { texts, types } = type as ts.TemplateLiteralType;
  let pattern = escaped(texts[0] ?? '');
  for (const [index, part] of types.entries()) {
    const inner = partPattern(part);
    if (inner === undefined) return undefined;
    pattern += inner + escaped(texts[index + 1] ?? '');
  }
  return pattern;
}

function partPattern(type: ts.Type): string | undefined {
  if ((type.flags & ts.TypeFlags.String) !== 0) return String.raw`[\s\S]*`;
  if ((type.flags & ts.TypeFlags.Number) !== 0) return String.raw`-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?`;
  if ((type.flags & ts.TypeFlags.BigInt) !== 0) return String.raw`-?\d+`;
  if (type.isUnion()) {
    const inner = type.types.map((part) => textPattern(part) ?? partPattern(part));
    if (!inner.every((pattern) => pattern !== undefined)) return undefined;
    return `(${inner.sort(compareText).join('|')})`;
  }
  return textPattern(type);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
