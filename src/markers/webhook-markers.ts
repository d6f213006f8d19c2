import { tagOf } from './kind-markers.ts';
import type { ArgumentType, Marker, MarkerEffect, OptionType } from './marker.ts';

const string: ArgumentType = { kind: 'string' };
const strings: ArgumentType = { kind: 'strings' };
const count: ArgumentType = { kind: 'count' };
const oneOf = (...values: readonly string[]): ArgumentType => ({ kind: 'text', values });
const listOf = (items: ArgumentType): ArgumentType => ({ kind: 'list', items });

const labelSelector: ArgumentType = {
  kind: 'options',
  members: {
    matchLabels: { type: { kind: 'stringMap' } },
    matchExpressions: {
      type: listOf({
        kind: 'options',
        members: {
          key: { type: string, required: true },
          operator: { type: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'), required: true },
          values: { type: strings },
        },
      }),
    },
  },
};

const matchConditions = listOf({
  kind: 'options',
  members: { name: { type: string, required: true }, expression: { type: string, required: true } },
});

/** What both kinds of webhooks take. */
const options: Readonly<Record<string, OptionType>> = {
  name: { type: string, required: true },
  path: { type: string },
  url: { type: string },
  groups: { type: strings, required: true },
  versions: { type: strings, required: true },
  resources: { type: strings, required: true },
  verbs: { type: listOf(oneOf('create', 'update', 'delete', 'connect', '*')), required: true },
  failurePolicy: { type: oneOf('Fail', 'Ignore') },
  sideEffects: { type: oneOf('None', 'NoneOnDryRun') },
  matchPolicy: { type: oneOf('Exact', 'Equivalent') },
  timeoutSeconds: { type: count },
  admissionReviewVersions: { type: strings },
  scope: { type: oneOf('Cluster', 'Namespaced', '*') },
  objectSelector: { type: labelSelector },
  namespaceSelector: { type: labelSelector },
  matchConditions: { type: matchConditions },
  serviceName: { type: string },
  serviceNamespace: { type: string },
  servicePort: { type: count },
};

function webhookMarker(
  name: string,
  of: Extract<MarkerEffect, { kind: 'webhook' }>['of'],
  members: Readonly<Record<string, OptionType>>,
  help: string,
): Marker {
  return {
    name,
    tag: tagOf(name),
    targets: ['webhook'],
    parameters: [{ name: 'options', type: { kind: 'options', members } }],
    repeatable: true,
    effect: { kind: 'webhook', of },
    help,
  };
}

/** Markers on webhook classes. */
export const webhookMarkers: readonly Marker[] = [
  webhookMarker(
    'MutatingWebhook',
    'Mutating',
    { ...options, reinvocationPolicy: { type: oneOf('Never', 'IfNeeded') } },
    'Has the API server ask for changes to objects before it stores them.',
  ),
  webhookMarker('ValidatingWebhook', 'Validating', options, 'Has the API server ask whether objects may be stored.'),
  webhookMarker(
    'WebhookConfiguration',
    'configuration',
    { mutating: { type: string }, validating: { type: string } },
    'The names of the objects that hold the webhooks.',
  ),
];
