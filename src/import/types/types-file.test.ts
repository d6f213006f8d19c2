import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readDefinitions } from '../read-definitions.ts';
import { emitTypes } from './types-file.ts';

interface Parts {
  readonly spec?: object;
  readonly names?: object;
  readonly version?: object;
  readonly properties?: object;
  readonly root?: object;
}

/** The types of a definition with these parts, and what is lost: path and message. */
function typesOf(parts: Parts): { content: string; lost: string[] } {
  const own = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
  const schema = { type: 'object', properties: { ...own, ...parts.properties }, ...parts.root };
  const text = stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets', ...parts.names },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...parts.version }],
      ...parts.spec,
    },
  });
  const { definitions } = readDefinitions(text, 'x.yaml');
  const [definition] = definitions;
  const [version] = definition?.versions ?? [];
  if (definition === undefined || version === undefined) throw new Error('there is no definition');
  const { content, lost } = emitTypes(definition, version);
  return { content, lost: lost.map(({ path, message }) => `${path}: ${message}`) };
}

/** How a member of this schema is declared. */
function member(schema: object): string {
  const { content } = typesOf({ properties: { it: schema } });
  return /export class Widget \{\n([\s\S]*?)\}\n$/.exec(content)?.[1]?.trim().replaceAll('\n  ', ' ') ?? content;
}

const text = { type: 'string' };
const either = [{ type: 'integer' }, { type: 'string' }];

describe('emitTypes', () => {
  it('reads as people write it', () => {
    const { content, lost } = typesOf({
      properties: {
        spec: {
          type: 'object',
          description: 'spec is the wanted state.',
          properties: {
            size: { type: 'integer', format: 'int32', minimum: 1, default: 3 },
            state: { ...text, enum: ['Ready', 'Lost'] },
          },
          required: ['state'],
        },
      },
      root: { description: 'Widget is a thing.', required: ['spec'] },
      names: { shortNames: ['wd'], plural: 'widgetry' },
    });
    expect(lost).toEqual([]);
    expect(content).toBe(`import type { int32 } from 'operator-runtime';
import { Default, Minimum, Resource } from 'operator-runtime/markers';

export class WidgetSpec {
  @Minimum(1)
  @Default(3)
  size?: int32;

  state!: 'Ready' | 'Lost';
}

/** Widget is a thing. */
@Resource({ group: 'example.com', version: 'v1', plural: 'widgetry', shortNames: ['wd'] })
export class Widget {
  /** spec is the wanted state. */
  spec!: WidgetSpec;
}
`);
  });

  it.each<[object, string]>([
    [text, 'it?: string;'],
    [{ ...text, nullable: true, minLength: 1 }, '@MinLength(1) it?: string | null;'],
    [{ ...text, format: 'date-time' }, 'it?: Time;'],
    [{ type: 'number', minimum: 0, exclusiveMinimum: true }, '@ExclusiveMinimum(0) it?: number;'],
    [{ type: 'number', enum: [1, 2] }, '@Enum(1, 2) it?: number;'],
    [{ 'x-kubernetes-int-or-string': true, anyOf: either }, 'it?: IntOrString;'],
    [{ type: 'array', items: { ...text, enum: ['a', 'b'] } }, "it?: ('a' | 'b')[];"],
    [
      { type: 'array', items: { ...text, pattern: 'a' }, maxItems: 3 },
      "@MaxItems(3) @Items(Pattern('a')) it?: string[];",
    ],
    [
      { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
      '@Values(Minimum(1)) it?: Record<string, integer>;',
    ],
    [{ type: 'object' }, "@Schema({ type: 'object' }) it?: object;"],
    [{ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 'it?: object;'],
    [{ 'x-kubernetes-preserve-unknown-fields': true }, 'it?: unknown;'],
    [{ ...text, description: '@x' }, "@Schema({ type: 'string', description: '@x' }) it?: string;"],
    [
      { ...text, description: 'x', not: { enum: ['a'] } },
      "/** x */ @Schema({ type: 'string', not: { enum: ['a'] } }) it?: string;",
    ],
    [{ type: 'integer', minLength: 1 }, "@Schema({ type: 'integer', minLength: 1 }) it?: number;"],
  ])('declares a member of %j', (schema, expected) => {
    expect(member(schema)).toBe(expected);
  });

  it('writes equal types once', () => {
    const point = { type: 'object', properties: { x: { type: 'integer' } } };
    const { content } = typesOf({
      properties: { from: point, to: { ...point, description: 'the end.' }, via: { type: 'array', items: point } },
    });
    expect(content.match(/export class \w+/g)).toEqual(['export class WidgetFrom', 'export class Widget']);
    expect(content).toContain('via?: WidgetFrom[];');
  });

  it('tidies descriptions, and says so once', () => {
    const description = ' First. \n \n Second.\n';
    const spec = { type: 'object', description, properties: { a: { ...text, description: 'a ' } } };
    const { content, lost } = typesOf({ properties: { spec } });
    expect(content).toContain('  /**\n   *  First.\n   *\n   *  Second.\n   */\n  spec?: WidgetSpec;');
    expect(lost).toEqual(['spec: Widget v1: there is no notation for blanks at the ends of lines of 2 descriptions']);
  });

  it.each<[string, Parts, string]>([
    [
      'required metadata',
      { root: { required: ['metadata'] } },
      ': Widget v1: there is no notation for required: metadata',
    ],
    [
      'a rule on metadata',
      { properties: { metadata: { type: 'object', properties: { name: { maxLength: 3 } } } } },
      'metadata: Widget v1: there is no notation for properties',
    ],
    [
      'another list kind',
      { names: { listKind: 'Widgets' } },
      ': Widget v1: there is no notation for the list kind Widgets',
    ],
    [
      'a conversion',
      { spec: { conversion: { strategy: 'Webhook' } } },
      ': Widget v1: there is no notation for the conversion by a webhook',
    ],
    [
      'unknown members of old times',
      { spec: { preserveUnknownFields: true } },
      ': Widget v1: there is no notation for spec.preserveUnknownFields',
    ],
    [
      'a status that is not there',
      { version: { subresources: { status: {} } } },
      ': Widget v1: there is no notation for the subresource status of a kind without a member status',
    ],
    [
      'a junctor of the whole',
      { root: { oneOf: [{ required: ['a'] }] } },
      ': Widget v1: there is no notation for oneOf',
    ],
    [
      'null as default',
      { properties: { a: { type: 'object', properties: { 'b.c': { ...text, nullable: true, default: null } } } } },
      'a["b.c"]: Widget v1: there is no notation for default: null',
    ],
    [
      'null beside an enum',
      { properties: { a: { type: 'array', items: { ...text, enum: ['b'], nullable: true } } } },
      'a[*]: Widget v1: there is no notation for nullable beside an enum, through which the API server lets no null',
    ],
    [
      'an unknown keyword inside of a Schema marker',
      { properties: { a: { type: 'object', properties: { b: { ...text, id: 'x' } }, oneOf: [{ required: ['b'] }] } } },
      'a.b: Widget v1: there is no notation for id',
    ],
    ['a default of the whole', { root: { default: {} } }, ': Widget v1: there is no notation for default'],
    [
      'an unknown keyword',
      { properties: { a: { type: 'object', additionalProperties: { ...text, patternProperties: {} } } } },
      'a.*: Widget v1: there is no notation for patternProperties',
    ],
  ])('says that there is no notation for %s', (_name, parts, lost) => {
    expect(typesOf(parts).lost).toEqual([lost]);
  });
});
