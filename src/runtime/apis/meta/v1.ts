export type * from './v1.generated.ts';

/** A time stamp as the wire carries it: RFC 3339 with seconds (`2026-01-02T03:04:05Z`). Generated as `string`, `date-time`. */
export type Time = string;

/** A time stamp with microseconds (`2026-01-02T03:04:05.000006Z`). Generated as `string`, `date-time`. */
export type MicroTime = string;

/** A span of time in Go's notation (`1h30m`). Generated as `string` without a format, as controller-gen does. */
export type Duration = string;

/** What every object of Kubernetes has (`metav1.TypeMeta` and `metav1.ObjectMeta`). */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** `metav1.ObjectMeta`: all members are optional since the server fills most of them. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: Time;
  deletionTimestamp?: Time;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

/** `metav1.OwnerReference` */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** `metav1.ManagedFieldsEntry` */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: Time;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** `metav1.ListMeta` */
export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
  selfLink?: string;
}

/** A list as the API server answers it: `items` with the metadata of the whole. */
export interface KubernetesList<T extends KubernetesObject = KubernetesObject> {
  apiVersion: T['apiVersion'];
  /** The kind of the list: `WidgetList`. */
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/** `metav1.Condition`: one aspect of an object's state. */
export interface Condition {
  /** In CamelCase, or `domain/CamelCase`. */
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** The `metadata.generation` that the condition was set for. */
  observedGeneration?: number;
  /** When `status` changed last. */
  lastTransitionTime: Time;
  /** A programmatic identifier in CamelCase; not empty. */
  reason: string;
  /** Details for people; may be empty. */
  message: string;
}

/** `metav1.Status`: what the API server answers when there is no object to answer with, above all for errors. */
export interface Status {
  apiVersion?: string;
  kind?: 'Status';
  metadata?: ListMeta;
  status?: 'Success' | 'Failure';
  /** For people. */
  message?: string;
  /** For programs, in CamelCase: `NotFound`, `Conflict`, ... */
  reason?: string;
  details?: StatusDetails;
  /** The HTTP status code. */
  code?: number;
}

/** `metav1.StatusDetails` */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  /** Seconds to wait before the next try. */
  retryAfterSeconds?: number;
}

/** `metav1.StatusCause` */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}
