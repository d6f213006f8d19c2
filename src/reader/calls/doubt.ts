import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import { sensitiveNames } from './api.ts';
import type { CallIndex } from './call-index.ts';
import { carriesCalls } from './carriers.ts';
import { ForeignValues } from './foreign-values.ts';

/** Thrown where a program without its packages may say less than the whole one: that is read then. */
export class DoubtError extends Error {
  override readonly name = 'DoubtError';
}

/**
 * Looks for what the types of the whole program might say and a program without its packages does not: where nothing is known of a value
 * that is called, looked into for what could be a call of the client, or given to others. Values that come from outside alone are none
 * of these.
 */
export class Doubts {
  readonly #project: SourceProject;
  readonly #index: CallIndex;
  readonly #foreign: ForeignValues;

  constructor(project: SourceProject, index: CallIndex) {
    this.#project = project;
    this.#index = index;
    this.#foreign = new ForeignValues(project);
  }

  /** Throws a `DoubtError`. */
  look(files: readonly ts.SourceFile[]): void {
    for (const call of this.#index.calls) this.#lookAtCall(call);
    const visit = (node: ts.Node): void => {
      if (ts.isPropertyAccessExpression(node)) {
        if (sensitiveNames.has(node.name.text)) this.#lookInto(node.expression);
      } else if (ts.isElementAccessExpression(node)) {
        const key = node.argumentExpression;
        if (!ts.isStringLiteralLike(key) || sensitiveNames.has(key.text)) this.#lookInto(node.expression);
      } else if (ts.isObjectBindingPattern(node)) this.#lookAtPattern(node);
      else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
        if (ts.isPropertyAccessExpression(node.left)) this.#lookInto(node.left.expression);
      }
      ts.forEachChild(node, visit);
    };
    for (const file of files) visit(file);
  }

  /** A type by which something is decided. */
  about(type: ts.Type | undefined): void {
    if (type === undefined || (type.flags & ts.TypeFlags.Any) !== 0) this.raise();
  }

  /** A value that is not constant. */
  aboutConstant(node: ts.Node): void {
    if (this.#foreign.mentionsPackage(node)) this.raise();
  }

  raise(): never {
    throw new DoubtError('the whole program is needed');
  }

  #lookInto(receiver: ts.Expression): void {
    if (this.#foreign.isUnknown(receiver) && !this.#foreign.isForeign(receiver)) this.raise();
  }

  #lookAtPattern(pattern: ts.ObjectBindingPattern): void {
    const isSensitive = pattern.elements.some(({ propertyName, name, dotDotDotToken }) => {
      const key = propertyName ?? name;
      return dotDotDotToken !== undefined || !ts.isIdentifier(key) || sensitiveNames.has(key.text);
    });
    if (!isSensitive || !this.#foreign.isUnknown(pattern)) return;
    const holder = pattern.parent;
    const value = ts.isVariableDeclaration(holder) ? holder.initializer : undefined;
    if (value === undefined || !this.#foreign.isForeign(value)) this.raise();
  }

  #lookAtCall(call: ts.CallExpression | ts.NewExpression): void {
    const { expression } = call;
    const isKeyword = expression.kind === ts.SyntaxKind.ImportKeyword || expression.kind === ts.SyntaxKind.SuperKeyword;
    if (isKeyword || !this.#foreign.isUnknown(expression)) return;
    if (!this.#foreign.isForeign(expression) || (call.arguments ?? []).some((each) => this.#holdsCarrier(each)))
      this.raise();
  }

  /** Whether a client, or what has one, is in a value that goes out of the program. */
  #holdsCarrier(node: ts.Expression): boolean {
    if (ts.isSpreadElement(node) || ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
      return this.#holdsCarrier(node.expression);
    if (ts.isArrayLiteralExpression(node)) return node.elements.some((each) => this.#holdsCarrier(each));
    if (ts.isObjectLiteralExpression(node)) {
      return node.properties.some((each) => {
        if (ts.isPropertyAssignment(each)) return this.#holdsCarrier(each.initializer);
        if (ts.isSpreadAssignment(each)) return this.#holdsCarrier(each.expression);
        return ts.isShorthandPropertyAssignment(each) && this.#holdsCarrier(each.name);
      });
    }
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return false;
    if (this.#foreign.isUnknown(node)) return !this.#foreign.isForeign(node);
    return carriesCalls(this.#project, this.#project.checker.getTypeAtLocation(node));
  }
}
