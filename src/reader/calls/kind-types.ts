import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import type { KindName, KnownKinds } from './known-kinds.ts';

/** The kinds that types name by their literal `apiVersion` and `kind`. */
export class KindTypes {
  readonly #project: SourceProject;
  readonly #checker: ts.TypeChecker;
  readonly #known: KnownKinds;

  constructor(project: SourceProject, known: KnownKinds) {
    this.#project = project;
    this.#checker = project.checker;
    this.#known = known;
  }

  /** The kinds that a type of a kind's value names; undefined where it names none, or not all. */
  ofKind(type: ts.Type): KindName[] | undefined {
    if (type.isUnion()) return all(type.types.map((each) => this.ofKind(each)));
    if (type.isIntersection()) {
      const parts = type.types.flatMap((each) => this.ofKind(each) ?? []);
      return parts.length > 0 ? parts : undefined;
    }
    const declaration = type.symbol?.declarations?.[0];
    const found = declaration && this.#project.runtimeDeclaration(declaration);
    if (found?.module !== 'kind/kind' || found.name !== 'Kind') return undefined;
    const [object, scope] = this.#checker.getTypeArguments(type as ts.TypeReference);
    const kinds = object && this.ofObject(object);
    const known = scope?.isStringLiteral() === true ? scope.value : undefined;
    return known === 'Namespaced' || known === 'Cluster'
      ? kinds?.map((kind) => (kind.scope === undefined ? { ...kind, scope: known } : kind))
      : kinds;
  }

  /** The kinds that a type of objects names; undefined where it names none, or not all. */
  ofObject(type: ts.Type): KindName[] | undefined {
    if ((type.flags & (ts.TypeFlags.Any | ts.TypeFlags.TypeParameter)) !== 0) return undefined;
    if (type.isUnion()) {
      const parts = type.types.filter((each) => (each.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) === 0);
      return all(parts.map((each) => this.ofObject(each)));
    }
    const texts = (name: string): string[] | undefined => {
      const member = this.#checker.getPropertyOfType(type, name);
      const value = member && this.#checker.getTypeOfSymbol(member);
      const parts = value === undefined ? [] : value.isUnion() ? value.types : [value];
      const literals = parts.flatMap((each) => (each.isStringLiteral() ? [each.value] : []));
      return literals.length > 0 && literals.length === parts.length ? literals : undefined;
    };
    const versions = texts('apiVersion');
    const kinds = texts('kind');
    if (versions === undefined || kinds === undefined) return undefined;
    return versions.flatMap((version) => kinds.map((kind) => this.#known.named(version, kind)));
  }
}

/** All lists as one, or undefined where one is missing or there is none. */
function all(lists: readonly (KindName[] | undefined)[]): KindName[] | undefined {
  if (lists.length === 0 || lists.some((list) => list === undefined)) return undefined;
  return lists.flatMap((list) => list ?? []);
}
