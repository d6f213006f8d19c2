import { ts } from 'ts-morph';
import type { SourcePosition } from '../model/index.ts';
import type { Problems } from './problems.ts';
import type { SourceProject } from './source-project.ts';

/** A member of an object type, as the checker has it. */
export interface Member {
  readonly name: string;
  readonly type: ts.Type;
  readonly optional: boolean;
  /** The member's declaration without a type: what it is then is inferred or any. */
  readonly untyped: boolean;
  readonly declarations: readonly ts.Declaration[];
  readonly path: string;
  readonly position: SourcePosition;
}

/** The members that have a place in a schema; the others are reported. */
export function membersOf(
  type: ts.Type,
  outer: SourcePosition,
  path: string,
  project: SourceProject,
  problems: Problems,
): Member[] {
  const members: Member[] = [];
  for (const symbol of project.checker.getPropertiesOfType(type)) {
    const declarations = declarationsOf(symbol);
    const [declaration] = declarations;
    const own = declaration !== undefined && project.isOwn(declaration.getSourceFile());
    const name = ts.getNameOfDeclaration(declaration);
    const position = own ? project.positionOf(name ?? declaration) : outer;
    const text = ts.unescapeLeadingUnderscores(symbol.escapedName);
    const memberPath = joinPath(path, text);
    // Reported with the class's other members.
    if ((symbol.flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Accessor)) !== 0 && own) continue;
    if (text.startsWith('__@')) {
      problems.report('symbolMember', {}, { position, path });
      continue;
    }
    if (own && declarations.some((each) => isPrivate(each) || (isField(each) && each.initializer !== undefined)))
      continue;
    const memberType = project.checker.getTypeOfSymbol(symbol);
    members.push({
      name: text,
      type: memberType,
      optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0 || holdsUndefined(memberType),
      untyped: declarations.some((each) => isField(each) && each.type === undefined && each.initializer === undefined),
      declarations,
      path: memberPath,
      position,
    });
  }
  return members;
}

/** Where a member was declared; a member of a mapped type was declared in the type that it maps. */
function declarationsOf(symbol: ts.Symbol): readonly ts.Declaration[] {
  if (symbol.declarations !== undefined) return symbol.declarations;
  const { links } = symbol as ts.Symbol & { readonly links?: { readonly syntheticOrigin?: ts.Symbol } };
  return links?.syntheticOrigin === undefined ? [] : declarationsOf(links.syntheticOrigin);
}

function holdsUndefined(type: ts.Type): boolean {
  const undefinedFlags = ts.TypeFlags.Undefined | ts.TypeFlags.Void;
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & undefinedFlags) !== 0);
}

function isField(node: ts.Declaration): node is ts.PropertyDeclaration {
  return ts.isPropertyDeclaration(node);
}

function isPrivate(node: ts.Declaration): boolean {
  const flags = ts.getCombinedModifierFlags(node);
  const name = ts.getNameOfDeclaration(node);
  return (
    (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0 ||
    (name !== undefined && ts.isPrivateIdentifier(name))
  );
}

/** `spec.size`, `spec["a.b"]` */
export function joinPath(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** Reports what has no place in an API's class or interface, those that it extends included. */
export function reportClassMembers(type: ts.Type, project: SourceProject, problems: Problems, path: string): void {
  const { symbol } = type as { readonly symbol?: ts.Symbol };
  for (const declaration of symbol?.declarations ?? []) {
    if (!isBody(declaration) || !project.isOwn(declaration.getSourceFile())) continue;
    for (const member of declaration.members) {
      const found = refused(member);
      if (found === undefined) continue;
      const name = member.name !== undefined && ts.isIdentifier(member.name) ? member.name.text : '';
      const [what, remedy] = found;
      const memberPath = name === '' ? path : joinPath(path, name);
      problems.report('classMember', { what }, { position: project.positionOf(member), path: memberPath, remedy });
    }
  }
  if (type.isIntersection()) for (const part of type.types) reportClassMembers(part, project, problems, path);
  if (type.isClassOrInterface()) {
    for (const base of project.checker.getBaseTypes(type)) reportClassMembers(base, project, problems, path);
  }
}

type Body = ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeLiteralNode;

function isBody(node: ts.Node): node is Body {
  return ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node);
}

function refused(member: ts.ClassElement | ts.TypeElement): readonly [what: string, remedy: string] | undefined {
  const data = 'objects of an API are plain JSON: put functions elsewhere';
  if (ts.isConstructorDeclaration(member) || ts.isConstructSignatureDeclaration(member)) {
    return ['a constructor', 'objects are made as plain JSON'];
  }
  if (ts.isMethodDeclaration(member) || ts.isMethodSignature(member)) return ['a method', data];
  if (ts.isCallSignatureDeclaration(member)) return ['a call signature', data];
  if (ts.isAccessor(member)) return ['an accessor', 'declare a member with a type'];
  if (ts.isClassStaticBlockDeclaration(member)) return ['a static block', 'put it outside of the class'];
  const flags = ts.getCombinedModifierFlags(member);
  if ((flags & ts.ModifierFlags.Static) !== 0) return ['a static member', 'declare a constant outside of the class'];
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return ['a #private member', 'take it out'];
  if ((flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0) {
    return ['a private or protected member', 'take the modifier away, or the member'];
  }
  if (ts.isPropertyDeclaration(member) && member.initializer !== undefined) {
    return ['an initialiser', 'use the marker Default: the API server fills it in'];
  }
  return undefined;
}
