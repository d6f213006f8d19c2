import { kindMarkers } from './kind-markers.ts';
import type { Marker } from './marker.ts';
import { propertyMarkers } from './property-markers.ts';
import { nearest } from './suggestion.ts';
import { webhookMarkers } from './webhook-markers.ts';

/** Every marker, once. */
export const markers: readonly Marker[] = [...kindMarkers, ...webhookMarkers, ...propertyMarkers];

const byName = new Map(markers.map((marker) => [marker.name, marker]));
const byTag = new Map(markers.map((marker) => [marker.tag, marker]));

/** The marker of this decorator: `MinLength`. */
export function markerByName(name: string): Marker | undefined {
  return byName.get(name);
}

/** The marker of this JSDoc tag: `minLength`. */
export function markerByTag(tag: string): Marker | undefined {
  return byTag.get(tag);
}

export function suggestName(name: string): string | undefined {
  return nearest(name, byName.keys());
}

/** The tag that was meant, where one is near enough to say so. */
export function suggestTag(tag: string): string | undefined {
  return nearest(tag, byTag.keys());
}

/** controller-gen's names that differ from ours by more than their prefix, in lower case. */
const goNames: Readonly<Record<string, string>> = {
  xvalidation: 'Validation',
  xintorstring: 'IntOrString',
  xpreserveunknownfields: 'PreserveUnknownFields',
  xembeddedresource: 'EmbeddedResource',
  printcolumn: 'PrinterColumn',
  status: 'StatusSubresource',
  scale: 'ScaleSubresource',
  listmapkey: 'ListType',
  structtype: 'MapType',
  uniqueitems: 'ListType',
  storageversion: 'Resource',
  unservedversion: 'Resource',
  deprecatedversion: 'Resource',
  skipversion: 'Resource',
  groupname: 'Resource',
  versionname: 'Resource',
  webhook: 'MutatingWebhook',
};

/**
 * What to write in place of one of controller-gen's markers (`+kubebuilder:validation:XValidation:rule="..."`), without its `+` or
 * `@`; undefined where TypeScript has nothing to say (`object:root`).
 */
export function markerForGoMarker(text: string): Marker | 'optional' | undefined {
  const path = (/^[A-Za-z0-9:_-]+/.exec(text)?.[0] ?? '')
    .toLowerCase()
    .split(':')
    .filter((part) => part !== '');
  for (const part of path.reverse()) {
    if (part === 'optional' || part === 'required') return 'optional';
    const name = goNames[part];
    const marker = name === undefined ? markers.find(({ tag }) => tag.toLowerCase() === part) : byName.get(name);
    if (marker !== undefined) return marker;
  }
  return undefined;
}
