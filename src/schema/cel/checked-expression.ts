import type { Expression } from './ast.ts';
import type { ObjectFields } from './object-types.ts';
import type { CompileIssue } from './source.ts';
import type { CelType } from './types.ts';

/** What a checked name or call refers to. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'function'; readonly overloads: readonly string[] };

/** An expression whose every node has a type. */
export interface CheckedExpression {
  readonly expression: Expression;
  readonly offsets: ReadonlyMap<number, number>;
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
}

/** The variables of an expression and the object types that they have. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly objects: ObjectFields;
  /** The types whose objects an expression may make, as in `Object{spec: Object.spec{replicas: 3}}`; none without it. */
  readonly structs?: (name: string) => StructType | undefined;
}

/** A type whose objects expressions make. */
export interface StructType {
  readonly type: CelType;
  fieldType(name: string): CelType | undefined;
}

export interface CheckResult {
  readonly checked: CheckedExpression;
  readonly issues: readonly CompileIssue[];
}
