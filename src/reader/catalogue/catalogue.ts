import type { KubernetesCatalogue, Schema } from '../../model/index.ts';

function object(properties: Readonly<Record<string, Schema>>, rest: Schema = {}): Schema {
  return { ...rest, type: 'object', properties: new Map(Object.entries(properties)) };
}

const reference: Schema = {
  type: 'string',
  default: '',
  description: [
    'Name of the referent.',
    'This field is effectively required, but due to backwards compatibility is',
    'allowed to be empty. Instances of this type with an empty value here are',
    'almost certainly wrong.',
    'More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names',
  ].join('\n'),
};

const atomic: Schema = { 'x-kubernetes-map-type': 'atomic' };

function keySelector(of: string, key: string): Schema {
  return object(
    {
      key: { type: 'string', description: key },
      name: reference,
      optional: { type: 'boolean', description: `Specify whether the ${of} or its key must be defined` },
    },
    { ...atomic, required: ['key'] },
  );
}

/** metav1.Condition: the one type whose bounds the API server's OpenAPI document does not have. */
const condition: Schema = object(
  {
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: [
        'lastTransitionTime is the last time the condition transitioned from one status to another.',
        'This should be when the underlying condition changed.  If that is not known, then using the time when the API field changed is acceptable.',
      ].join('\n'),
    },
    message: {
      type: 'string',
      maxLength: 32768,
      description: [
        'message is a human readable message indicating details about the transition.',
        'This may be an empty string.',
      ].join('\n'),
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: [
        'observedGeneration represents the .metadata.generation that the condition was set based upon.',
        'For instance, if .metadata.generation is currently 12, but the .status.conditions[x].observedGeneration is 9, the condition is out of date',
        'with respect to the current state of the instance.',
      ].join('\n'),
    },
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      description: [
        "reason contains a programmatic identifier indicating the reason for the condition's last transition.",
        'Producers of specific condition types may define expected values and meanings for this field,',
        'and whether the values are considered a guaranteed API.',
        'The value should be a CamelCase string.',
        'This field may not be empty.',
      ].join('\n'),
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'status of the condition, one of True, False, Unknown.',
    },
    type: {
      type: 'string',
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
      description: 'type of condition in CamelCase or in foo.example.com/CamelCase.',
    },
  },
  {
    description: 'Condition contains details for one aspect of the current state of this API Resource.',
    required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
  },
);

const schemas: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['apis/meta/v1 Condition', condition],
  ['apis/meta/v1 ObjectMeta', { type: 'object' }],
  ['apis/meta/v1 KubernetesObject', { type: 'object' }],
  [
    'apis/core/v1 LocalObjectReference',
    object(
      { name: reference },
      {
        ...atomic,
        description: [
          'LocalObjectReference contains enough information to let you locate the',
          'referenced object inside the same namespace.',
        ].join('\n'),
      },
    ),
  ],
  [
    'apis/core/v1 SecretKeySelector',
    {
      ...keySelector('Secret', 'The key of the secret to select from.  Must be a valid secret key.'),
      description: 'SecretKeySelector selects a key of a Secret.',
    },
  ],
]);

/** The types that are known without the bundled catalogue; checked against what controller-gen writes. */
export const builtInCatalogue: KubernetesCatalogue = {
  get: (module, name) => schemas.get(`${module} ${name}`),
};

/** Asks one catalogue after the other. */
export function catalogues(...all: readonly KubernetesCatalogue[]): KubernetesCatalogue {
  return {
    get(module, name) {
      for (const catalogue of all) {
        const schema = catalogue.get(module, name);
        if (schema !== undefined) return schema;
      }
      return undefined;
    },
  };
}
