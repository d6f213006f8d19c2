import { describe, expect, it } from 'vitest';
import { readDefinitions } from './read-definitions.ts';

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  names: { kind: Widget, plural: widgets }
  scope: Namespaced
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;
const json = JSON.stringify({
  kind: 'CustomResourceDefinitionList',
  apiVersion: 'apiextensions.k8s.io/v1',
  items: [
    {
      metadata: { name: 'a.b.c' },
      spec: { group: 'b.c', names: { kind: 'A', plural: 'as' }, scope: 'Cluster', versions: [{ name: 'v1' }] },
    },
  ],
});

const bomb = [
  'a: &a [1,2,3,4,5,6,7,8,9]',
  ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join(',')}]`),
].join('\n');

const kinds = (text: string): string[] => readDefinitions(text, 'x.yaml').definitions.map(({ kind }) => kind);

describe('readDefinitions', () => {
  it.each<[string, string, string[]]>([
    ['one document', definition, ['Widget']],
    [
      'many, and others between them',
      `${definition}---\nkind: Secret\n---\n# nothing\n---\n${definition}`,
      ['Widget', 'Widget'],
    ],
    [
      'a list',
      `apiVersion: v1\nkind: List\nitems:\n- ${definition.trim().replaceAll('\n', '\n  ')}\n- kind: Pod\n`,
      ['Widget'],
    ],
    ['a typed list in JSON, whose members do not say what they are', json, ['A']],
    ['CRLF', definition.replaceAll('\n', '\r\n'), ['Widget']],
  ])('finds definitions in %s', (_name, text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  it('fills in the names that the server would', () => {
    expect(readDefinitions(definition, 'x').definitions).toMatchObject([
      { listKind: 'WidgetList', singular: 'widget', versions: [{ name: 'v1', served: true, status: false }] },
    ]);
  });

  it('keeps large integers, dates and members of any name', () => {
    const example = 'example: [2001-01-01, ., .5, 1., -1_0.5]';
    const schema = `{ type: object, properties: { __proto__: { default: 9007199254740993, ${example} } } }`;
    const [read] = readDefinitions(definition.replace('{ type: object }', schema), 'x').definitions;
    const properties = read?.versions[0]?.schema['properties'] as Record<string, unknown>;
    expect(Object.entries(properties)).toEqual([
      ['__proto__', { default: 9_007_199_254_740_993n, example: ['2001-01-01', '.', 0.5, 1, -10.5] }],
    ]);
  });

  it.each<[string, string, string]>([
    ['no YAML', 'a: [', 'CO2601'],
    ['a template of Helm', '{{- if .Values.crds }}\na: b\n{{- end }}\n', 'CO2601'],
    ['an alias of nothing', 'a: *b', 'CO2601'],
    ['aliases that grow without end', bomb, 'CO2601'],
    ['nothing', '', 'CO2602'],
    ['other objects', 'kind: Secret\n', 'CO2602'],
    ['an old version', definition.replace('io/v1', 'io/v1beta1'), 'CO2603'],
    ['no group', definition.replace('group: example.com', 'other: 1'), 'CO2603'],
    ['no kind', definition.replace('kind: Widget, ', ''), 'CO2603'],
    ['no plural', definition.replace(', plural: widgets', ''), 'CO2603'],
    ['no scope', definition.replace('scope: Namespaced', 'other: 1'), 'CO2603'],
    ['no versions', definition.replace(/versions: .*/, 'versions: []'), 'CO2603'],
    ['a group that is a path', definition.replaceAll('group: example.com', 'group: ../../x'), 'CO2603'],
    ['a version that is a path', definition.replace('name: v1', 'name: ../v1'), 'CO2603'],
    ['a kind that is code', definition.replace('Widget', '"A {} b"'), 'CO2603'],
    ['an empty group', definition.replace('group: example.com', "group: ''"), 'CO2603'],
    ['a version without a name', definition.replace('name: v1', "name: ''"), 'CO2603'],
  ])('refuses %s', (_name, text, code) => {
    const { definitions, diagnostics } = readDefinitions(text, 'x.yaml');
    expect(definitions).toEqual([]);
    expect(diagnostics).toMatchObject([{ code, severity: 'error' }]);
  });

  it('says where', () => {
    const { diagnostics } = readDefinitions(
      `kind: Secret\n---\n${definition.replace('io/v1', 'io/v1beta1')}`,
      'x.yaml',
    );
    expect(diagnostics[0]).toMatchObject({ position: { file: 'x.yaml', line: 3, column: 1 } });
  });
});
