import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import type { CallIndex } from './call-index.ts';
import type { Doubts } from './doubt.ts';

/** Which members of classes and literals stand for a member of an interface or of a class. */
export class MemberKinship {
  readonly #checker: ts.TypeChecker;
  readonly #index: CallIndex;
  readonly #doubts: Doubts | undefined;

  /** With `doubts` it throws a `DoubtError` where types of packages might decide. */
  constructor(project: SourceProject, index: CallIndex, doubts?: Doubts) {
    this.#checker = project.checker;
    this.#index = index;
    this.#doubts = doubts;
  }

  /** What a call of a declaration may run: functions, and values that are functions. */
  implementations(declaration: ts.Node): (ts.FunctionLikeDeclaration | ts.Expression)[] {
    const own =
      ts.isFunctionLike(declaration) && 'body' in declaration && declaration.body !== undefined ? [declaration] : [];
    if (!ts.isMethodSignature(declaration) && !ts.isMethodDeclaration(declaration)) return own;
    const isOfClass = ts.isClassLike(declaration.parent);
    const name = declaration.name.getText();
    const isBelow = (member: ts.Declaration): boolean =>
      isOfClass && own.length > 0 ? this.overrides(member, declaration) : this.implements(member, declaration);
    const methods = this.#index
      .methodsNamed(name)
      .filter((method) => method !== declaration && method.body !== undefined && isBelow(method));
    const properties = this.#index.propertiesNamed(name).filter(isBelow);
    const members = isOfClass ? [] : this.#index.membersNamed(name);
    const symbol = this.#checker.getSymbolAtLocation(declaration.name);
    return [
      ...own,
      ...methods,
      ...properties.flatMap(valueOf),
      ...members.filter((member) => this.isMemberOf(member, declaration)).flatMap(valueOf),
      ...(symbol === undefined ? [] : this.#index.assignedTo(symbol)),
    ];
  }

  /** Whether a member of a class takes the place of one of a class above it. */
  overrides(member: ts.Declaration, declaration: ts.Declaration): boolean {
    const above = ts.isClassLike(declaration.parent) ? declaration.parent : undefined;
    const seen = new Set<ts.Node>();
    const extendsAbove = (node: ts.Node): boolean => {
      if (!ts.isClassLike(node) || seen.has(node)) return false;
      seen.add(node);
      const [base] = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types ?? [];
      if (base === undefined) return false;
      const type = this.#checker.getTypeAtLocation(base);
      this.#doubts?.about(type);
      const declared = type.symbol?.declarations ?? [];
      return declared.some((each) => each === above || extendsAbove(each));
    };
    return extendsAbove(member.parent);
  }

  /** Whether a member of an object literal stands for a member of the literal's contextual type. */
  isMemberOf(member: ts.ObjectLiteralElementLike, declaration: ts.Declaration): boolean {
    if (!ts.isObjectLiteralExpression(member.parent) || member.name === undefined) return false;
    const type = this.#checker.getContextualType(member.parent);
    this.#doubts?.about(type);
    if (type === undefined) {
      // A literal without a contextual type reaches a declared one by assignment: any of the right shape may.
      return this.#fits(this.#checker.getTypeAtLocation(member.parent), declaration);
    }
    const parts = type.isUnion() ? type.types : [type];
    const name = ts.isIdentifier(member.name) ? member.name.text : member.name.getText();
    return parts.some((part) =>
      this.#checker.getPropertyOfType(part, name)?.declarations?.some((each) => each === declaration),
    );
  }

  implements(property: ts.Declaration, declaration: ts.Declaration): boolean {
    const { parent } = property;
    if (!ts.isClassLike(parent)) return false;
    const symbol = parent.name && this.#checker.getSymbolAtLocation(parent.name);
    return symbol !== undefined && this.#fits(this.#checker.getDeclaredTypeOfSymbol(symbol), declaration);
  }

  #fits(type: ts.Type, declaration: ts.Declaration): boolean {
    // Members whose types are not known fit everything.
    this.#doubts?.raise();
    const { parent } = declaration;
    if (!ts.isInterfaceDeclaration(parent) && !ts.isClassLike(parent)) return false;
    const symbol = parent.name && this.#checker.getSymbolAtLocation(parent.name);
    if (symbol === undefined) return false;
    // Type parameters fit nothing but themselves: then the names of the members decide.
    const wanted = this.#checker.getDeclaredTypeOfSymbol(symbol);
    return (
      this.#checker.isTypeAssignableTo(type, wanted) ||
      ((parent.typeParameters?.length ?? 0) > 0 &&
        wanted
          .getProperties()
          .every(
            (member) =>
              (member.flags & ts.SymbolFlags.Optional) !== 0 ||
              this.#checker.getPropertyOfType(type, member.name) !== undefined,
          ))
    );
  }
}

/** The function that a member gives, or what is followed to it. */
function valueOf(
  member: ts.ObjectLiteralElementLike | ts.PropertyDeclaration | ts.AccessorDeclaration,
): (ts.FunctionLikeDeclaration | ts.Expression)[] {
  if (ts.isMethodDeclaration(member) || ts.isGetAccessorDeclaration(member)) return [member];
  if (ts.isShorthandPropertyAssignment(member)) return [member.name];
  if (ts.isPropertyAssignment(member)) return [member.initializer];
  return ts.isPropertyDeclaration(member) && member.initializer !== undefined ? [member.initializer] : [];
}
