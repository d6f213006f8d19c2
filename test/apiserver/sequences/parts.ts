import type { Step } from '../sequence.ts';

/** Makes the namespace of a sequence. */
export const namespace = (name: string): Step => ({ path: '/api/v1/namespaces', body: { metadata: { name } } });
export const core = (name: string, resource: string): string => `/api/v1/namespaces/${name}/${resource}`;
export const custom = (name: string, rest = ''): string => `/apis/example.com/v1/namespaces/${name}/widgets${rest}`;

export interface Versioned {
  readonly metadata: { readonly resourceVersion: string; readonly uid: string; readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

/** A body made of an earlier answer: its members replaced by others. */
export const changed =
  (index: number, change: Record<string, unknown>) =>
  (answers: readonly unknown[]): unknown => ({ ...(answers.at(index) as Versioned), ...change });

export const widget = (
  name: string,
  spec: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
  ...more,
});

export const pod = { containers: [{ name: 'app', image: 'nginx:1' }] };
export const labels = { app: 'web' };
