import { inject } from 'vitest';
import type { Access } from './kubeconfig.ts';

/**
 * How to reach, as administrator, the API server that all test files of this run share. It is started by the first that
 * asks. Files use namespaces of their own, and leave definitions that others may need, too, in place.
 */
export async function sharedKubernetes(): Promise<Access> {
  const response = await fetch(inject('kubernetesUrl'));
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Access;
}
