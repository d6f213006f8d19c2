/**
 * The part of the language's library that declarations of APIs need. Parsing and binding all of it costs most of a run; this has the
 * types that the compiler itself asks for, the utility types, and nothing else, so that whatever else a source uses is an error, upon
 * which the whole library is loaded. `library-gate.ts` says where even that would not show.
 */
export const minimalLibrary = `
interface Object {}
interface Function {}
interface CallableFunction extends Function {}
interface NewableFunction extends Function {}
interface IArguments {}
interface Boolean {}
interface Number {}
interface String {}
interface RegExp {}
interface Array<T> { [index: number]: T; readonly length: number }
interface ReadonlyArray<T> { readonly [index: number]: T; readonly length: number }
interface SymbolConstructor {}
interface Symbol {}
type PropertyKey = string | number | symbol;
type Partial<T> = { [P in keyof T]?: T[P] };
type Required<T> = { [P in keyof T]-?: T[P] };
type Readonly<T> = { readonly [P in keyof T]: T[P] };
type Pick<T, K extends keyof T> = { [P in K]: T[P] };
type Record<K extends keyof any, T> = { [P in K]: T };
type Exclude<T, U> = T extends U ? never : T;
type Extract<T, U> = T extends U ? T : never;
type Omit<T, K extends keyof any> = Pick<T, Exclude<keyof T, K>>;
type NonNullable<T> = T & {};
interface TypedPropertyDescriptor<T> { value?: T }
interface DecoratorMetadataObject {}
interface ClassDecoratorContext<Class extends abstract new (...args: any) => any = abstract new (...args: any) => any> {
  readonly kind: 'class';
  readonly name: string | undefined;
}
interface ClassFieldDecoratorContext<This = unknown, Value = unknown> {
  readonly kind: 'field';
  readonly name: string | symbol;
  readonly static: boolean;
  readonly private: boolean;
  readonly access: { has(object: This): boolean; get(object: This): Value; set(object: This, value: Value): void };
}
`;
