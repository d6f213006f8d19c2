/* oxlint-disable typescript/no-extraneous-class -- the classes stand here for their decorators */
// One right and one wrong use of each marker. Compiled with standard and with legacy decorators by markers.test.ts.
import type { IntOrString, int32 } from '../scalars/scalars.ts';
import * as m from './index.ts';

export interface Point {
  x: int32;
  y: int32;
  unit?: string;
}

export class Right {
  @m.Minimum(1) minimum!: int32;
  @m.Minimum(1) optional?: int32;
  @m.Minimum(1) nullable!: number | null;
  @m.Minimum(1) literals!: 1 | 2;
  @m.Maximum(1.5) maximum?: number;
  @m.ExclusiveMinimum(0) exclusiveMinimum!: number;
  @m.ExclusiveMaximum(1) exclusiveMaximum!: number;
  @m.MultipleOf(8) multipleOf!: number;
  @m.MinLength(1) minLength!: string;
  @m.MinLength(1) minLengthOfUnion?: 'a' | 'b';
  @m.MaxLength(63) maxLength?: string | null;
  @m.Pattern(/^a/i) pattern!: string;
  @m.Pattern('^[0-9]+%?$') patternOfIntOrString?: IntOrString;
  @m.MinItems(1) minItems!: string[];
  @m.MaxItems(2) maxItems?: readonly number[];
  @m.ListType('set') set!: string[];
  @m.ListType('map', 'x', 'y') map?: readonly Point[];
  @m.Items(m.MinLength(1), m.Pattern(/a/)) items!: string[];
  @m.Items(m.Items(m.Maximum(9))) nested!: number[][];
  @m.MinProperties(1) minProperties!: Record<string, string>;
  @m.MaxProperties(9) maxProperties?: Point;
  @m.MapType('atomic') mapType!: Point;
  @m.Values(m.MaxLength(3)) values!: Record<string, string>;
  @m.PreserveUnknownFields() preserve!: Point;
  @m.EmbeddedResource() embedded!: object;
  @m.Enum('a', 'b') enum!: string;
  @m.Enum(1, 2, 'auto') enumOfBoth?: IntOrString;
  @m.Format('date-time') format!: string;
  @m.Validation({ rule: 'self > 0', reason: 'FieldValueInvalid' }) validation!: number;
  @m.Immutable() immutable?: string;
  @m.Title('A title') title!: boolean;
  @m.ExternalDocs({ url: 'https://example.com' }) externalDocs!: string;
  @m.IntOrString() intOrString!: number | string;
  @m.Schemaless() schemaless!: unknown;
  @m.Schema({ type: 'object', properties: { a: { type: 'string' } } }) schema!: unknown;
  @m.Default('gp3') default?: 'gp2' | 'gp3';
  @m.Default(true) defaultBoolean?: boolean;
  @m.Default([]) defaultList?: string[];
  @m.Default([{ x: 1, y: 2 }]) defaultPoints?: Point[];
  @m.Default({}) defaultObject?: Point;
  @m.Default({ team: 'core' }) defaultMap?: Record<string, string>;
  @m.Example({ x: 1, y: 2 }) example?: Point;
  @m.Nullable() nullableMarker!: string | null;
  @m.Ignore() ignored!: Date;
  @m.DescriptionDepth(1) depth!: Point;
}

export class Wrong {
  // @ts-expect-error a bound of a number on a text
  @m.Minimum(1) minimum!: string;
  // @ts-expect-error a bound of a number on a text
  @m.Maximum(1) maximum?: string;
  // @ts-expect-error a bound of a number on a text
  @m.ExclusiveMinimum(0) exclusiveMinimum!: string;
  // @ts-expect-error a bound of a number on a text
  @m.ExclusiveMaximum(1) exclusiveMaximum!: string;
  // @ts-expect-error a divisor on a boolean
  @m.MultipleOf(8) multipleOf!: boolean;
  // @ts-expect-error a length of a number
  @m.MinLength(1) minLength!: number;
  // @ts-expect-error a length of a list
  @m.MaxLength(63) maxLength?: string[];
  // @ts-expect-error a pattern of a number
  @m.Pattern(/^a/i) pattern!: number;
  // @ts-expect-error a number of items of a text
  @m.MinItems(1) minItems!: string;
  // @ts-expect-error a number of items of an object
  @m.MaxItems(2) maxItems?: Point;
  // @ts-expect-error the keys are missing
  @m.ListType('map') map?: readonly Point[];
  // @ts-expect-error items of a text
  @m.Items(m.MinLength(1)) items!: string;
  // @ts-expect-error a number of members of a text
  @m.MinProperties(1) minProperties!: string;
  // @ts-expect-error a number of members of a number
  @m.MaxProperties(9) maxProperties?: number;
  // @ts-expect-error there is no such type of maps
  @m.MapType('set') mapType!: Point;
  // @ts-expect-error values of a text
  @m.Values(m.MaxLength(3)) values!: string;
  // @ts-expect-error it takes nothing
  @m.PreserveUnknownFields(true) preserve!: Point;
  // @ts-expect-error a resource is an object
  @m.EmbeddedResource() embedded!: string;
  // @ts-expect-error texts for a number
  @m.Enum('a', 'b') enum!: number;
  // @ts-expect-error a format of a boolean
  @m.Format('date-time') format!: boolean;
  // @ts-expect-error a rule is needed
  @m.Validation({ message: 'no' }) validation!: number;
  // @ts-expect-error it takes nothing
  @m.Immutable('yes') immutable?: string;
  // @ts-expect-error a title is a text
  @m.Title(1) title!: boolean;
  // @ts-expect-error a url is needed
  @m.ExternalDocs({}) externalDocs!: string;
  // @ts-expect-error neither an integer nor a text
  @m.IntOrString() intOrString!: boolean;
  // @ts-expect-error it takes nothing
  @m.Schemaless(1) schemaless!: unknown;
  // @ts-expect-error a schema is an object
  @m.Schema('string') schema!: unknown;
  // @ts-expect-error a value that the type does not have
  @m.Default('gp4') default?: 'gp2' | 'gp3';
  // @ts-expect-error a text for a number
  @m.Example('1') example?: number;
  // @ts-expect-error it takes nothing
  @m.Nullable(true) nullable!: string | null;
  // @ts-expect-error it takes nothing
  @m.Ignore(true) ignored!: Date;
  // @ts-expect-error levels are counted
  @m.DescriptionDepth('all') depth!: Point;
  // @ts-expect-error a marker of kinds on a member
  @m.StatusSubresource() status!: Point;
}

@m.Resource({ group: 'test.example.com', version: 'v1', scope: 'Cluster', deprecated: 'use v2' })
@m.StatusSubresource()
@m.ScaleSubresource({ specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' })
@m.PrinterColumn({ name: 'State', type: 'string', jsonPath: '.status.state', priority: 1 })
@m.SelectableField({ jsonPath: '.spec.name' })
@m.Metadata({ labels: { team: 'core' } })
@m.Rbac({ verbs: ['get'] })
@m.Validation({ rule: 'true' })
@m.MaxProperties(9)
export class RightKind {}

@m.ExactlyOneOf('a', 'b')
@m.AtMostOneOf('a', 'b')
@m.AtLeastOneOf('a')
@m.MapType('atomic')
export class RightType {
  a?: string;
  b?: string;
}

// @ts-expect-error the group is missing
@m.Resource({ version: 'v1' })
export class WrongResource {}

// @ts-expect-error it takes nothing
@m.StatusSubresource(true)
export class WrongStatus {}

// @ts-expect-error a path is missing
@m.ScaleSubresource({ specReplicasPath: '.spec.replicas' })
export class WrongScale {}

// @ts-expect-error there is no such type of columns
@m.PrinterColumn({ name: 'State', type: 'text', jsonPath: '.status.state' })
export class WrongColumn {}

// @ts-expect-error the path is missing
@m.SelectableField({})
export class WrongField {}

// @ts-expect-error labels are texts
@m.Metadata({ labels: { count: 1 } })
export class WrongMetadata {}

// @ts-expect-error the verbs are missing
@m.Rbac({ groups: [''] })
export class WrongRbac {}

// @ts-expect-error one of one is no choice
@m.ExactlyOneOf('a')
export class WrongExactlyOneOf {}

// @ts-expect-error one of one is no choice
@m.AtMostOneOf('a')
export class WrongAtMostOneOf {}

// @ts-expect-error the names are missing
@m.AtLeastOneOf()
export class WrongAtLeastOneOf {}

// @ts-expect-error a marker of members on a class
@m.Minimum(1)
export class WrongPlace {}

@m.MutatingWebhook({
  name: 'mwidget-v1.kb.io',
  path: '/mutate-example-com-v1-widget',
  groups: ['example.com'],
  versions: ['v1'],
  resources: ['widgets'],
  verbs: ['create', 'update'],
  reinvocationPolicy: 'IfNeeded',
  objectSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
})
@m.ValidatingWebhook({
  name: 'vwidget-v1.kb.io',
  url: 'https://hooks.example.com/validate',
  groups: ['example.com'],
  versions: ['v1'],
  resources: ['widgets'],
  verbs: ['*'],
})
@m.WebhookConfiguration({ mutating: 'example-mutating' })
export class RightWebhook {}

const rules = { groups: ['example.com'], versions: ['v1'], resources: ['widgets'], verbs: ['create'] } as const;

// @ts-expect-error neither a path nor a URL
@m.MutatingWebhook({ name: 'mwidget-v1.kb.io', ...rules })
export class WrongEndpoint {}

// @ts-expect-error a path and a URL
@m.ValidatingWebhook({ name: 'vwidget-v1.kb.io', path: '/a', url: 'https://a.example.com', ...rules })
export class WrongEndpoints {}

// @ts-expect-error nothing changes that could be asked about again
@m.ValidatingWebhook({ name: 'vwidget-v1.kb.io', path: '/a', ...rules, reinvocationPolicy: 'Never' })
export class WrongReinvocation {}

// @ts-expect-error there is no such verb
@m.MutatingWebhook({ name: 'mwidget-v1.kb.io', path: '/a', ...rules, verbs: ['patch'] })
export class WrongWebhookVerb {}

// @ts-expect-error the name is a text
@m.WebhookConfiguration({ mutating: 1 })
export class WrongConfiguration {}
