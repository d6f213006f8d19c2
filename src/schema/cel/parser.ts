import type { Expression, Literal, MapEntry, StructField } from './ast.ts';
import { additions, expressionStart, multiplications, relations, reserved, starters } from './grammar.ts';
import type { Token, TokenKind } from './lexer.ts';
import { LiteralError, parseIntLiteral, parseUintLiteral, unquoteBytes, unquoteString } from './literals.ts';
import { MacroError, type MacroTable } from './macros.ts';
import type { CompileIssue, Source } from './source.ts';
import { codePointCount } from './source.ts';
import { Abort, nowhere, TokenReader } from './token-reader.ts';

/** A parsed expression, the offsets of its nodes, and what is wrong with it. */
export interface ParseResult {
  readonly expression: Expression;
  readonly offsets: ReadonlyMap<number, number>;
  readonly issues: readonly CompileIssue[];
}

const maximumCodePoints = 100_000;
const maximumDepth = 250;

type DepthRule = 'expression' | 'relation' | 'calculation' | 'member';

/**
 * Reads a CEL expression and expands its macros, numbering nodes in the order in which cel-go does.
 * A text that cannot be read gives issues, never an exception.
 */
export function parseExpression(source: Source, macros: MacroTable): ParseResult {
  return new Parser(source, macros).parse();
}

class Parser extends TokenReader {
  readonly #macros: MacroTable;
  readonly #depths: Record<DepthRule, number> = { expression: 0, relation: 0, calculation: 0, member: 0 };
  /** How deep the visitor of cel-go would recurse for the node read last. */
  #height = 0;

  constructor(source: Source, macros: MacroTable) {
    super(source);
    this.#macros = macros;
  }

  parse(): ParseResult {
    const size = codePointCount(this.source.text);
    let expression: Expression = { kind: 'unspecified', id: 0 };
    if (size > maximumCodePoints) {
      this.issues.push({
        message: `expression code point size exceeds limit: size: ${size}, limit ${maximumCodePoints}`,
      });
    } else {
      try {
        expression = this.#expression();
        if (this.peek().kind !== 'end') this.syntaxError(`mismatched input '${this.peek().text}' expecting <EOF>`);
      } catch (error) {
        if (!(error instanceof Abort)) throw error;
      }
    }
    return { expression, offsets: this.factory.offsets, issues: this.issues };
  }

  #enter(rule: DepthRule): void {
    this.#depths[rule] += 1;
    if (this.#depths[rule] > maximumDepth) this.#tooDeep(`expression recursion limit exceeded: ${maximumDepth}`);
  }

  #leave(rule: DepthRule): void {
    this.#depths[rule] -= 1;
  }

  #raise(height: number): void {
    this.#height = height + 1;
    if (this.#height > maximumDepth) this.#tooDeep('max recursion depth exceeded');
  }

  #tooDeep(message: string): never {
    this.issues.push({ message });
    throw new Abort();
  }

  #expression(): Expression {
    this.#enter('expression');
    let result = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
    const question = this.accept('?');
    if (question !== undefined) {
      const height = this.#height;
      const id = this.factory.id(question.offset);
      const whenTrue = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
      const trueHeight = this.#height;
      this.expect(':');
      const whenFalse = this.#expression();
      this.#raise(Math.max(height, trueHeight, this.#height));
      result = this.#callOrMacro(id, '_?_:_', undefined, [result, whenTrue, whenFalse]);
    }
    this.#leave('expression');
    return result;
  }

  /** A chain of `||` or `&&`, as a balanced tree. */
  #logical(kind: TokenKind, name: string, term: () => Expression): Expression {
    const terms = [term()];
    let height = this.#height;
    const ids: number[] = [];
    for (let operator = this.accept(kind); operator !== undefined; operator = this.accept(kind)) {
      terms.push(term());
      height = Math.max(height, this.#height);
      ids.push(this.factory.id(operator.offset));
    }
    this.#height = height;
    return balanced(name, terms, ids, 0, ids.length - 1);
  }

  #relation(): Expression {
    return this.#binary('relation', relations, () => this.#addition());
  }

  #addition(): Expression {
    return this.#binary('calculation', additions, () =>
      this.#binary('calculation', multiplications, () => this.#unary(), false),
    );
  }

  /** A left-associative chain of operators. */
  #binary(
    rule: DepthRule,
    operators: ReadonlyMap<TokenKind, string>,
    operand: () => Expression,
    outer = true,
  ): Expression {
    if (outer) this.#enter(rule);
    let left = operand();
    for (let name = operators.get(this.peek().kind); name !== undefined; name = operators.get(this.peek().kind)) {
      const leftHeight = this.#height;
      const operator = this.next();
      const id = this.factory.id(operator.offset);
      this.#enter(rule);
      const right = operand();
      this.#leave(rule);
      this.#raise(Math.max(leftHeight, this.#height));
      left = this.#callOrMacro(id, name, undefined, [left, right]);
    }
    if (outer) this.#leave(rule);
    return left;
  }

  #unary(): Expression {
    const first = this.peek();
    if (first.kind !== '!' && first.kind !== '-') return this.#member();
    if (first.kind === '-' && isNumber(this.peek(1).kind)) return this.#member();
    let count = 0;
    while (this.accept(first.kind) !== undefined) count += 1;
    if (count % 2 === 0) return this.#member();
    const id = this.factory.id(first.offset);
    const operand = this.#member();
    return this.#callOrMacro(id, first.kind === '!' ? '!_' : '-_', undefined, [operand]);
  }

  #member(): Expression {
    this.#enter('member');
    const start = this.peek().offset;
    let operand = this.#primary();
    for (let token = this.peek(); token.kind === '.' || token.kind === '['; token = this.peek()) {
      this.next();
      const height = this.#height;
      const next = token.kind === '.' ? this.#selection(token, operand, start) : this.#indexing(token, operand);
      this.#raise(Math.max(height, next.height));
      operand = next.expression;
    }
    this.#leave('member');
    return operand;
  }

  #selection(dot: Token, operand: Expression, start: number): { expression: Expression; height: number } {
    const optional = this.accept('?');
    const name = this.peek();
    if (name.kind !== 'identifier' && name.kind !== 'escapedIdentifier') {
      const missing = this.nameMissing(start, optional === undefined);
      return { expression: optional === undefined ? operand : missing, height: 0 };
    }
    this.next();
    const field = name.kind === 'escapedIdentifier' ? name.text.slice(1, -1) : name.text;
    if (optional !== undefined) {
      const literal = this.factory.literal(name.offset, field);
      return {
        expression: this.factory.call(this.factory.id(dot.offset), '_?._', undefined, [operand, literal]),
        height: 0,
      };
    }
    const open = name.kind === 'identifier' ? this.accept('(') : undefined;
    if (open === undefined)
      return { expression: this.factory.select(this.factory.id(dot.offset), operand, field, false), height: 0 };
    const id = this.factory.id(open.offset);
    const args = this.#arguments();
    const height = this.#height;
    return { expression: this.#callOrMacro(id, field, operand, args), height };
  }

  #indexing(bracket: Token, operand: Expression): { expression: Expression; height: number } {
    const optional = this.accept('?') !== undefined;
    const id = this.factory.id(bracket.offset);
    const index = this.#expression();
    const height = this.#height;
    this.expect(']');
    return { expression: this.#callOrMacro(id, optional ? '_[?_]' : '_[_]', undefined, [operand, index]), height };
  }

  /** The arguments up to and with the closing parenthesis. */
  #arguments(): Expression[] {
    const args: Expression[] = [];
    let height = 0;
    const first = this.peek();
    if (first.kind !== ')' && !starters.has(first.kind) && !starters.has(this.peek(1).kind)) {
      this.syntaxError(`mismatched input '${first.text}' expecting ')'`);
      while (!['end', ')'].includes(this.peek().kind)) this.next();
      this.accept(')');
      this.#height = 0;
      return args;
    }
    if (first.kind !== ')') {
      do {
        args.push(this.#expression());
        height = Math.max(height, this.#height);
      } while (this.accept(',') !== undefined);
    }
    this.expect(')');
    this.#height = height;
    return args;
  }

  #primary(): Expression {
    const token = this.peek();
    this.#height = 0;
    switch (token.kind) {
      case '(': {
        this.next();
        const nested = this.#expression();
        this.expect(')');
        return nested;
      }
      case '[':
        return this.#list(this.next());
      case '{':
        return this.#map(this.next());
      case '.':
      case 'identifier':
        return this.#identifier();
      default:
        return this.#literal(token);
    }
  }

  #identifier(): Expression {
    const start = this.peek();
    const dot = this.accept('.');
    const name = this.peek();
    if (name.kind !== 'identifier') return this.nameMissing(name.kind === '?' ? start.offset : nowhere);
    this.next();
    const message = this.#messageName(name.text);
    if (message !== undefined) return this.#struct(dot === undefined ? message : `.${message}`);
    const open = this.accept('(');
    if (reserved.has(name.text)) {
      // The server reports the word and does not look at the arguments.
      this.report(start.offset, `reserved identifier: ${name.text}`);
      const unspecified = this.factory.unspecified(start.offset);
      if (open !== undefined) this.#skipArguments();
      return unspecified;
    }
    const text = dot === undefined ? name.text : `.${name.text}`;
    if (open === undefined) return this.factory.identifier(this.factory.id(name.offset), text);
    const id = this.factory.id(open.offset);
    return this.#callOrMacro(id, text, undefined, this.#arguments());
  }

  #skipArguments(): void {
    const before = this.issues.length;
    this.#arguments();
    this.issues.splice(
      before,
      this.issues.length,
      ...this.issues.slice(before).filter((issue) => issue.message.startsWith('Syntax')),
    );
    this.#height = 0;
  }

  /** `a.b.C` when a `{` follows it; leaves the position at the `{`. */
  #messageName(first: string): string | undefined {
    let name = first;
    let ahead = 0;
    while (this.peek(ahead).kind === '.' && this.peek(ahead + 1).kind === 'identifier') {
      name += `.${this.peek(ahead + 1).text}`;
      ahead += 2;
    }
    if (this.peek(ahead).kind !== '{') return undefined;
    this.skip(ahead);
    return name;
  }

  #struct(typeName: string): Expression {
    const open = this.next();
    const id = this.factory.id(open.offset);
    const fields: StructField[] = [];
    let height = 0;
    while (this.peek().kind !== '}' && this.peek().kind !== ',') {
      const optional = this.accept('?') !== undefined;
      const name = this.peek();
      if (name.kind !== 'identifier' && name.kind !== 'escapedIdentifier') {
        this.nameMissing(nowhere);
        break;
      }
      this.next();
      const fieldId = this.factory.id(this.expect(':').offset);
      const field = name.kind === 'escapedIdentifier' ? name.text.slice(1, -1) : name.text;
      fields.push({ id: fieldId, name: field, value: this.#expression(), optional });
      height = Math.max(height, this.#height);
      if (this.accept(',') === undefined) break;
    }
    this.accept(',');
    this.expect('}');
    this.#height = height;
    return { kind: 'struct', id, typeName, fields };
  }

  #list(open: Token): Expression {
    const id = this.factory.id(open.offset);
    const elements: Expression[] = [];
    const optionals = new Set<number>();
    let height = 0;
    while (this.peek().kind !== ']' && this.peek().kind !== ',') {
      if (this.accept('?') !== undefined) optionals.add(elements.length);
      elements.push(this.#expression());
      height = Math.max(height, this.#height);
      if (this.accept(',') === undefined) break;
      if (this.peek().kind === ',') break;
    }
    if (elements.length === 0) this.accept(',');
    this.expect(']');
    this.#height = height;
    return this.factory.list(id, elements, optionals);
  }

  #map(open: Token): Expression {
    const id = this.factory.id(open.offset);
    const entries: MapEntry[] = [];
    let height = 0;
    while (this.peek().kind !== '}' && this.peek().kind !== ',') {
      const optional = this.accept('?') !== undefined;
      const pending = this.factory.reserve();
      const key = this.#expression();
      height = Math.max(height, this.#height);
      const problems = this.issues.length;
      const colon = this.expect(':');
      if (this.issues.length > problems) break;
      this.factory.place(pending, colon.offset);
      const value = this.#expression();
      height = Math.max(height, this.#height);
      entries.push({ id: pending, key, value, optional });
      if (this.accept(',') === undefined) break;
      if (this.peek().kind === ',') break;
    }
    if (entries.length === 0) this.accept(',');
    this.expect('}');
    this.#height = height;
    return this.factory.map(id, entries);
  }

  #literal(start: Token): Expression {
    const negative = start.kind === '-' && isNumber(this.peek(1).kind);
    if (negative) this.next();
    const token = this.peek();
    const value = this.#literalValue(token, start, negative);
    if (value === undefined) {
      if (!isLiteral(token.kind)) return this.#unreadable(token);
      this.next();
      return this.factory.unspecified(start.offset);
    }
    this.next();
    return this.factory.literal(start.offset, value);
  }

  #literalValue(token: Token, start: Token, negative: boolean): Literal | undefined {
    const refuse = (message: string): undefined => {
      this.report(start.offset, message);
    };
    switch (token.kind) {
      case 'int':
        return parseIntLiteral(token.text, negative) ?? refuse('invalid int literal');
      case 'uint': {
        const uint = parseUintLiteral(token.text);
        return uint === undefined ? refuse('invalid uint literal') : { uint };
      }
      case 'float': {
        const value = Number(token.text) * (negative ? -1 : 1);
        return Number.isFinite(value) ? value : refuse('invalid double literal');
      }
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
        return null;
      case 'string':
      case 'bytes':
        try {
          return token.kind === 'string' ? unquoteString(token.text) : unquoteBytes(token.text.slice(1));
        } catch (error) {
          if (error instanceof LiteralError) return refuse(error.message);
          throw error;
        }
      default:
        return undefined;
    }
  }

  /** Reports a token that begins no expression. One stray token is passed over when an expression follows it. */
  #unreadable(token: Token): Expression {
    if (token.kind === '-') {
      // A second sign belongs to a number.
      this.next();
      this.syntaxError(`no viable alternative at input '-${this.peek().text}'`);
      this.skipToCloser();
      return this.factory.unspecified(nowhere);
    }
    if (token.kind !== 'end' && starters.has(this.peek(1).kind)) {
      this.syntaxError(`extraneous input '${token.text}' expecting ${expressionStart}`);
      this.next();
      return this.#unary();
    }
    this.syntaxError(`mismatched input '${token.text}' expecting ${expressionStart}`);
    this.skipToCloser();
    return this.factory.unspecified(nowhere);
  }

  #callOrMacro(id: number, name: string, target: Expression | undefined, args: readonly Expression[]): Expression {
    const macro = this.#macros.find(name, args.length, target !== undefined);
    if (macro === undefined) return this.factory.call(id, name, target, args);
    try {
      const expanded = macro(this.factory.forMacro(id), target, args);
      this.factory.drop(id);
      return expanded;
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      const offset = this.factory.offsets.get(error.at) ?? 0;
      this.factory.drop(id);
      this.report(offset, error.message);
      return this.factory.unspecified(offset);
    }
  }
}

function isNumber(kind: TokenKind): boolean {
  return kind === 'int' || kind === 'float';
}

function isLiteral(kind: TokenKind): boolean {
  return isNumber(kind) || kind === 'uint' || kind === 'string' || kind === 'bytes';
}

function balanced(
  name: string,
  terms: readonly Expression[],
  ids: readonly number[],
  low: number,
  high: number,
): Expression {
  const first = terms[low];
  if (first === undefined) throw new Abort();
  if (low > high) return first;
  const middle = (low + high + 1) >> 1;
  const left = balanced(name, terms, ids, low, middle - 1);
  const right = balanced(name, terms, ids, middle + 1, high);
  return { kind: 'call', id: ids[middle] ?? 0, name, target: undefined, args: [left, right] };
}
