import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/index.ts';
import { emitForeignClient } from './client.ts';
import type { CustomResourceDefinition, DefinitionVersion } from './custom-resource-definition.ts';
import { docComment } from './doc-comment.ts';
import { importClients } from './import.ts';

const version = (schema: JsonObject, parts: Partial<DefinitionVersion> = {}): DefinitionVersion => ({
  name: 'v1',
  served: true,
  storage: true,
  deprecated: false,
  deprecationWarning: undefined,
  schema,
  status: false,
  scale: undefined,
  printerColumns: [],
  selectableFields: [],
  ...parts,
});

const definition = (parts: Partial<CustomResourceDefinition> = {}): CustomResourceDefinition => ({
  group: 'g.test',
  kind: 'Widget',
  listKind: 'WidgetList',
  plural: 'widgets',
  singular: 'widget',
  shortNames: [],
  categories: [],
  scope: 'Namespaced',
  labels: {},
  annotations: {},
  versions: [version({ type: 'object' })],
  spec: {},
  position: { file: 'x.yaml', line: 1, column: 1 },
  ...parts,
});

/** How a member of this schema is declared, and what comes with it. */
async function declared(schema: JsonObject): Promise<string> {
  const root = version({ type: 'object', properties: { it: schema } });
  const text = await emitForeignClient(definition(), root);
  return text
    .slice(text.indexOf("kind: 'Widget';") + 18, text.indexOf('export const'))
    .trim()
    .replace(/\n}$/, '');
}

const text = { type: 'string' };

describe('emitForeignClient', () => {
  it.each<[JsonObject, string]>([
    [text, 'it?: string;'],
    [{ type: 'integer', format: 'int32', minimum: 1, default: 3 }, 'it?: number;'],
    [{ type: 'string', nullable: true }, 'it?: string | null;'],
    [{ type: 'string', enum: ['a', "it's"] }, "it?: 'a' | 'it\\'s';"],
    [{ type: 'string', enum: ['a'], nullable: true }, "it?: 'a' | null;"],
    [{ 'x-kubernetes-int-or-string': true }, 'it?: number | string;'],
    [{ type: 'array', items: { 'x-kubernetes-int-or-string': true } }, 'it?: (number | string)[];'],
    [{ 'x-kubernetes-int-or-string': true, nullable: true }, 'it?: number | string | null;'],
    [{ 'x-kubernetes-preserve-unknown-fields': true }, 'it?: unknown;'],
    [{}, 'it?: unknown;'],
    [{ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 'it?: { [name: string]: unknown };'],
    [{ type: 'object' }, 'it?: { [name: string]: never };'],
    [{ type: 'array', maxItems: 16, minItems: 2, items: text }, 'it?: string[];'],
    [{ type: 'array' }, 'it?: unknown[];'],
    [{ type: 'string', title: 'A', allOf: [{ pattern: 'a' }, { maxLength: 1 }] }, 'it?: string;'],
    [{ type: 'object', additionalProperties: text }, 'it?: {\n    [name: string]: string;\n  };'],
    [
      { type: 'object', properties: { a: text }, oneOf: [{ required: ['a'] }], not: { required: ['b'] } },
      'it?: WidgetIt;\n}\n\nexport interface WidgetIt {\n  a?: string;',
    ],
    [
      { type: 'object', 'x-kubernetes-embedded-resource': true },
      'it?: { apiVersion: string; kind: string; metadata?: ObjectMeta; [name: string]: unknown };',
    ],
    [{ type: 'string', description: 'a */ b' }, '/** a *\\/ b */\n  it?: string;'],
  ])('declares a member of %j', async (schema, expected) => {
    expect(await declared(schema)).toBe(expected);
  });

  it('says what is deprecated, and which subresources there are', async () => {
    const old = version(
      { type: 'object' },
      { deprecated: true, deprecationWarning: 'use v2', status: true, scale: {} },
    );
    const emitted = await emitForeignClient(definition({ scope: 'Cluster' }), old);
    expect(emitted).toContain('/** @deprecated use v2 */\nexport interface Widget extends KubernetesObject {');
    expect(emitted).toContain("export const Widget: Kind<Widget, 'Cluster', 'status' | 'scale'> = /* @__PURE__ */");
  });

  it('declares equal types once, each member with its own comment', async () => {
    const point = { type: 'object', properties: { x: { type: 'integer', description: 'x goes right.' } } };
    const properties = {
      from: { ...point, description: 'the start.' },
      to: { ...point, description: 'the end.', nullable: true },
      via: { type: 'array', items: { ...point, description: 'A stop.' } },
    };
    const emitted = await emitForeignClient(definition(), version({ type: 'object', properties }));
    expect(emitted.slice(emitted.indexOf("kind: 'Widget';"), emitted.indexOf('export const'))).toBe(`kind: 'Widget';
  /** the start. */
  from?: WidgetFrom;
  /** the end. */
  to?: WidgetFrom | null;
  via?: WidgetVia[];
}

export interface WidgetFrom {
  /** x goes right. */
  x?: number;
}

/** A stop. */
export interface WidgetVia {
  /** x goes right. */
  x?: number;
}

`);
  });

  it('gives types of one path their own names', async () => {
    const inner = (name: string): JsonObject => ({ type: 'object', properties: { [name]: text } });
    const schema = { type: 'object', properties: { 'a-b': inner('c'), aB: inner('d'), AB: inner('e') } };
    const emitted = await emitForeignClient(definition(), version(schema));
    expect(emitted.match(/^export interface \w+/gm)).toEqual([
      'export interface Widget',
      'export interface WidgetAB',
      'export interface WidgetAB2',
      'export interface WidgetAB3',
      'export interface WidgetList',
    ]);
  });
});

describe('importClients', () => {
  it('names files by group, version and kind', async () => {
    const versions = [version({ type: 'object' }), version({ type: 'object' }, { name: 'v1-10-0' })];
    const { files, diagnostics } = await importClients(
      [definition({ versions }), definition({ group: 'h.test' })],
      'a',
    );
    expect(files.map(({ path }) => path)).toEqual([
      'a/g.test_v1-10-0_widget.ts',
      'a/g.test_v1_widget.ts',
      'a/h.test_v1_widget.ts',
    ]);
    expect(diagnostics).toEqual([]);
  });

  it('refuses two files at one path, also where they differ in case', async () => {
    const { diagnostics } = await importClients([definition(), definition({ kind: 'WIDGET' })], '.');
    expect(diagnostics).toMatchObject([{ code: 'CO2604', severity: 'error', position: { file: 'x.yaml' } }]);
  });
});

describe('docComment', () => {
  it.each([
    ['', ''],
    ['\n \n', ''],
    ['one', '/** one */\n'],
    ['a */ b /* c */', '/** a *\\/ b /* c *\\/ */\n'],
    ['* a', '/**\n * * a\n */\n'],
    ['a\r\n\r\nb\u2028c', '/**\n * a\n *\n * b\n * c\n */\n'],
  ])('of %j', (description, expected) => {
    expect(docComment(description)).toBe(expected);
  });
});
