/**
 * What of the definitions in `../shared` does not come back from marked types, by file: where the definition differs, and what the
 * import says. Everything else comes back equal.
 *
 * - `required: metadata` says nothing: the API server refuses an object without a name whatever the schema says.
 * - `nullable` beside an enum says nothing either: the server lets no null through an enum that does not name it.
 */
export const withoutNotation: Readonly<Record<string, readonly (readonly [where: string, what: string])[]>> = {
  'golden/cluster/crds/cluster.example.com_plains.yaml': [
    ['versions.0.schema.openAPIV3Schema.required', 'Plain v1beta2: there is no notation for required: metadata'],
  ],
  'golden/composition/crds/composition.example.com_alphas.yaml': [
    [
      'versions.0.schema.openAPIV3Schema.properties.spec.properties.combined.properties.nullable.nullable',
      'Alpha v1: there is no notation for nullable beside an enum, through which the API server lets no null',
    ],
  ],
  'crds/argo-cd/application-crd.yaml': [
    ['versions.0.schema.openAPIV3Schema.required', 'Application v1alpha1: there is no notation for required: metadata'],
  ],
  'crds/argo-cd/appproject-crd.yaml': [
    ['versions.0.schema.openAPIV3Schema.required', 'AppProject v1alpha1: there is no notation for required: metadata'],
  ],
  'crds/cert-manager/acme.cert-manager.io_orders.yaml': [
    ['versions.0.schema.openAPIV3Schema.required', 'Order v1: there is no notation for required: metadata'],
  ],
};
