import { ts } from 'ts-morph';
import { pluralOfKind } from '../../markers/index.ts';
import type { JsonObject } from '../../model/index.ts';
import { ConstantEvaluator, NotConstantError } from '../constants.ts';
import type { SourceProject } from '../source-project.ts';
import type { CallIndex } from './call-index.ts';
import type { Doubts } from './doubt.ts';
import { unwrap } from './unwrap.ts';

/** A kind as permissions name it. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Undefined where only the object's type is known. */
  readonly scope: 'Namespaced' | 'Cluster' | undefined;
}

/** Folds constants in the sources, and knows the kinds that they define. */
export class KnownKinds {
  readonly #project: SourceProject;
  readonly #evaluator: ConstantEvaluator;
  readonly #kinds = new Map<string, KindName>();
  readonly #doubts: Doubts | undefined;

  /** With `doubts` it throws a `DoubtError` where constants of packages might count. */
  constructor(project: SourceProject, index: CallIndex, doubts?: Doubts) {
    this.#project = project;
    this.#doubts = doubts;
    const { checker } = project;
    this.#evaluator = new ConstantEvaluator({
      checker,
      symbolOf: (name) => checker.getSymbolAtLocation(name),
      markerOf: () => undefined,
    });
    for (const call of index.calls) {
      if (!ts.isCallExpression(call) || !this.isDefinition(call, index)) continue;
      const [argument] = call.arguments;
      const info = argument && this.constant(argument);
      if (!isObject(info)) continue;
      const { version } = info;
      const name = this.defined(call);
      if (name !== undefined && typeof version === 'string')
        this.#kinds.set(keyOf(name.group, version, name.kind), name);
    }
  }

  /** `defineKind(...)` of operator-runtime */
  isDefinition(call: ts.CallExpression, index: CallIndex): boolean {
    return index.declarationsOf(call).some((declaration) => {
      const found = this.#project.runtimeDeclaration(declaration);
      return found?.module === 'kind/kind' && found.name === 'defineKind';
    });
  }

  /** The kind that a call of `defineKind` makes; undefined where its argument is not constant. */
  defined(call: ts.CallExpression): KindName | undefined {
    const [argument] = call.arguments;
    const info = argument && this.constant(argument);
    if (!isObject(info)) return undefined;
    const { group, kind, plural, scope } = info;
    if (typeof group !== 'string' || typeof kind !== 'string' || typeof plural !== 'string') return undefined;
    return { group, kind, plural, scope: scope === 'Cluster' || scope === 'Namespaced' ? scope : undefined };
  }

  /** The kind of an `apiVersion` and a name: one that the sources define, else one whose plural is regular, as all of Kubernetes' are. */
  named(apiVersion: string, kind: string): KindName {
    const slash = apiVersion.indexOf('/');
    const group = slash === -1 ? '' : apiVersion.slice(0, slash);
    const known = this.#kinds.get(keyOf(group, apiVersion.slice(slash + 1), kind));
    return known ?? { group, kind, plural: pluralOfKind(kind), scope: undefined };
  }

  /** The value of a constant expression, or undefined. */
  constant(node: ts.Expression): unknown {
    try {
      return this.#evaluator.evaluate(node);
    } catch (error) {
      if (!(error instanceof NotConstantError)) throw error;
      this.#doubts?.aboutConstant(node);
      return undefined;
    }
  }

  /** What a constant was made with; other expressions stay as they are. */
  initial(given: ts.Expression): ts.Expression {
    const node = unwrap(given);
    if (!ts.isIdentifier(node)) return node;
    const declaration = this.#project.checker.getSymbolAtLocation(node)?.valueDeclaration;
    if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return node;
    const isConstant = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
    return isConstant && declaration.initializer !== undefined ? unwrap(declaration.initializer) : node;
  }

  /** The text that a member of an object literal has, through constants and `satisfies`. */
  textMember(node: ts.Expression | undefined, name: string): string | undefined {
    const literal = node && this.initial(node);
    if (literal === undefined || !ts.isObjectLiteralExpression(literal)) return undefined;
    for (const property of literal.properties) {
      if (property.name === undefined || !ts.isIdentifier(property.name) || property.name.text !== name) continue;
      if (ts.isPropertyAssignment(property)) {
        const value = this.constant(property.initializer);
        return typeof value === 'string' ? value : undefined;
      }
      if (ts.isShorthandPropertyAssignment(property)) {
        const symbol = this.#project.checker.getShorthandAssignmentValueSymbol(property);
        const declaration = symbol?.valueDeclaration;
        const constant =
          declaration !== undefined &&
          ts.isVariableDeclaration(declaration) &&
          (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
        const value =
          constant && declaration.initializer !== undefined ? this.constant(declaration.initializer) : undefined;
        return typeof value === 'string' ? value : undefined;
      }
    }
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keyOf(group: string, version: string, kind: string): string {
  return `${group}/${version} ${kind}`;
}
