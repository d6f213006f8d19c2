/** `corev1.LocalObjectReference`: the name of an object in the same namespace. */
export interface LocalObjectReference {
  name?: string;
}

/** `corev1.SecretKeySelector`: one key of a Secret in the same namespace. */
export interface SecretKeySelector {
  name?: string;
  key: string;
  optional?: boolean;
}
