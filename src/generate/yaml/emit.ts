import { Document, Pair, Scalar, type ScalarTag, YAMLMap, YAMLSeq } from 'yaml';
import { Float, type Json, yamlHeader } from '../../model/index.ts';
import { sortKeys } from './order.ts';
import { writeNumber, writeString } from './scalar.ts';

/**
 * One YAML file: our first line, then each object as a document that begins with `---`. The bytes depend on the objects alone:
 * keys sorted, two blanks of indentation, lists not indented, LF, no folded lines, no aliases.
 */
export function emitFile(objects: readonly Json[]): string {
  return `${yamlHeader}\n${objects.map((object) => `---\n${emitDocument(object)}`).join('')}`;
}

/** One document without its `---`; ends with a line break. */
export function emitDocument(value: Json): string {
  const document = new Document(undefined, {
    customTags: () => ['map', 'seq', ...scalarTags],
    aliasDuplicateObjects: false,
  });
  document.contents = toNode(value);
  return document.toString({ indent: 2, indentSeq: false, lineWidth: 0 });
}

/** How scalars are written: by our own rules, since the library's differ between YAML 1.1 and 1.2. */
const scalarTags: ScalarTag[] = [
  scalarTag(
    'str',
    (value) => typeof value === 'string',
    (value, indent) => writeString(value as string, indent),
  ),
  scalarTag(
    'null',
    (value) => value === null,
    () => 'null',
  ),
  scalarTag(
    'bool',
    (value) => typeof value === 'boolean',
    (value) => String(value),
  ),
  scalarTag('float', isNumeric, (value) => writeNumber(value as number | bigint | Float)),
];

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
}

function scalarTag(
  name: string,
  identify: (value: unknown) => boolean,
  write: (value: unknown, blockIndent: string | undefined) => string,
): ScalarTag {
  return {
    tag: `tag:yaml.org,2002:${name}`,
    default: true,
    identify,
    resolve: (text) => text,
    stringify: (item, context) => write(item.value, context.implicitKey === true ? undefined : context.indent || '  '),
  };
}

function toNode(value: Json): Scalar | YAMLMap | YAMLSeq {
  if (Array.isArray(value)) {
    const sequence = new YAMLSeq();
    sequence.items = value.map((item: Json) => toNode(item));
    return sequence;
  }
  if (typeof value !== 'object' || value === null || value instanceof Float) return new Scalar(value);
  const map = new YAMLMap();
  const members = new Map<string, Json>(Object.entries(value));
  map.items = sortKeys(members.keys()).map((name) => new Pair(new Scalar(name), toNode(members.get(name) ?? null)));
  return map;
}
