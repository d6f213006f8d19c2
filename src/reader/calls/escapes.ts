import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import type { CallSink } from './call-uses.ts';
import type { Call, CallIndex } from './call-index.ts';
import { carriesCalls, isMethodOfCarrier } from './carriers.ts';
import { shortText } from './kind-resolver.ts';

/**
 * Finds where the client (or what has it: manager, context, builder) leaves the sight of the reader: into `any`, into a type of another
 * declaration, into a function of a package whose source is not there.
 */
export class Escapes {
  readonly #project: SourceProject;
  readonly #checker: ts.TypeChecker;
  readonly #index: CallIndex;
  readonly #sink: CallSink;

  constructor(project: SourceProject, index: CallIndex, sink: CallSink) {
    this.#project = project;
    this.#checker = project.checker;
    this.#index = index;
    this.#sink = sink;
  }

  readFile(file: ts.SourceFile): void {
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node)) this.#readImport(node);
      else if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) this.#readName(node);
      else if (ts.isElementAccessExpression(node)) this.#readElement(node);
      else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
        this.#readDynamicImport(node);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }

  #readImport(node: ts.ImportDeclaration): void {
    const specifier = node.moduleSpecifier;
    if (!ts.isStringLiteral(specifier) || specifier.text !== '@kubernetes/client-node') return;
    if (node.importClause?.isTypeOnly === true) return;
    this.#report(node, "requests of '@kubernetes/client-node' do not go through the typed client");
  }

  #readDynamicImport(node: ts.CallExpression): void {
    const [argument] = node.arguments;
    if (argument !== undefined && ts.isStringLiteralLike(argument)) {
      if (argument.text === '@kubernetes/client-node')
        this.#report(node, "requests of '@kubernetes/client-node' do not go through the typed client");
      return;
    }
    this.#report(node, 'the module is known only at run time');
  }

  /** `client[name]` with a name that is not constant. */
  #readElement(node: ts.ElementAccessExpression): void {
    const receiver = this.#checker.getTypeAtLocation(node.expression);
    if (!this.#carries(receiver)) return;
    const key = this.#checker.getTypeAtLocation(node.argumentExpression);
    if (key.isStringLiteral()) return;
    this.#report(node, 'the method is known only at run time');
  }

  #readName(node: ts.Identifier | ts.PropertyAccessExpression): void {
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) return;
    if (!isValue(node)) {
      this.#readBound(node);
      return;
    }
    const type = this.#checker.getTypeAtLocation(node);
    if (!this.#carries(type)) return;
    if (this.#isBinding(node.parent)) return;
    const target = this.#targetOf(node);
    if (target !== undefined && !this.#keeps(type, target)) {
      const to = this.#project.typeText(target);
      this.#report(node, `it is passed on as ${to}, whose calls cannot be followed`);
      return;
    }
    const call = enclosingCall(node);
    if (call !== undefined && this.#isForeign(call))
      this.#report(call, `it is given to ${shortText(call.expression)}, whose source is not at hand`);
  }

  /** `client.get.bind(client)`, `client.get.call(...)` */
  #readBound(node: ts.Identifier | ts.PropertyAccessExpression): void {
    const { parent } = node;
    if (!ts.isPropertyAccessExpression(parent) || parent.expression !== node || !this.#isBinding(parent.parent)) return;
    if (parent.parent.expression !== parent) return;
    this.#report(parent.parent, `${parent.name.text} hides what is called with which kind`);
  }

  #isBinding(call: ts.Node): call is ts.CallExpression {
    if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return false;
    const { name, expression } = call.expression;
    return ['bind', 'call', 'apply'].includes(name.text) && this.#isMethod(this.#checker.getTypeAtLocation(expression));
  }

  #carries(type: ts.Type): boolean {
    return carriesCalls(this.#project, type);
  }

  #isMethod(type: ts.Type): boolean {
    return isMethodOfCarrier(this.#project, type);
  }

  /** Another method of the same name may be assignable: `StatusClient.mergePatch` and `Client.mergePatch`. */
  #isSameMethod(type: ts.Type, target: ts.Type): boolean {
    const declaration = type.symbol?.declarations?.[0];
    if (target.isUnionOrIntersection()) return target.types.some((part) => this.#isSameMethod(type, part));
    return declaration !== undefined && target.symbol?.declarations?.[0] === declaration;
  }

  /** The type that a value is taken as; undefined where it stays what it is. */
  #targetOf(node: ts.Expression): ts.Type | undefined {
    const { parent } = node;
    if (ts.isAsExpression(parent) || ts.isTypeAssertionExpression(parent) || ts.isSatisfiesExpression(parent))
      return this.#checker.getTypeFromTypeNode(parent.type);
    // Of two types of which one is assignable to the other only that one is left.
    if (ts.isConditionalExpression(parent) || isAlternative(parent)) return this.#checker.getTypeAtLocation(parent);
    if (ts.isBinaryExpression(parent)) return this.#checker.getTypeAtLocation(parent.left);
    if (ts.isArrayLiteralExpression(parent) && this.#checker.getContextualType(node) === undefined) {
      const list = this.#checker.getTypeAtLocation(parent);
      return this.#checker.getIndexTypeOfType(list, ts.IndexKind.Number);
    }
    if (ts.isShorthandPropertyAssignment(parent)) {
      const literal = this.#checker.getContextualType(parent.parent);
      const member = literal && this.#checker.getPropertyOfType(literal, parent.name.text);
      return member && this.#checker.getTypeOfSymbol(member);
    }
    if (ts.isSpreadAssignment(parent)) return this.#checker.getContextualType(parent.parent);
    return this.#checker.getContextualType(node);
  }

  /** Whether calls through the target type are calls of the same methods. */
  #keeps(given: ts.Type, target: ts.Type): boolean {
    const type = this.#checker.getNonNullableType(given);
    if (type.isUnion()) return type.types.every((part) => !this.#carries(part) || this.#keeps(part, target));
    if ((target.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0) return false;
    if (target.isUnion()) return target.types.some((part) => this.#keeps(type, part));
    if (this.#isMethod(type)) return this.#isSameMethod(type, target);
    const shape =
      (target.flags & ts.TypeFlags.TypeParameter) === 0 ? target : this.#checker.getBaseConstraintOfType(target);
    if (shape === undefined) return true;
    return shape.getProperties().every((member) => {
      const own = this.#checker.getPropertyOfType(type, member.name);
      if (own === undefined || own.declarations?.[0] === member.declarations?.[0]) return true;
      const held = this.#checker.getTypeOfSymbol(own);
      return !this.#carries(held) || this.#keeps(held, this.#checker.getTypeOfSymbol(member));
    });
  }

  #isForeign(call: Call): boolean {
    const declarations = this.#index.declarationsOf(call);
    return declarations.some((declaration) => {
      const file = declaration.getSourceFile();
      return !this.#project.isOwn(file) && !this.#project.isLibrary(file) && this.#project.isForeign(file);
    });
  }

  #report(node: ts.Node, problem: string): void {
    this.#sink.unresolved({ call: shortText(node), problem, verbs: [], position: this.#project.positionOf(node) });
  }
}

/** Whether a name stands for a value that goes somewhere, and not for what is called or looked into. */
function isValue(node: ts.Identifier | ts.PropertyAccessExpression): boolean {
  const { parent } = node;
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return parent.expression !== node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isVariableDeclaration(parent)) return parent.initializer === node && parent.type !== undefined;
  if (ts.isConditionalExpression(parent)) return parent.condition !== node;
  if (ts.isBinaryExpression(parent)) {
    const isAssigned = parent.operatorToken.kind === ts.SyntaxKind.EqualsToken && parent.right === node;
    return isAssigned || isAlternative(parent);
  }
  if (ts.isArrowFunction(parent)) return parent.body === node;
  if (ts.isPropertyDeclaration(parent)) return parent.initializer === node && parent.type !== undefined;
  return (
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isSpreadAssignment(parent) ||
    ts.isReturnStatement(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isTypeAssertionExpression(parent) ||
    ts.isSatisfiesExpression(parent)
  );
}

/** `a ?? b`, `a || b`, `a && b` */
function isAlternative(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return [
    ts.SyntaxKind.QuestionQuestionToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.AmpersandAmpersandToken,
  ].includes(kind);
}

/** The call that a value goes into, by itself or as a member of a literal. */
function enclosingCall(node: ts.Node): Call | undefined {
  let current: ts.Node = node;
  for (let { parent } = node; ; current = parent, parent = parent.parent) {
    if (ts.isCallExpression(parent) || ts.isNewExpression(parent))
      return parent.expression === current ? undefined : parent;
    const inside =
      ts.isObjectLiteralExpression(parent) ||
      ts.isPropertyAssignment(parent) ||
      ts.isShorthandPropertyAssignment(parent) ||
      ts.isSpreadAssignment(parent) ||
      ts.isArrayLiteralExpression(parent) ||
      ts.isParenthesizedExpression(parent);
    if (!inside) return undefined;
  }
}
