import type { Json, JsonObject, MutableObject } from '../json.ts';
import type { FieldError } from '../field-error.ts';
import type { Convert } from '../custom/conversion.ts';
import type { TableColumn } from '../data/index.ts';
import type { Reader } from '../typed/mismatch.ts';

/** A kind by its full name. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

export interface Subresource {
  readonly name: string;
  readonly responseKind: GroupVersionKind;
  readonly verbs: readonly string[];
}

/** A document after it was brought into the form of its kind. */
export interface Decoded {
  readonly object: MutableObject;
  /** Paths of members that the kind does not have and that were dropped. */
  readonly unknown: readonly string[];
}

/** The outcome of a validation: errors refuse the write, warnings go along with the answer. */
export interface Verdict {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** One resource in one version, as requests address it. */
export interface Resource extends GroupVersionKind {
  /** The plural. */
  readonly resource: string;
  readonly singular: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** What discovery shows, where that is less (a definition that is being deleted). */
  readonly shownVerbs?: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** The name of the store's collection: the same for all versions of a resource. */
  readonly storage: string;
  readonly custom: boolean;
  /** All versions in the definition of a custom resource, served or not. */
  readonly definedVersions?: readonly string[];
  /** The form in which objects are stored, where a webhook converts between versions. */
  readonly conversion?: { readonly storedApiVersion: string; readonly convert: Convert };
  readonly strategy: Strategy;
}

/** How the objects of one resource behave: what `rest.RESTCreateUpdateDeleteStrategy` is to the real server. */
export interface Strategy {
  /** The form of the group and kind that `Invalid` answers name. */
  readonly allowUnconditionalUpdate: boolean;
  readonly allowCreateOnUpdate: boolean;
  /** A deletion answers with the object, not with a `Status`. */
  readonly returnsDeletedObject: boolean;
  /** Deletion takes its grace period (pods): seconds by default. */
  readonly gracePeriodSeconds?: (object: JsonObject) => number;
  /** The garbage collector leaves these alone (events). */
  readonly garbageCollected: boolean;
  /** Brings a document of the request's version into form; throws DecodeError or ApiError. `reader` (default `decoder`) gives the texts. */
  readonly decode: (document: JsonObject, reader?: Reader) => Decoded;
  /** Whether strategic merge patches are understood, and with which keys. */
  readonly strategicMerge: boolean;
  /** From the request's version into the form that is stored, and back. */
  readonly toStorage: (object: JsonObject) => JsonObject;
  readonly fromStorage: (object: JsonObject) => JsonObject;
  readonly prepareForCreate: (object: MutableObject, dryRun?: boolean) => void;
  /** Restores what this endpoint may not change, and counts the generation. */
  readonly prepareForUpdate: (object: MutableObject, old: JsonObject, subresource: string, dryRun?: boolean) => void;
  readonly validateName: (name: string, prefix: boolean) => readonly string[];
  /** In dry runs some things count as given that are not. */
  readonly validate: (object: JsonObject, dryRun?: boolean) => Verdict;
  readonly validateUpdate: (object: JsonObject, old: JsonObject, subresource: string, dryRun?: boolean) => Verdict;
  /** A field by which objects can be selected; nothing when it cannot be. */
  readonly field: (object: JsonObject, name: string) => string | undefined;
  readonly fields: ReadonlySet<string>;
  readonly columns: readonly TableColumn[];
  readonly cells: (object: JsonObject, now: number) => readonly Json[];
}

/** Whether the endpoint serves a verb. */
export function serves(resource: Resource, verb: string, subresource: string): boolean {
  return subresource === ''
    ? resource.verbs.includes(verb)
    : (resource.subresources.get(subresource)?.verbs.includes(verb) ?? false);
}
