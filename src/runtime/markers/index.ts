/**
 * The markers as decorators. Each is a typed no-op: `create-operator generate` reads it from the source, and nothing happens at run
 * time. One signature serves standard decorators and legacy ones (`experimentalDecorators`), and fits the member's type at compile
 * time. This module imports nothing, so that a file of API types stays small in a bundle.
 */

/** A marker on a property whose type fits `V`. */
export interface PropertyMarker<V> {
  <This, Value extends V | null | undefined>(value: undefined, context: ClassFieldDecoratorContext<This, Value>): void;
  // Without its own type parameter the target would widen K to all of its keys.
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  <K extends PropertyKey, T extends { [P in K]?: V | null | undefined }>(target: T, key: K): void;
}

/** A marker on a property of type `string` or of a type that holds it (`IntOrString`). */
export interface TextMarker {
  <This, Value extends string | number | null | undefined>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, Value> & HoldsText<Value>,
  ): void;
  <K extends PropertyKey, T extends { [P in K]?: string | number | null | undefined }>(
    target: T,
    key: K & HoldsText<T[K]>,
  ): void;
}

/** A marker on a property that admits the value `D`, or on one whose members may come from their own defaults. */
export interface ValueMarker<D> {
  <This, Value>(value: undefined, context: ClassFieldDecoratorContext<This, Value> & Admits<Value, D>): void;
  <K extends PropertyKey, T extends { [P in K]?: unknown }>(target: T, key: K & Admits<T[K], D>): void;
}

/** A marker on a class: a kind, a type or a reconciler. */
export interface ClassMarker {
  <C extends abstract new (...values: never) => object>(target: C, context: ClassDecoratorContext<C>): void;
  (target: abstract new (...values: never) => object): void;
}

/** A marker that stands on properties whose type fits `V`, and on classes. */
export interface TypeMarker<V> extends PropertyMarker<V>, ClassMarker {}

/** Any marker that may stand inside `Items` and `Values`. */
export type NestedMarker = PropertyMarker<never> | TextMarker | ValueMarker<never>;

/** A value as a marker takes it: JSON. */
export type MarkerValue =
  string | number | boolean | null | readonly MarkerValue[] | { readonly [name: string]: MarkerValue };

type HoldsText<Value> = [Value] extends [number | null | undefined] ? never : unknown;
type Partially<T> = T extends readonly (infer E)[]
  ? readonly Partially<E>[]
  : T extends object
    ? { readonly [P in keyof T]?: Partially<T[P]> }
    : T;
type Admits<Value, D> = [D] extends [Partially<Value>] ? unknown : never;
type Widened<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : never;

function marker(): void {}

/** What every marker without a further check is at run time. */
function make(..._values: readonly unknown[]): typeof marker {
  return marker;
}

export interface ResourceOptions {
  /** The whole API group, such as `compute.example.com`. */
  group: string;
  version: string;
  /** Default: the name of the declaration. */
  kind?: string;
  plural?: string;
  singular?: string;
  /** Default: `Namespaced`. */
  scope?: 'Namespaced' | 'Cluster';
  shortNames?: readonly string[];
  categories?: readonly string[];
  /** Objects are stored in this version. A kind with one version needs no mark. */
  storage?: boolean;
  /** Default: true. */
  served?: boolean;
  /** `true`, or the warning that the API server sends to whoever uses this version. */
  deprecated?: boolean | string;
}

export interface ScaleSubresourceOptions {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

export interface PrinterColumnOptions {
  name: string;
  type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  jsonPath: string;
  description?: string;
  format?: 'int32' | 'int64' | 'float' | 'double' | 'byte' | 'date' | 'date-time' | 'password';
  /** Columns above 0 show only in wide output. */
  priority?: number;
}

export interface ValidationOptions {
  /** A CEL expression that is true for valid values. */
  rule: string;
  message?: string;
  /** A CEL expression that gives the message. */
  messageExpression?: string;
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

export interface RbacOptions {
  /** Default on a kind: its own group. `core` and `''` are the same. */
  groups?: readonly string[];
  /** Default on a kind: its own resource. */
  resources?: readonly string[];
  resourceNames?: readonly string[];
  verbs: readonly string[];
  urls?: readonly string[];
  /** A Role in this namespace in place of the ClusterRole. */
  namespace?: string;
  /** The role's name in place of the project's. */
  role?: string;
}

/** Which objects a webhook is asked about, by their labels. */
export interface WebhookSelector {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** How the API server reaches a webhook: by its Service, or at a URL outside of the cluster. */
export type WebhookEndpoint =
  | {
      /** Where it is served, such as `/validate-example-com-v1-widget`. */
      path: string;
      url?: never;
      /** Default: `webhook-service`. */
      serviceName?: string;
      /** Default: `system`, which the scaffold's kustomization replaces. */
      serviceNamespace?: string;
      /** Default: 443. */
      servicePort?: number;
    }
  | { url: string; path?: never; serviceName?: never; serviceNamespace?: never; servicePort?: never };

export type ValidatingWebhookOptions = WebhookEndpoint & {
  /** At least three labels: `vwidget-v1.kb.io`. */
  name: string;
  /** `core` and `''` are the same. */
  groups: readonly string[];
  versions: readonly string[];
  resources: readonly string[];
  verbs: readonly ('create' | 'update' | 'delete' | 'connect' | '*')[];
  /** What happens when the webhook cannot be asked. Default: `Fail`. */
  failurePolicy?: 'Fail' | 'Ignore';
  /** Default: `None`. */
  sideEffects?: 'None' | 'NoneOnDryRun';
  /** Default of the API server: `Equivalent`. */
  matchPolicy?: 'Exact' | 'Equivalent';
  /** 1 to 30; default of the API server: 10. */
  timeoutSeconds?: number;
  /** Default: `v1`. */
  admissionReviewVersions?: readonly string[];
  /** Default of the API server: `*`. */
  scope?: 'Cluster' | 'Namespaced' | '*';
  objectSelector?: WebhookSelector;
  namespaceSelector?: WebhookSelector;
  /** CEL expressions over `request`, `object`, `oldObject` and `authorizer` that must all be true. */
  matchConditions?: readonly { readonly name: string; readonly expression: string }[];
};

export type MutatingWebhookOptions = ValidatingWebhookOptions & {
  /** Whether it is asked again after others have changed the object. Default of the API server: `Never`. */
  reinvocationPolicy?: 'Never' | 'IfNeeded';
};

/** Makes a class a kind of a Kubernetes API. */
export const Resource: (options: ResourceOptions) => ClassMarker = make;
/** Gives the kind a `status` that is written apart from the rest. */
export const StatusSubresource: () => ClassMarker = make;
/** Gives the kind a `scale` subresource, for `kubectl scale` and autoscalers. */
export const ScaleSubresource: (options: ScaleSubresourceOptions) => ClassMarker = make;
/** Adds a column to `kubectl get`. */
export const PrinterColumn: (options: PrinterColumnOptions) => ClassMarker = make;
/** Lets field selectors use a field. */
export const SelectableField: (options: { jsonPath: string }) => ClassMarker = make;
/** Labels and annotations of the CustomResourceDefinition itself. */
export const Metadata: (options: {
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
}) => ClassMarker = make;
/** A permission that the operator needs; on a kind or on a reconciler class. */
export const Rbac: (options: RbacOptions) => ClassMarker = make;

/** Has the API server ask this class for changes to objects before it stores them. */
export const MutatingWebhook: (options: MutatingWebhookOptions) => ClassMarker = make;
/** Has the API server ask this class whether objects may be stored. */
export const ValidatingWebhook: (options: ValidatingWebhookOptions) => ClassMarker = make;
/** The names of the objects that hold the webhooks; default `mutating-` and `validating-webhook-configuration`. */
export const WebhookConfiguration: (options: { mutating?: string; validating?: string }) => ClassMarker = make;

/** The least value. */
export const Minimum: (minimum: number) => PropertyMarker<number> = make;
/** The greatest value. */
export const Maximum: (maximum: number) => PropertyMarker<number> = make;
/** The value must be greater than this. */
export const ExclusiveMinimum: (minimum: number) => PropertyMarker<number> = make;
/** The value must be less than this. */
export const ExclusiveMaximum: (maximum: number) => PropertyMarker<number> = make;
/** The value must be a multiple of this. */
export const MultipleOf: (divisor: number) => PropertyMarker<number> = make;

/** The least length of a text, in Unicode code points. */
export const MinLength: (length: number) => TextMarker = make;
/** The greatest length of a text, in Unicode code points. */
export const MaxLength: (length: number) => TextMarker = make;
/** A regular expression (RE2) that the text must match somewhere; anchor it with `^` and `$`. */
export const Pattern: (pattern: string | RegExp) => TextMarker = make;

/** The least number of items. */
export const MinItems: (count: number) => PropertyMarker<readonly unknown[]> = make;
/** The greatest number of items. */
export const MaxItems: (count: number) => PropertyMarker<readonly unknown[]> = make;
/** How server-side apply merges a list: as one value, as a set, or as a map by these keys. */
export const ListType: {
  (type: 'atomic' | 'set'): PropertyMarker<readonly unknown[]>;
  (type: 'map', ...keys: readonly [string, ...string[]]): PropertyMarker<readonly object[]>;
} = make;
/** Markers for the items of a list. */
export const Items: (...markers: readonly NestedMarker[]) => PropertyMarker<readonly unknown[]> = make;

/** The least number of members of a map or object. */
export const MinProperties: (count: number) => TypeMarker<object> = make;
/** The greatest number of members of a map or object. */
export const MaxProperties: (count: number) => TypeMarker<object> = make;
/** How server-side apply merges a map or object: member by member, or as one value. */
export const MapType: (type: 'granular' | 'atomic') => TypeMarker<object> = make;
/** Markers for the values of a map. */
export const Values: (...markers: readonly NestedMarker[]) => PropertyMarker<object> = make;
/** Keeps members that the schema does not know. */
export const PreserveUnknownFields: () => TypeMarker<unknown> = make;
/** The value is a whole Kubernetes object with `apiVersion`, `kind` and `metadata`. */
export const EmbeddedResource: () => TypeMarker<object> = make;

/** The values that are allowed. */
export const Enum: <const T extends readonly [string | number | boolean, ...(string | number | boolean)[]]>(
  ...values: T
) => PropertyMarker<Widened<T[number]>> = make;
/** The `format` of a text or number, such as `date-time`, `ipv4`, `int32`. */
export const Format: (format: string) => PropertyMarker<string | number> = make;
/** A rule in CEL. */
export const Validation: (options: ValidationOptions) => TypeMarker<unknown> = make;
/** The value cannot be changed once it is set. */
export const Immutable: () => TypeMarker<unknown> = make;
/** A title for documentation. */
export const Title: (title: string) => TypeMarker<unknown> = make;
/** A link to more documentation. */
export const ExternalDocs: (options: { url: string; description?: string }) => TypeMarker<unknown> = make;
/** The value is an integer or a text, as Kubernetes' `IntOrString`. */
export const IntOrString: () => PropertyMarker<string | number> = make;
/** Leaves the type out of the schema: what is left is the member's own markers. */
export const Schemaless: () => TypeMarker<unknown> = make;
/** A schema in place of the one that the type gives. */
export const Schema: (schema: { readonly [keyword: string]: MarkerValue }) => TypeMarker<unknown> = make;

/** The value that the API server fills in where there is none. */
export const Default: <const D extends MarkerValue>(value: D) => ValueMarker<D> = make;
/** A value for documentation. */
export const Example: <const D extends MarkerValue>(value: D) => ValueMarker<D> = make;
/** The value may be `null`. */
export const Nullable: () => PropertyMarker<unknown> = make;
/** Leaves the member out of the schema. */
export const Ignore: () => PropertyMarker<unknown> = make;
/** How many levels of descriptions there are: 0 is none, 1 the member's own. Those of Kubernetes' types are left out without it. */
export const DescriptionDepth: (levels: number) => PropertyMarker<unknown> = make;

/** Exactly one of these members must be set. */
export const ExactlyOneOf: (...names: readonly [string, string, ...string[]]) => ClassMarker = make;
/** At most one of these members may be set. */
export const AtMostOneOf: (...names: readonly [string, string, ...string[]]) => ClassMarker = make;
/** At least one of these members must be set. */
export const AtLeastOneOf: (...names: readonly [string, ...string[]]) => ClassMarker = make;
