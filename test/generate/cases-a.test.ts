// Part A of the public bug reports that the product must not repeat: types to CRDs. One test a case, by its number.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generate } from '../../src/generate/generate.ts';
import { lines, readSources } from '../../src/reader/testing/read-sources.ts';
import { root } from '../../tools/repository.ts';

type Plain = Readonly<Record<string, unknown>>;
interface PlainSchema extends Plain {
  readonly properties?: Readonly<Record<string, PlainSchema>>;
}
interface PlainVersion extends Plain {
  readonly name: string;
  readonly schema: { readonly openAPIV3Schema: PlainSchema };
}
interface PlainDefinition {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly names: Plain; readonly scope: string; readonly versions: readonly PlainVersion[] };
}

/** What generate makes of sources: definitions by their files, and problems as lines. */
function run(sources: Readonly<Record<string, string>>, compilerOptions: Plain = {}) {
  const { model, diagnostics } = readSources(sources, { compilerOptions });
  const outputs = {
    root: '/project',
    crdDir: '.',
    rbacDir: '.',
    roleName: 'manager-role',
    kindRoles: false,
    kubernetesVersion: { major: 1, minor: 34 },
  };
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  const generated = failed ? { files: [], diagnostics: [] } : generate(model, outputs);
  const all = [...diagnostics, ...generated.diagnostics];
  return {
    files: new Map(generated.files.map(({ path, content }) => [path, content])),
    errors: lines(all.filter(({ severity }) => severity === 'error')),
    warnings: lines(all.filter(({ severity }) => severity === 'warning')),
    positions: all.map(({ position }) => `${position?.file}:${position?.line}`),
  };
}

const head = `
import type { int32, int64, integer } from 'operator-runtime';
import * as m from 'operator-runtime/markers';`;

/** A kind whose spec is what `body` declares as Spec. */
const thing = (body: string): Record<string, string> => ({
  'thing.ts': `${head}
${body}
/** @resource { group: 'a.example.com', version: 'v1' } */
export interface Thing { spec: Spec }`,
});

function definition(files: ReadonlyMap<string, string>, name = 'a.example.com_things.yaml'): PlainDefinition {
  const text = files.get(name);
  if (text === undefined) throw new Error(`there is no ${name} among ${[...files.keys()].join(', ')}`);
  return parse(text) as PlainDefinition;
}

/** The properties of the spec that a source gives, without errors. */
function spec(body: string): Readonly<Record<string, PlainSchema>> {
  const { files, errors } = run(thing(body));
  expect(errors).toEqual([]);
  const version = definition(files).spec.versions[0];
  return version?.schema.openAPIV3Schema.properties?.['spec']?.properties ?? {};
}

const errorsOf = (body: string, options: Plain = {}): readonly string[] => run(thing(body), options).errors;
const both = (members: string): string[] => [`class Spec { ${members} }`, `interface Spec { ${members} }`];

describe('cases of part A', () => {
  it('B03: a default or bound given at two levels comes out once, merged keyword by keyword', () => {
    const proto = `
      /** @default 'TCP'
       * @minLength 1 */
      type Proto = 'TCP' | 'UDP';`;
    const expected = {
      proto: { type: 'string', enum: ['TCP', 'UDP'], default: 'TCP', minLength: 1 },
      other: { type: 'string', enum: ['TCP', 'UDP'], default: 'UDP', minLength: 2 },
    };
    const decorated = "@m.Default('TCP') proto?: Proto; @m.Default('UDP') @m.MinLength(2) other?: Proto;";
    const tagged = "/** @default 'TCP' */ proto?: Proto;\n/** @default 'UDP'\n * @minLength 2 */ other?: Proto;";
    expect(spec(`${proto} class Spec { ${decorated} }`)).toEqual(expected);
    expect(spec(`${proto} interface Spec { ${tagged} }`)).toEqual(expected);
  });

  it('B05: optional, commented and valued enums are plain enums of values', () => {
    const enums = `
      enum Level { /** quiet */ Off = 'off', On = 'on' }
      enum N { A, B }
      const Color = { Red: 'red', Blue: 'blue' } as const;`;
    for (const declaration of both('level?: Level; n: N; color?: (typeof Color)[keyof typeof Color];')) {
      expect(spec(enums + declaration.replace('n: N', declaration.startsWith('class') ? 'n!: N' : 'n: N'))).toEqual({
        level: { type: 'string', enum: ['off', 'on'] },
        n: { type: 'integer', enum: [0, 1] },
        color: { type: 'string', enum: ['red', 'blue'] },
      });
    }
    const { files } = run(thing(`${enums} interface Spec { level?: Level }`));
    expect(files.get('a.example.com_things.yaml')).toMatch(/- "off"\n *- "on"\n/);
  });

  it('B06: unnamed and re-exported types work', () => {
    const { files, errors } = run({
      'deep.ts': '/** A name.\n * @maxLength 9 */\ntype Inner = string;\nexport type T = Inner;',
      'barrel.ts': "export * from './deep.ts';",
      ...thing("import type { T } from './barrel.ts';\ninterface Spec { size: { cpu: number }; name: T }"),
    });
    expect(errors).toEqual([]);
    const version = definition(files).spec.versions[0];
    expect(version?.schema.openAPIV3Schema.properties?.['spec']?.properties).toEqual({
      size: { type: 'object', properties: { cpu: { type: 'number' } }, required: ['cpu'] },
      name: { type: 'string', description: 'A name.', maxLength: 9 },
    });
  });

  it('B06: a recursive type is an error with its path, unless it is free-form', () => {
    const node = (markers: string): string =>
      `class Node { name!: string; ${markers} children?: Node[] } class Spec { root!: Node }`;
    expect(errorsOf(node(''))).toEqual([
      expect.stringMatching(/spec\.root → Node → children\[\*\] → Node \(recursive\).*free-form/),
    ]);
    expect(spec(node('@m.Schemaless() @m.PreserveUnknownFields()'))['root']?.properties?.['children']).toEqual({
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });

  it('B06: of the containers of the language, Date is a text, and the others are errors that name member and type', () => {
    expect(spec('interface Spec { at: Date }')).toEqual({ at: { type: 'string', format: 'date-time' } });
    for (const type of ['Map<string, number>', 'Promise<string>', 'Set<string>', 'Uint8Array']) {
      const name = type.replace(/<.*/, '');
      expect(errorsOf(`interface Spec { at: ${type} }`)).toEqual([
        expect.stringMatching(new RegExp(`${name}.* is not a type of JSON \\[spec\\.at\\]`)),
      ]);
    }
  });

  it('B08: int-or-string and free-form values keep their constraints and their type', () => {
    const open = { 'x-kubernetes-preserve-unknown-fields': true };
    const expected = {
      n: {
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        'x-kubernetes-int-or-string': true,
        enum: [1, 2, 'auto'],
      },
      raw: open,
      bag: { type: 'object', additionalProperties: open },
      thing: { type: 'object', ...open },
      template: { type: 'object', 'x-kubernetes-embedded-resource': true, ...open },
    };
    const members =
      "@m.Enum(1, 2, 'auto') n!: number | string; raw!: unknown; bag!: Record<string, unknown>; thing!: object;";
    expect(spec(`class Spec { ${members} @m.EmbeddedResource() template!: object }`)).toEqual(expected);
    const tags =
      "/** @enum 1, 2, 'auto' */ n: number | string; raw: unknown; bag: Record<string, unknown>; thing: object;";
    expect(spec(`interface Spec { ${tags} /** @embeddedResource */ template: object }`)).toEqual(expected);
  });

  it('B09: what a schema cannot express is an error with its path, never any value', () => {
    expect(spec("class Spec { n!: number; i!: integer; @m.Format('int64') big!: integer }")).toEqual({
      n: { type: 'number' },
      i: { type: 'integer' },
      big: { type: 'integer', format: 'int64' },
    });
    for (const [type, message] of [
      ['bigint', /bigint .*\[spec\.x\] \(use int64.*string/],
      ['[string, number]', /the tuple .*\[spec\.x\]/],
      ['() => void', /the function .*\[spec\.x\]/],
      ['symbol', /symbol .*\[spec\.x\]/],
      ['any', /any, of which nothing is known \[spec\.x\]/],
    ] as const) {
      expect(errorsOf(`interface Spec { x: ${type} }`)).toEqual([expect.stringMatching(message)]);
    }
    expect(spec('class Spec { @m.PreserveUnknownFields() x!: any }')).toEqual({
      x: { 'x-kubernetes-preserve-unknown-fields': true },
    });
    expect(errorsOf('interface Spec { a: string }', { strict: false })).toEqual([
      expect.stringMatching(/not strict.*set "strict": true/),
    ]);
  });

  it('B11: defaults that are not reached are warned of, and bad ones are errors', () => {
    const retry = (markers: string, rest = ''): Record<string, string> =>
      thing(`interface Spec {
        ${markers} retry?: { /** @default true */ enabled?: boolean; /** @default 4 */ limit?: number; ${rest} } }`);
    const unreached = run(retry(''));
    expect(unreached.errors).toEqual([]);
    expect(unreached.warnings).toEqual([
      expect.stringMatching(/spec\.retry\.enabled, spec\.retry\.limit have no effect while spec\.retry is left out/),
    ]);
    const reached = run(retry('/** @default {} */'));
    expect([...reached.errors, ...reached.warnings]).toEqual([]);
    expect(reached.files.get('a.example.com_things.yaml')).toContain('default: {}');
    expect(run(retry('/** @default {} */', 'host: string')).errors).toEqual([
      expect.stringMatching(/default\.host: Required value \[spec\.retry\]/),
    ]);
    for (const [type, value] of [
      ['string', 'false'],
      ["'a' | 'b'", "''"],
      ['boolean', '0'],
    ]) {
      expect(errorsOf(`interface Spec { /** @default ${value} */ x?: ${type} }`)).toHaveLength(1);
    }
    for (const [type, value] of [
      ['boolean', 'false'],
      ['number', '0'],
      ['string', "''"],
    ]) {
      const { x } = spec(`interface Spec { /** @default ${value} */ x?: ${type} }`);
      expect(x).toEqual({ type, default: { boolean: false, number: 0, string: '' }[type ?? ''] });
    }
  });

  it.each([
    ['Prometheus', '', { plural: 'prometheuses', singular: 'prometheus' }],
    ['Class', '', { plural: 'classes', singular: 'class' }],
    ['Gateway', '', { plural: 'gateways', singular: 'gateway' }],
    ['Chaos', "plural: 'chaos'", { plural: 'chaos', singular: 'chaos' }],
    [
      'Policy',
      "singular: 'rule', scope: 'Cluster', shortNames: ['pol'], categories: ['all']",
      { plural: 'policies', singular: 'rule', shortNames: ['pol'], categories: ['all'] },
    ],
  ])('B13: the names of %s (%s) are decided once', (kind, options, names) => {
    const { files, errors } = run({
      'kind.ts': `/** @resource { group: 'a.example.com', version: 'v1', ${options} }
         * @rbac { verbs: ['get'] } */
        export interface ${kind} { spec: { a: string } }`,
    });
    expect(errors).toEqual([]);
    const found = definition(files, `a.example.com_${names.plural}.yaml`);
    expect(found.metadata.name).toBe(`${names.plural}.a.example.com`);
    expect(found.spec.names).toEqual({ kind, listKind: `${kind}List`, ...names });
    expect(found.spec.scope).toBe(options.includes('Cluster') ? 'Cluster' : 'Namespaced');
    expect(parse(files.get('role.yaml') ?? '')).toMatchObject({ rules: [{ resources: [names.plural] }] });
  });

  it('B14: a kind of several versions has one storage version, and its versions agree', () => {
    const versions = (first: string, second: string): Record<string, string> => ({
      'a.ts': `/** @resource { group: 'a.example.com', version: 'v1', ${first} } */\nexport interface Thing { spec: { a: string } }`,
      'b.ts': `/** @resource { group: 'a.example.com', version: 'v1alpha1', ${second} } */\nexport interface Thing { spec: { a: string } }`,
    });
    for (const [first, second, count] of [
      ['', '', 'no'],
      ['storage: true', 'storage: true', '2'],
    ] as const) {
      const { errors } = run(versions(first, second));
      expect(errors).toEqual([expect.stringContaining(`Thing has ${count} storage versions and needs one`)]);
      for (const file of ['a.ts:2', 'b.ts:2']) expect(errors.join()).toContain(file);
    }
    expect(run(versions("storage: true, scope: 'Cluster'", '')).errors.join()).toContain('disagree about scope');
    expect(run(versions("storage: true, plural: 'thinglets'", '')).errors.join()).toContain('disagree about plural');
    const { files, errors } = run(versions('storage: true, served: false', ''));
    expect(errors).toEqual([]);
    expect(definition(files).spec.versions).toMatchObject([
      { name: 'v1', storage: true, served: false },
      { name: 'v1alpha1', storage: false, served: true },
    ]);
  });

  it('B15: inherited, intersected and picked types are flat, and keep markers', () => {
    const types = `
      class Base { @m.MinLength(2) region!: string }
      class S extends Base { size!: number }
      type T = Base & { tier: string };
      type U = Partial<Base> & Pick<S, 'size'>;`;
    const region = { type: 'string', minLength: 2 };
    expect(
      spec(`${types} interface Spec { s: S; t: T; u: U; o: Omit<S, 'size'>; r: Required<Partial<Base>> }`),
    ).toEqual({
      s: { type: 'object', properties: { region, size: { type: 'number' } }, required: ['region', 'size'] },
      t: { type: 'object', properties: { region, tier: { type: 'string' } }, required: ['region', 'tier'] },
      u: { type: 'object', properties: { region, size: { type: 'number' } }, required: ['size'] },
      o: { type: 'object', properties: { region }, required: ['region'] },
      r: { type: 'object', properties: { region }, required: ['region'] },
    });
    expect(errorsOf('type V = { p: string } & { p: number };\ninterface Spec { v: V }')).toEqual([
      expect.stringMatching(/no value can have this type.*\(thing\.ts:4:12 and thing\.ts:4:28\) \[spec\.v\.p\]/),
    ]);
  });

  it('B16: notes stay in the source, and what grows past the limit of kubectl apply is named', () => {
    const commented = `interface Spec {
      /** Size in GiB.
       * TODO: rename
       * ---
       * internal */
      size: number;
      /** @deprecated use size */ old?: number;
      /** Secret. @internal
       * @internal */ hidden?: string;
    }`;
    expect(spec(commented)).toMatchObject({
      size: { description: 'Size in GiB.' },
      old: { description: 'Deprecated: use size' },
    });
    expect(spec(commented)['hidden']).toEqual({ type: 'string' });
    const pod = "import type { PodSpec } from 'operator-runtime/apis/core/v1';";
    const members = Array.from({ length: 4 }, (_, index) => `pod${index}: PodSpec`).join('; ');
    const { errors, warnings } = run(thing(`${pod} interface Spec { ${members}; all: { ${members} } }`));
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/has \d{6} bytes; .* 262144 bytes; spec\S* takes \d+ of them/)]);
    const depth = '/** Outer.\n * @descriptionDepth 1 */ a: { /** Inner. */ b: string }';
    expect(spec(`interface Spec { ${depth} }`)['a']).toEqual({
      type: 'object',
      description: 'Outer.',
      properties: { b: { type: 'string' } },
      required: ['b'],
    });
    expect(readFileSync(join(root, 'templates/project/Makefile.hbs'), 'utf8')).toContain('apply --server-side');
  });

  it('B18: members of any name are members, and texts come back as they were', () => {
    const names = 'description type properties required items default __proto__ toString a.b x-y 0 constructor'.split(
      ' ',
    );
    const members = names.map((name) => `${JSON.stringify(name)}: string;`).join(' ');
    const { files, errors } = run(
      thing(`interface Spec { ${members}
      /**  leading blank and a\ttab, # hash, key: value, 'quotes' "too" \\n
       * - item  ${'  '}
       *   indented */ text?: string }`),
    );
    expect(errors).toEqual([]);
    const text = files.get('a.example.com_things.yaml') ?? '';
    const { spec: found } = parse(text) as PlainDefinition;
    const read = found.versions[0]?.schema.openAPIV3Schema.properties?.['spec'];
    expect(Object.keys(read?.properties ?? {}).sort()).toEqual([...names, 'text'].sort());
    expect([...((read?.['required'] ?? []) as string[])].sort()).toEqual([...names].sort());
    expect(read?.properties?.['text']?.['description']).toBe(
      ' leading blank and a\ttab, # hash, key: value, \'quotes\' "too" \\n\n- item\n  indented',
    );
    expect(text).not.toMatch(/creationTimestamp|^status:/m);
  });
});
