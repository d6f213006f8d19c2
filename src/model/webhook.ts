import type { SourcePosition } from './diagnostic.ts';

/** One `MutatingWebhook` or `ValidatingWebhook` marker, its defaults filled in (admissionregistration.k8s.io/v1). */
export interface Webhook {
  readonly type: WebhookType;
  readonly name: string;
  /** Where the webhook's server serves it; `url` stands in its place where the API server is to call another server. */
  readonly path?: string;
  readonly url?: string;
  readonly serviceName?: string;
  readonly serviceNamespace?: string;
  readonly servicePort?: number;
  /** The core group is `''`. */
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  /** As in the marker: `create`, `update`, `delete`, `connect` or `*`. */
  readonly verbs: readonly string[];
  readonly scope?: '*' | 'Cluster' | 'Namespaced';
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  /** In seconds, 1 to 30. */
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  /** Of mutating webhooks. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  readonly objectSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly matchConditions: readonly MatchCondition[];
  readonly position: SourcePosition;
}

export type WebhookType = 'Mutating' | 'Validating';

/** Which objects a webhook is asked about, by their labels (meta/v1 LabelSelector). */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** A CEL expression that a request must fulfil for the webhook to be called. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** One `WebhookConfiguration` marker: the names of the objects that hold the webhooks. */
export interface WebhookConfiguration {
  readonly mutating?: string;
  readonly validating?: string;
  readonly position: SourcePosition;
}
