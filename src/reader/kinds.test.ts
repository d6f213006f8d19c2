import { describe, expect, it } from 'vitest';
import { lines, plain, readSources, root, theKind } from './testing/read-sources.ts';

const resource = (more = '', version = 'v1'): string =>
  `/** @resource { group: 'a.example.com', version: '${version}'${more === '' ? '' : `, ${more}`} } */`;

function errorsOf(source: string): string[] {
  return lines(readSources({ 'thing.ts': source }).diagnostics);
}

describe('kinds', () => {
  it('have names, scope and columns from their markers (B13)', () => {
    const kind = theKind(
      readSources({
        'policy.ts': `
          import { Metadata, PrinterColumn, Resource, ScaleSubresource, SelectableField, StatusSubresource } from 'operator-runtime/markers';
          /** Policy rules. */
          @Resource({ group: 'a.example.com', version: 'v1', singular: 'rule', scope: 'Cluster', shortNames: ['pol', 'po'], categories: ['all'] })
          @StatusSubresource()
          @ScaleSubresource({ specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' })
          @PrinterColumn({ name: 'B', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 })
          @PrinterColumn({ name: 'A', type: 'integer', jsonPath: '.spec.replicas', format: 'int32', description: 'How many.' })
          @SelectableField({ jsonPath: '.spec.name' })
          @Metadata({ labels: { team: 'core' }, annotations: { 'a.example.com/other': '' } })
          export class Policy {
            spec!: { replicas: number; name: string };
            status?: { replicas: number };
          }`,
      }),
    );
    expect(kind).toMatchObject({
      group: 'a.example.com',
      kind: 'Policy',
      listKind: 'PolicyList',
      plural: 'policies',
      singular: 'rule',
      scope: 'Cluster',
      shortNames: ['pol', 'po'],
      categories: ['all'],
      labels: new Map([['team', 'core']]),
      annotations: new Map([['a.example.com/other', '']]),
    });
    expect(kind.versions).toMatchObject([
      {
        name: 'v1',
        served: true,
        storage: true,
        deprecated: false,
        statusSubresource: true,
        scaleSubresource: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        printerColumns: [
          { name: 'B', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 },
          { name: 'A', type: 'integer', jsonPath: '.spec.replicas', format: 'int32', description: 'How many.' },
        ],
        selectableFields: [{ jsonPath: '.spec.name' }],
        declaration: { file: 'policy.ts', name: 'Policy' },
      },
    ]);
  });

  it.each([
    ['', 'Prometheus', 'prometheuses'],
    ['', 'Class', 'classes'],
    ['', 'Gateway', 'gateways'],
    ["plural: 'chaos'", 'Chaos', 'chaos'],
    ["plural: 'sheep', singular: 'lamb'", 'Renamed', 'sheep'],
  ])('have the plural that %j says for %s: %s', (options, name, plural) => {
    expect(theKind(readSources({ 'thing.ts': `${resource(options)}\nexport interface ${name} {}` })).plural).toBe(
      plural,
    );
  });

  it('bring apiVersion, kind and metadata by themselves', () => {
    const result = readSources({
      'thing.ts': `import type { KubernetesObject } from 'operator-runtime';
        ${resource()}
        export interface Thing extends KubernetesObject { mode?: string }`,
    });
    expect(lines(result.diagnostics)).toEqual([]);
    const schema = theKind(result).versions[0]?.schema;
    expect([...(schema?.properties?.keys() ?? [])]).toEqual(['apiVersion', 'kind', 'metadata', 'mode']);
    expect(schema?.properties?.get('metadata')).toEqual({ type: 'object' });
    expect(schema?.required).toBeUndefined();
  });

  it('have rules of their own', () => {
    const source = `/** Things.\n * @validation { rule: 'self.metadata.name.size() <= 40' }\n * @resource { group: 'a.example.com', version: 'v1' } */
      export interface Thing { spec: {} }`;
    const schema = theKind(readSources({ 'thing.ts': source })).versions[0]?.schema;
    expect(schema?.description).toBe('Things.');
    expect(schema?.['x-kubernetes-validations']).toEqual([{ rule: 'self.metadata.name.size() <= 40' }]);
  });

  it.each<readonly [title: string, source: string, lines: readonly string[]]>([
    [
      'is not exported',
      `${resource()}\ninterface Thing {}`,
      ['CO1301 a kind must be an exported class or interface at the top of its file: it is not exported'],
    ],
    [
      'is generic',
      `${resource()}\nexport interface Thing<T> { spec: T }`,
      ['CO1301 a kind must be an exported class or interface at the top of its file: it is generic'],
    ],
    [
      'is a default export',
      `${resource()}\nexport default class Thing {}`,
      ['CO1301 a kind must be an exported class or interface at the top of its file: it is a default export'],
    ],
    [
      'is a type alias',
      `${resource()}\nexport type Thing = {};`,
      ['CO1105 Resource cannot stand on a type alias (it stands on kinds)'],
    ],
    [
      'declares metadata',
      `${resource()}\nexport interface Thing { metadata: {} }`,
      ["CO1302 'metadata' comes by itself in every kind [metadata] (take it out)"],
    ],
    [
      'has a status without the marker',
      `${resource()}\nexport interface Thing { status?: {} }`,
      ['CO1309 Thing has a member status and no status subresource [status] (add the marker @statusSubresource)'],
    ],
    [
      'has the marker without a status',
      `/** @resource { group: 'a.example.com', version: 'v1' }\n * @statusSubresource */\nexport interface Thing {}`,
      ['CO1308 Thing has the marker StatusSubresource and no member status (declare the member status)'],
    ],
    [
      'has columns and is no kind',
      "/** @selectableField { jsonPath: '.a' } */\nexport interface Thing {}",
      ['CO1310 SelectableField stands on Thing, which has no marker Resource'],
    ],
    [
      'has a group without a dot',
      "/** @resource { group: 'apps', version: 'v1' } */\nexport interface Thing {}",
      ["CO1303 'apps' is no API group: write a domain name of small letters, such as compute.example.com"],
    ],
    [
      'has a version in capitals',
      "/** @resource { group: 'a.example.com', version: 'V1' } */\nexport interface Thing {}",
      ["CO1303 'V1' is no version: write v1, v1beta1 or the like"],
    ],
    [
      'has a misspelt scope',
      `${resource("scope: 'Clustr'")}\nexport interface Thing {}`,
      ["CO1107 @resource: its option 'scope' must be one of 'Namespaced', 'Cluster' (did you mean 'Cluster'?)"],
    ],
    [
      'is not served',
      `${resource('served: false')}\nexport interface Thing {}`,
      ['CO1306 no version of Thing is served'],
    ],
    [
      'is in one version twice',
      `${resource()}\nexport interface Thing {}\n${resource("kind: 'Thing', storage: true")}\nexport interface Other {}`,
      ['CO1304 Thing has version v1 twice: here and at thing.ts:2'],
    ],
  ])('are refused when one %s', (_, source, wanted) => {
    expect(errorsOf(source)).toEqual(wanted);
  });

  it.each<readonly [first: string, second: string, problem: string]>([
    ["plural: 'things'", "plural: 'things'", "'things' in a.example.com: plural here, plural at thing.ts:2"],
    ["singular: 'foo'", "singular: 'foo'", "'foo' in a.example.com: singular here, singular at thing.ts:2"],
    ["shortNames: ['foo']", "singular: 'foo'", "'foo' in a.example.com: singular here, short name at thing.ts:2"],
    ["plural: 'foos'", "shortNames: ['foos']", "'foos' in a.example.com: short name here, plural at thing.ts:2"],
    ["shortNames: ['x', 'y']", "shortNames: ['y']", "'y' in a.example.com: short name here, short name at thing.ts:2"],
    ["kind: 'FooList'", "kind: 'Foo'", "'FooList' in a.example.com: kind here, list kind at thing.ts:4"],
  ])('share no name within a group: %s and %s', (first, second, problem) => {
    const source = `${resource(first)}\nexport interface A {}\n${resource(second)}\nexport interface B {}`;
    expect(errorsOf(source)).toEqual([expect.stringContaining(`both have the name ${problem}`)]);
  });

  it('may repeat their own names and those of other groups', () => {
    const own = resource("plural: 'foo', singular: 'foo', shortNames: ['foo']");
    const other = own.replace('a.example.com', 'b.example.com');
    expect(errorsOf(`${own}\nexport interface Foo {}\n${other}\nexport interface FooList {}`)).toEqual([]);
  });
});

describe('versions of a kind (B14)', () => {
  const version = (name: string, more = ''): string =>
    `${resource(more, name)}\nexport interface Backup { spec: { ${name}: string } }`;
  const read = (...files: string[]): ReturnType<typeof readSources> =>
    readSources(Object.fromEntries(files.map((text, index) => [`v${index}.ts`, text])));

  it('stand in text order', () => {
    const kind = theKind(
      read(
        version('v1beta1'),
        version('v1', 'storage: true'),
        version('v1alpha2', 'served: false, deprecated: true'),
        version('v1alpha1', "deprecated: 'old'"),
      ),
    );
    expect(kind.versions).toMatchObject([
      { name: 'v1', storage: true, served: true, deprecated: false },
      { name: 'v1alpha1', storage: false, served: true, deprecated: true, deprecationWarning: 'old' },
      { name: 'v1alpha2', storage: false, served: false, deprecated: true },
      { name: 'v1beta1', storage: false, served: true, deprecated: false },
    ]);
  });

  it.each([
    [
      'none is marked',
      ['', ''],
      'CO1305 Backup has no storage versions and needs one: v1 (v0.ts:2), v2 (v1.ts:2) (write storage: true in the Resource marker of one version)',
    ],
    [
      'two are marked',
      ['storage: true', 'storage: true'],
      'CO1305 Backup has 2 storage versions and needs one: v1 (v0.ts:2), v2 (v1.ts:2) (write storage: true in the Resource marker of one version)',
    ],
    [
      'they disagree on scope',
      ['storage: true', "scope: 'Cluster'"],
      'CO1307 the versions of Backup disagree about scope: Cluster here, Namespaced at v0.ts:2',
    ],
    [
      'they disagree on the plural',
      ['storage: true', "plural: 'backupz'"],
      'CO1307 the versions of Backup disagree about plural: backupz here, backups at v0.ts:2',
    ],
    [
      'they disagree on short names',
      ["storage: true, shortNames: ['b']", ''],
      'CO1307 the versions of Backup disagree about shortNames: [] here, [b] at v0.ts:2',
    ],
  ])('are refused when %s', (_, [first = '', second = ''], line) => {
    expect(lines(read(version('v1', first), version('v2', second)).diagnostics)).toEqual([line]);
  });
});

describe('permissions', () => {
  it('default to the kind, and elsewhere stand as they are', () => {
    const { model, diagnostics } = readSources({
      'thing.ts': `import { Rbac, Resource } from 'operator-runtime/markers';
        @Resource({ group: 'a.example.com', version: 'v1' })
        @Rbac({ verbs: ['get'] })
        @Rbac({ resources: ['things/status'], verbs: ['patch'] })
        @Rbac({ urls: ['/metrics'], verbs: ['get'] })
        export class Thing {}`,
      'reconciler.ts': `import { Rbac } from 'operator-runtime/markers';
        @Rbac({ groups: ['core', 'apps'], resources: ['pods'], resourceNames: ['a'], verbs: ['list'], namespace: 'n', role: 'r' })
        export class Reconciler {
          /** @customTag of no interest */
          reconcile(): void {}
        }
        /** @rbac { groups: [''], resources: ['events'], verbs: ['create'] } */
        export class Other {}`,
    });
    expect(lines(diagnostics)).toEqual([]);
    const none = { resourceNames: [], urls: [] };
    expect(model.policyRules.map(({ position: { file }, ...rule }) => [file, rule])).toEqual([
      [
        'reconciler.ts',
        {
          groups: ['', 'apps'],
          resources: ['pods'],
          resourceNames: ['a'],
          verbs: ['list'],
          urls: [],
          namespace: 'n',
          role: 'r',
        },
      ],
      ['reconciler.ts', { groups: [''], resources: ['events'], verbs: ['create'], ...none }],
      ['thing.ts', { groups: ['a.example.com'], resources: ['things'], verbs: ['get'], ...none }],
      ['thing.ts', { groups: ['a.example.com'], resources: ['things/status'], verbs: ['patch'], ...none }],
      ['thing.ts', { groups: [], resources: [], resourceNames: [], verbs: ['get'], urls: ['/metrics'] }],
    ]);
  });
});

describe('descriptions (B16, B18)', () => {
  it.each([
    ['/** Size in GiB. */', 'Size in GiB.'],
    ['/** Size in GiB.\n * TODO: rename\n * ---\n * internal */', 'Size in GiB.'],
    ['/**\n * First.\n *\n *   indented: # text\t\n * last\n */', 'First.\n\n  indented: # text\nlast'],
    [
      '/**\n * ```\n * --- kept\n * TODO kept\n * @kept\n * ```\n * after\n */',
      '```\n--- kept\nTODO kept\n@kept\n```\nafter',
    ],
    ['/** Text.\n * @maxLength 3\n * @remarks not published */', 'Text.'],
    ['/** Text.\n * @deprecated use b */', 'Text.\n\nDeprecated: use b'],
    ['/** @deprecated */', 'Deprecated.'],
    ['/** Text.\n * @internal */', undefined],
    ['/** a *\\/ b and {@link Thing} */', 'a */ b and {@link Thing}'],
    ['/* not a doc comment */', undefined],
    ['// not a doc comment\n', undefined],
    ['/** upper\n * @maxLength 3 */\n/** lower */', 'lower'],
    ['/*** Banner. */', 'Banner.'],
    ['/************\n     * Banner.\n     ************/', 'Banner.'],
    ['/** One line. **/', 'One line.'],
    ['/** Two\n     * lines. **/', 'Two\nlines.'],
    ['/** Some **bold** and a glob: src/**\\/*.ts */', 'Some **bold** and a glob: src/**/*.ts'],
    ['/** Ends **bold***/', 'Ends **bold**'],
    ['/***/', undefined],
    ['/*****/', undefined],
  ])('of %j', (comment, description) => {
    for (const newline of ['\n', '\r\n']) {
      const source = `${resource()}\nexport interface Thing {\n  ${comment}\n  value: string;\n}`.replaceAll(
        '\n',
        newline,
      );
      const result = readSources({ 'thing.ts': source });
      expect(lines(result.diagnostics)).toEqual([]);
      expect(theKind(result).versions[0]?.schema.properties?.get('value')?.description).toBe(description);
    }
  });

  it('of the member stand before those of its type', () => {
    const source = `/** Of the type. */\ninterface Spec {}\n${resource()}\nexport interface Thing { /** Of the member. */ a: Spec; b: Spec; c: Spec[] }`;
    const schema = theKind(readSources({ 'thing.ts': source })).versions[0]?.schema;
    expect(schema?.properties?.get('a')?.description).toBe('Of the member.');
    expect(schema?.properties?.get('b')?.description).toBe('Of the type.');
    expect(schema?.properties?.get('c')?.items?.description).toBe('Of the type.');
  });
});

describe('a run (B33)', () => {
  it('says when there are no files', () => {
    expect(lines(readSources({}).diagnostics)).toEqual([
      `CO1001 no source files were found (the patterns were looked up in ${root})`,
    ]);
  });

  it('says which file cannot be read', () => {
    expect(lines(readSources({}, { files: ['gone.ts'] }).diagnostics)).toEqual(['CO1002 gone.ts cannot be read']);
  });

  it('stops at errors of syntax and types, in imported files, too', () => {
    const { diagnostics } = readSources(
      {
        'broken.ts': 'export const count: number = "one";\n',
        'thing.ts': `import { count } from './broken.ts';\n${resource()}\nexport interface Thing { spec: Missing; count: typeof count }`,
      },
      { files: ['thing.ts'] },
    );
    expect(
      diagnostics
        .filter(({ code }) => code === 'CO1005')
        .map(({ message, position }) => [position?.file, position?.line, message]),
    ).toEqual([
      ['broken.ts', 1, "Type 'string' is not assignable to type 'number' (TS2322)"],
      ['thing.ts', 3, "Cannot find name 'Missing' (TS2304)"],
    ]);
  });

  it('lets reconcilers import what is yet to be generated', () => {
    const { model, diagnostics } = readSources({
      'thing.types.ts': `${resource()}\nexport interface Thing { spec: {} }`,
      'reconciler.ts': `import { Rbac } from 'operator-runtime/markers';
        import { Thing } from './thing.ts';
        @Rbac({ groups: [''], resources: ['pods'], verbs: ['get'] })
        export class Reconciler { thing = Thing.spec; }`,
    });
    expect(lines(diagnostics)).toEqual([]);
    expect(model.policyRules).toHaveLength(1);
  });

  it('says when operator-runtime is not there', () => {
    const source = {
      'thing.ts': "import { Resource } from 'operator-runtime/markers';\n@Resource({}) export class Thing {}",
    };
    const fileSystem = new Map(Object.entries(source).map(([path, text]) => [`${root}/${path}`, text]));
    const { diagnostics } = readSources(source, { fileSystem, tsconfig: undefined });
    expect(diagnostics).toMatchObject([{ code: 'CO1005', remedy: 'npm install operator-runtime' }]);
  });

  it('refuses a project that is not strict (B09)', () => {
    const source = { 'thing.ts': `${resource()}\nexport interface Thing { spec: { a: string | null } }` };
    expect(readSources(source, { compilerOptions: { strict: false } }).diagnostics).toMatchObject([
      { code: 'CO1004', severity: 'error' },
    ]);
    expect(readSources(source, { compilerOptions: { strict: false, strictNullChecks: true } }).diagnostics).toEqual([]);
  });

  it('says what is wrong with tsconfig.json', () => {
    const { diagnostics } = readSources({ 'a.ts': '' }, { tsconfig: `${root}/gone.json` });
    expect(diagnostics).toMatchObject([
      { code: 'CO1003', severity: 'error', message: "Cannot read file 'gone.json'", position: { file: 'gone.json' } },
    ]);
  });

  it('reports all problems together, in the order of the text', () => {
    const { diagnostics } = readSources({
      'b.ts': `${resource()}\nexport interface B { spec: any; other: symbol }`,
      'a.ts': `${resource()}\nexport interface A {\n  /** @minimun 1 */\n  spec: () => void }`,
    });
    expect(diagnostics.map(({ code, position }) => `${position?.file}:${position?.line} ${code}`)).toEqual([
      'a.ts:3 CO1103',
      'a.ts:4 CO1202',
      'b.ts:2 CO1201',
      'b.ts:2 CO1202',
    ]);
  });

  it('gives the same whatever the order of files and the ends of lines', () => {
    const sources = {
      'a.ts': `import type { State } from './c.ts';\n${resource()}\nexport interface A {\n  /** One\n   * two. */\n  spec: State | 'z';\n}\n`,
      'b.ts': `type Local = 'b' | 'a' | 'z';\n${resource("kind: 'B2'")}\nexport interface B { spec: Local }\n`,
      'c.ts': "export type State = 'z' | 'b' | 'a';\n",
    };
    const show = ({ model, diagnostics }: ReturnType<typeof readSources>): unknown => [
      diagnostics,
      model.kinds.map((kind) => [kind.kind, kind.position, kind.versions.map(({ schema }) => plain(schema))]),
    ];
    const wanted = show(readSources(sources));
    for (const files of [
      ['b.ts', 'a.ts', 'c.ts'],
      ['c.ts', 'b.ts', 'a.ts'],
      ['c.ts', 'a.ts', 'b.ts'],
    ]) {
      expect(show(readSources(sources, { files }))).toEqual(wanted);
    }
    const windows = Object.fromEntries(
      Object.entries(sources).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]),
    );
    expect(show(readSources(windows))).toEqual(wanted);
  });
});
