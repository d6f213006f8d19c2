import { ts } from 'ts-morph';
import { isMarker, markerNames } from './inert.ts';

/** A call, or the making of an object; `super(...)` is a call. */
export type Call = ts.CallExpression | ts.NewExpression;

/**
 * All calls, assignments and members of the sources of a program, by what they refer to: the way from a parameter or a member back to
 * the values that it may have.
 */
export class CallIndex {
  /** All calls that may be of operator-runtime. */
  readonly calls: readonly Call[];
  readonly #all: readonly Call[];
  /** The members of object literals, by name. */
  readonly #members = new Map<string, ts.ObjectLiteralElementLike[]>();
  /** The properties of classes, by name. */
  readonly #properties = new Map<string, (ts.PropertyDeclaration | ts.AccessorDeclaration)[]>();
  /** The methods of classes, by name. */
  readonly #methods = new Map<string, ts.MethodDeclaration[]>();
  /** The right sides of assignments, by the name on the left. */
  readonly #assignments = new Map<string, ts.BinaryExpression[]>();
  readonly #checker: ts.TypeChecker;
  #byDeclaration: ReadonlyMap<ts.Node, readonly Call[]> | undefined;
  readonly #declarations = new Map<Call, readonly ts.Node[]>();

  /** With `inert`, the calls of these files are left out of `calls`, and markers of all files. */
  constructor(checker: ts.TypeChecker, files: readonly ts.SourceFile[], inert?: ReadonlySet<ts.SourceFile>) {
    this.#checker = checker;
    const calls: Call[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) calls.push(node);
      else if (ts.isObjectLiteralElementLike(node) && ts.isObjectLiteralExpression(node.parent))
        this.#add(this.#members, node);
      else if (ts.isPropertyDeclaration(node) || ts.isGetAccessorDeclaration(node)) this.#add(this.#properties, node);
      else if (ts.isMethodDeclaration(node)) this.#add(this.#methods, node);
      else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
        const name = ts.isPropertyAccessExpression(node.left) ? node.left.name : node.left;
        if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) append(this.#assignments, name.text, node);
      }
      ts.forEachChild(node, visit);
    };
    const candidates: Call[] = [];
    for (const file of files) {
      const before = calls.length;
      visit(file);
      if (inert === undefined || inert.has(file)) continue;
      const names = markerNames(file);
      candidates.push(...calls.slice(before).filter((call) => !isMarker(call, names)));
    }
    this.#all = calls;
    this.calls = inert === undefined ? calls : candidates;
  }

  #add<N extends ts.NamedDeclaration>(map: Map<string, N[]>, node: N): void {
    const { name } = node;
    if (name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteralLike(name))) {
      append(map, name.text, node);
    }
  }

  /** What a call may call: the declarations of the name, and those of the signatures. */
  declarationsOf(call: Call): readonly ts.Node[] {
    let found = this.#declarations.get(call);
    if (found === undefined) {
      found = this.#named(call);
      if (found.length === 0 || !found.every(isFunction)) {
        const signature = this.#checker.getResolvedSignature(call)?.declaration;
        found = [...new Set([...found, ...(signature === undefined ? [] : [signature]), ...this.#oneOf(call)])];
      }
      this.#declarations.set(call, found);
    }
    return found;
  }

  /**
   * The declarations of the function or method that a call names, and of the property that holds it. Where these are functions themselves,
   * nothing else can be called, and the arguments need not be looked at.
   */
  #named({ expression }: Call): readonly ts.Node[] {
    const isProperty = ts.isPropertyAccessExpression(expression);
    if (!isProperty && !ts.isIdentifier(expression)) return [];
    const symbol = this.#checker.getSymbolAtLocation(isProperty ? expression.name : expression);
    if (symbol === undefined) return [];
    const target = (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? this.#checker.getAliasedSymbol(symbol) : symbol;
    const declarations = target.declarations ?? [];
    return isProperty || declarations.every(isFunction) ? declarations : [];
  }

  /** What a call calls where that is one of several functions: the compiler makes one signature of theirs, and names the first. */
  #oneOf({ expression }: Call): readonly ts.Node[] {
    if (expression.kind === ts.SyntaxKind.SuperKeyword || expression.kind === ts.SyntaxKind.ImportKeyword) return [];
    const type = this.#checker.getTypeAtLocation(expression);
    if (!type.isUnion()) return [];
    return type.types.flatMap((part) => part.getCallSignatures().flatMap(({ declaration }) => declaration ?? []));
  }

  callsOf(declaration: ts.Node): readonly Call[] {
    if (this.#byDeclaration === undefined) {
      const map = new Map<ts.Node, Call[]>();
      for (const call of this.#all) for (const each of this.declarationsOf(call)) append(map, each, call);
      this.#byDeclaration = map;
    }
    return this.#byDeclaration.get(declaration) ?? [];
  }

  membersNamed(name: string): readonly ts.ObjectLiteralElementLike[] {
    return this.#members.get(name) ?? [];
  }

  propertiesNamed(name: string): readonly (ts.PropertyDeclaration | ts.AccessorDeclaration)[] {
    return this.#properties.get(name) ?? [];
  }

  methodsNamed(name: string): readonly ts.MethodDeclaration[] {
    return this.#methods.get(name) ?? [];
  }

  /** The values that are assigned to a variable or a property. */
  assignedTo(symbol: ts.Symbol): readonly ts.Expression[] {
    const declarations = new Set<ts.Node>(symbol.declarations);
    return (this.#assignments.get(nameOf(symbol)) ?? []).flatMap(({ left, right }) => {
      const name = ts.isPropertyAccessExpression(left) ? left.name : left;
      const target = this.#checker.getSymbolAtLocation(name);
      return target?.declarations?.some((declaration) => declarations.has(declaration)) === true ? [right] : [];
    });
  }
}

function isFunction(node: ts.Node): boolean {
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node);
}

/** A symbol's name as it is written; those of private members are mangled. */
export function nameOf(symbol: ts.Symbol): string {
  const [declaration] = symbol.declarations ?? [];
  const name = declaration && ts.getNameOfDeclaration(declaration);
  return name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name.text : symbol.name;
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
