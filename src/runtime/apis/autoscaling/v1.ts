import type { KubernetesObject } from '../meta/v1.ts';
export * from './v1.generated.ts';

/** `autoscalingv1.Scale`: what the scale subresource of any kind reads and takes. */
export interface Scale extends KubernetesObject {
  spec?: ScaleSpec;
  status?: ScaleStatus;
}

/** `autoscalingv1.ScaleSpec` */
export interface ScaleSpec {
  replicas?: number;
}

/** `autoscalingv1.ScaleStatus` */
export interface ScaleStatus {
  replicas: number;
  /** In the string form of a label selector. */
  selector?: string;
}
