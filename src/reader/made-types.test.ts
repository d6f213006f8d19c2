import { describe, expect, it } from 'vitest';
import { bundledCatalogue } from './catalogue/catalogue.ts';
import { lines, plain, readSources, readSpec, specSchema, theKind } from './testing/read-sources.ts';

const string = { type: 'string' };
const region = { type: 'string', minLength: 2, description: 'Where.' };

describe('types made of others (B15)', () => {
  const rest = `
    /** @validation { rule: 'base' }
     * @title 'A base' */
    class Base { /** Where. */ @m.MinLength(2) region!: string }
    class S extends Base { size!: int32 }`;
  const size = { type: 'integer', format: 'int32' };
  const rules = { 'x-kubernetes-validations': [{ rule: 'base' }] };

  it.each<readonly [type: string, properties: object, required: readonly string[]]>([
    ['S', { size, region }, ['region', 'size']],
    ['Base & { tier: string }', { region, tier: string }, ['region', 'tier']],
    ['Partial<Base>', { region }, []],
    ['Readonly<Base>', { region }, ['region']],
    ['Pick<S, "region">', { region }, ['region']],
    ['Omit<S, "size">', { region }, ['region']],
    ['Required<Partial<Base>>', { region }, ['region']],
    ['Partial<Base> & Pick<S, "size">', { region, size }, ['size']],
    ['{ [K in keyof Base as `my-${K}`]: Base[K] }', { 'my-region': region }, ['my-region']],
  ])('%s keeps its members, their markers, and the rules of the types', (type, properties, required) => {
    const value = specSchema(readSpec(`value!: ${type};`, rest)).properties?.['value'];
    expect(value?.properties).toEqual(properties);
    expect(value?.['required'] ?? []).toEqual(required);
    if (!type.includes(' as ')) expect(value).toMatchObject(rules);
    expect(value).not.toHaveProperty('title');
  });

  it('have no description of the types that they are made of', () => {
    const documented = '/** Of the base. */ interface A { a: string } interface B extends A { b: string }';
    expect(specSchema(readSpec('b!: B;', documented)).properties?.['b']).not.toHaveProperty('description');
  });

  it('put together what both parts of an intersection say about a member', () => {
    const parts = `/** @minimum 3 */ type Low = int32; /** @maximum 9 */ type High = number;
      interface A { /** @multipleOf 2 */ n: Low } interface B { n: High }`;
    expect(specSchema(readSpec('value!: A & B;', parts)).properties?.['value']?.properties).toEqual({
      n: { type: 'integer', format: 'int32', minimum: 3, maximum: 9, multipleOf: 2 },
    });
  });

  it('leave of an alias and literals in an intersection the literals', () => {
    const parts = '/** @minimum 1 */ type Low = int32; interface A { n: Low; s?: string }';
    const value = specSchema(readSpec("value!: A & { n: 3 | 4 } & { s?: 'x' };", parts)).properties?.['value'];
    expect(value?.properties).toEqual({
      n: { type: 'integer', minimum: 1, enum: [3, 4] },
      s: { type: 'string', enum: ['x'] },
    });
  });

  describe('with aliases of scalars and lists in them', () => {
    const aliases = `/** @maximum 9 */ type Port = int32; /** @maxItems 5 */ type Ports = Port[]; /** @maxLength 3 */ type Name = string;
      interface In { port: Port; ports?: Ports; name: Name }`;
    const port = { type: 'integer', format: 'int32', maximum: 9 };
    const name = { type: 'string', maxLength: 3 };
    const ports = { type: 'array', items: port, maxItems: 5 };

    it.each([
      ['Deep<In>', 'type Deep<T> = T extends object ? { [K in keyof T]?: Deep<T[K]> } : T;', { port, ports, name }],
      [
        'Frozen<In>',
        'type Frozen<T> = T extends (infer U)[] ? readonly Frozen<U>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;',
        { port, ports, name },
      ],
      ["Mixed<In, 'port'>", 'type Mixed<T, K extends keyof T> = Partial<T> & Pick<T, K>;', { port, ports, name }],
      ['Over<In, { port: Name }>', 'type Over<A, B> = Omit<A, keyof B> & B;', { ports, name, port: name }],
      ['OfType<In, string>', 'type OfType<T, V> = { [K in keyof T as T[K] extends V ? K : never]: T[K] };', { name }],
      [
        'Texts<In>',
        'type Texts<T> = { [K in keyof T]: T[K] extends string ? T[K] : string };',
        { port: { type: 'string' }, ports: { type: 'string' }, name },
      ],
    ])('%s', (type, definition, properties) => {
      const spec = specSchema(readSpec(`value!: ${type};`, `${aliases}\n${definition}`));
      expect(spec.properties?.['value']?.properties).toEqual(properties);
    });
  });

  it('may be generic bases of a kind', () => {
    const source = `import type { int32 } from 'operator-runtime';
      /** @maximum 9 */ type Port = int32;
      interface Base<T, U = T[]> { port: T; ports: U }
      /** @resource { group: 'a.example.com', version: 'v1' } */
      export interface Thing extends Base<Port> {}`;
    const port = { type: 'integer', format: 'int32', maximum: 9 };
    const schema = theKind(readSources({ 'thing.ts': source })).versions[0]?.schema;
    expect(schema && plain(schema).properties).toMatchObject({ port, ports: { type: 'array', items: port } });
  });

  it('hand on what a member says to who asks for its type', () => {
    const spec = specSchema(readSpec("a!: Base['region']; b!: Base['region'][];", rest));
    expect(spec.properties).toEqual({ a: region, b: { type: 'array', items: region } });
  });

  it('hand on what a member says to the members of a type that asks for it by its keys', () => {
    const type = "{ [K in Exclude<keyof Base, 'none'>]: Base[K] }";
    expect(specSchema(readSpec(`value!: ${type};`, rest)).properties?.['value']?.properties).toEqual({ region });
  });

  it('refuse a marker that no longer fits the member', () => {
    const flags = 'type Flags<T> = { [K in keyof T]: boolean };';
    expect(lines(readSpec('flags!: Flags<Base>;', rest + flags).diagnostics)).toEqual([
      'CO1111 MinLength cannot apply to a boolean [spec.flags.region]',
    ]);
  });

  it('may be enums with markers', () => {
    const level = "/** How loud.\n * @default 'off' */\nenum Level { Off = 'off', On = 'on' }";
    expect(specSchema(readSpec('a?: Level; b?: Level.On;', level)).properties).toEqual({
      a: { type: 'string', enum: ['off', 'on'], default: 'off', description: 'How loud.' },
      b: { type: 'string', enum: ['on'] },
    });
  });

  it('end a recursion where items or values are free-form', () => {
    const open = { 'x-kubernetes-preserve-unknown-fields': true };
    const members = `
      @m.Items(m.Schemaless(), m.PreserveUnknownFields()) a?: Node[];
      @m.Items(m.PreserveUnknownFields()) b?: Node[];
      @m.Values(m.PreserveUnknownFields()) c?: Record<string, Node>;`;
    expect(specSchema(readSpec(members, 'interface Node { next?: Node }')).properties).toEqual({
      a: { type: 'array', items: open },
      b: { type: 'array', items: open },
      c: { type: 'object', additionalProperties: open },
    });
  });
});

describe("Kubernetes' types", () => {
  const imports = `
    import type { LocalObjectReference, SecretKeySelector } from 'operator-runtime/apis/core/v1';
    import type { Condition, ObjectMeta } from 'operator-runtime/apis/meta/v1';`;

  it('come from the catalogue', () => {
    const spec = specSchema(
      readSpec('/** Mine. */ a!: LocalObjectReference; b!: Condition[]; c!: ObjectMeta;', imports),
    );
    const reference = bundledCatalogue.get('apis/core/v1', 'LocalObjectReference');
    const condition = bundledCatalogue.get('apis/meta/v1', 'Condition');
    expect(spec.properties).toEqual({
      a: { ...(reference && plain(reference)), description: 'Mine.' },
      b: { type: 'array', items: condition && plain(condition) },
      c: { type: 'object' },
    });
  });

  it('can be extended and picked from', () => {
    const rest = `${imports} interface Mine extends LocalObjectReference { namespace?: string }`;
    const { properties } = specSchema(readSpec("mine!: Mine; key!: Pick<SecretKeySelector, 'key'>;", rest));
    const name = bundledCatalogue.get('apis/core/v1', 'LocalObjectReference')?.properties?.get('name');
    expect(properties?.['mine']).toEqual({
      type: 'object',
      properties: { namespace: string, name },
      'x-kubernetes-map-type': 'atomic',
    });
    expect(properties?.['key']).toMatchObject({ properties: { key: { type: 'string' } }, required: ['key'] });
  });

  it('give their members with all that the catalogue says', () => {
    const rest = "import type { PodSpec } from 'operator-runtime/apis/core/v1';";
    const members = "containers!: PodSpec['containers']; policy?: PodSpec['restartPolicy']; name!: PodSpec['volumes'];";
    const { properties } = specSchema(readSpec(members, rest));
    const pod = bundledCatalogue.get('apis/core/v1', 'PodSpec')?.properties;
    expect(properties?.['containers']).toEqual(plain(pod?.get('containers') ?? {}));
    expect(properties?.['containers']).toMatchObject({ 'x-kubernetes-list-map-keys': ['name'] });
    expect(properties?.['policy']).toEqual({ type: 'string' });
  });

  it('are refused where there is no schema', () => {
    const recursive = "import type { JSONSchemaProps } from 'operator-runtime/apis/apiextensions/v1';";
    expect(lines(readSpec('a!: JSONSchemaProps;', recursive).diagnostics)).toEqual([
      'CO1210 JSONSchemaProps of operator-runtime/apis/apiextensions/v1 has no schema [spec.a] (it is recursive: mark the member as free-form with Schemaless() and PreserveUnknownFields())',
    ]);
  });
});
