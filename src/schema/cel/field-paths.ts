import { child, key, type Path } from '../field-error.ts';
import { type StructuralSchema, valuesSchema } from './structural.ts';

/** Splits a `fieldPath` at dots and brackets; a text in single quotes is one token. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let offset = 0;
  while (offset < text.length) {
    const quoted = text[offset] === "'" ? /^'(?:.*?[^\\])??'/s.exec(text.slice(offset))?.[0] : undefined;
    const token =
      quoted ??
      (text[offset] === "'" ? text.slice(offset) : (/^(?:[.[\]]|[^.[\]]+)/.exec(text.slice(offset))?.[0] ?? ''));
    tokens.push(token);
    offset += token.length;
  }
  return tokens;
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unquote(token: string): string | undefined {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return undefined;
  let valid = true;
  const text = token.slice(1, -1).replaceAll(/\\(.)/g, (_found, letter: string) => {
    const escaped = escapes[letter];
    valid &&= escaped !== undefined;
    return escaped ?? '';
  });
  return valid ? text : undefined;
}

/**
 * The path that a rule's `fieldPath` (`.spec.names['a.b']`) means below the node with this schema, or undefined when there is no
 * such field.
 */
export function resolveFieldPath(text: string, schema: StructuralSchema): string | undefined {
  let path: Path;
  let current: StructuralSchema | undefined = schema;
  const tokens = tokensOf(text);
  while (tokens.length > 0) {
    const separator = tokens.shift();
    let name = tokens.shift();
    if (separator === '[') {
      name = name === undefined ? undefined : unquote(name);
      if (tokens.shift() !== ']') return undefined;
    } else if (separator !== '.') {
      return undefined;
    }
    if (name === undefined || current === undefined) return undefined;
    if (current.properties !== undefined) {
      path = child(path, name);
      current = current.properties.get(name);
      if (current === undefined) return undefined;
    } else if (current.additionalProperties !== undefined) {
      path = key(path, name);
      current = valuesSchema(current);
    } else {
      return undefined;
    }
  }
  return path;
}
