import type { CallEstimate, CostNode, NodeSizes } from './estimates.ts';
import type { MacroTable } from './macros.ts';
import { isAssignableValue, typeOfValue } from './runtime-types.ts';
import { dynType, type CelType } from './types.ts';
import { CelError, isError, type Value } from './values.ts';

/** One signature of a function. */
export interface Overload {
  readonly id: string;
  /** Whether it is called on a target, which then is the first of `args`. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** What it does; absent where the interpreter does it itself or the function has a {@link SharedImplementation}. */
  readonly call?: (args: readonly Value[]) => Value;
  /** Arguments are evaluated one by one up to the first error, instead of all of them. Three and more always are. */
  readonly sequential?: boolean;
  /** The static cost where it is not the usual one. */
  readonly estimate?: (
    sizes: NodeSizes,
    target: CostNode | undefined,
    args: readonly CostNode[],
  ) => CallEstimate | undefined;
  /** The actual cost where it is not the usual one. */
  readonly track?: (args: readonly Value[], result: Value) => number;
}

/** One implementation for all overloads of a function. */
export interface SharedImplementation {
  readonly call: (args: readonly Value[]) => Value;
  /** Which first arguments it is for; others have "no such overload". */
  readonly accepts?: (value: Value) => boolean;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly shared?: SharedImplementation;
  /** Arguments are not compared with the declared types at run time. */
  readonly unguarded?: boolean;
}

/** Functions and macros that come together from one Kubernetes version on. */
export interface Library {
  /** The minor version of Kubernetes 1.x that brought it; 0 when it was always there. */
  readonly since: number;
  /** The minor version that replaced it. */
  readonly until?: number;
  readonly functions: readonly FunctionDeclaration[];
  /** Types that can be named in expressions. */
  readonly types?: readonly CelType[];
  readonly addMacros?: (table: MacroTable) => void;
}

export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}

export function overload(id: string, args: readonly CelType[], result: CelType, call?: Overload['call']): Overload {
  return { id, member: false, args, result, ...(call === undefined ? {} : { call }) };
}

export function member(id: string, args: readonly CelType[], result: CelType, call?: Overload['call']): Overload {
  return { id, member: true, args, result, ...(call === undefined ? {} : { call }) };
}

/** An argument that the signature guarantees. */
export function argument(args: readonly Value[], index: number): Value {
  return args[index] ?? null;
}

/** "no such overload" with the types that were given. */
export function noMatchingOverload(name: string, args: readonly Value[]): CelError {
  for (const value of args) if (isError(value)) return value;
  return new CelError(`no such overload: ${name}(${args.map((value) => typeOfValue(value).name).join(', ')})`);
}

export function matchesSignature(
  declaration: FunctionDeclaration,
  overload: Overload,
  args: readonly Value[],
): boolean {
  if (args.length !== overload.args.length) return false;
  return args.every((value, index) => {
    if (isError(value)) return false;
    return declaration.unguarded === true || isAssignableValue(overload.args[index] ?? dynType, value);
  });
}

/** A function under one name, merged from all libraries that declare it. */
export function mergeDeclarations(
  first: FunctionDeclaration | undefined,
  second: FunctionDeclaration,
): FunctionDeclaration {
  if (first === undefined) return second;
  const shared = first.shared ?? second.shared;
  return {
    name: first.name,
    overloads: [...first.overloads, ...second.overloads],
    ...(shared === undefined ? {} : { shared }),
    ...(first.unguarded === true && second.unguarded === true ? { unguarded: true } : {}),
  };
}
