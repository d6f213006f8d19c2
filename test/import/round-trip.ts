// From a definition to marked TypeScript and back.
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { definitionFile, emitDefinition } from '../../src/generate/crd/definition.ts';
import { generate, type Generated } from '../../src/generate/generate.ts';
import { importTypes, readDefinitions } from '../../src/import/index.ts';
import type { Diagnostic, Model } from '../../src/model/index.ts';
import { readSources } from '../../src/reader/testing/read-sources.ts';

export interface RoundTrip {
  /** The definitions as they were and as they came back, by their file names; in the order of these. */
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  /** What the import says has no notation: path and message. */
  readonly lost: readonly string[];
  /** Errors of the reader and the generator. */
  readonly errors: readonly Diagnostic[];
  readonly sources: Readonly<Record<string, string>>;
}

/**
 * Imports the definitions of a text as types, and generates the definitions of these types; unless they are `checked`, also those
 * that no server takes.
 */
export function roundTrip(text: string, checked = true): RoundTrip {
  const { definitions, diagnostics } = readDefinitions(text, 'crds.yaml');
  const imported = importTypes(definitions, '.');
  const sources = Object.fromEntries(imported.files.map(({ path, content }) => [path, content]));
  const read = readSources(sources);
  const outputs = {
    root: '/project',
    crdDir: '.',
    kubernetesVersion: { major: 1, minor: 37 },
    roleName: 'manager-role',
    kindRoles: false,
  };
  const generated = checked ? generate(read.model, outputs) : unchecked(read.model);
  const after = generated.files.map(({ path, content }): [string, unknown] => [
    path,
    comparable(parse(content, yaml11)),
  ]);
  const before = definitionsOf(text).map((object): [string, unknown] => [fileOf(object), comparable(object)]);
  return {
    before: Object.fromEntries(before),
    after: Object.fromEntries(after),
    lost: imported.diagnostics.map(({ path, message }) => `${path ?? ''}: ${message}`),
    errors: [...diagnostics, ...read.diagnostics, ...generated.diagnostics].filter(
      ({ severity }) => severity === 'error',
    ),
    sources,
  };
}

function unchecked({ kinds }: Model): Pick<Generated, 'files' | 'diagnostics'> {
  const files = kinds.map((kind) => ({ path: definitionFile(kind), content: emitDefinition(kind) }));
  return { files, diagnostics: [] };
}

const yaml11 = { version: '1.1' } as const;

interface PlainDefinition {
  readonly kind?: string;
  readonly spec: { readonly group: string; readonly names: { readonly plural: string } };
  readonly items?: readonly PlainDefinition[];
}

function definitionsOf(text: string): PlainDefinition[] {
  return text
    .split(/^---\s*$/m)
    .map((document) => parse(document, yaml11) as PlainDefinition | null)
    .flatMap((object) => object?.items ?? (object === null ? [] : [object]))
    .filter(({ kind }) => kind === 'CustomResourceDefinition');
}

const fileOf = ({ spec }: PlainDefinition): string => `${spec.group}_${spec.names.plural}.yaml`;

/**
 * A definition without what means nothing (what equals the server's defaults, the order of versions and of required names, the status of an installed
 * one) and without the descriptions of `apiVersion` and `kind`, which come by themselves.
 */
function comparable(value: unknown, path: readonly string[] = []): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item, [...path, '*']));
    if (path.join('.') === 'spec.versions') return byName(items);
    return path.at(-1) === 'required' ? items.sort((a, b) => (String(a) < String(b) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name, item]) => !saysNothing(name, item, value, path))
    .map(([name, item]): [string, unknown] => [name, comparable(item, [...path, name])]);
  return Object.fromEntries(entries);
}

function byName(versions: readonly unknown[]): unknown[] {
  const name = (version: unknown): string => String((version as { readonly name: unknown }).name);
  return versions.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}

const wordless = new Set(['nullable', 'exclusiveMinimum', 'exclusiveMaximum', 'x-kubernetes-preserve-unknown-fields']);

function saysNothing(name: string, item: unknown, owner: object, path: readonly string[]): boolean {
  const root = ['spec', 'versions', '*', 'schema', 'openAPIV3Schema', 'properties'];
  const inRoot = isDeepStrictEqual(path.slice(0, -1), root);
  if (name === 'description' && inRoot && ['apiVersion', 'kind'].includes(path.at(-1) ?? '')) return true;
  if (path.length === 0) return name === 'status';
  if (name === 'creationTimestamp' && item === null) return true;
  if (name === 'subresources') return typeof item === 'object' && item !== null && Object.keys(item).length === 0;
  if (name === 'conversion') return isDeepStrictEqual(item, { strategy: 'None' });
  if (name === 'preserveUnknownFields' || wordless.has(name)) return item === false;
  if (name === 'singular' && 'kind' in owner) return item === String(owner.kind).toLowerCase();
  if (name === 'priority') return item === 0;
  return name === 'required' && Array.isArray(item) && item.length === 0;
}

/** The places in which two values differ, as names with dots between them. */
export function differences(before: unknown, after: unknown, path: readonly (string | number)[] = []): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const objects = [before, after].every((value) => typeof value === 'object' && value !== null);
  if (!objects || Array.isArray(before) !== Array.isArray(after)) return [path.join('.')];
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return [path.join('.')];
    return before.flatMap((item, index) => differences(item, after[index], [...path, index]));
  }
  const [left, right] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].flatMap((name) => differences(left[name], right[name], [...path, name]));
}
