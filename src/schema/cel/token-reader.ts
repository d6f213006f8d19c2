import type { Expression } from './ast.ts';
import { ExpressionFactory } from './factory.ts';
import { type Token, tokenize, type TokenKind } from './lexer.ts';
import type { CompileIssue, Source } from './source.ts';

const closers = new Set<TokenKind>([')', ']', '}', ',', ':', 'end']);

/** The place of what has none: the server prints it as line 1, column 0. */
export const nowhere = -1;

/** Ends the parse: nothing after this point can be told apart. */
export class Abort extends Error {}

/** Reads tokens one by one, and goes on after what it cannot read. */
export class TokenReader {
  protected readonly source: Source;
  protected readonly factory = new ExpressionFactory();
  protected readonly issues: CompileIssue[] = [];
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(source: Source) {
    this.source = source;
    const { tokens, errors } = tokenize(source.text);
    this.#tokens = tokens;
    for (const error of errors) this.report(error.offset, error.message);
  }

  /** Passes over this many tokens. */
  protected skip(count: number): void {
    this.#index += count;
  }

  protected report(offset: number, message: string): void {
    this.issues.push({ message, position: this.source.positionAt(offset) });
  }

  protected syntaxError(message: string): void {
    this.report(this.peek().offset, `Syntax error: ${message}`);
  }

  protected peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw new Abort();
    return token;
  }

  protected next(): Token {
    const token = this.peek();
    if (token.kind !== 'end') this.#index += 1;
    return token;
  }

  protected accept(kind: TokenKind): Token | undefined {
    return this.peek().kind === kind ? this.next() : undefined;
  }

  /** The token that must come here; when it is missing the parse goes on as if it stood there, so that macros around it are seen. */
  protected expect(kind: TokenKind): Token {
    const token = this.accept(kind);
    if (token !== undefined) return token;
    const found = this.peek();
    this.syntaxError(`mismatched input '${found.text}' expecting '${kind}'`);
    this.skipToCloser();
    return this.accept(kind) ?? { kind, text: '', offset: found.offset };
  }

  /** Passes over what cannot be read, up to a comma or what closes brackets: the server does not look at nesting here either. */
  protected skipToCloser(): void {
    while (!closers.has(this.peek().kind)) this.next();
  }

  /** Reports that a name is missing, perhaps behind a dot, and passes over what stands in its place. */
  protected nameMissing(offset: number, behindDot = false): Expression {
    const { kind, text } = this.peek();
    this.syntaxError(
      behindDot && kind === 'end'
        ? "no viable alternative at input '.'"
        : `mismatched input '${text}' expecting IDENTIFIER`,
    );
    this.skipToCloser();
    return this.factory.unspecified(offset);
  }
}
