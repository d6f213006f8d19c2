import { ts } from 'ts-morph';
import type { SourceProject } from './source-project.ts';

/** The types that operator-runtime gives its decorators. */
const markerTypes = new Set(['PropertyMarker', 'TextMarker', 'ValueMarker', 'ClassMarker', 'TypeMarker']);

/** What a decorator turns out to be: the name of one of our markers, and its call where it has one. */
export interface ResolvedDecorator {
  readonly name: string;
  readonly callee: ts.Expression;
  readonly call: ts.CallExpression | undefined;
}

/** The marker that an expression stands for, through parentheses and constants; undefined where that is not certain. */
export function resolveDecorator(expression: ts.Expression, project: SourceProject): ResolvedDecorator | undefined {
  return resolve(expression, project, new Set());
}

/** The name of operator-runtime's marker that a callee stands for, through aliases, constants and destructuring. */
export function markerName(callee: ts.Expression, project: SourceProject): string | undefined {
  return nameOf(callee, project, new Set());
}

/** Whether a decorator that was not resolved is a marker after all, by its type, or is made of one. */
export function isLostMarker(expression: ts.Expression, project: SourceProject): boolean {
  if (isMarkerType(project.checker.getTypeAtLocation(expression), project)) return true;
  const find = (node: ts.Node): boolean =>
    (ts.isCallExpression(node) && markerName(node.expression, project) !== undefined) ||
    (ts.forEachChild(node, (child) => find(child) || undefined) ?? false);
  return find(expression);
}

function isMarkerType(type: ts.Type, project: SourceProject): boolean {
  if (type.isUnionOrIntersection()) return type.types.some((part) => isMarkerType(part, project));
  const symbol = type.symbol as ts.Symbol | undefined;
  return (symbol?.declarations ?? []).some((declaration) => {
    const runtime = project.runtimeDeclaration(declaration);
    return runtime?.module.startsWith('markers/') === true && markerTypes.has(runtime.name);
  });
}

function resolve(
  expression: ts.Expression,
  project: SourceProject,
  following: Set<ts.Node>,
): ResolvedDecorator | undefined {
  const inner = plain(expression);
  if (ts.isCallExpression(inner)) {
    const name = nameOf(inner.expression, project, new Set());
    return name === undefined ? undefined : { name, callee: inner.expression, call: inner };
  }
  const name = nameOf(inner, project, new Set());
  if (name !== undefined) return { name, callee: inner, call: undefined };
  const value = constantOf(symbolOf(inner, project), following);
  return value === undefined ? undefined : resolve(value, project, following);
}

function nameOf(callee: ts.Expression, project: SourceProject, following: Set<ts.Node>): string | undefined {
  return nameOfSymbol(symbolOf(plain(callee), project), project, following);
}

function nameOfSymbol(
  symbol: ts.Symbol | undefined,
  project: SourceProject,
  following: Set<ts.Node>,
): string | undefined {
  const declaration = symbol?.declarations?.[0];
  if (declaration === undefined) return undefined;
  const runtime = project.runtimeDeclaration(declaration);
  if (runtime !== undefined) return runtime.module.startsWith('markers/') ? runtime.name : undefined;
  if (ts.isBindingElement(declaration)) {
    if (following.has(declaration)) return undefined;
    following.add(declaration);
    return nameOfSymbol(destructured(declaration, project), project, following);
  }
  const value = constantOf(symbol, following);
  return value === undefined ? undefined : nameOf(value, project, following);
}

/** The member of a module that `const { Maximum: M } = markers` names. */
function destructured(element: ts.BindingElement, project: SourceProject): ts.Symbol | undefined {
  const { checker } = project;
  const pattern = element.parent;
  const variable = pattern.parent;
  if (!ts.isObjectBindingPattern(pattern) || !ts.isVariableDeclaration(variable) || !isConst(variable))
    return undefined;
  if (variable.initializer === undefined || element.dotDotDotToken !== undefined || element.initializer !== undefined)
    return undefined;
  const module = symbolOf(plain(variable.initializer), project);
  if (module === undefined || (module.flags & ts.SymbolFlags.Module) === 0) return undefined;
  const name = element.propertyName ?? element.name;
  if (!ts.isIdentifier(name) && !ts.isStringLiteralLike(name)) return undefined;
  const member = checker.getExportsOfModule(module).find((each) => each.name === name.text);
  return member && followed(member, checker);
}

/** What a name or a member of a module means, aliases followed. */
function symbolOf(expression: ts.Expression, { checker }: SourceProject): ts.Symbol | undefined {
  const name = ts.isPropertyAccessExpression(expression)
    ? expression.name
    : ts.isElementAccessExpression(expression)
      ? expression.argumentExpression
      : expression;
  if (!ts.isIdentifier(name) && !ts.isStringLiteralLike(name)) return undefined;
  const symbol = checker.getSymbolAtLocation(name);
  return symbol && followed(symbol, checker);
}

function followed(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
}

/** What a `const`, or a member of one that is an object, is set to. */
function constantOf(symbol: ts.Symbol | undefined, following: Set<ts.Node>): ts.Expression | undefined {
  const declaration = symbol?.valueDeclaration;
  if (declaration === undefined || following.has(declaration)) return undefined;
  following.add(declaration);
  if (ts.isVariableDeclaration(declaration)) return isConst(declaration) ? declaration.initializer : undefined;
  return ts.isPropertyAssignment(declaration) && isInConst(declaration) ? declaration.initializer : undefined;
}

/** Whether a member stands in the object that a `const` is set to, however deep. */
function isInConst(member: ts.PropertyAssignment): boolean {
  let outer: ts.Node = member.parent.parent;
  while (ts.isExpression(outer) && plain(outer) !== outer) outer = outer.parent;
  return ts.isPropertyAssignment(outer) ? isInConst(outer) : ts.isVariableDeclaration(outer) && isConst(outer);
}

function isConst(declaration: ts.VariableDeclaration): boolean {
  return (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
}

function plain(expression: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression) ||
    ts.isNonNullExpression(expression)
    ? plain(expression.expression)
    : expression;
}
