import { ts } from 'ts-morph';
import { Float, type Json, jsonObject } from '../model/index.ts';
import { isMarkerUse, type MarkerArgument, type MarkerUse, RegularExpression } from '../markers/index.ts';

/** An expression that cannot be folded: the node at fault, and why. */
export class NotConstantError extends Error {
  readonly node: ts.Node;
  /** Whether it is a name that means nothing where it stands. */
  readonly isUnknownName: boolean;

  constructor(node: ts.Node, reason: string, isUnknownName = false) {
    super(reason);
    this.isUnknownName = isUnknownName;
    this.name = 'NotConstantError';
    this.node = node;
  }
}

/** Where the names of an expression mean something. */
export interface ConstantScope {
  readonly checker: ts.TypeChecker;
  /** The symbol of a name, aliases followed. */
  symbolOf(name: ts.Identifier): ts.Symbol | undefined;
  /** The marker that a call stands for, inside `Items` and `Values`. */
  readonly markerOf: (call: ts.CallExpression) => MarkerUse | undefined;
  /** The same for calls in the source, where constants are declared; without it they hold no markers. */
  readonly sourceMarkerOf?: (call: ts.CallExpression) => MarkerUse | undefined;
}

/** Folds constant expressions on syntax; nothing is executed. Throws `NotConstantError`. */
export class ConstantEvaluator {
  readonly #scope: ConstantScope;
  readonly #following: ReadonlySet<ts.Node>;

  constructor(scope: ConstantScope, following: ReadonlySet<ts.Node> = new Set()) {
    this.#scope = scope;
    this.#following = following;
  }

  /** The values of a list of arguments or of the elements of an array, spreads spread. */
  evaluateList(nodes: readonly ts.Expression[]): { readonly value: MarkerArgument; readonly node: ts.Node }[] {
    return nodes.flatMap((node) => {
      if (!ts.isSpreadElement(node)) return [{ value: this.evaluate(node), node }];
      const values = this.evaluate(node.expression);
      if (!Array.isArray(values)) throw new NotConstantError(node, 'only a list can be spread here');
      return (values as readonly MarkerArgument[]).map((value) => ({ value, node: node.expression }));
    });
  }

  evaluate(node: ts.Expression): MarkerArgument {
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node)
    ) {
      return this.evaluate(node.expression);
    }
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isNumericLiteral(node)) return numberOf(node);
    if (ts.isBigIntLiteral(node)) return narrow(BigInt(node.text.slice(0, -1)));
    if (ts.isRegularExpressionLiteral(node)) return regularExpressionOf(node);
    if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
    if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
    if (node.kind === ts.SyntaxKind.NullKeyword) return null;
    if (ts.isTemplateExpression(node)) return this.#template(node);
    if (ts.isPrefixUnaryExpression(node)) return this.#unary(node);
    if (ts.isBinaryExpression(node)) return this.#binary(node);
    if (ts.isArrayLiteralExpression(node)) {
      return this.evaluateList(node.elements).map(({ value, node: element }) => json(value, element));
    }
    if (ts.isObjectLiteralExpression(node)) return this.#object(node);
    if (ts.isIdentifier(node)) return this.#identifier(node);
    if (ts.isPropertyAccessExpression(node)) return this.#member(node, node.expression, node.name.text);
    if (ts.isElementAccessExpression(node)) {
      const key = this.evaluate(node.argumentExpression);
      if (typeof key !== 'string' && typeof key !== 'number')
        throw new NotConstantError(node, 'the name is not constant');
      return this.#member(node, node.expression, String(key));
    }
    if (ts.isCallExpression(node)) return this.#call(node);
    throw new NotConstantError(node, 'only literals, arithmetic, constants and enum members can be folded');
  }

  #call(node: ts.CallExpression): MarkerArgument {
    const marker = this.#scope.markerOf(node);
    if (marker === undefined) throw new NotConstantError(node, 'functions are not called');
    return marker;
  }

  #template(node: ts.TemplateExpression): string {
    return node.templateSpans.reduce((text, span) => {
      const value = plainNumber(this.evaluate(span.expression));
      return text + textOf(value, span.expression) + span.literal.text;
    }, node.head.text);
  }

  #unary(node: ts.PrefixUnaryExpression): MarkerArgument {
    const value = this.evaluate(node.operand);
    const number = value instanceof Float ? value.value : value;
    if (node.operator === ts.SyntaxKind.ExclamationToken && typeof value === 'boolean') return !value;
    if (typeof number === 'bigint' && node.operator === ts.SyntaxKind.MinusToken) return -number;
    if (typeof number === 'number') {
      if (node.operator === ts.SyntaxKind.MinusToken)
        return value instanceof Float ? new Float(-number) : negated(number);
      if (node.operator === ts.SyntaxKind.PlusToken) return value;
      if (node.operator === ts.SyntaxKind.TildeToken) return ~number;
    }
    throw new NotConstantError(node, 'the operator does not fit its operand');
  }

  #binary(node: ts.BinaryExpression): MarkerArgument {
    const left = plainNumber(this.evaluate(node.left));
    const right = plainNumber(this.evaluate(node.right));
    const operator = node.operatorToken.kind;
    if (operator === ts.SyntaxKind.PlusToken && (typeof left === 'string' || typeof right === 'string')) {
      return textOf(left, node.left) + textOf(right, node.right);
    }
    const fold = arithmetic.get(operator);
    if (fold === undefined) throw new NotConstantError(node.operatorToken, 'only arithmetic is folded');
    if (typeof left !== 'number' || typeof right !== 'number') {
      throw new NotConstantError(node, 'the operator does not fit its operands');
    }
    const result = fold(left, right);
    if (!Number.isFinite(result)) throw new NotConstantError(node, 'the result is not a finite number');
    return result;
  }

  #object(node: ts.ObjectLiteralExpression): Json {
    const members = jsonObject();
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) {
        const value = this.evaluate(property.expression);
        if (!isPlainObject(value)) throw new NotConstantError(property, 'only an object can be spread here');
        Object.entries(value).forEach(([name, item]) => (members[name] = item));
      } else if (ts.isPropertyAssignment(property)) {
        members[this.#name(property.name)] = json(this.evaluate(property.initializer), property.initializer);
      } else if (ts.isShorthandPropertyAssignment(property)) {
        members[property.name.text] = json(this.#shorthand(property), property);
      } else {
        throw new NotConstantError(property, 'an object must have plain members');
      }
    }
    return members;
  }

  #shorthand(property: ts.ShorthandPropertyAssignment): MarkerArgument {
    const symbol =
      this.#scope.checker.getShorthandAssignmentValueSymbol(property) ?? this.#scope.symbolOf(property.name);
    return this.#valueOf(symbol, property.name);
  }

  #name(name: ts.PropertyName): string {
    if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) return name.text;
    if (ts.isNumericLiteral(name)) return String(Number(name.text));
    if (ts.isComputedPropertyName(name)) {
      const value = this.evaluate(name.expression);
      if (typeof value === 'string' || typeof value === 'number') return String(value);
    }
    throw new NotConstantError(name, 'the name is not constant');
  }

  #identifier(node: ts.Identifier): MarkerArgument {
    if (node.text === 'undefined') throw new NotConstantError(node, 'leave out what is not there');
    return this.#valueOf(this.#scope.symbolOf(node), node);
  }

  /** The value of a constant, wherever it is declared. */
  #valueOf(symbol: ts.Symbol | undefined, node: ts.Node): MarkerArgument {
    const followed =
      symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
        ? this.#scope.checker.getAliasedSymbol(symbol)
        : symbol;
    const declaration = followed?.valueDeclaration;
    if (declaration === undefined) throw new NotConstantError(node, 'the name is not known here', true);
    return this.#declared(declaration, node);
  }

  #declared(declaration: ts.Declaration, node: ts.Node): MarkerArgument {
    if (this.#following.has(declaration)) throw new NotConstantError(node, 'it is defined by itself');
    if (ts.isEnumMember(declaration)) {
      const value = this.#scope.checker.getConstantValue(declaration);
      if (value === undefined) throw new NotConstantError(node, 'the enum member is not constant');
      return value;
    }
    const constant = constantOf(declaration);
    if (typeof constant === 'string') throw new NotConstantError(node, constant);
    if (!ts.isBindingElement(constant)) return this.#follow(declaration, node, (inner) => inner.evaluate(constant));
    const name = constant.propertyName ?? constant.name;
    const { parent: variable } = constant.parent;
    if (!ts.isVariableDeclaration(variable) || !ts.isIdentifier(name))
      throw new NotConstantError(node, 'its value is not known');
    return this.#follow(declaration, node, (inner) =>
      inner.#memberOf(inner.#declared(variable, node), name.text, node),
    );
  }

  /** Evaluates what a declaration says, where its names mean something. */
  #follow(
    declaration: ts.Declaration,
    node: ts.Node,
    evaluate: (inner: ConstantEvaluator) => MarkerArgument,
  ): MarkerArgument {
    const scope: ConstantScope = {
      ...this.#scope,
      symbolOf: (name) => this.#scope.checker.getSymbolAtLocation(name),
      markerOf: this.#scope.sourceMarkerOf ?? (() => undefined),
    };
    try {
      return evaluate(new ConstantEvaluator(scope, new Set([...this.#following, declaration])));
    } catch (error) {
      // The expression is what the user looks at; its definition may stand in another file.
      if (error instanceof NotConstantError) throw new NotConstantError(node, error.message);
      throw error;
    }
  }

  #member(node: ts.Expression, object: ts.Expression, name: string): MarkerArgument {
    const container = this.#containerOf(object);
    if (container !== undefined) {
      const member = this.#scope.checker.getExportsOfModule(container).find((symbol) => symbol.name === name);
      return this.#valueOf(member, node);
    }
    return this.#memberOf(this.evaluate(object), name, node);
  }

  #memberOf(value: MarkerArgument, name: string, node: ts.Node): MarkerArgument {
    if (isPlainObject(value) && Object.hasOwn(value, name)) return value[name] ?? null;
    if (Array.isArray(value)) {
      const list = value as readonly Json[];
      if (name === 'length') return list.length;
      const item = list[Number(name)];
      if (item !== undefined) return item;
    }
    throw new NotConstantError(node, `there is no constant member '${name}'`);
  }

  /** The enum, namespace, module or class that an expression names. */
  #containerOf(node: ts.Expression): ts.Symbol | undefined {
    let symbol: ts.Symbol | undefined;
    if (ts.isIdentifier(node)) symbol = this.#scope.symbolOf(node);
    else if (ts.isPropertyAccessExpression(node)) {
      const outer = this.#containerOf(node.expression);
      symbol = outer && this.#scope.checker.getExportsOfModule(outer).find(({ name }) => name === node.name.text);
    }
    if (symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0) {
      symbol = this.#scope.checker.getAliasedSymbol(symbol);
    }
    const container = ts.SymbolFlags.Enum | ts.SymbolFlags.Module | ts.SymbolFlags.Class;
    return symbol !== undefined && (symbol.flags & container) !== 0 ? symbol : undefined;
  }
}

/** What a declaration sets its name to: an expression, or the member of one that is taken apart; or why it is no constant. */
function constantOf(declaration: ts.Declaration): ts.Expression | ts.BindingElement | string {
  if (ts.isExportAssignment(declaration)) return declaration.expression;
  if (ts.isPropertyDeclaration(declaration)) {
    const fixed = ts.ModifierFlags.Static | ts.ModifierFlags.Readonly;
    if ((ts.getCombinedModifierFlags(declaration) & fixed) !== fixed)
      return "it is not declared with 'static readonly'";
    return declaration.initializer ?? 'its value is not known';
  }
  if (!ts.isVariableDeclaration(declaration) && !ts.isBindingElement(declaration)) return 'it is no constant';
  if ((ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) === 0) return "it is not declared with 'const'";
  if (ts.isBindingElement(declaration)) {
    const plain = declaration.initializer === undefined && declaration.dotDotDotToken === undefined;
    return plain && ts.isObjectBindingPattern(declaration.parent) ? declaration : 'its value is not known';
  }
  const { initializer, type } = declaration;
  if (initializer !== undefined) return initializer;
  return type !== undefined && ts.isLiteralTypeNode(type) ? type.literal : 'its value is not known';
}

const arithmetic = new Map<ts.SyntaxKind, (a: number, b: number) => number>([
  [ts.SyntaxKind.PlusToken, (a, b) => a + b],
  [ts.SyntaxKind.MinusToken, (a, b) => a - b],
  [ts.SyntaxKind.AsteriskToken, (a, b) => a * b],
  [ts.SyntaxKind.SlashToken, (a, b) => a / b],
  [ts.SyntaxKind.PercentToken, (a, b) => a % b],
  [ts.SyntaxKind.AsteriskAsteriskToken, (a, b) => a ** b],
  [ts.SyntaxKind.LessThanLessThanToken, (a, b) => a << b],
  [ts.SyntaxKind.GreaterThanGreaterThanToken, (a, b) => a >> b],
  [ts.SyntaxKind.GreaterThanGreaterThanGreaterThanToken, (a, b) => a >>> b],
  [ts.SyntaxKind.AmpersandToken, (a, b) => a & b],
  [ts.SyntaxKind.BarToken, (a, b) => a | b],
  [ts.SyntaxKind.CaretToken, (a, b) => a ^ b],
]);

/** A number literal in its three forms: an integer, an integer beyond 2^53, or a float (also where its value is whole). */
function numberOf(node: ts.NumericLiteral): MarkerArgument {
  const written = node.getText().replaceAll('_', '');
  const value = Number(written);
  if (!/^(0[xob])/i.test(written) && /[.e]/i.test(written)) return Number.isInteger(value) ? new Float(value) : value;
  return Number.isSafeInteger(value) ? value : narrow(BigInt(written));
}

function narrow(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function regularExpressionOf(node: ts.RegularExpressionLiteral): RegularExpression {
  const end = node.text.lastIndexOf('/');
  return new RegularExpression(node.text.slice(1, end), node.text.slice(end + 1));
}

/** `-0` is no integer of JSON. */
function negated(value: number): number {
  return value === 0 ? 0 : -value;
}

function plainNumber(value: MarkerArgument): MarkerArgument {
  return value instanceof Float ? value.value : value;
}

/** What becomes of a value inside a text. */
function textOf(value: MarkerArgument, node: ts.Node): string {
  if (value !== null && typeof value === 'object') throw new NotConstantError(node, 'it is no text');
  return String(value);
}

function isPlainObject(value: MarkerArgument): value is { readonly [name: string]: Json } {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Float) &&
    !(value instanceof RegularExpression) &&
    !isMarkerUse(value)
  );
}

function json(value: MarkerArgument, node: ts.Node): Json {
  if (value instanceof RegularExpression) throw new NotConstantError(node, 'a regular expression is no value of JSON');
  if (isMarkerUse(value)) throw new NotConstantError(node, 'a marker is no value of JSON');
  return value;
}
