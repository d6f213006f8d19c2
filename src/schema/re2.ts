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
    return compileOtherwise(source, error);
  }
}

/** What Go reads in a wider sense than the library; else the error in Go's words. */
function compileOtherwise(source: string, error: RE2JSException): RE2JS {
  if (error instanceof RE2JSSyntaxException) {
    if (error.getDescription() === 'duplicate capture group name') return compileRenamed(source);
    const named = nameClasses(source);
    if (named !== source && /^\\[pP]/.test(error.getPattern() ?? '')) {
      try {
        return RE2JS.compile(named);
      } catch (other) {
        if (!(other instanceof RE2JSException)) throw other;
      }
    }
    // Go prints the offending text even where it is empty.
    if (error.getPattern() === null) throw new PatternError(`${error.message}: \`\``, { cause: error });
  }
  throw new PatternError(error.message, { cause: error });
}

/** Go lets two groups have one name; the library does not. Names mean nothing here, so each group gets its own. */
function compileRenamed(source: string): RE2JS {
  const originals: string[] = [];
  const skippedOrGroup = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<\w+>/g;
  const renamed = source.replace(skippedOrGroup, (part) =>
    part.startsWith('(?') ? `(?P<group${originals.push(part) - 1}>` : part,
  );
  try {
    return compile(renamed);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const message = error.message.replace(
      /\(\?P<group(\d+)>/g,
      (part, position: string) => originals[Number(position)] ?? part,
    );
    throw new PatternError(message, { cause: error });
  }
}

/** Long names of Unicode categories; Go takes no notice of case, blanks, dashes and underscores in them. */
const categories = new Map(
  Object.entries({
    letter: 'L',
    casedletter: 'LC',
    uppercaseletter: 'Lu',
    lowercaseletter: 'Ll',
    titlecaseletter: 'Lt',
    modifierletter: 'Lm',
    otherletter: 'Lo',
    mark: 'M',
    combiningmark: 'M',
    nonspacingmark: 'Mn',
    spacingmark: 'Mc',
    enclosingmark: 'Me',
    number: 'N',
    decimalnumber: 'Nd',
    digit: 'Nd',
    letternumber: 'Nl',
    othernumber: 'No',
    punctuation: 'P',
    punct: 'P',
    connectorpunctuation: 'Pc',
    dashpunctuation: 'Pd',
    openpunctuation: 'Ps',
    closepunctuation: 'Pe',
    initialpunctuation: 'Pi',
    finalpunctuation: 'Pf',
    otherpunctuation: 'Po',
    symbol: 'S',
    mathsymbol: 'Sm',
    currencysymbol: 'Sc',
    modifiersymbol: 'Sk',
    othersymbol: 'So',
    separator: 'Z',
    spaceseparator: 'Zs',
    lineseparator: 'Zl',
    paragraphseparator: 'Zp',
    other: 'C',
    control: 'Cc',
    cntrl: 'Cc',
    format: 'Cf',
    surrogate: 'Cs',
    privateuse: 'Co',
  }),
);

/** Writes the names of Unicode classes as the library wants them. */
function nameClasses(source: string): string {
  return source.replace(
    /\\([pP])(?:\{(\^?)([^}]*)\}|([a-z]))|\\[\s\S]/g,
    (part, kind?: string, not?: string, long?: string, short?: string) => {
      if (kind === undefined) return part;
      const folded = (long ?? short ?? '').replace(/[\s_-]/g, '').toLowerCase();
      if (folded === '') return part;
      const words = (long ?? '').split(/[\s_-]+/).filter((word) => word !== '');
      const title = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
      const name = categories.get(folded) ?? (folded.length <= 2 ? title(folded) : words.map(title).join('_'));
      return `\\${kind}{${not ?? ''}${name}}`;
    },
  );
}
