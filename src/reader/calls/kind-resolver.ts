import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import { apiCall } from './api.ts';
import { type CallIndex, nameOf } from './call-index.ts';
import type { Doubts } from './doubt.ts';
import { KindTypes } from './kind-types.ts';
import { MemberKinship } from './member-kinship.ts';
import type { KindName, KnownKinds } from './known-kinds.ts';
import { unwrap } from './unwrap.ts';

/** The kinds that an expression may stand for, and why these may not be all. */
export interface Resolution {
  readonly kinds: readonly KindName[];
  readonly problems: readonly string[];
}

/** Whether the value of a kind is looked for, or an object of one. */
type Wanted = 'kind' | 'object';

interface Search {
  readonly wanted: Wanted;
  readonly found: Map<string, KindName>;
  readonly problems: Set<string>;
  readonly seen: Set<ts.Node>;
}

/**
 * Finds the kinds that an expression may stand for: by its type where that names one, else by following its value back through
 * constants, parameters, members and containers to where it comes from. All that it may be is found; nothing is told apart by the
 * order of statements.
 */
export class KindResolver {
  readonly #project: SourceProject;
  readonly #checker: ts.TypeChecker;
  readonly #index: CallIndex;
  readonly #known: KnownKinds;
  readonly #types: KindTypes;
  readonly #kinship: MemberKinship;
  readonly #doubts: Doubts | undefined;

  /** With `doubts` it throws a `DoubtError` where types of packages might decide. */
  constructor(project: SourceProject, index: CallIndex, known: KnownKinds, doubts?: Doubts) {
    this.#project = project;
    this.#checker = project.checker;
    this.#index = index;
    this.#known = known;
    this.#types = new KindTypes(project, known);
    this.#kinship = new MemberKinship(project, index, doubts);
    this.#doubts = doubts;
  }

  resolve(node: ts.Expression, wanted: Wanted): Resolution {
    const search: Search = { wanted, found: new Map(), problems: new Set(), seen: new Set() };
    this.#follow(node, search);
    return { kinds: [...search.found.values()], problems: [...search.problems] };
  }

  /** The kinds that a type of objects names; undefined where it names none, or not all. */
  kindsOfObject(type: ts.Type): readonly KindName[] | undefined {
    return this.#types.ofObject(type);
  }

  #follow(given: ts.Expression, search: Search): void {
    const node = unwrap(given);
    if (search.seen.has(node)) return;
    search.seen.add(node);
    const type = this.#checker.getTypeAtLocation(node);
    this.#doubts?.about(type);
    const kinds = search.wanted === 'kind' ? this.#types.ofKind(type) : this.#types.ofObject(type);
    if (kinds !== undefined) kinds.forEach((kind) => this.#add(kind, search));
    else this.#followValue(node, search);
  }

  #add(kind: KindName, search: Search): void {
    search.found.set(`${kind.group}/${kind.plural}`, kind);
  }

  #followValue(node: ts.Expression, search: Search): void {
    if (ts.isConditionalExpression(node)) {
      this.#followAll([node.whenTrue, node.whenFalse], search);
    } else if (ts.isBinaryExpression(node)) {
      const right = [ts.SyntaxKind.CommaToken, ts.SyntaxKind.EqualsToken].includes(node.operatorToken.kind);
      this.#followAll(right ? [node.right] : [node.left, node.right], search);
    } else if (ts.isCallExpression(node)) {
      this.#followCall(node, search);
    } else if (ts.isNewExpression(node)) {
      this.#followAll([...(node.arguments ?? [])], search);
    } else if (ts.isArrayLiteralExpression(node)) {
      this.#followAll(
        node.elements.map((each) => (ts.isSpreadElement(each) ? each.expression : each)),
        search,
      );
    } else if (ts.isObjectLiteralExpression(node)) {
      this.#followObject(node, search);
    } else if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
      this.#followReturns(node, search);
    } else if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) {
      this.#followName(node, search);
    } else if (ts.isElementAccessExpression(node)) {
      const key = ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
      const symbol =
        key === undefined
          ? undefined
          : this.#checker.getPropertyOfType(this.#checker.getTypeAtLocation(node.expression), key);
      if (symbol?.declarations !== undefined) this.#followSymbol(symbol, node, search);
      else this.#follow(node.expression, search);
    } else if (!this.#cannotHold(node)) {
      this.#problem(node, 'cannot be followed', search);
    }
  }

  #followAll(nodes: readonly ts.Expression[], search: Search): void {
    for (const node of nodes) if (!this.#cannotHold(node)) this.#follow(node, search);
  }

  /** Texts, numbers and the like hold no kinds. */
  #cannotHold(node: ts.Expression): boolean {
    const { flags } = this.#checker.getTypeAtLocation(node);
    const plain =
      ts.TypeFlags.StringLike |
      ts.TypeFlags.NumberLike |
      ts.TypeFlags.BooleanLike |
      ts.TypeFlags.BigIntLike |
      ts.TypeFlags.ESSymbolLike |
      ts.TypeFlags.VoidLike |
      ts.TypeFlags.Null |
      ts.TypeFlags.Never;
    return (flags & plain) !== 0;
  }

  #followName(node: ts.Identifier | ts.PropertyAccessExpression, search: Search): void {
    const name = ts.isIdentifier(node) ? node : node.name;
    const symbol = this.#checker.getSymbolAtLocation(name);
    if (symbol?.declarations !== undefined) this.#followSymbol(symbol, node, search);
    // A member of a Record or of a mapped type.
    else if (ts.isPropertyAccessExpression(node)) this.#follow(node.expression, search);
    else this.#problem(node, 'is not known', search);
  }

  #followSymbol(given: ts.Symbol, at: ts.Node, search: Search): void {
    const symbol = (given.flags & ts.SymbolFlags.Alias) !== 0 ? this.#checker.getAliasedSymbol(given) : given;
    const declarations = symbol.declarations ?? [];
    if (declarations.length === 0) this.#problem(at, 'is not known', search);
    for (const declaration of declarations) {
      if (search.seen.has(declaration)) continue;
      search.seen.add(declaration);
      this.#followDeclaration(declaration, symbol, at, search);
    }
  }

  #followDeclaration(declaration: ts.Declaration, symbol: ts.Symbol, at: ts.Node, search: Search): void {
    if (ts.isVariableDeclaration(declaration)) {
      this.#followVariable(declaration, symbol, at, search);
    } else if (ts.isParameter(declaration)) {
      this.#followParameter(declaration, search);
      if (ts.isParameterPropertyDeclaration(declaration, declaration.parent))
        this.#followAll(this.#index.assignedTo(symbol), search);
    } else if (ts.isBindingElement(declaration)) {
      this.#followBinding(declaration, search);
      this.#followAll(this.#index.assignedTo(symbol), search);
    } else if (ts.isPropertyAssignment(declaration)) {
      this.#follow(declaration.initializer, search);
      this.#followAll(this.#index.assignedTo(symbol), search);
    } else if (ts.isShorthandPropertyAssignment(declaration)) {
      const value = this.#checker.getShorthandAssignmentValueSymbol(declaration);
      if (value !== undefined) this.#followSymbol(value, declaration, search);
    } else if (ts.isPropertyDeclaration(declaration) || ts.isPropertySignature(declaration)) {
      this.#followProperty(declaration, symbol, at, search);
    } else if (ts.isFunctionDeclaration(declaration)) {
      this.#followReturns(declaration, search);
    } else if (ts.isGetAccessorDeclaration(declaration)) {
      this.#followReturns(declaration, search);
      this.#followOverriding(declaration, symbol, search);
    } else if (!ts.isInterfaceDeclaration(declaration) && !ts.isTypeAliasDeclaration(declaration)) {
      // Beside the value of a kind stands the interface of the same name.
      this.#problem(at, 'cannot be followed', search);
    }
  }

  #followVariable(declaration: ts.VariableDeclaration, symbol: ts.Symbol, at: ts.Node, search: Search): void {
    const values = [...this.#index.assignedTo(symbol)];
    if (declaration.initializer !== undefined) values.push(declaration.initializer);
    const loop = declaration.parent.parent;
    if (ts.isForOfStatement(loop) && loop.initializer === declaration.parent) values.push(loop.expression);
    if (values.length === 0) this.#problem(at, 'is declared without its value', search);
    this.#followAll(values, search);
  }

  #followBinding(element: ts.BindingElement, search: Search): void {
    if (element.initializer !== undefined) this.#follow(element.initializer, search);
    const pattern = element.parent;
    const name = element.propertyName ?? element.name;
    if (ts.isObjectBindingPattern(pattern) && ts.isIdentifier(name) && element.dotDotDotToken === undefined) {
      const member = this.#checker.getPropertyOfType(this.#checker.getTypeAtLocation(pattern), name.text);
      if (member?.declarations !== undefined) {
        this.#followSymbol(member, element, search);
        return;
      }
    }
    // Elements of arrays and of records: whatever these may hold.
    const holder = pattern.parent;
    if (ts.isBindingElement(holder)) this.#followBinding(holder, search);
    else if (ts.isParameter(holder)) this.#followParameter(holder, search);
    else {
      const loop = holder.parent.parent;
      if (holder.initializer !== undefined) this.#follow(holder.initializer, search);
      else if (ts.isForOfStatement(loop)) this.#follow(loop.expression, search);
    }
  }

  /** What the classes below give in place of an accessor. */
  #followOverriding(declaration: ts.GetAccessorDeclaration, symbol: ts.Symbol, search: Search): void {
    for (const property of this.#index.propertiesNamed(nameOf(symbol))) {
      if (property === declaration || !this.#kinship.overrides(property, declaration)) continue;
      const own = this.#checker.getSymbolAtLocation(property.name);
      if (own !== undefined) this.#followSymbol(own, property, search);
    }
  }

  /** A member of a class or an interface: what is assigned to it, and what object literals and classes of that type give it. */
  #followProperty(
    declaration: ts.PropertyDeclaration | ts.PropertySignature,
    symbol: ts.Symbol,
    at: ts.Node,
    search: Search,
  ): void {
    const values: ts.Expression[] = [...this.#index.assignedTo(symbol)];
    if (ts.isPropertyDeclaration(declaration) && declaration.initializer !== undefined)
      values.push(declaration.initializer);
    const name = nameOf(symbol);
    let members = 0;
    for (const member of this.#index.membersNamed(name)) {
      // Most members of a common name (`kind: 'ConfigMap'`) are none, whatever they belong to.
      if (ts.isPropertyAssignment(member) && this.#cannotHold(member.initializer)) continue;
      if (!this.#kinship.isMemberOf(member, declaration)) continue;
      members++;
      if (ts.isPropertyAssignment(member)) values.push(member.initializer);
      else if (ts.isShorthandPropertyAssignment(member)) {
        const value = this.#checker.getShorthandAssignmentValueSymbol(member);
        if (value !== undefined) this.#followSymbol(value, member, search);
      } else if (ts.isGetAccessorDeclaration(member)) this.#followReturns(member, search);
    }
    for (const property of this.#index.propertiesNamed(name)) {
      if (property === declaration || !this.#kinship.implements(property, declaration)) continue;
      members++;
      const own = this.#checker.getSymbolAtLocation(property.name);
      if (own !== undefined) this.#followSymbol(own, property, search);
    }
    if (values.length === 0 && members === 0) this.#problem(at, 'is given a value nowhere in the program', search);
    this.#followAll(values, search);
  }

  #followParameter(parameter: ts.ParameterDeclaration, search: Search): void {
    const callee = parameter.parent;
    const position = callee.parameters.indexOf(parameter);
    const first = callee.parameters[0];
    const index = position - (first !== undefined && first.name.getText() === 'this' ? 1 : 0);
    if (parameter.initializer !== undefined) this.#follow(parameter.initializer, search);
    let callers = 0;
    for (const declaration of this.#declarationsCalled(callee)) {
      for (const call of this.#index.callsOf(declaration)) {
        callers++;
        const given = call.arguments ?? ts.factory.createNodeArray<ts.Expression>();
        const spread = given.findIndex((each) => ts.isSpreadElement(each));
        const values = parameter.dotDotDotToken !== undefined ? given.slice(index) : given.slice(index, index + 1);
        if (spread !== -1 && spread <= index) values.push(...given.slice(spread));
        this.#followAll(
          values.map((each) => (ts.isSpreadElement(each) ? each.expression : each)),
          search,
        );
      }
    }
    if (callers > 0) return;
    const iterated = callbackOf(callee);
    if (iterated !== undefined) {
      // A callback of an array's method and the like: what the others of the call hold.
      const others = iterated.arguments?.filter((each) => unwrap(each) !== callee) ?? [];
      const { expression } = iterated;
      this.#followAll(
        [...(ts.isPropertyAccessExpression(expression) ? [expression.expression] : []), ...others],
        search,
      );
      return;
    }
    const name = callee.name?.getText() ?? (ts.isConstructorDeclaration(callee) ? 'the constructor' : 'the function');
    this.#problem(parameter.name, `is a parameter, and nothing in the program calls ${name}`, search);
  }

  /** A function, and the signatures under which it may be called. */
  #declarationsCalled(callee: ts.SignatureDeclaration): Set<ts.Node> {
    const found = new Set<ts.Node>([callee]);
    const addSignatures = (type: ts.Type | undefined): void => {
      for (const signature of type?.getCallSignatures() ?? [])
        if (signature.declaration !== undefined) found.add(signature.declaration);
    };
    if (ts.isArrowFunction(callee) || ts.isFunctionExpression(callee)) {
      addSignatures(this.#checker.getContextualType(callee));
    } else if (ts.isMethodDeclaration(callee) && ts.isObjectLiteralExpression(callee.parent)) {
      const type = this.#checker.getContextualType(callee.parent);
      const member = type && this.#checker.getPropertyOfType(type, callee.name.getText());
      for (const declaration of member?.declarations ?? []) found.add(declaration);
    } else if (ts.isMethodDeclaration(callee) && ts.isClassLike(callee.parent)) {
      for (const clause of callee.parent.heritageClauses ?? []) {
        for (const base of clause.types) {
          const member = this.#checker.getPropertyOfType(this.#checker.getTypeAtLocation(base), callee.name.getText());
          for (const declaration of member?.declarations ?? []) found.add(declaration);
        }
      }
    }
    return found;
  }

  #followCall(call: ts.CallExpression, search: Search): void {
    if (this.#known.isDefinition(call, this.#index)) {
      const kind = this.#known.defined(call);
      if (kind === undefined) this.#problem(call, 'defines a kind that is known only at run time', search);
      else this.#add(kind, search);
      return;
    }
    const declarations = this.#index.declarationsOf(call);
    for (const declaration of declarations) {
      const found = this.#project.runtimeDeclaration(
        ts.isMethodSignature(declaration) || ts.isMethodDeclaration(declaration) ? declaration.parent : declaration,
      );
      if (found === undefined) continue;
      const name = ts.getNameOfDeclaration(declaration as ts.Declaration)?.getText() ?? '';
      if (found.name === 'Client' && name === 'kindFor') {
        this.#followKindFor(call, search);
        return;
      }
      const api = apiCall(found.name === name ? name : `${found.name}.${name}`);
      const argument =
        api !== undefined && 'kindArgument' in api.kind ? call.arguments[api.kind.kindArgument] : undefined;
      if (api !== undefined && api.blockingArgument === undefined && search.wanted === 'object') {
        // What a read or a write gives is an object of its kind.
        if (argument !== undefined) {
          const { kinds, problems } = this.resolve(argument, 'kind');
          kinds.forEach((kind) => this.#add(kind, search));
          problems.forEach((problem) => search.problems.add(problem));
        }
        return;
      }
      if (name === 'withControllerReference' || name === 'withOwnerReference') {
        const [, , child] = call.arguments;
        if (child !== undefined) this.#follow(child, search);
        return;
      }
    }
    const property = declarations.find((each) => ts.isPropertyDeclaration(each) || ts.isPropertySignature(each));
    if (property !== undefined && this.#project.isOwn(property.getSourceFile())) {
      // A function that a property holds.
      const symbol = this.#checker.getSymbolAtLocation(property.name);
      if (symbol !== undefined) this.#followSymbol(symbol, call, search);
      return;
    }
    const bodies = declarations.flatMap((declaration) => this.#kinship.implementations(declaration));
    if (bodies.length > 0) {
      for (const body of bodies) {
        if (ts.isExpression(body)) this.#follow(body, search);
        else this.#followReturns(body, search);
      }
      return;
    }
    // A function of a library (`Object.values`, `structuredClone`, `map`): whatever goes in may come out.
    const { expression } = call;
    const receiver = ts.isPropertyAccessExpression(expression) ? [expression.expression] : [];
    const values = [...receiver, ...call.arguments].filter((each) => !this.#isGlobal(each));
    if (values.length === 0) this.#problem(call, 'cannot be followed', search);
    this.#followAll(values, search);
  }

  /** `Object`, `Promise`, `JSON` */
  #isGlobal(node: ts.Expression): boolean {
    const symbol = ts.isIdentifier(node) ? this.#checker.getSymbolAtLocation(node) : undefined;
    return symbol?.declarations?.every((each) => this.#project.isLibrary(each.getSourceFile())) === true;
  }

  #followKindFor(call: ts.CallExpression, search: Search): void {
    const [apiVersion, kind] = call.arguments.map((each) => this.#known.constant(each));
    if (typeof apiVersion === 'string' && typeof kind === 'string')
      this.#add(this.#known.named(apiVersion, kind), search);
    else this.#problem(call, 'asks for a kind that is known only at run time', search);
  }

  #followReturns(callee: ts.FunctionLikeDeclaration, search: Search): void {
    const { body } = callee;
    if (body === undefined || search.seen.has(body)) return;
    if (!ts.isBlock(body)) {
      this.#followAll([body], search);
      return;
    }
    search.seen.add(body);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
      if ((ts.isReturnStatement(node) || ts.isYieldExpression(node)) && node.expression !== undefined)
        this.#followAll([node.expression], search);
      ts.forEachChild(node, visit);
    };
    visit(body);
  }

  #followObject(node: ts.ObjectLiteralExpression, search: Search): void {
    if (search.wanted === 'object') {
      const apiVersion = this.#memberOf(node, 'apiVersion');
      const kind = this.#memberOf(node, 'kind');
      if (apiVersion !== undefined || kind !== undefined) {
        this.#followNames(apiVersion, kind, node, search);
        return;
      }
    }
    for (const property of node.properties) {
      if (ts.isPropertyAssignment(property)) this.#followAll([property.initializer], search);
      else if (ts.isSpreadAssignment(property)) this.#followAll([property.expression], search);
      else if (ts.isShorthandPropertyAssignment(property)) this.#followAll([property.name], search);
    }
  }

  /** `{ apiVersion: 'v1', kind: 'ConfigMap' }`, or both by a kind's value: `{ apiVersion: Widget.apiVersion, kind: Widget.kind }`. */
  #followNames(
    apiVersion: ts.Expression | undefined,
    kind: ts.Expression | undefined,
    node: ts.Node,
    search: Search,
  ): void {
    const version = apiVersion && this.#known.constant(apiVersion);
    const name = kind && this.#known.constant(kind);
    if (typeof version === 'string' && typeof name === 'string') {
      this.#add(this.#known.named(version, name), search);
      return;
    }
    const source = kind && unwrap(kind);
    if (source !== undefined && ts.isPropertyAccessExpression(source) && source.name.text === 'kind') {
      const { kinds, problems } = this.resolve(source.expression, 'kind');
      kinds.forEach((each) => this.#add(each, search));
      problems.forEach((problem) => search.problems.add(problem));
      return;
    }
    this.#problem(node, 'has an apiVersion and a kind that are known only at run time', search);
  }

  #memberOf(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
    for (const property of node.properties) {
      if (property.name === undefined || property.name.getText() !== name) continue;
      if (ts.isPropertyAssignment(property)) return property.initializer;
      if (ts.isShorthandPropertyAssignment(property)) return property.name;
    }
    return undefined;
  }

  #problem(node: ts.Node, what: string, search: Search): void {
    const { file, line } = this.#project.positionOf(node);
    search.problems.add(`${shortText(node)} ${what} (${file}:${line})`);
  }
}

/** A source text on one line, of at most 60 letters. */
export function shortText(node: ts.Node): string {
  const text = node.getText().replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The call that a function is an argument of. */
function callbackOf(callee: ts.Node): ts.CallExpression | ts.NewExpression | undefined {
  let node = callee;
  while (ts.isParenthesizedExpression(node.parent)) node = node.parent;
  const { parent } = node;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression !== node ? parent : undefined;
}
