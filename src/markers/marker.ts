import type { Json, Schema, SourcePosition } from '../model/index.ts';

/** A regular expression literal in a marker's arguments. */
export class RegularExpression {
  readonly source: string;
  readonly flags: string;

  constructor(source: string, flags: string) {
    this.source = source;
    this.flags = flags;
  }
}

/** A marker as it stands in a source, its arguments folded. */
export interface MarkerUse {
  readonly marker: Marker;
  readonly values: readonly MarkerArgument[];
  readonly position: SourcePosition;
}

/** What one argument of a marker can be once it is folded: a value, a regular expression, or another marker. */
export type MarkerArgument = Json | RegularExpression | MarkerUse;

/**
 * Where a marker may stand. `kind` is a class or interface that carries `Resource`; `type` is a class, interface, type alias or
 * enum; `property` is a member; `reconciler` and `webhook` are any class.
 */
export type MarkerTarget = 'kind' | 'property' | 'type' | 'reconciler' | 'webhook';

/** The type of one argument. */
export type ArgumentType =
  | { readonly kind: 'string' | 'boolean' | 'number' | 'pattern' | 'json' | 'scalar' | 'object' | 'marker' }
  /** A whole number of at least 0. */
  | { readonly kind: 'count' }
  | { readonly kind: 'text'; readonly values: readonly string[] }
  | { readonly kind: 'strings' }
  | { readonly kind: 'list'; readonly items: ArgumentType }
  | { readonly kind: 'stringMap' }
  | { readonly kind: 'booleanOrString' }
  | { readonly kind: 'options'; readonly members: Readonly<Record<string, OptionType>> };

export interface OptionType {
  readonly type: ArgumentType;
  readonly required?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly type: ArgumentType;
  readonly optional?: boolean;
  /** Takes all that follows; `minimum` is how many there must be. */
  readonly rest?: { readonly minimum: number };
}

/** Which schemas a keyword can stand on. A schema without a type (any JSON value) takes none but `any`. */
export type Fit = 'number' | 'string' | 'scalar' | 'array' | 'object' | 'any';

/** What a marker does. Markers that only set keywords are data and a function from values to keywords; the others name their effect. */
export type MarkerEffect =
  | {
      readonly kind: 'keywords';
      readonly fits: Fit;
      readonly keywords: (values: readonly MarkerArgument[]) => Schema | MarkerProblem;
    }
  | { readonly kind: 'kind'; readonly of: KindEffect }
  | { readonly kind: 'webhook'; readonly of: 'Mutating' | 'Validating' | 'configuration' }
  | { readonly kind: 'nested'; readonly of: 'items' | 'values' }
  | { readonly kind: 'oneOf'; readonly of: 'AtMostOneOf' | 'ExactlyOneOf' | 'AtLeastOneOf' }
  | {
      readonly kind:
        'ignore' | 'schemaless' | 'replace' | 'immutable' | 'descriptionDepth' | 'intOrString' | 'policyRule';
    };

export type KindEffect = 'resource' | 'status' | 'scale' | 'printerColumn' | 'selectableField' | 'metadata';

/** Why a marker's values make no sense together, and what to do about it. */
export interface MarkerProblem {
  readonly problem: string;
  readonly remedy?: string;
}

/** One marker: all that there is to know about it. */
export interface Marker {
  /** The decorator's name: `MinLength`. */
  readonly name: string;
  /** The JSDoc tag's: `minLength`. */
  readonly tag: string;
  readonly targets: readonly MarkerTarget[];
  readonly parameters: readonly Parameter[];
  /** Whether it may stand more than once in one place. */
  readonly repeatable: boolean;
  readonly effect: MarkerEffect;
  /** One line for people. */
  readonly help: string;
}

export function isMarkerUse(argument: MarkerArgument): argument is MarkerUse {
  return (
    typeof argument === 'object' &&
    argument !== null &&
    'marker' in argument &&
    'position' in argument &&
    'values' in argument
  );
}
