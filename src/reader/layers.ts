import { Float, type Schema } from '../model/index.ts';
import type { Layer } from './schema-markers.ts';

export function hasMarker(layer: Layer, name: string): boolean {
  return layer.uses.some(({ marker }) => marker.name === name);
}

/** What says something of one declaration only. */
const ownOnly = new Set(['Title', 'ExternalDocs', 'Default', 'Example', 'Schema', 'Schemaless', 'IntOrString']);

/** A layer without what speaks about its own declaration only: what a type hands on to those that are made of it. */
export function inherited(layer: Layer): Layer {
  return {
    uses: layer.uses.filter(({ marker }) => !ownOnly.has(marker.name)),
    ...(layer.keywords === undefined ? {} : { keywords: layer.keywords }),
  };
}

/** How many levels of descriptions a member's `DescriptionDepth` keeps; undefined without one. */
export function descriptionDepth(member: Layer): number | undefined {
  const use = member.uses.find(({ marker }) => marker.effect.kind === 'descriptionDepth');
  const [levels] = use?.values ?? [];
  return levels === undefined ? undefined : Number(levels instanceof Float ? levels.value : levels);
}

/** Keeps as many levels of descriptions as the member's `DescriptionDepth` says; all of them without one. */
export function withDescriptionDepth(schema: Schema, member: Layer): Schema {
  const levels = descriptionDepth(member);
  return levels === undefined ? schema : trimmed(schema, levels);
}

function trimmed(schema: Schema, levels: number): Schema {
  const { description, ...rest } = schema;
  const inner = (part: Schema): Schema => trimmed(part, levels - 1);
  const { items, properties, additionalProperties } = rest;
  return {
    ...rest,
    ...(description === undefined || levels <= 0 ? {} : { description }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(properties === undefined
      ? {}
      : { properties: new Map([...properties].map(([name, part]) => [name, inner(part)])) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: inner(additionalProperties) } : {}),
  };
}
