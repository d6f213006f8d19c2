import type { Kind, Model, PolicyRule, Schema, SourcePosition, Version } from '../../model/index.ts';

/** Models made by hand, for tests. */
export const at = (line: number, column = 1, file = 'src/api/v1/widget.types.ts'): SourcePosition => ({
  file,
  line,
  column,
});

export function object(properties: Readonly<Record<string, Schema>>, rest: Schema = {}): Schema {
  return { type: 'object', properties: new Map(Object.entries(properties)), ...rest };
}

export function version(overrides: Partial<Version> = {}): Version {
  return {
    name: 'v1',
    served: true,
    storage: true,
    deprecated: false,
    schema: object({
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: object({ size: { type: 'integer', format: 'int32' } }),
      status: object({ ready: { type: 'boolean' }, replicas: { type: 'integer' } }),
    }),
    statusSubresource: true,
    printerColumns: [],
    selectableFields: [],
    declaration: { file: 'src/api/v1/widget.types.ts', name: 'Widget' },
    position: at(3),
    ...overrides,
  };
}

export function kind(overrides: Partial<Kind> = {}): Kind {
  return {
    group: 'example.com',
    kind: 'Widget',
    listKind: 'WidgetList',
    plural: 'widgets',
    singular: 'widget',
    scope: 'Namespaced',
    shortNames: [],
    categories: [],
    labels: new Map(),
    annotations: new Map(),
    versions: [version()],
    position: at(3),
    ...overrides,
  };
}

export function rule(overrides: Partial<PolicyRule> = {}): PolicyRule {
  return { groups: [], resources: [], resourceNames: [], verbs: ['get'], urls: [], position: at(1), ...overrides };
}

export function model(kinds: readonly Kind[], policyRules: readonly PolicyRule[] = []): Model {
  return { kinds, policyRules, webhooks: [], webhookConfigurations: [] };
}
