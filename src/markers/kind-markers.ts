import type { ArgumentType, KindEffect, Marker, OptionType } from './marker.ts';

const string: ArgumentType = { kind: 'string' };
const strings: ArgumentType = { kind: 'strings' };
const boolean: ArgumentType = { kind: 'boolean' };

function kindMarker(
  name: string,
  effect: KindEffect,
  members: Readonly<Record<string, OptionType>> | undefined,
  repeatable: boolean,
  help: string,
): Marker {
  return {
    name,
    tag: tagOf(name),
    targets: ['kind'],
    parameters: members === undefined ? [] : [{ name: 'options', type: { kind: 'options', members } }],
    repeatable,
    effect: { kind: 'kind', of: effect },
    help,
  };
}

/** The JSDoc tag of a decorator: its name in lowerCamelCase. */
export function tagOf(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Markers on kinds, and `Rbac`. */
export const kindMarkers: readonly Marker[] = [
  kindMarker(
    'Resource',
    'resource',
    {
      group: { type: string, required: true },
      version: { type: string, required: true },
      kind: { type: string },
      plural: { type: string },
      singular: { type: string },
      scope: { type: { kind: 'text', values: ['Namespaced', 'Cluster'] } },
      shortNames: { type: strings },
      categories: { type: strings },
      storage: { type: boolean },
      served: { type: boolean },
      deprecated: { type: { kind: 'booleanOrString' } },
    },
    false,
    'Makes a class or interface a kind of a Kubernetes API.',
  ),
  kindMarker(
    'StatusSubresource',
    'status',
    undefined,
    false,
    'Gives the kind a status that is written apart from the rest.',
  ),
  kindMarker(
    'ScaleSubresource',
    'scale',
    {
      specReplicasPath: { type: string, required: true },
      statusReplicasPath: { type: string, required: true },
      labelSelectorPath: { type: string },
    },
    false,
    'Gives the kind a scale subresource, for kubectl scale and autoscalers.',
  ),
  kindMarker(
    'PrinterColumn',
    'printerColumn',
    {
      name: { type: string, required: true },
      type: { type: { kind: 'text', values: ['integer', 'number', 'string', 'boolean', 'date'] }, required: true },
      jsonPath: { type: string, required: true },
      description: { type: string },
      format: {
        type: {
          kind: 'text',
          values: ['int32', 'int64', 'float', 'double', 'byte', 'date', 'date-time', 'password'],
        },
      },
      priority: { type: { kind: 'count' } },
    },
    true,
    'Adds a column to kubectl get.',
  ),
  kindMarker(
    'SelectableField',
    'selectableField',
    { jsonPath: { type: string, required: true } },
    true,
    'Lets field selectors use a field.',
  ),
  kindMarker(
    'Metadata',
    'metadata',
    { labels: { type: { kind: 'stringMap' } }, annotations: { type: { kind: 'stringMap' } } },
    true,
    'Labels and annotations of the CustomResourceDefinition itself.',
  ),
  {
    name: 'Rbac',
    tag: 'rbac',
    targets: ['kind', 'reconciler'],
    parameters: [
      {
        name: 'options',
        type: {
          kind: 'options',
          members: {
            groups: { type: strings },
            resources: { type: strings },
            resourceNames: { type: strings },
            verbs: { type: strings, required: true },
            urls: { type: strings },
            namespace: { type: string },
            role: { type: string },
          },
        },
      },
    ],
    repeatable: true,
    effect: { kind: 'policyRule' },
    help: 'A permission that the operator needs.',
  },
];
