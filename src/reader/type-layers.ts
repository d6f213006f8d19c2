import { ts } from 'ts-morph';
import type { KubernetesCatalogue, Schema } from '../model/index.ts';
import { scalars } from './catalogue/scalars.ts';
import { inherited } from './layers.ts';
import type { MarkerReader } from './marker-reader.ts';
import type { Member } from './members.ts';
import { mentionedAliases } from './mentioned-aliases.ts';
import { needsOutside } from './outside-parameters.ts';
import type { Layer } from './schema-markers.ts';
import type { SourceProject } from './source-project.ts';
import type { WrittenTypes } from './type-nodes.ts';
import { type Bindings, noBindings, type WrittenType } from './written-type.ts';
import { splitUnion, symbolOf } from './type-parts.ts';

export interface Followed {
  readonly layers: readonly Layer[];
  /** The type that counts, as it is written; undefined where it is not known. */
  readonly written: WrittenType | undefined;
  /** The schema of the scalar alias at the end, such as `int32`, or of a member of a type of Kubernetes. */
  readonly scalar: Schema | undefined;
  /** The declaration of that member. */
  readonly member?: ts.Declaration | undefined;
}

/** Finds what the declarations of a type say: aliases, classes, interfaces, and those that they are made of. */
export class TypeLayers {
  readonly #project: SourceProject;
  readonly #markers: MarkerReader;
  readonly #catalogue: KubernetesCatalogue;
  readonly #types: WrittenTypes;

  constructor(project: SourceProject, markers: MarkerReader, catalogue: KubernetesCatalogue, types: WrittenTypes) {
    this.#project = project;
    this.#markers = markers;
    this.#catalogue = catalogue;
    this.#types = types;
  }

  /** Follows a type wherever it is written: what all of the places say counts. */
  followAll(written: readonly WrittenType[], type: ts.Type): Followed {
    const all = written.map((each) => this.follow(each, type));
    const known = all.find(({ scalar }) => scalar !== undefined);
    return {
      layers: all.flatMap(({ layers }) => layers),
      written: all.find((each) => each.scalar === undefined)?.written ?? all[0]?.written,
      scalar: known?.scalar,
      member: known?.member,
    };
  }

  /** From a type as it is written to the one that counts, collecting what the aliases on the way say, outermost first. */
  follow(written: WrittenType | undefined, type: ts.Type): Followed {
    const layers: Layer[] = [];
    let current = written;
    for (let count = 0; current !== undefined && count < 100; count++) {
      const known = this.#kubernetesAccess(current);
      if (known !== undefined) return { layers, written: current, ...known };
      layers.push(...this.#ofAccess(current));
      const step = this.#types.step(current, type);
      if (step !== undefined) {
        layers.push(...this.#ofRebuiltList(current, step));
        current = step;
        continue;
      }
      const alias = this.#types.alias(current);
      if (alias === undefined) {
        layers.push(...this.#ofEnum(current));
        break;
      }
      const scalar = this.#scalarOf(alias.declaration);
      if (scalar !== undefined) {
        return { layers, written: current, scalar: this.#isNarrower(type, alias.declaration) ? undefined : scalar };
      }
      if (this.#project.isOwn(alias.declaration.getSourceFile()) || !this.#isLibrary(alias.declaration)) {
        layers.push(this.#layerOf(alias.declaration));
      }
      current = alias.of;
    }
    return { layers, written: current, scalar: undefined };
  }

  /** `T extends (infer U)[] ? readonly F<U>[] : ...` makes a list of a list: what was said about the one goes for the other. */
  #ofRebuiltList({ node, bindings }: WrittenType, step: WrittenType): Layer[] {
    if (!ts.isConditionalTypeNode(node) || step.node !== node.trueType || !this.#types.infersItems(node)) return [];
    return this.#types.items(step) === undefined ? [] : this.#ofPart({ node: node.checkType, bindings });
  }

  /** `PodSpec['containers']`: what the catalogue says about the member, its merge keys included. */
  #kubernetesAccess(written: WrittenType): Required<Pick<Followed, 'scalar' | 'member'>> | undefined {
    for (const declaration of this.#accessed(written)) {
      const schema = this.#kubernetesProperty(declaration);
      if (schema !== undefined) return { scalar: schema, member: declaration };
    }
    return undefined;
  }

  /** The declarations of the member that an indexed access speaks of. */
  #accessed({ node, bindings }: WrittenType): (ts.PropertySignature | ts.PropertyDeclaration)[] {
    if (!ts.isIndexedAccessTypeNode(node)) return [];
    const name = this.#types.indexOf({ node, bindings });
    if (typeof name !== 'string') return [];
    return this.#types
      .member({ node: node.objectType, bindings }, name)
      .map((member) => member.node.parent)
      .filter((declaration) => ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration));
  }

  /** `Spec['size']` speaks of a member, and says what the member says. */
  #ofAccess(written: WrittenType): Layer[] {
    return this.#accessed(written)
      .filter((declaration) => this.#project.runtimeDeclaration(declaration) === undefined)
      .map((declaration) => ({ ...this.#layerOf(declaration), typeName: undefined }));
  }

  #ofEnum(written: WrittenType): Layer[] {
    const declarations = this.#types.symbolOf(written.node)?.declarations ?? [];
    return declarations.filter(ts.isEnumDeclaration).map((declaration) => this.#layerOf(declaration));
  }

  #isLibrary(declaration: ts.Node): boolean {
    return this.#project.isLibrary(declaration.getSourceFile());
  }

  #scalarOf(declaration: ts.TypeAliasDeclaration): Schema | undefined {
    const runtime = this.#project.runtimeDeclaration(declaration);
    if (runtime === undefined) return undefined;
    return scalars.get(runtime.name) ?? this.#catalogue.get(runtime.module, runtime.name);
  }

  /** Whether only literals are left of what an alias of any number or text stands for: in an intersection. */
  #isNarrower(type: ts.Type, alias: ts.TypeAliasDeclaration): boolean {
    const whole = this.#project.checker.getTypeAtLocation(alias.name);
    return splitUnion(type).kind === 'literals' && splitUnion(whole).kind !== 'literals';
  }

  #layerOf(declaration: ts.Node): Layer {
    const { uses, description } = this.#markers.read(declaration);
    const name = ts.getNameOfDeclaration(declaration as ts.Declaration);
    return {
      uses,
      description,
      position: this.#project.positionOf(declaration),
      typeName: name !== undefined && ts.isIdentifier(name) ? name.text : undefined,
    };
  }

  /** What a member's declarations say, all of them: a member of an intersection has several. */
  ofMember(declarations: readonly ts.Declaration[]): Layer {
    const layers = declarations
      .filter((declaration) => ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration))
      .filter((declaration) => this.#project.runtimeDeclaration(declaration) === undefined)
      .map((declaration) => this.#layerOf(declaration));
    return {
      uses: layers.flatMap(({ uses }) => uses),
      description: layers.find(({ description }) => description !== undefined)?.description,
    };
  }

  /** What a class or interface says, and then what it inherits. */
  ofDeclaration(declaration: ts.ClassDeclaration | ts.InterfaceDeclaration, bindings: Bindings): Layer[] {
    return [this.#layerOf(declaration), ...this.#inheritedBy(declaration, bindings)];
  }

  /** The last of several bases first: controller-gen puts the rules of embedded types in this order. */
  #inheritedBy(declaration: ts.ClassDeclaration | ts.InterfaceDeclaration, bindings: Bindings): Layer[] {
    return this.#types
      .bases(declaration, bindings)
      .toReversed()
      .flatMap((base) => this.#ofPart(base));
  }

  /** What the shape of an object type says: its declaration, those that it extends, is put together of, or maps. */
  ofShape(written: WrittenType | undefined, type: ts.Type): Layer[] {
    if (written !== undefined) {
      const found = this.#ofWrittenShape(written);
      if (found !== undefined) return found;
    }
    return (symbolOf(type)?.declarations ?? [])
      .filter(isObjectDeclaration)
      .flatMap((each) => this.ofDeclaration(each, noBindings));
  }

  #ofWrittenShape(written: WrittenType): Layer[] | undefined {
    const { node, bindings } = written;
    if (ts.isTypeLiteralNode(node)) return [];
    if (ts.isIntersectionTypeNode(node)) return node.types.flatMap((part) => this.#ofPart({ node: part, bindings }));
    if (ts.isMappedTypeNode(node)) {
      const source = this.#mapped(node, bindings);
      return source === undefined ? [] : this.#ofPart(source);
    }
    const declarations = (this.#types.symbolOf(node)?.declarations ?? []).filter(isObjectDeclaration);
    if (declarations.length === 0) return undefined;
    return declarations.flatMap((each) => {
      const runtime = this.#project.runtimeDeclaration(each);
      const known = runtime && this.#catalogue.get(runtime.module, runtime.name);
      const mapType = known?.['x-kubernetes-map-type'];
      if (runtime !== undefined) {
        return mapType === undefined ? [] : [{ uses: [], keywords: { 'x-kubernetes-map-type': mapType } }];
      }
      return this.ofDeclaration(each, this.#types.bindingsOf(written, each));
    });
  }

  /** What a type hands on to one that is made of it. */
  #ofPart(written: WrittenType): Layer[] {
    const type = this.#types.closedType(written) ?? this.#project.checker.getAnyType();
    const followed = this.follow(written, type);
    const shape = followed.written === undefined ? [] : (this.#ofWrittenShape(followed.written) ?? []);
    return [...followed.layers, ...shape].map(inherited);
  }

  /** The type whose members a mapped type goes through: X of `[P in keyof X]`, or of `[P in K]` where K extends `keyof X`. */
  #mapped(node: ts.MappedTypeNode, bindings: Bindings): WrittenType | undefined {
    const { constraint } = node.typeParameter;
    if (constraint === undefined) return undefined;
    const direct = keyOf(constraint);
    if (direct !== undefined) return { node: direct, bindings };
    const parameter = this.#types.symbolOf(constraint)?.declarations?.find(ts.isTypeParameterDeclaration);
    const bound = parameter?.constraint && keyOf(parameter.constraint);
    return bound && { node: bound, bindings };
  }

  /** A kind's own declaration is written nowhere as a type; what it extends is. */
  #inheritedMember(outerType: ts.Type, member: Member): WrittenType[] {
    const declarations = (symbolOf(outerType)?.declarations ?? []).filter(isObjectDeclaration);
    if (member.declarations.some(({ parent }) => declarations.some((each) => each === parent))) return [];
    return declarations
      .flatMap((each) => this.#types.bases(each, noBindings))
      .flatMap((base) => this.#types.member(base, member.name));
  }

  /** The checker knows which parts of an intersection have a member, also where a part cannot be followed (`Omit<A, keyof B> & B`). */
  #membersOf(outer: WrittenType, outerType: ts.Type, name: string): WrittenType[] {
    const { node, bindings } = outer;
    const aligned =
      ts.isIntersectionTypeNode(node) && outerType.isIntersection() && outerType.types.length === node.types.length;
    if (!aligned) return this.#types.member(outer, name, outerType);
    return node.types
      .filter((_, index) => outerType.types[index]?.getProperty(name) !== undefined)
      .flatMap((part) => this.#types.member({ node: part, bindings }, name));
  }

  /** The schema of a member that was declared in one of Kubernetes' own types. */
  kubernetesMember(member: Member): Schema | undefined {
    const [declaration] = member.declarations;
    return declaration && this.#kubernetesProperty(declaration);
  }

  #kubernetesProperty(declaration: ts.Declaration): Schema | undefined {
    const name = ts.getNameOfDeclaration(declaration);
    if (name === undefined || !ts.isPropertyName(name) || !ts.isInterfaceDeclaration(declaration.parent))
      return undefined;
    const runtime = this.#project.runtimeDeclaration(declaration.parent);
    if (runtime?.module.startsWith('apis/') !== true) return undefined;
    const text = ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : '';
    return this.#catalogue.get(runtime.module, runtime.name)?.properties?.get(text);
  }

  /** How a member's type is written, wherever it is, if that can be followed to here; a member of an intersection may be several times. */
  writtenMember(outer: WrittenType | undefined, outerType: ts.Type, member: Member): WrittenType[] {
    const found =
      outer === undefined ? this.#inheritedMember(outerType, member) : this.#membersOf(outer, outerType, member.name);
    if (found.length > 0) return found;
    const [declaration] = member.declarations;
    if (declaration === undefined) return [];
    if (!ts.isPropertySignature(declaration) && !ts.isPropertyDeclaration(declaration)) return [];
    if (declaration.type === undefined) return [];
    const written = { node: declaration.type, bindings: noBindings };
    // Declared in the very type, or unchanged by what was made of it.
    if (outer === undefined && declaration.parent === symbolOf(outerType)?.declarations?.[0]) return [written];
    const closed = this.#types.closedType(written);
    const { checker } = this.#project;
    const same = closed !== undefined && checker.getNonNullableType(closed) === checker.getNonNullableType(member.type);
    return same ? [written] : [];
  }

  /**
   * The name of a marked alias that might have been lost on the way to this type: where it is not known how the type is written, or
   * where an alias is one of several members of a union.
   */
  lost(
    written: WrittenType | undefined,
    outer: WrittenType | undefined,
    type: ts.Type,
    intOrString: boolean,
  ): string | undefined {
    const { checker } = this.#project;
    const union = written !== undefined && ts.isUnionTypeNode(written.node);
    if (written !== undefined && !union && !this.#isStuck(written)) return undefined;
    const symbolOfNode = (node: ts.TypeNode): ts.Symbol | undefined => this.#types.symbolOf(node);
    const alone = written !== undefined && (union || !needsOutside(written, symbolOfNode));
    const suspects = (alone ? [written] : [written, outer]).filter((suspect) => suspect !== undefined);
    for (const alias of suspects.flatMap((suspect) => mentionedAliases(suspect, symbolOfNode))) {
      const scalar = this.#scalarOf(alias);
      const whole = scalar?.type === 'integer' && scalar.minimum === undefined;
      if (scalar !== undefined && whole && intOrString) continue;
      const marked = scalar !== undefined || this.#isMarked(alias);
      if (!marked) continue;
      const aliased = checker.getNonNullableType(checker.getTypeAtLocation(alias.name));
      const wanted = checker.getNonNullableType(type);
      // `number & {}` is a type of its own to the checker.
      const parts = wanted.isUnionOrIntersection() ? wanted.types : [wanted];
      const possible =
        aliased === wanted ||
        parts.includes(aliased) ||
        (aliased.isUnion() && aliased.types.some((part) => parts.includes(part)));
      if (possible) return alias.name.text;
    }
    return undefined;
  }

  /** Whether a written type does not say by itself what the type is. */
  #isStuck(written: WrittenType): boolean {
    const { node } = written;
    if (ts.isTypeReferenceNode(node)) {
      const flags = this.#types.symbolOf(node)?.flags ?? 0;
      return (flags & (ts.SymbolFlags.TypeParameter | ts.SymbolFlags.TypeAlias)) !== 0;
    }
    return ts.isConditionalTypeNode(node) || ts.isIndexedAccessTypeNode(node) || ts.isInferTypeNode(node);
  }

  #isMarked(alias: ts.TypeAliasDeclaration): boolean {
    return !this.#isLibrary(alias) && this.#markers.read(alias).uses.length > 0;
  }
}

function isObjectDeclaration(node: ts.Node): node is ts.ClassDeclaration | ts.InterfaceDeclaration {
  return ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);
}

function keyOf(node: ts.TypeNode): ts.TypeNode | undefined {
  return ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword ? node.type : undefined;
}
