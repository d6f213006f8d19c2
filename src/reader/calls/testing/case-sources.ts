import { type Case, head } from './direct-calls.ts';
import { kinds } from './read-calls.ts';

export const fileOf = (index: number): string => `case-${index}.ts`;

/** One file for each case, and what the cases import: kinds, a module for `import()`, and packages whose sources are not there. */
export function sourcesOf(cases: readonly Case[]): Record<string, string> {
  return {
    ...kinds,
    'lazy.ts': `import type { Client } from 'operator-runtime';
import { Staff } from './kinds.ts';
export const run = (client: Client): Promise<void> => client.delete(Staff, { name: String() });
`,
    'plain.ts': `import { readFile } from 'node:fs/promises';
interface Deleter { delete(kind: unknown, key: unknown): unknown }
export const remove = (by: Deleter, kind: unknown, key: unknown): unknown => by.delete(kind, key);
export const each = <T>(list: readonly T[], run: (item: T) => unknown): unknown[] => list.map((item) => run(item));
export const load = async (path: string): Promise<string> => String(await readFile(path));
`,
    'node_modules/helpers/package.json': JSON.stringify({ name: 'helpers', type: 'module', types: './index.d.ts' }),
    'node_modules/helpers/index.d.ts': helpers,
    'node_modules/@kubernetes/client-node/package.json': JSON.stringify({
      name: '@kubernetes/client-node',
      types: './index.d.ts',
    }),
    'node_modules/@kubernetes/client-node/index.d.ts': 'export declare class KubeConfig {}\n',
    ...Object.fromEntries(cases.map(([, source], index) => [fileOf(index), `${head}\n${source}\nexport {};\n`])),
  };
}

const helpers = `import type { Client } from 'operator-runtime';
export declare function sync(options: { client: Client }): Promise<void>;
export declare function memoize<F>(f: F): F;
export declare function identity<T>(value: T): T;
export declare function each<T>(items: readonly T[], run: (item: T) => unknown): void;
export declare class Holder<T> { readonly value: T; constructor(value: T) }
export declare class Base { protected readonly options: { readonly kind: string }; }
export declare class Store { get(name: string): string | undefined; entries(): Iterable<[string, string]> }
export declare const NAMESPACE = 'helpers-system';
export declare const log: { get(name: string): string; info(text: string): void };
`;
