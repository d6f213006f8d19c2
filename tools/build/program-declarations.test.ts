import { describe, expect, it } from 'vitest';
import { programText } from './program-declarations.ts';

const declarations: Readonly<Record<string, string>> = {
  index: "export * from './client/types.ts';\n",
  'client/types': `import type { Kind } from '../kind/kind.ts';
/** Reads and writes. */
export declare class Client {
    /** One object. */
    get(kind: Kind): import("../kind/object.ts").Object;
}
`,
  'kind/kind':
    'export interface Kind {\n    readonly name: string;\n}\ndeclare const hidden: unique symbol;\nexport {};\n',
  'kind/object': 'export type Object = object;\n',
  'apis/meta/v1': 'export interface ObjectMeta {\n}\n',
  'apis/core/v1': "import type { Kind } from '../../kind/kind.ts';\nexport declare const Pod: Kind;\n",
  'testing/index': "import type { Kind } from '../kind/kind.ts';\nexport declare const kinds: Kind[];\n",
};

describe('programText', () => {
  it('declares each module that entries reach as an ambient one, and the entries by their names', () => {
    const entries = new Map([
      ['operator-runtime', 'index'],
      ['operator-runtime/testing', 'testing/index'],
      ['operator-runtime/apis/core/v1', 'apis/core/v1'],
    ]);
    const text = programText(entries, (module) => declarations[module]);
    expect(text.slice(text.indexOf('declare module'))).toBe(`declare module 'operator-runtime:client/types' {
import type { Kind } from 'operator-runtime:kind/kind';
export class Client {
get(kind: Kind): import('operator-runtime:kind/object').Object;
}
}
declare module 'operator-runtime:index' {
export * from 'operator-runtime:client/types';
}
declare module 'operator-runtime:kind/kind' {
export interface Kind {
readonly name: string;
}
const hidden: unique symbol;
export {};
}
declare module 'operator-runtime:kind/object' {
export type Object = object;
}
declare module 'operator-runtime' {
export * from 'operator-runtime:index';
}
`);
  });
});
