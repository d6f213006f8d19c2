import { describe, expect, it } from 'vitest';
import { lines, optionsFor, plain, type PlainSchema, root, specSource, theKind } from './testing/read-sources.ts';
import { readFull, readLean } from './read.ts';

const runtime = `${root}/node_modules/operator-runtime`;

/** Declarations with comments, as the built package has them; the catalogue has the schemas of the real types of these names. */
const declarations = `
import type { Condition, ObjectMeta } from '../meta/v1.ts';
/** A pod, as it is to be made. */
export interface PodTemplateSpec {
    /** Of the pod.
     * TODO: not this */
    metadata?: ObjectMeta;
    spec?: PodSpec;
}
/** What a pod is made of. */
export interface PodSpec {
    /** All of them. */
    containers: Container[];
    /** By their labels.
     *
     * Possible enum values:
     *  - "a" one */
    nodeSelector?: Record<string, string>;
}
/** One container. */
export interface Container {
    /** A DNS label. */
    name: string;
    image?: string;
}
`;

/** The description of the member and those inside of it, by their paths. */
function descriptions(members: string, rest = ''): Record<string, string> {
  const imports = "import type { Container, PodSpec, PodTemplateSpec } from 'operator-runtime/apis/core/v1';\n";
  const options = optionsFor({ 'thing.ts': specSource(members, imports + rest, 'interface') });
  const fileSystem = new Map(options.fileSystem).set(`${runtime}/apis/core/v1.generated.ts`, declarations);
  const full = readFull({ ...options, fileSystem });
  expect(lines(full.diagnostics)).toEqual([]);
  expect(readLean({ ...options, fileSystem })?.model).toEqual(full.model);
  expect(readLean({ ...options, fileSystem: asBuilt(fileSystem) })?.model).toEqual(full.model);
  const spec = theKind(full).versions[0]?.schema.properties?.get('spec');
  return spec === undefined ? {} : collect(plain(spec), '');
}

/** With declarations in place of the runtime's sources. */
function asBuilt(fileSystem: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    [...fileSystem].map(([path, text]) => {
      if (!path.startsWith(runtime)) return [path, text];
      if (!path.endsWith('.json')) return [path.replace(/\.ts$/, '.d.ts'), text];
      return [path, text.replaceAll('.ts"', '.d.ts"').replace('{', '{"version":"1.0.0",')];
    }),
  );
}

function collect(schema: PlainSchema, path: string): Record<string, string> {
  const { description, properties, items, additionalProperties } = schema;
  const inner: [string, unknown][] = [
    ...Object.entries(properties ?? {}).map(([name, part]): [string, unknown] => [`${path}.${name}`, part]),
    [`${path}[]`, items],
    [`${path}{}`, additionalProperties],
  ];
  return Object.assign(
    typeof description === 'string' ? { [path.slice(1)]: description } : {},
    ...inner.map(([at, part]) => (typeof part === 'object' && part !== null ? collect(part as PlainSchema, at) : {})),
  ) as Record<string, string>;
}

describe("descriptions of Kubernetes' types", () => {
  it('are left out unless somebody asks for them', () => {
    expect(descriptions('/** Mine. */ pod: PodTemplateSpec; list: Container[]')).toEqual({ pod: 'Mine.' });
  });

  it.each([
    [0, {}],
    [1, { pod: 'Mine.' }],
    [2, { pod: 'Mine.', 'pod.metadata': 'Of the pod.', 'pod.spec': 'What a pod is made of.' }],
    [
      3,
      {
        pod: 'Mine.',
        'pod.metadata': 'Of the pod.',
        'pod.spec': 'What a pod is made of.',
        'pod.spec.containers': 'All of them.',
        'pod.spec.nodeSelector': 'By their labels.',
      },
    ],
  ])('come with DescriptionDepth(%d), as deep as it says', (levels, expected) => {
    expect(descriptions(`/** Mine.\n * @descriptionDepth ${levels} */ pod: PodTemplateSpec`)).toEqual(expected);
  });

  it('come from the type where the member says nothing, and reach items and what is below them', () => {
    expect(descriptions('/** @descriptionDepth 5 */ spec: PodSpec')).toEqual({
      spec: 'What a pod is made of.',
      'spec.containers': 'All of them.',
      'spec.containers[]': 'One container.',
      'spec.containers[].name': 'A DNS label.',
      'spec.nodeSelector': 'By their labels.',
    });
  });

  it("come below the user's own types, and the depth counts from the marker on", () => {
    const rest = 'interface Own { /** Its pod. */ pod: PodTemplateSpec; other?: Record<string, Container> }';
    expect(descriptions('/** Outer.\n * @descriptionDepth 3 */ own: Own', rest)).toEqual({
      own: 'Outer.',
      'own.pod': 'Its pod.',
      'own.pod.metadata': 'Of the pod.',
      'own.pod.spec': 'What a pod is made of.',
      'own.other{}': 'One container.',
    });
  });

  it.each([
    ["PodSpec['containers']", { a: 'All of them.', 'a[]': 'One container.' }],
    ["Pick<Container, 'name'>", { 'a.name': 'A DNS label.' }],
    ['Mine', { 'a.name': 'A DNS label.', 'a.own': 'Its own.' }],
    ['Container | null', { a: 'One container.', 'a.name': 'A DNS label.' }],
  ])('come with %s', (type, expected) => {
    const rest = 'interface Mine extends Container { /** Its own. */ own?: string }';
    expect(descriptions(`/** @descriptionDepth 2 */ a: ${type}`, rest)).toEqual(expected);
  });
});
