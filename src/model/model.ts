import type { SourcePosition } from './diagnostic.ts';
import type { Schema } from './schema.ts';
import type { Webhook, WebhookConfiguration } from './webhook.ts';

/** All that the reader found in the sources of one project. Kinds stand in the order of group and kind. */
export interface Model {
  readonly kinds: readonly Kind[];
  readonly policyRules: readonly PolicyRule[];
  readonly webhooks: readonly Webhook[];
  readonly webhookConfigurations: readonly WebhookConfiguration[];
}

/** One kind of one API group, with all its versions (they stand in text order). */
export interface Kind {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
  readonly versions: readonly Version[];
  /** What turns objects of one version into those of another; without it only their apiVersion changes. */
  readonly conversion?: ConversionWebhook;
  readonly position: SourcePosition;
}

/** The webhook that converts the objects of a kind (apiextensions.k8s.io/v1 WebhookConversion), behind a Service. */
export interface ConversionWebhook {
  readonly serviceName: string;
  readonly serviceNamespace: string;
  readonly path: string;
  readonly conversionReviewVersions: readonly string[];
}

/** One version of a kind: the declaration of the user's that it was read from, and what it says. */
export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning?: string;
  /** The whole object's schema: `apiVersion`, `kind` and `metadata` included. */
  readonly schema: Schema;
  readonly statusSubresource: boolean;
  readonly scaleSubresource?: ScaleSubresource;
  readonly printerColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly SelectableField[];
  readonly declaration: Declaration;
  readonly position: SourcePosition;
}

/** The exported class, interface or type alias that declares a version of a kind; `file` as in `SourcePosition`. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
  readonly position: SourcePosition;
}

/** A column of `kubectl get` (apiextensions.k8s.io/v1 CustomResourceColumnDefinition). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  readonly priority?: number;
  readonly position: SourcePosition;
}

export interface SelectableField {
  readonly jsonPath: string;
  readonly position: SourcePosition;
}

/** One `Rbac` marker: with `urls`, or with `groups` and `resources`. The core group is `''`. */
export interface PolicyRule {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
  readonly urls: readonly string[];
  /** A Role in this namespace instead of the ClusterRole. */
  readonly namespace?: string;
  /** The role's name instead of the run's `--role-name`. */
  readonly role?: string;
  readonly position: SourcePosition;
}
