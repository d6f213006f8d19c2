import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/** A pattern that Go's `regexp` refuses. The message is Go's own, such as ``error parsing regexp: missing closing ): `(` ``. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** A compiled RE2 pattern; matching takes time linear in the length of the text. */
export class Pattern {
  readonly source: string;
  readonly #compiled: RE2JS;

  constructor(source: string, compiled: RE2JS) {
    this.source = source;
    this.#compiled = compiled;
  }

  /** Whether some part of the text matches (Go's `MatchString`: anchors only where the pattern has them). */
  matches(text: string): boolean {
    return this.#compiled.test(text);
  }

  /** The leftmost match, or undefined. */
  find(text: string): string | undefined {
    const matcher = this.#compiled.matcher(text);
    return matcher.find() ? (matcher.group() ?? undefined) : undefined;
  }

  /** All matches from left to right that do not overlap; at most `limit`, all of them when it is negative. */
  findAll(text: string, limit = -1): string[] {
    const found: string[] = [];
    const matcher = this.#compiled.matcher(text);
    while (found.length !== limit && matcher.find()) found.push(matcher.group() ?? '');
    return found;
  }
}

/** Patterns are few and used for every object; the bound keeps a server that sees many definitions from growing. */
const cacheLimit = 1000;
const cache = new Map<string, Pattern>();

/** Compiles a pattern as Go's `regexp.Compile` does. Throws a {@link PatternError}. */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const pattern = new Pattern(source, compile(source));
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(source, pattern);
  return pattern;
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    if (error instanceof RE2JSSyntaxException) {
      if (error.getDescription() === 'duplicate capture group name') return compile(renameGroups(source));
      // Go prints the offending text even where it is empty.
      if (error.getPattern() === null) throw new PatternError(`${error.message}: \`\``, { cause: error });
    }
    throw new PatternError(error.message, { cause: error });
  }
}

/** Go lets two groups have one name; the library does not. Names mean nothing here, so each group gets its own. */
function renameGroups(source: string): string {
  let count = 0;
  const skippedOrGroup = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<\w+>/g;
  return source.replace(skippedOrGroup, (part) => (part.startsWith('(?') ? `(?P<group${count++}>` : part));
}
