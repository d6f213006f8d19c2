import type { Schema } from './schema.ts';

/** The schemas of Kubernetes' own types, as controller-gen writes them. */
export interface KubernetesCatalogue {
  /** `module` is the path below `operator-runtime/` (`apis/core/v1`), `name` the type's (`LocalObjectReference`). */
  get(module: string, name: string): Schema | undefined;
}
