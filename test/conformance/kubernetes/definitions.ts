import { setTimeout as wait } from 'node:timers/promises';
import type { Definition, Manifest } from '../../fixtures.ts';
import type { ApiClient } from './client.ts';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

interface StoredDefinition extends Definition {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * Creates a definition, strictly validated, and waits until the server serves its objects. One that is there already is
 * left as it is. Returns the warnings that the server gave.
 */
export async function install(client: ApiClient, definition: Definition, deadline = 30_000): Promise<string[]> {
  const created = await client.request('POST', path, { body: definition, query: { fieldValidation: 'Strict' } });
  if (created.status !== 201 && created.status !== 409) {
    throw new Error(`${definition.metadata.name} is refused: ${JSON.stringify(created.body)}`);
  }
  const end = performance.now() + deadline;
  for (;;) {
    const stored = (await client.expect('GET', `${path}/${definition.metadata.name}`)) as StoredDefinition;
    const conditions = stored.status?.conditions ?? [];
    const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
    // A definition is called Established a moment before its objects are served.
    if (established && (await served(client, definition))) break;
    if (performance.now() > end) {
      throw new Error(`${definition.metadata.name} is not served in time: ${JSON.stringify(conditions)}`);
    }
    await wait(50);
  }
  const warning = created.headers['warning'];
  return warning === undefined ? [] : [warning].flat();
}

/** Deletes a definition and waits until it is gone; one that is not there is no error. */
export async function remove(client: ApiClient, definition: Definition, deadline = 30_000): Promise<void> {
  const end = performance.now() + deadline;
  for (;;) {
    const { status } = await client.request('DELETE', `${path}/${definition.metadata.name}`);
    if (status === 404) return;
    if (performance.now() > end) throw new Error(`${definition.metadata.name} is not deleted in time`);
    await wait(50);
  }
}

async function served(client: ApiClient, { spec }: Definition): Promise<boolean> {
  for (const { name } of spec.versions.filter((version) => version.served)) {
    const response = await client.request('GET', `/apis/${spec.group}/${name}/${spec.names.plural}`);
    if (response.status !== 200) return false;
  }
  return true;
}

/** The URL path of the objects of a manifest's kind in a namespace. */
export function collectionPath(definitions: readonly Definition[], manifest: Manifest, namespace: string): string {
  const group = manifest.apiVersion.split('/')[0];
  const found = definitions.find(({ spec }) => spec.group === group && spec.names.kind === manifest.kind);
  if (found === undefined) throw new Error(`there is no definition of ${manifest.apiVersion} ${manifest.kind}`);
  return `/apis/${manifest.apiVersion}/namespaces/${namespace}/${found.spec.names.plural}`;
}
