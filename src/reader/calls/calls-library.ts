/**
 * What the calls of an operator's program need of the language's library, beside `minimal-library.ts`: what passes values on (lists, maps,
 * promises, iterators) with its types, and what lives outside of the program (`process`, timers) as `any`. What is missing is `any`, too, and
 * `doubt.ts` sees to it that no `any` hides a call.
 */
export const callsLibrary = `
type Awaited<T> = T extends null | undefined
  ? T
  : T extends object & { then(resolved: infer F, ...rest: infer _): any }
    ? F extends (value: infer V, ...rest: infer _) => any
      ? Awaited<V>
      : never
    : T;
type NoInfer<T> = intrinsic;
type Capitalize<S extends string> = intrinsic;
type Uncapitalize<S extends string> = intrinsic;
type Uppercase<S extends string> = intrinsic;
type Lowercase<S extends string> = intrinsic;
type Parameters<T extends (...args: any) => any> = T extends (...args: infer P) => any ? P : never;
type ReturnType<T extends (...args: any) => any> = T extends (...args: any) => infer R ? R : any;
type ConstructorParameters<T extends abstract new (...args: any) => any> = T extends abstract new (...args: infer P) => any ? P : never;
type InstanceType<T extends abstract new (...args: any) => any> = T extends abstract new (...args: any) => infer R ? R : any;

interface ObjectConstructor {
  new (value?: any): Object;
  (value?: any): any;
  keys(of: object): string[];
  values<T>(of: { [name: string]: T } | ArrayLike<T>): T[];
  entries<T>(of: { [name: string]: T } | ArrayLike<T>): [string, T][];
  assign<T extends {}, U>(target: T, source: U): T & U;
  assign<T extends {}, U, V>(target: T, first: U, second: V): T & U & V;
  freeze<T>(of: T): Readonly<T>;
  is(one: any, other: any): boolean;
  hasOwn(of: object, name: PropertyKey): boolean;
  fromEntries<T = any>(entries: Iterable<readonly [PropertyKey, T]>): { [name: string]: T };
}
declare var Object: ObjectConstructor;
interface Object {
  toString(): string;
  hasOwnProperty(name: PropertyKey): boolean;
}
interface Function {
  readonly name: string;
  readonly length: number;
}
interface String {
  readonly length: number;
  readonly [index: number]: string;
  charAt(at: number): string;
  charCodeAt(at: number): number;
  codePointAt(at: number): number | undefined;
  at(at: number): string | undefined;
  concat(...texts: string[]): string;
  endsWith(text: string, at?: number): boolean;
  includes(text: string, at?: number): boolean;
  indexOf(text: string, at?: number): number;
  lastIndexOf(text: string, at?: number): number;
  localeCompare(other: string): number;
  match(pattern: string | RegExp): RegExpMatchArray | null;
  matchAll(pattern: RegExp): Iterator<RegExpMatchArray> & Iterable<RegExpMatchArray>;
  normalize(form?: string): string;
  padEnd(length: number, by?: string): string;
  padStart(length: number, by?: string): string;
  repeat(times: number): string;
  replace(what: string | RegExp, by: string | ((text: string, ...groups: any[]) => string)): string;
  replaceAll(what: string | RegExp, by: string | ((text: string, ...groups: any[]) => string)): string;
  search(pattern: string | RegExp): number;
  slice(from?: number, to?: number): string;
  split(by: string | RegExp, limit?: number): string[];
  startsWith(text: string, at?: number): boolean;
  substring(from: number, to?: number): string;
  toLowerCase(): string;
  toUpperCase(): string;
  toString(): string;
  trim(): string;
  trimEnd(): string;
  trimStart(): string;
  valueOf(): string;
  [Symbol.iterator](): Iterator<string> & Iterable<string>;
}
interface StringConstructor {
  (value?: any): string;
  fromCharCode(...codes: number[]): string;
  raw(texts: { readonly raw: readonly string[] }, ...values: any[]): string;
}
declare var String: StringConstructor;
interface TemplateStringsArray extends ReadonlyArray<string> {
  readonly raw: readonly string[];
}
interface Number {
  toFixed(digits?: number): string;
  toString(radix?: number): string;
  valueOf(): number;
}
interface NumberConstructor {
  (value?: any): number;
  readonly MAX_SAFE_INTEGER: number;
  isFinite(value: unknown): boolean;
  isInteger(value: unknown): boolean;
  isNaN(value: unknown): boolean;
  isSafeInteger(value: unknown): boolean;
  parseFloat(text: string): number;
  parseInt(text: string, radix?: number): number;
}
declare var Number: NumberConstructor;
interface BooleanConstructor {
  <T>(value?: T): boolean;
}
declare var Boolean: BooleanConstructor;
interface BigInt {
  toString(radix?: number): string;
}
declare function BigInt(value: any): bigint;
declare function parseInt(text: string, radix?: number): number;
declare function parseFloat(text: string): number;
declare function isNaN(value: number): boolean;
declare function encodeURIComponent(text: string | number | boolean): string;
declare function decodeURIComponent(text: string): string;
declare var NaN: number;
declare var Infinity: number;
declare var Math: { readonly [name: string]: (...numbers: number[]) => number };

interface RegExp {
  readonly source: string;
  readonly flags: string;
  test(text: string): boolean;
  exec(text: string): RegExpExecArray | null;
}
interface RegExpMatchArray extends Array<string> {
  0: string;
  index?: number;
  input?: string;
  groups?: { [name: string]: string };
}
interface RegExpExecArray extends Array<string> {
  0: string;
  index: number;
  input: string;
  groups?: { [name: string]: string };
}
interface RegExpConstructor {
  new (pattern: string | RegExp, flags?: string): RegExp;
  (pattern: string | RegExp, flags?: string): RegExp;
}
declare var RegExp: RegExpConstructor;

interface Date {
  getTime(): number;
  toISOString(): string;
  toString(): string;
  toJSON(): string;
  valueOf(): number;
}
interface DateConstructor {
  new (value?: number | string | Date): Date;
  now(): number;
  parse(text: string): number;
}
declare var Date: DateConstructor;

interface Error {
  name: string;
  message: string;
  stack?: string;
  cause?: unknown;
}
interface ErrorConstructor {
  new (message?: string, options?: { cause?: unknown }): Error;
  (message?: string, options?: { cause?: unknown }): Error;
}
declare var Error: ErrorConstructor;
declare var TypeError: ErrorConstructor;
declare var RangeError: ErrorConstructor;
interface AggregateError extends Error {
  errors: any[];
}
declare var AggregateError: { new (errors: Iterable<any>, message?: string): AggregateError };

declare var JSON: {
  parse(text: string, reviver?: (name: string, value: any) => any): any;
  stringify(value: any, replacer?: ((name: string, value: any) => any) | (number | string)[] | null, space?: string | number): string;
};

interface SymbolConstructor {
  (description?: string | number): symbol;
  for(name: string): symbol;
  readonly iterator: unique symbol;
  readonly asyncIterator: unique symbol;
}
declare var Symbol: SymbolConstructor;

interface ArrayLike<T> {
  readonly length: number;
  readonly [index: number]: T;
}
interface IteratorYieldResult<T> {
  done?: false;
  value: T;
}
interface IteratorReturnResult<T> {
  done: true;
  value: T;
}
type IteratorResult<T, R = any> = IteratorYieldResult<T> | IteratorReturnResult<R>;
interface Iterator<T, R = any, N = any> {
  next(...value: [] | [N]): IteratorResult<T, R>;
  return?(value?: R): IteratorResult<T, R>;
  throw?(error?: any): IteratorResult<T, R>;
}
interface Iterable<T, R = any, N = any> {
  [Symbol.iterator](): Iterator<T, R, N>;
}
interface IterableIterator<T, R = any, N = any> extends Iterator<T, R, N> {
  [Symbol.iterator](): IterableIterator<T, R, N>;
}
interface Generator<T = unknown, R = any, N = any> extends Iterator<T, R, N> {
  next(...value: [] | [N]): IteratorResult<T, R>;
  return(value: R): IteratorResult<T, R>;
  throw(error: any): IteratorResult<T, R>;
  [Symbol.iterator](): Generator<T, R, N>;
}
interface AsyncIterator<T, R = any, N = any> {
  next(...value: [] | [N]): Promise<IteratorResult<T, R>>;
  return?(value?: R | PromiseLike<R>): Promise<IteratorResult<T, R>>;
  throw?(error?: any): Promise<IteratorResult<T, R>>;
}
interface AsyncIterable<T, R = any, N = any> {
  [Symbol.asyncIterator](): AsyncIterator<T, R, N>;
}
interface AsyncIterableIterator<T, R = any, N = any> extends AsyncIterator<T, R, N> {
  [Symbol.asyncIterator](): AsyncIterableIterator<T, R, N>;
}
interface AsyncGenerator<T = unknown, R = any, N = any> extends AsyncIterator<T, R, N> {
  next(...value: [] | [N]): Promise<IteratorResult<T, R>>;
  return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>>;
  throw(error: any): Promise<IteratorResult<T, R>>;
  [Symbol.asyncIterator](): AsyncGenerator<T, R, N>;
}

interface ReadonlyArray<T> {
  at(index: number): T | undefined;
  concat(...items: (T | readonly T[])[]): T[];
  entries(): IterableIterator<[number, T]>;
  every<S extends T>(test: (value: T, index: number, array: readonly T[]) => value is S): this is readonly S[];
  every(test: (value: T, index: number, array: readonly T[]) => unknown): boolean;
  filter<S extends T>(test: (value: T, index: number, array: readonly T[]) => value is S): S[];
  filter(test: (value: T, index: number, array: readonly T[]) => unknown): T[];
  find<S extends T>(test: (value: T, index: number, array: readonly T[]) => value is S): S | undefined;
  find(test: (value: T, index: number, array: readonly T[]) => unknown): T | undefined;
  findIndex(test: (value: T, index: number, array: readonly T[]) => unknown): number;
  findLast(test: (value: T, index: number, array: readonly T[]) => unknown): T | undefined;
  flatMap<U>(make: (value: T, index: number, array: readonly T[]) => U | readonly U[]): U[];
  forEach(each: (value: T, index: number, array: readonly T[]) => void): void;
  includes(value: T, from?: number): boolean;
  indexOf(value: T, from?: number): number;
  join(by?: string): string;
  keys(): IterableIterator<number>;
  map<U>(make: (value: T, index: number, array: readonly T[]) => U): U[];
  reduce(fold: (before: T, value: T, index: number, array: readonly T[]) => T): T;
  reduce<U>(fold: (before: U, value: T, index: number, array: readonly T[]) => U, first: U): U;
  slice(from?: number, to?: number): T[];
  some(test: (value: T, index: number, array: readonly T[]) => unknown): boolean;
  toReversed(): T[];
  toSorted(compare?: (a: T, b: T) => number): T[];
  toString(): string;
  values(): IterableIterator<T>;
  [Symbol.iterator](): IterableIterator<T>;
}
interface Array<T> {
  at(index: number): T | undefined;
  concat(...items: (T | readonly T[])[]): T[];
  entries(): IterableIterator<[number, T]>;
  every<S extends T>(test: (value: T, index: number, array: T[]) => value is S): this is S[];
  every(test: (value: T, index: number, array: T[]) => unknown): boolean;
  fill(value: T, from?: number, to?: number): this;
  filter<S extends T>(test: (value: T, index: number, array: T[]) => value is S): S[];
  filter(test: (value: T, index: number, array: T[]) => unknown): T[];
  find<S extends T>(test: (value: T, index: number, array: T[]) => value is S): S | undefined;
  find(test: (value: T, index: number, array: T[]) => unknown): T | undefined;
  findIndex(test: (value: T, index: number, array: T[]) => unknown): number;
  findLast(test: (value: T, index: number, array: T[]) => unknown): T | undefined;
  flatMap<U>(make: (value: T, index: number, array: T[]) => U | readonly U[]): U[];
  forEach(each: (value: T, index: number, array: T[]) => void): void;
  includes(value: T, from?: number): boolean;
  indexOf(value: T, from?: number): number;
  join(by?: string): string;
  keys(): IterableIterator<number>;
  map<U>(make: (value: T, index: number, array: T[]) => U): U[];
  pop(): T | undefined;
  push(...items: T[]): number;
  reduce(fold: (before: T, value: T, index: number, array: T[]) => T): T;
  reduce<U>(fold: (before: U, value: T, index: number, array: T[]) => U, first: U): U;
  reverse(): T[];
  shift(): T | undefined;
  slice(from?: number, to?: number): T[];
  some(test: (value: T, index: number, array: T[]) => unknown): boolean;
  sort(compare?: (a: T, b: T) => number): this;
  splice(from: number, count?: number, ...items: T[]): T[];
  toReversed(): T[];
  toSorted(compare?: (a: T, b: T) => number): T[];
  toString(): string;
  unshift(...items: T[]): number;
  values(): IterableIterator<T>;
  [Symbol.iterator](): IterableIterator<T>;
}
interface ArrayConstructor {
  new <T = any>(...items: T[]): T[];
  isArray(value: any): value is any[];
  from<T>(items: Iterable<T> | ArrayLike<T>): T[];
  from<T, U>(items: Iterable<T> | ArrayLike<T>, make: (value: T, index: number) => U): U[];
  of<T>(...items: T[]): T[];
}
declare var Array: ArrayConstructor;

interface Map<K, V> {
  readonly size: number;
  clear(): void;
  delete(key: K): boolean;
  forEach(each: (value: V, key: K, map: Map<K, V>) => void): void;
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): this;
  entries(): IterableIterator<[K, V]>;
  keys(): IterableIterator<K>;
  values(): IterableIterator<V>;
  [Symbol.iterator](): IterableIterator<[K, V]>;
}
interface ReadonlyMap<K, V> {
  readonly size: number;
  forEach(each: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void;
  get(key: K): V | undefined;
  has(key: K): boolean;
  entries(): IterableIterator<[K, V]>;
  keys(): IterableIterator<K>;
  values(): IterableIterator<V>;
  [Symbol.iterator](): IterableIterator<[K, V]>;
}
interface MapConstructor {
  new (): Map<any, any>;
  new <K, V>(entries?: Iterable<readonly [K, V]> | null): Map<K, V>;
}
declare var Map: MapConstructor;
interface Set<T> {
  readonly size: number;
  add(value: T): this;
  clear(): void;
  delete(value: T): boolean;
  forEach(each: (value: T, again: T, set: Set<T>) => void): void;
  has(value: T): boolean;
  values(): IterableIterator<T>;
  [Symbol.iterator](): IterableIterator<T>;
}
interface ReadonlySet<T> {
  readonly size: number;
  forEach(each: (value: T, again: T, set: ReadonlySet<T>) => void): void;
  has(value: T): boolean;
  values(): IterableIterator<T>;
  [Symbol.iterator](): IterableIterator<T>;
}
declare var Set: { new <T = any>(values?: Iterable<T> | null): Set<T> };
interface WeakMap<K, V> {
  delete(key: K): boolean;
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): this;
}
declare var WeakMap: { new <K = any, V = any>(): WeakMap<K, V> };

interface PromiseLike<T> {
  then<R = T, E = never>(
    resolved?: ((value: T) => R | PromiseLike<R>) | null,
    rejected?: ((reason: any) => E | PromiseLike<E>) | null,
  ): PromiseLike<R | E>;
}
interface Promise<T> {
  then<R = T, E = never>(
    resolved?: ((value: T) => R | PromiseLike<R>) | null,
    rejected?: ((reason: any) => E | PromiseLike<E>) | null,
  ): Promise<R | E>;
  catch<E = never>(rejected?: ((reason: any) => E | PromiseLike<E>) | null): Promise<T | E>;
  finally(settled?: (() => void) | null): Promise<T>;
}
interface PromiseSettledResult<T> {
  status: 'fulfilled' | 'rejected';
  value?: T;
  reason?: any;
}
interface PromiseConstructor {
  new <T>(run: (resolve: (value: T | PromiseLike<T>) => void, reject: (reason?: any) => void) => void): Promise<T>;
  all<T extends readonly unknown[] | []>(values: T): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }>;
  all<T>(values: Iterable<T | PromiseLike<T>>): Promise<Awaited<T>[]>;
  race<T extends readonly unknown[] | []>(values: T): Promise<Awaited<T[number]>>;
  reject<T = never>(reason?: any): Promise<T>;
  resolve(): Promise<void>;
  resolve<T>(value: T): Promise<Awaited<T>>;
}
declare var Promise: PromiseConstructor;

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: any;
  throwIfAborted(): void;
}
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare var AbortController: { new (): AbortController };
declare function structuredClone<T>(value: T): T;
declare var console: any;
declare var process: any;
declare var Buffer: any;
declare var URL: any;
declare var fetch: any;
declare var setTimeout: any;
declare var clearTimeout: any;
declare var setInterval: any;
declare var clearInterval: any;
declare var setImmediate: any;
declare var queueMicrotask: any;
declare var performance: any;
`;
