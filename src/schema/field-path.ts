import { child, key, type Path } from './field-error.ts';
import type { SchemaNode } from './schema-node.ts';

/** A path that does not lead to a field of the schema. */
export class FieldPathError extends Error {
  override readonly name = 'FieldPathError';
}

/** Where a path leads. */
export interface ResolvedPath {
  /** The path as messages write it (`spec.m[key]`). */
  readonly path: Path;
  /** The first name; '' for the empty path. */
  readonly root: string;
  /** The schema there, if any: keys of a map with `additionalProperties: true` have none. */
  readonly schema: SchemaNode | undefined;
}

/**
 * Follows a path of member and map names, `.spec.m['a key']`, through a schema (`cel.ValidFieldPath`). Throws a
 * {@link FieldPathError}.
 */
export function resolveFieldPath(
  path: string,
  schema: SchemaNode,
  options: { readonly allowBrackets: boolean },
): ResolvedPath {
  const tokens = tokenize(path);
  let position = 0;
  let current: SchemaNode | undefined = schema;
  let resolved: Path;
  let root = '';
  const next = (): string => {
    const token = tokens[position++];
    if (token === undefined) throw new FieldPathError('unexpected end of JSON path');
    return token;
  };
  const descend = (name: string) => {
    if (root === '') root = name;
    if (current === undefined) throw new FieldPathError('does not refer to a valid field');
    if (current.properties.size > 0) {
      resolved = child(resolved, name);
      current = current.properties.get(name);
      if (current === undefined) throw new FieldPathError('does not refer to a valid field');
    } else if (current.additionalProperties !== undefined) {
      resolved = key(resolved, name);
      current = current.additionalProperties.schema;
    } else {
      throw new FieldPathError('does not refer to a valid field');
    }
  };
  while (position < tokens.length) {
    const token = next();
    if (token === '.') {
      descend(next());
    } else if (token === '[') {
      if (!options.allowBrackets) throw new FieldPathError('array notation is not allowed');
      const quoted = next();
      if (!/^'[\s\S]*'$/.test(quoted) || quoted.length < 2) {
        throw new FieldPathError(`expected single quoted string but got ${quoted}`);
      }
      descend(unescape(quoted.slice(1, -1)));
      const end = next();
      if (end !== ']') throw new FieldPathError(`expected ] but got ${end}`);
    } else {
      throw new FieldPathError(`expected [ or . but got: ${token}`);
    }
  }
  return { path: resolved, root, schema: current };
}

/** Delimiters stand for themselves; what is between them is one token, and so is a quoted text with delimiters in it. */
function tokenize(path: string): string[] {
  return path.match(/[.[\]]|'(?:(?<=\\)'|[^'])*(?<!\\)'|'[\s\S]*|[^.[\]'][^.[\]]*/g) ?? [];
}

const escapes = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

function unescape(text: string): string {
  return text.replace(/\\./g, (escape) => {
    const character = escapes.get(escape.charAt(1));
    if (character === undefined) throw new FieldPathError(`invalid string literal: invalid escape char ${escape}`);
    return character;
  });
}
