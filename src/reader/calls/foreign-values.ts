import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import { unwrap } from './unwrap.ts';

const plain =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.BigIntLike |
  ts.TypeFlags.ESSymbolLike |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Void |
  ts.TypeFlags.Null;

/** How deep data is looked into; what is deeper counts as unknown. */
const deepest = 6;

/** Tells what comes from outside of a program: from packages that are left out, and from the platform. */
export class ForeignValues {
  readonly #project: SourceProject;
  readonly #seen = new Map<ts.Node, boolean>();

  constructor(project: SourceProject) {
    this.#project = project;
  }

  /** Whether nothing is known of an expression's type. */
  isUnknown(node: ts.Node): boolean {
    return (this.#project.checker.getTypeAtLocation(node).flags & ts.TypeFlags.Any) !== 0;
  }

  /** Whether a value was made outside, of nothing that could hold a function, a client or a kind of the program. */
  isForeign(given: ts.Expression): boolean {
    const node = unwrap(given);
    let found = this.#seen.get(node);
    if (found === undefined) {
      // A value that leads to itself adds nothing.
      this.#seen.set(node, true);
      found = this.#look(node);
      this.#seen.set(node, found);
    }
    return found;
  }

  #look(node: ts.Expression): boolean {
    if (ts.isPropertyAccessExpression(node)) return this.isForeign(node.expression) || this.#isForeignMember(node.name);
    if (ts.isElementAccessExpression(node)) return this.isForeign(node.expression);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) return this.#isUnresolved(node.arguments?.[0]);
      return this.isForeign(node.expression) && (node.arguments ?? []).every((each) => this.#isInert(each));
    }
    if (ts.isConditionalExpression(node)) return this.#isInert(node.whenTrue) && this.#isInert(node.whenFalse);
    if (ts.isBinaryExpression(node)) return this.#isInert(node.left) && this.#isInert(node.right);
    return ts.isIdentifier(node) && this.#isForeignName(node);
  }

  #isForeignName(name: ts.Identifier): boolean {
    const { checker } = this.#project;
    const symbol = checker.getSymbolAtLocation(name);
    // A name that nothing of the program declares is one of the platform.
    if (symbol === undefined) return true;
    if ((symbol.flags & ts.SymbolFlags.Alias) !== 0) {
      const target = checker.getAliasedSymbol(symbol);
      return (target.declarations ?? []).length === 0;
    }
    const declarations = symbol.declarations ?? [];
    return declarations.length > 0 && declarations.every((each) => this.#isForeignDeclaration(each));
  }

  /** A member of an object of the program. */
  #isForeignMember(name: ts.MemberName): boolean {
    const declarations = this.#project.checker.getSymbolAtLocation(name)?.declarations ?? [];
    return (
      declarations.length > 0 &&
      declarations.every((each) => {
        if (!ts.isPropertyDeclaration(each) && !ts.isPropertySignature(each) && !ts.isParameter(each)) return false;
        if (each.type !== undefined) return this.#isForeignType(each.type);
        const isReadonly = (ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Readonly) !== 0;
        const value = ts.isPropertySignature(each) ? undefined : each.initializer;
        return isReadonly && value !== undefined && this.isForeign(value);
      })
    );
  }

  /** The name of a type of a package, or several of these; one that takes types of the program might hold what is of these. */
  #isForeignType(type: ts.TypeNode): boolean {
    if (ts.isUnionTypeNode(type)) return type.types.every((each) => this.#isForeignType(each) || isNothing(each));
    if (!ts.isTypeReferenceNode(type) || type.typeArguments !== undefined) return false;
    let name = type.typeName;
    while (ts.isQualifiedName(name)) name = name.left;
    return this.#isForeignName(name);
  }

  #isForeignDeclaration(declaration: ts.Declaration): boolean {
    if (this.#project.isLibrary(declaration.getSourceFile())) return true;
    if ((ts.isVariableDeclaration(declaration) || ts.isParameter(declaration)) && declaration.type !== undefined)
      return this.#isForeignType(declaration.type);
    const holder = holderOf(declaration);
    if (holder === undefined) return false;
    if (ts.isParameter(holder)) return this.#isForeignParameter(holder);
    if ((ts.getCombinedNodeFlags(holder) & ts.NodeFlags.Const) === 0) return false;
    const loop = holder.parent.parent;
    const value = ts.isForOfStatement(loop) ? loop.expression : holder.initializer;
    return value !== undefined && this.isForeign(value);
  }

  /** The parameter of a callback that only code from outside calls. */
  #isForeignParameter(parameter: ts.ParameterDeclaration): boolean {
    const callback = parameter.parent;
    if (!ts.isArrowFunction(callback) && !ts.isFunctionExpression(callback)) return false;
    const call = callback.parent;
    return (
      ts.isCallExpression(call) &&
      call.expression !== callback &&
      this.isForeign(call.expression) &&
      call.arguments.every((each) => each === callback || this.#isInert(each))
    );
  }

  /** Whether a value holds no function and no object of the program. */
  #isInert(given: ts.Expression): boolean {
    const node = unwrap(given);
    if (ts.isSpreadElement(node)) return this.#isInert(node.expression);
    if (ts.isArrayLiteralExpression(node)) return node.elements.every((each) => this.#isInert(each));
    if (ts.isObjectLiteralExpression(node)) {
      return node.properties.every((each) => {
        if (ts.isPropertyAssignment(each)) return this.#isInert(each.initializer);
        if (ts.isSpreadAssignment(each)) return this.#isInert(each.expression);
        return ts.isShorthandPropertyAssignment(each) && this.#isInert(each.name);
      });
    }
    if (ts.isRegularExpressionLiteral(node)) return true;
    if (ts.isArrowFunction(node)) return this.#isInertFunction(node);
    return this.#isData(this.#project.checker.getTypeAtLocation(node), deepest) || this.isForeign(node);
  }

  /** Whether values of a type are JSON, or what the language itself has: nothing that could be called. */
  #isData(type: ts.Type, depth: number): boolean {
    if ((type.flags & plain) !== 0) return true;
    if (type.isUnionOrIntersection()) return type.types.every((part) => this.#isData(part, depth));
    if ((type.flags & ts.TypeFlags.Object) === 0 || depth === 0) return false;
    const { checker } = this.#project;
    if (checker.isArrayLikeType(type))
      return checker.getTypeArguments(type as ts.TypeReference).every((item) => this.#isData(item, depth - 1));
    const isCallable = type.getCallSignatures().length + type.getConstructSignatures().length > 0;
    if (isCallable) return false;
    const declarations = type.symbol?.declarations ?? [];
    // `Date`, `AbortSignal`; a `Map` may hold anything.
    if (declarations.length > 0 && declarations.every((each) => this.#project.isLibrary(each.getSourceFile())))
      return checker.getTypeArguments(type as ts.TypeReference).length === 0;
    return (
      checker.getIndexInfosOfType(type).every((info) => this.#isData(info.type, depth - 1)) &&
      type.getProperties().every((member) => this.#isData(checker.getTypeOfSymbol(member), depth - 1))
    );
  }

  /** `(text) => text.trim()`: runs nothing of the program, and gives nothing of it. */
  #isInertFunction({ body }: ts.ArrowFunction): boolean {
    if (ts.isBlock(body)) return false;
    const runsOwn = (node: ts.Node): boolean =>
      ((ts.isCallExpression(node) || ts.isNewExpression(node)) && !this.isForeign(node.expression)) ||
      (ts.forEachChild(node, (child) => runsOwn(child) || undefined) ?? false);
    return this.#isInert(body) && !runsOwn(body);
  }

  #isUnresolved(specifier: ts.Expression | undefined): boolean {
    return (
      specifier !== undefined &&
      ts.isStringLiteralLike(specifier) &&
      this.#project.checker.getSymbolAtLocation(specifier) === undefined
    );
  }

  /** Whether a text names something of a package that is left out: whose value the whole program might know. */
  mentionsPackage(node: ts.Node): boolean {
    const { checker } = this.#project;
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      if (symbol === undefined || (symbol.flags & ts.SymbolFlags.Alias) === 0) return false;
      return (checker.getAliasedSymbol(symbol).declarations ?? []).length === 0;
    }
    return ts.forEachChild(node, (child) => this.mentionsPackage(child) || undefined) ?? false;
  }
}

/** `undefined` or `null`, as a type. */
function isNothing(type: ts.TypeNode): boolean {
  const isNull = ts.isLiteralTypeNode(type) && type.literal.kind === ts.SyntaxKind.NullKeyword;
  return isNull || type.kind === ts.SyntaxKind.UndefinedKeyword;
}

/** The variable or parameter that a name is declared in, by itself or in a pattern. */
function holderOf(declaration: ts.Declaration): ts.VariableDeclaration | ts.ParameterDeclaration | undefined {
  let node: ts.Node = declaration;
  while (ts.isBindingElement(node)) node = node.parent.parent;
  return ts.isVariableDeclaration(node) || ts.isParameter(node) ? node : undefined;
}
