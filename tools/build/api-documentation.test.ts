import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packages, root } from '../repository.ts';
import { documentApis, documented, readComments } from './api-documentation.ts';

const client = `/**
* Thing is a thing.
*/
export declare class V1Thing {
    /**
    * size says how large it is.
    * It has two lines.
    */
    'size'?: number;
    'bare'?: string;
    /**
    * continue is a word of the language, \\'quoted\\' and \\"quoted\\".
    */
    '_continue'?: string;
}
`;

describe('documentApis', () => {
  it('reads the comments of a class and of its members', () => {
    expect(readComments(client)).toEqual(
      new Map([
        ['', 'Thing is a thing.'],
        ['size', 'size says how large it is.\nIt has two lines.'],
        ['continue', `continue is a word of the language, 'quoted' and "quoted".`],
      ]),
    );
  });

  it('puts them in front of what they speak of', () => {
    const text =
      'export interface Thing {\n    size?: int32;\n    bare?: string;\n}\nexport interface Other {\n    size: string;\n}\n';
    expect(documented(text, (name) => (name === 'Thing' ? readComments(client) : new Map()))).toBe(
      '/** Thing is a thing. */\nexport interface Thing {\n    /** size says how large it is.\n     * It has two lines. */\n    size?: int32;\n    bare?: string;\n}\nexport interface Other {\n    size: string;\n}\n',
    );
  });

  it('documents most of what is declared, once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'create-operator-documentation-'));
    try {
      const declarations = readFileSync(join(packages['operator-runtime'], 'apis/core/v1.generated.ts'), 'utf8');
      const file = join(folder, 'dist/apis/core/v1.generated.d.ts');
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, declarations.replace(/^ {2}/gm, '    '));
      const models = join(root, 'node_modules/@kubernetes/client-node/dist/gen/models');
      documentApis(folder, models);
      const text = readFileSync(file, 'utf8');
      expect(text).toMatch(/\/\*\* List of containers belonging to the pod\.[^/]*\*\/\n {4}containers: Container\[\];/);
      const interfaces = [...text.matchAll(/^export interface (?!\w+ListKeys)(\w+)/gm)].length;
      const documentedInterfaces = [...text.matchAll(/\*\/\nexport interface (\w+)/g)].length;
      expect(documentedInterfaces).toBeGreaterThan(0.9 * interfaces);
      documentApis(folder, models);
      expect(readFileSync(file, 'utf8')).toBe(text);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
