import { ts } from 'ts-morph';
import { isDeclaredIn } from './outside-parameters.ts';
import {
  anyOrNever,
  argumentsOf,
  hasInfer,
  isEmptyLiteral,
  isNullish,
  keyBefore,
  oneOf,
  only,
  partsOf,
} from './written-nodes.ts';
import {
  itemKey,
  noBindings,
  valueKey,
  type Binding,
  type Bindings,
  type MappedKey,
  type WrittenType,
} from './written-type.ts';

type Members = ts.NodeArray<ts.TypeElement | ts.ClassElement>;

/** Follows written types. Everything here is a hint: what it cannot follow it gives up, and the caller knows. */
export class WrittenTypes {
  readonly #checker: ts.TypeChecker;
  readonly #typesByName = new WeakMap<Members, ReadonlyMap<string, readonly ts.TypeNode[]>>();
  readonly #symbols = new Map<ts.TypeNode, ts.Symbol | undefined>();
  readonly #mentioning = new Map<ts.Node, boolean>();
  readonly #shapes = new WeakMap<WrittenType, WrittenType>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** Where the checker's type of a written one does not matter. */
  get anyType(): ts.Type {
    return this.#checker.getAnyType();
  }

  /** The declaration that a reference names, aliases of imports followed. */
  symbolOf(node: ts.TypeNode): ts.Symbol | undefined {
    if (!this.#symbols.has(node)) this.#symbols.set(node, this.#findSymbol(node));
    return this.#symbols.get(node);
  }

  #findSymbol(node: ts.TypeNode): ts.Symbol | undefined {
    let name: ts.Node | undefined;
    if (ts.isTypeReferenceNode(node)) name = node.typeName;
    else if (ts.isExpressionWithTypeArguments(node)) name = node.expression;
    else if (ts.isImportTypeNode(node)) name = node.qualifier;
    if (name === undefined) return undefined;
    const symbol = this.#checker.getSymbolAtLocation(name);
    return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
      ? this.#checker.getAliasedSymbol(symbol)
      : symbol;
  }

  /**
   * One step towards the type that counts: brackets, `readonly`, a lone member beside `null` and `undefined`, a type parameter, an
   * indexed access, the branch of a conditional type. `type` is what the checker made of it. Undefined where there is no further
   * step; aliases are steps of the caller's, who reads their markers.
   */
  step(written: WrittenType, type: ts.Type): WrittenType | undefined {
    const { node, bindings } = written;
    if (ts.isParenthesizedTypeNode(node)) return { node: node.type, bindings };
    if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) {
      return { node: node.type, bindings };
    }
    if (ts.isUnionTypeNode(node))
      return only(
        node.types.filter((part) => !isNullish(part)),
        bindings,
      );
    if (ts.isIntersectionTypeNode(node))
      return only(
        node.types.filter((part) => !isEmptyLiteral(part)),
        bindings,
      );
    if (ts.isIndexedAccessTypeNode(node)) return this.#indexed(node, bindings);
    if (ts.isConditionalTypeNode(node)) return this.#branch(node, bindings, type);
    if (ts.isTypeReferenceNode(node)) {
      const symbol = this.symbolOf(node);
      const binding = symbol && bindings.get(symbol);
      return binding !== undefined && 'node' in binding ? binding : undefined;
    }
    return undefined;
  }

  /** The alias that a reference names, and what it stands for. */
  alias(written: WrittenType): { readonly declaration: ts.TypeAliasDeclaration; readonly of: WrittenType } | undefined {
    const symbol = this.symbolOf(written.node);
    const declaration = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
    if (declaration === undefined) return undefined;
    const bindings = this.#bind(declaration.typeParameters, argumentsOf(written.node), written.bindings);
    return { declaration, of: { node: declaration.type, bindings } };
  }

  /** Follows steps and aliases up to a type that has a shape of its own. */
  shape(written: WrittenType, type: ts.Type): WrittenType {
    let current = written;
    for (let count = 0; count < 100; count++) {
      const next = this.step(current, type) ?? this.alias(current)?.of;
      if (next === undefined) return current;
      current = next;
    }
    return current;
  }

  /** The shape of a type that is asked for each of its members. */
  #shapeOf(written: WrittenType): WrittenType {
    const known = this.#shapes.get(written);
    if (known !== undefined) return known;
    const shape = this.shape(written, this.closedType(written) ?? this.#checker.getAnyType());
    this.#shapes.set(written, shape);
    return shape;
  }

  /** How a member is written, everywhere where it is; `type` is what the checker made of the whole, where that is known. */
  member(written: WrittenType, name: string, type?: ts.Type): WrittenType[] {
    const { node, bindings } = this.#shapeOf(written);
    if (ts.isTypeLiteralNode(node)) return this.#ofMembers(node.members, name, bindings);
    if (ts.isIntersectionTypeNode(node)) {
      return node.types
        .map((part) => ({ node: part, bindings }))
        .filter((part) => this.closedType(part)?.getProperty(name) !== undefined || this.#isOpen(part))
        .flatMap((part) => this.member(part, name));
    }
    if (ts.isMappedTypeNode(node)) {
      const key = node.nameType === undefined ? name : keyBefore(type ?? this.closedType(written), name);
      if (key === undefined || (node.nameType === undefined && !this.#hasKey(node, bindings, name))) return [];
      return [this.#atKey(node, bindings, key)].filter((each) => each !== undefined);
    }
    return this.#declaredMember(node, bindings, name);
  }

  /** What a mapped type makes at one of its keys. */
  #atKey(node: ts.MappedTypeNode, bindings: Bindings, key: MappedKey): WrittenType | undefined {
    const parameter = this.#checker.getSymbolAtLocation(node.typeParameter.name);
    if (node.type === undefined || parameter === undefined) return undefined;
    return { node: node.type, bindings: new Map([...bindings, [parameter, { key }]]) };
  }

  /** Whether a mapped type has a member of this name, as far as can be told. */
  #hasKey(node: ts.MappedTypeNode, bindings: Bindings, name: string): boolean {
    const { constraint } = node.typeParameter;
    if (constraint === undefined) return true;
    if (ts.isTypeOperatorNode(constraint) && constraint.operator === ts.SyntaxKind.KeyOfKeyword) {
      return this.member({ node: constraint.type, bindings }, name).length > 0;
    }
    const keys = this.closedType({ node: constraint, bindings });
    if (keys === undefined) return true;
    return partsOf(keys).some((key) => !key.isStringLiteral() || key.value === name);
  }

  #isOpen(written: WrittenType): boolean {
    return this.closedType(written) === undefined;
  }

  #declaredMember(node: ts.TypeNode, bindings: Bindings, name: string): WrittenType[] {
    const inherited: WrittenType[] = [];
    for (const declaration of this.symbolOf(node)?.declarations ?? []) {
      if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) continue;
      const inner = this.#bind(declaration.typeParameters, argumentsOf(node), bindings);
      const own = this.#ofMembers(declaration.members, name, inner);
      if (own.length > 0) return own;
      inherited.push(...this.bases(declaration, inner).flatMap((base) => this.member(base, name)));
    }
    return inherited;
  }

  /** The written types that a class or interface extends. */
  bases(declaration: ts.ClassDeclaration | ts.InterfaceDeclaration, bindings: Bindings): WrittenType[] {
    return (declaration.heritageClauses ?? [])
      .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
      .flatMap(({ types }) => types.map((node) => ({ node, bindings })));
  }

  /** The bindings inside the declaration that a reference names. */
  bindingsOf(written: WrittenType, declaration: ts.ClassDeclaration | ts.InterfaceDeclaration): Bindings {
    return this.#bind(declaration.typeParameters, argumentsOf(written.node), written.bindings);
  }

  #ofMembers(members: Members, name: string, bindings: Bindings): WrittenType[] {
    let byName = this.#typesByName.get(members);
    if (byName === undefined) {
      byName = this.#namesOf(members);
      this.#typesByName.set(members, byName);
    }
    return (byName.get(name) ?? []).map((node) => ({ node, bindings }));
  }

  #namesOf(members: Members): Map<string, ts.TypeNode[]> {
    const byName = new Map<string, ts.TypeNode[]>();
    for (const member of members) {
      if ((!ts.isPropertySignature(member) && !ts.isPropertyDeclaration(member)) || member.type === undefined) continue;
      const symbol = this.#checker.getSymbolAtLocation(member.name);
      if (symbol === undefined) continue;
      const name = ts.unescapeLeadingUnderscores(symbol.escapedName);
      byName.set(name, [...(byName.get(name) ?? []), member.type]);
    }
    return byName;
  }

  /** How the items of a list are written. */
  items(written: WrittenType): WrittenType | undefined {
    const { node, bindings } = written;
    // A mapped type over a list is a list.
    if (ts.isMappedTypeNode(node)) return this.#atKey(node, bindings, itemKey);
    if (ts.isArrayTypeNode(node)) return { node: node.elementType, bindings };
    if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) {
      return this.items({ node: node.type, bindings });
    }
    const name = this.symbolOf(node)?.name;
    const [item] = argumentsOf(node);
    return (name === 'Array' || name === 'ReadonlyArray') && item !== undefined ? { node: item, bindings } : undefined;
  }

  /** How the values of a map are written. */
  values(written: WrittenType): WrittenType | undefined {
    const { node, bindings } = this.shape(written, this.#checker.getAnyType());
    if (ts.isMappedTypeNode(node)) return this.#atKey(node, bindings, valueKey);
    const members = ts.isTypeLiteralNode(node)
      ? node.members
      : this.symbolOf(node)?.declarations?.find(ts.isInterfaceDeclaration)?.members;
    const signature = members?.find(ts.isIndexSignatureDeclaration);
    return signature && { node: signature.type, bindings };
  }

  #bind(
    parameters: readonly ts.TypeParameterDeclaration[] | undefined,
    nodes: readonly ts.TypeNode[],
    outer: Bindings,
  ): Bindings {
    if (parameters === undefined || parameters.length === 0) return noBindings;
    const bindings = new Map<ts.Symbol, Binding>();
    parameters.forEach((parameter, index) => {
      const symbol = this.#checker.getSymbolAtLocation(parameter.name);
      const given = nodes[index];
      if (symbol === undefined) return;
      if (given !== undefined) {
        // A parameter that stands for the key of a mapped type hands the key on.
        const named = this.symbolOf(given);
        const handed = named && outer.get(named);
        bindings.set(symbol, handed !== undefined && 'key' in handed ? handed : { node: given, bindings: outer });
      } else if (parameter.default !== undefined) {
        bindings.set(symbol, { node: parameter.default, bindings: new Map(bindings) });
      }
    });
    return bindings;
  }

  #indexed(node: ts.IndexedAccessTypeNode, bindings: Bindings): WrittenType | undefined {
    const object = { node: node.objectType, bindings };
    const key = this.indexOf({ node, bindings });
    if (typeof key === 'string') {
      const [first, ...others] = this.member(object, key);
      // What several parts of an intersection say in the same words is said once.
      return others.every((other) => first !== undefined && this.#isSame(first, other)) ? first : undefined;
    }
    if (key === valueKey) return this.values(object);
    return key === itemKey ? this.items(this.shape(object, this.#checker.getAnyType())) : undefined;
  }

  /** Whether two written types lead to the same words: to one node, or to one name without arguments. */
  #isSame(one: WrittenType, other: WrittenType): boolean {
    const [first, second] = [one, other].map((each) => this.#settled(each).node);
    if (first === undefined || second === undefined) return false;
    if (first === second) return argumentsOf(first).length === 0;
    const symbol = this.symbolOf(first);
    return (
      argumentsOf(first).length + argumentsOf(second).length === 0 &&
      symbol !== undefined &&
      symbol === this.symbolOf(second)
    );
  }

  /** Follows steps up to an alias, or to a type that has a shape of its own. */
  #settled(written: WrittenType): WrittenType {
    let current = written;
    for (let count = 0; count < 50; count++) {
      const next = this.step(current, this.#checker.getAnyType());
      if (next === undefined) break;
      current = next;
    }
    return current;
  }

  /** Which member an indexed access is of, where that is one: a name, the items of a list, the values of a map. */
  indexOf(written: { readonly node: ts.IndexedAccessTypeNode; readonly bindings: Bindings }): MappedKey | undefined {
    const index = { node: written.node.indexType, bindings: written.bindings };
    const { node, bindings } = this.shape(index, this.#checker.getAnyType());
    if (ts.isLiteralTypeNode(node) && (ts.isStringLiteral(node.literal) || ts.isNumericLiteral(node.literal))) {
      return node.literal.text;
    }
    if (node.kind === ts.SyntaxKind.NumberKeyword) return itemKey;
    if (node.kind === ts.SyntaxKind.StringKeyword) return valueKey;
    const symbol = this.symbolOf(node);
    const binding = symbol && bindings.get(symbol);
    return binding !== undefined && 'key' in binding ? binding.key : undefined;
  }

  /** The branch that a conditional type takes, where that can be told; `type` is what the checker made of it. */
  #branch(node: ts.ConditionalTypeNode, bindings: Bindings, type: ts.Type): WrittenType | undefined {
    const yes = { node: node.trueType, bindings };
    const no = { node: node.falseType, bindings };
    const checked = this.closedType({ node: node.checkType, bindings });
    if (this.infersItems(node)) {
      const known = checked !== undefined && (checked.flags & anyOrNever) === 0;
      if (known && !partsOf(checked).some((part) => this.#checker.isArrayLikeType(part))) return no;
      const inferred = this.#inferItems(node, bindings);
      if (inferred !== undefined) return { node: node.trueType, bindings: new Map([...bindings, ...inferred]) };
    } else if (hasInfer(node.extendsType)) {
      const inferred = this.#match(node.extendsType, { node: node.checkType, bindings });
      const branch = inferred && { node: node.trueType, bindings: new Map([...bindings, ...inferred]) };
      // What else the pattern asks for is up to the checker.
      if (branch !== undefined && (this.#sameType(branch, type) || this.#isAnother(no, checked, type))) return branch;
    }
    const against = hasInfer(node.extendsType) ? undefined : this.closedType({ node: node.extendsType, bindings });
    if (checked !== undefined && against !== undefined && (checked.flags & anyOrNever) === 0) {
      const fits = partsOf(checked).map((part) => this.#checker.isTypeAssignableTo(part, against));
      if (!fits.includes(false)) return yes;
      if (!fits.includes(true)) return no;
    }
    const same = [yes, no].filter((branch) => this.#sameType(branch, type));
    return oneOf(same);
  }

  /** Whether a conditional type cannot have taken this branch: what was checked is one type, and the branch is not what came out. */
  #isAnother(branch: WrittenType, checked: ts.Type | undefined, type: ts.Type): boolean {
    if (checked === undefined || ((checked.flags | type.flags) & anyOrNever) !== 0) return false;
    if (this.#checker.getNonNullableType(checked).isUnion() || this.closedType(branch) === undefined) return false;
    return !this.#sameType(branch, type);
  }

  #sameType(branch: WrittenType, type: ts.Type): boolean {
    const closed = this.closedType(branch);
    if (closed === undefined || (type.flags & anyOrNever) !== 0) return false;
    return closed === type || this.#checker.getNonNullableType(closed) === this.#checker.getNonNullableType(type);
  }

  /**
   * What the `infer`s of a pattern stand for where a written type fits it: in members, in the values of maps, in type arguments.
   * Undefined where it cannot be followed.
   */
  #match(pattern: ts.TypeNode, written: WrittenType): Map<ts.Symbol, Binding> | undefined {
    if (ts.isParenthesizedTypeNode(pattern)) return this.#match(pattern.type, written);
    if (!hasInfer(pattern)) return new Map();
    if (ts.isInferTypeNode(pattern)) {
      const symbol = this.#checker.getSymbolAtLocation(pattern.typeParameter.name);
      return symbol && new Map([[symbol, written]]);
    }
    const item = this.items({ node: pattern, bindings: noBindings });
    if (item !== undefined) {
      const items = this.items(this.shape(written, this.anyType));
      return items && this.#match(item.node, items);
    }
    if (ts.isTypeLiteralNode(pattern)) {
      return this.#matchAll(
        pattern.members.map((member) => {
          if (!ts.isPropertySignature(member) || member.type === undefined) return undefined;
          if (!ts.isIdentifier(member.name) && !ts.isStringLiteral(member.name)) return undefined;
          const found = oneOf(this.member(written, member.name.text));
          return found && this.#match(member.type, found);
        }),
      );
    }
    return this.#matchReference(pattern, written);
  }

  /** `Box<infer T>` against `Box<Port>`, `Record<string, infer V>` against a map. */
  #matchReference(pattern: ts.TypeNode, written: WrittenType): Map<ts.Symbol, Binding> | undefined {
    const [, value] = argumentsOf(pattern);
    const wanted = this.symbolOf(pattern);
    if (wanted?.name === 'Record' && value !== undefined) {
      const values = this.values(written);
      return values && this.#match(value, values);
    }
    let current: WrittenType | undefined = written;
    for (let count = 0; current !== undefined && count < 50; count++) {
      if (wanted !== undefined && this.symbolOf(current.node) === wanted) {
        const { node, bindings }: WrittenType = current;
        const given = argumentsOf(node);
        return this.#matchAll(
          argumentsOf(pattern).map((argument, index) => {
            const other = given[index];
            return other && this.#match(argument, this.#resolved({ node: other, bindings }));
          }),
        );
      }
      current = this.step(current, this.anyType) ?? this.alias(current)?.of;
    }
    return undefined;
  }

  /** A type parameter is what it stands for. */
  #resolved(written: WrittenType): WrittenType {
    const symbol = this.symbolOf(written.node);
    const binding = symbol && written.bindings.get(symbol);
    return binding !== undefined && 'node' in binding ? binding : written;
  }

  #matchAll(parts: readonly (Map<ts.Symbol, Binding> | undefined)[]): Map<ts.Symbol, Binding> | undefined {
    const found = new Map<ts.Symbol, Binding>();
    for (const part of parts) {
      if (part === undefined) return undefined;
      for (const [symbol, binding] of part) {
        // One name for several places: what the checker makes of them is not what any of them says.
        if (found.has(symbol)) return undefined;
        found.set(symbol, binding);
      }
    }
    return found;
  }

  /** Whether a conditional type asks for the items of a list: `T extends (infer U)[]`. */
  infersItems(node: ts.ConditionalTypeNode): boolean {
    return this.#inferredItem(node) !== undefined;
  }

  #inferredItem(node: ts.ConditionalTypeNode): ts.InferTypeNode | undefined {
    const pattern = this.items({ node: node.extendsType, bindings: noBindings })?.node;
    const inner = pattern && ts.isParenthesizedTypeNode(pattern) ? pattern.type : pattern;
    return inner !== undefined && ts.isInferTypeNode(inner) ? inner : undefined;
  }

  /** What `U` of `T extends (infer U)[] ? U : T` stands for. */
  #inferItems(node: ts.ConditionalTypeNode, bindings: Bindings): Map<ts.Symbol, Binding> | undefined {
    const inner = this.#inferredItem(node);
    if (inner === undefined) return undefined;
    const symbol = this.#checker.getSymbolAtLocation(inner.typeParameter.name);
    const list = this.shape({ node: node.checkType, bindings }, this.#checker.getAnyType());
    const items = this.items(list);
    return symbol === undefined || items === undefined ? undefined : new Map([[symbol, items]]);
  }

  /** The checker's type of a written type, where no type parameter is left in it. */
  closedType(written: WrittenType): ts.Type | undefined {
    let current = written;
    for (let count = 0; count < 50; count++) {
      if (!this.#mentionsParameter(current.node)) return this.#checker.getTypeFromTypeNode(current.node);
      const symbol = this.symbolOf(current.node);
      const binding = symbol && current.bindings.get(symbol);
      let next: WrittenType | undefined;
      if (binding !== undefined) next = 'node' in binding ? binding : undefined;
      else if (ts.isParenthesizedTypeNode(current.node)) next = { ...current, node: current.node.type };
      else if (ts.isIndexedAccessTypeNode(current.node)) next = this.#indexed(current.node, current.bindings);
      if (next === undefined) return undefined;
      current = next;
    }
    return undefined;
  }

  /** Whether a member has this type, null and undefined aside. */
  isTypeOf(member: ts.Symbol, type: ts.Type): boolean {
    const actual = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(member));
    return actual === this.#checker.getNonNullableType(type);
  }

  /** Whether a type parameter is free in a written type: not one that is declared inside of it, by `infer` or a mapped type. */
  #mentionsParameter(node: ts.Node): boolean {
    const known = this.#mentioning.get(node);
    if (known !== undefined) return known;
    const mentions = this.#findParameter(node, node);
    this.#mentioning.set(node, mentions);
    return mentions;
  }

  #findParameter(node: ts.Node, whole: ts.Node): boolean {
    if (ts.isTypeReferenceNode(node)) {
      const symbol = this.symbolOf(node);
      const isParameter = symbol !== undefined && (symbol.flags & ts.SymbolFlags.TypeParameter) !== 0;
      if (isParameter && symbol.declarations?.some((each) => isDeclaredIn(each, whole)) !== true) return true;
    }
    return ts.forEachChild(node, (child) => this.#findParameter(child, whole) || undefined) ?? false;
  }
}
