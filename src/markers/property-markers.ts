import type { Json, JsonObject, Schema, ValidationRule } from '../model/index.ts';
import { Float } from '../model/index.ts';
import { tagOf } from './kind-markers.ts';
import {
  type ArgumentType,
  type Fit,
  type Marker,
  type MarkerArgument,
  type MarkerEffect,
  type MarkerProblem,
  type MarkerTarget,
  type Parameter,
  RegularExpression,
} from './marker.ts';
import { patternOf } from './pattern.ts';

const propertyOrType: readonly MarkerTarget[] = ['property', 'type'];
const property: readonly MarkerTarget[] = ['property'];
const type: readonly MarkerTarget[] = ['type'];

function define(
  name: string,
  targets: readonly MarkerTarget[],
  parameters: readonly Parameter[],
  effect: MarkerEffect,
  help: string,
  repeatable = false,
): Marker {
  return { name, tag: tagOf(name), targets, parameters, repeatable, effect, help };
}

function keywords(
  fits: Fit,
  schemaOf: (value: MarkerArgument | undefined, values: readonly MarkerArgument[]) => Schema | MarkerProblem,
): MarkerEffect {
  return { kind: 'keywords', fits, keywords: (values) => schemaOf(values[0], values) };
}

function parameter(name: string, type: ArgumentType | ArgumentType['kind']): Parameter {
  return { name, type: typeof type === 'string' ? ({ kind: type } as ArgumentType) : type };
}

/** The arguments were checked against the parameters, so that these only name what is known. */
function number(value: MarkerArgument | undefined): number {
  return value instanceof Float ? value.value : Number(value);
}

function text(value: MarkerArgument | undefined): string {
  return typeof value === 'string' ? value : '';
}

function bound(
  name: string,
  keyword: 'minimum' | 'maximum' | 'multipleOf',
  exclusive: 'exclusiveMinimum' | 'exclusiveMaximum' | undefined,
  help: string,
): Marker {
  const effect = keywords('number', (value): Schema | MarkerProblem => {
    const limit = number(value);
    if (keyword === 'multipleOf' && limit <= 0) return { problem: 'a divisor must be greater than 0' };
    return exclusive === undefined ? { [keyword]: limit } : { [keyword]: limit, [exclusive]: true };
  });
  return define(name, propertyOrType, [parameter(keyword, 'number')], effect, help);
}

function count(
  name: string,
  keyword: 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties',
  fits: Fit,
  help: string,
): Marker {
  const effect = keywords(fits, (value) => ({ [keyword]: number(value) }));
  return define(name, propertyOrType, [parameter(keyword, 'count')], effect, help);
}

/** A value of JSON that came in as a marker's argument. */
function json(value: MarkerArgument | undefined): Json {
  return (value ?? null) as Json;
}

function option(value: MarkerArgument | undefined, name: string): Json | undefined {
  const options = value as JsonObject;
  return Object.hasOwn(options, name) ? options[name] : undefined;
}

function validationRule(value: MarkerArgument | undefined): ValidationRule {
  const rule: Record<string, Json> = {};
  for (const name of ['rule', 'message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf']) {
    const given = option(value, name);
    if (given !== undefined) rule[name] = given;
  }
  return rule as unknown as ValidationRule;
}

function listType(values: readonly MarkerArgument[]): Schema | MarkerProblem {
  const [kind, ...keys] = values.map(text);
  if (kind === 'map') {
    if (keys.length === 0) {
      return { problem: "a list of type 'map' needs its keys", remedy: "write ListType('map', 'name')" };
    }
    const twice = keys.find((key, index) => keys.indexOf(key) !== index);
    if (twice !== undefined) return { problem: `the key '${twice}' stands twice` };
    return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
  }
  if (keys.length > 0) return { problem: `only a list of type 'map' has keys, not one of type '${kind}'` };
  return { 'x-kubernetes-list-type': kind === 'set' ? 'set' : 'atomic' };
}

function externalDocs(value: MarkerArgument | undefined): Schema | MarkerProblem {
  const url = text(option(value, 'url'));
  if (!URL.canParse(url)) return { problem: `'${url}' is not an absolute URL` };
  const description = option(value, 'description');
  return { externalDocs: { url, ...(description === undefined ? {} : { description: text(description) }) } };
}

function enumOf(values: readonly MarkerArgument[]): Schema | MarkerProblem {
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  if (twice !== undefined)
    return { problem: `the value ${typeof twice === 'bigint' ? String(twice) : JSON.stringify(twice)} stands twice` };
  return { enum: values.map(json) };
}

function pattern(value: MarkerArgument | undefined): Schema | MarkerProblem {
  const found = patternOf(value instanceof RegularExpression ? value : text(value));
  return typeof found === 'string' ? { pattern: found } : found;
}

function oneOf(name: 'AtMostOneOf' | 'ExactlyOneOf' | 'AtLeastOneOf', minimum: number, help: string): Marker {
  const names: Parameter = { ...parameter('names', 'string'), rest: { minimum } };
  return define(name, type, [names], { kind: 'oneOf', of: name }, help, true);
}

const nested: Parameter = { ...parameter('markers', 'marker'), rest: { minimum: 1 } };

/** Markers on properties and types. */
export const propertyMarkers: readonly Marker[] = [
  bound('Minimum', 'minimum', undefined, 'The least value.'),
  bound('Maximum', 'maximum', undefined, 'The greatest value.'),
  bound('ExclusiveMinimum', 'minimum', 'exclusiveMinimum', 'The value must be greater than this.'),
  bound('ExclusiveMaximum', 'maximum', 'exclusiveMaximum', 'The value must be less than this.'),
  bound('MultipleOf', 'multipleOf', undefined, 'The value must be a multiple of this.'),
  count('MinLength', 'minLength', 'string', 'The least length of a text.'),
  count('MaxLength', 'maxLength', 'string', 'The greatest length of a text.'),
  define(
    'Pattern',
    propertyOrType,
    [parameter('pattern', 'pattern')],
    keywords('string', pattern),
    'A regular expression (RE2) that the text must match somewhere.',
  ),
  count('MinItems', 'minItems', 'array', 'The least number of items.'),
  count('MaxItems', 'maxItems', 'array', 'The greatest number of items.'),
  count('MinProperties', 'minProperties', 'object', 'The least number of members of a map or object.'),
  count('MaxProperties', 'maxProperties', 'object', 'The greatest number of members of a map or object.'),
  define(
    'Enum',
    propertyOrType,
    [{ ...parameter('values', 'scalar'), rest: { minimum: 1 } }],
    keywords('any', (_, values) => enumOf(values)),
    'The values that are allowed.',
  ),
  define(
    'Format',
    propertyOrType,
    [parameter('format', 'string')],
    keywords('scalar', (value) => ({ format: text(value) })),
    'The format of a text or number.',
  ),
  define(
    'Validation',
    ['property', 'type', 'kind'],
    [
      parameter('options', {
        kind: 'options',
        members: {
          rule: { type: { kind: 'string' }, required: true },
          message: { type: { kind: 'string' } },
          messageExpression: { type: { kind: 'string' } },
          reason: {
            type: {
              kind: 'text',
              values: ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'],
            },
          },
          fieldPath: { type: { kind: 'string' } },
          optionalOldSelf: { type: { kind: 'boolean' } },
        },
      }),
    ],
    keywords('any', (value) => ({ 'x-kubernetes-validations': [validationRule(value)] })),
    'A rule in CEL.',
    true,
  ),
  define(
    'Title',
    propertyOrType,
    [parameter('title', 'string')],
    keywords('any', (value) => ({ title: text(value) })),
    'A title for documentation.',
  ),
  define(
    'ExternalDocs',
    propertyOrType,
    [
      parameter('options', {
        kind: 'options',
        members: { url: { type: { kind: 'string' }, required: true }, description: { type: { kind: 'string' } } },
      }),
    ],
    keywords('any', externalDocs),
    'A link to more documentation.',
  ),
  define('IntOrString', propertyOrType, [], { kind: 'intOrString' }, 'The value is an integer or a text.'),
  define(
    'PreserveUnknownFields',
    ['property', 'type', 'kind'],
    [],
    keywords('object', () => ({ 'x-kubernetes-preserve-unknown-fields': true })),
    'Keeps members that the schema does not know.',
  ),
  define(
    'EmbeddedResource',
    propertyOrType,
    [],
    keywords('object', () => ({
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    })),
    'The value is a whole Kubernetes object.',
  ),
  define('Schemaless', propertyOrType, [], { kind: 'schemaless' }, 'Leaves the type out of the schema.'),
  define(
    'Schema',
    propertyOrType,
    [parameter('schema', 'object')],
    { kind: 'replace' },
    'A schema in place of the one that the type gives.',
  ),
  define(
    'ListType',
    propertyOrType,
    [
      parameter('type', { kind: 'text', values: ['atomic', 'set', 'map'] }),
      { ...parameter('keys', 'string'), rest: { minimum: 0 } },
    ],
    keywords('array', (_, values) => listType(values)),
    'How server-side apply merges a list.',
  ),
  define(
    'MapType',
    propertyOrType,
    [parameter('type', { kind: 'text', values: ['granular', 'atomic'] })],
    keywords('object', (value) => ({ 'x-kubernetes-map-type': text(value) === 'atomic' ? 'atomic' : 'granular' })),
    'How server-side apply merges a map or object.',
  ),
  define('Immutable', propertyOrType, [], { kind: 'immutable' }, 'The value cannot be changed once it is set.'),
  define(
    'Default',
    propertyOrType,
    [parameter('value', 'json')],
    keywords('any', (value) =>
      value === null
        ? { problem: 'null cannot be a default', remedy: 'leave the marker out: an absent member has no value' }
        : { default: json(value) },
    ),
    'The value that the API server fills in where there is none.',
  ),
  define(
    'Example',
    propertyOrType,
    [parameter('value', 'json')],
    keywords('any', (value) => ({ example: json(value) })),
    'A value for documentation.',
  ),
  define(
    'Nullable',
    property,
    [],
    keywords('any', () => ({ nullable: true })),
    'The value may be null.',
  ),
  define('Ignore', property, [], { kind: 'ignore' }, 'Leaves the member out of the schema.'),
  define('Items', propertyOrType, [nested], { kind: 'nested', of: 'items' }, 'Markers for the items of a list.'),
  define('Values', propertyOrType, [nested], { kind: 'nested', of: 'values' }, 'Markers for the values of a map.'),
  define(
    'DescriptionDepth',
    property,
    [parameter('levels', 'count')],
    { kind: 'descriptionDepth' },
    'How many levels of descriptions there are, those of types of Kubernetes included, which are left out otherwise.',
  ),
  oneOf('ExactlyOneOf', 2, 'Exactly one of these members must be set.'),
  oneOf('AtMostOneOf', 2, 'At most one of these members may be set.'),
  oneOf('AtLeastOneOf', 1, 'At least one of these members must be set.'),
];
