import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import type { RestClient, RestResponse } from './rest.ts';

/** An object of the API as it stands in a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

/** Something in a manifest that is no object, or that the server does not take. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/**
 * The objects in files, and in the YAML and JSON files directly in folders.
 *
 * @throws ManifestError with the file's path
 */
export async function readManifests(paths: readonly string[]): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder
      ? (await readdir(path))
          // Kustomizations are for kustomize, not for the server.
          .filter((name) => /\.(ya?ml|json)$/.test(name) && !/^kustomization\.ya?ml$/.test(name))
          .sort()
          .map((name) => join(path, name))
      : [path];
    for (const file of files) {
      const found = parseManifests(await readFile(file, 'utf8'), file);
      manifests.push(...found.filter(({ apiVersion }) => !apiVersion.startsWith('kustomize.config.k8s.io/')));
    }
  }
  return manifests;
}

/** The objects in a text of YAML documents; lists are taken apart. */
export function parseManifests(text: string, origin = 'manifest'): readonly Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).flatMap((document) => {
    const problem = document.errors[0];
    if (problem !== undefined) throw new ManifestError(`${origin}: ${problem.message}`);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return [];
    const items = isList(value) ? value.items : [value];
    return items.map((item) => checkManifest(item, origin));
  });
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === 'List' &&
    'items' in value &&
    Array.isArray(value.items)
  );
}

function checkManifest(value: unknown, origin: string): Manifest {
  const found = value as Partial<Manifest> | undefined;
  if (
    typeof found?.apiVersion === 'string' &&
    typeof found.kind === 'string' &&
    typeof found.metadata?.name === 'string'
  )
    return value as Manifest;
  throw new ManifestError(`${origin}: a document has no apiVersion, kind and metadata.name`);
}

/** Kinds that others need: they are installed first, in this order. */
const order = [
  'CustomResourceDefinition',
  'Namespace',
  'ServiceAccount',
  'ClusterRole',
  'Role',
  'ClusterRoleBinding',
  'RoleBinding',
];

/**
 * Creates objects, or replaces those that are there; definitions first, and only when they are established the rest.
 *
 * @throws ManifestError with what the server said
 */
export async function installManifests(
  client: RestClient,
  manifests: readonly Manifest[],
  timeout: number,
): Promise<void> {
  const rank = (manifest: Manifest): number => {
    const found = order.indexOf(manifest.kind);
    return found < 0 ? order.length : found;
  };
  const sorted = manifests
    .map((manifest, index) => ({ manifest, index }))
    .sort((left, right) => rank(left.manifest) - rank(right.manifest) || left.index - right.index);
  const deadline = performance.now() + timeout;
  const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition';
  const resources = new Map<string, ResourceEntry>();
  const definitions = sorted.filter(({ manifest }) => isDefinition(manifest));
  for (const { manifest } of definitions) await install(client, manifest, resources);
  for (const { manifest } of definitions) await waitUntilEstablished(client, manifest.metadata.name, deadline);
  for (const { manifest } of sorted) if (!isDefinition(manifest)) await install(client, manifest, resources);
}

interface ResourceEntry {
  readonly name: string;
  readonly namespaced: boolean;
}

async function install(client: RestClient, manifest: Manifest, resources: Map<string, ResourceEntry>): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { name, namespaced } = await lookUp(client, base, apiVersion, kind, resources);
  const collection = namespaced ? `${base}/namespaces/${metadata.namespace ?? 'default'}/${name}` : `${base}/${name}`;
  let answer = await client.send({ method: 'POST', path: collection, body: manifest });
  if (answer.status === 409) {
    const path = `${collection}/${encodeURIComponent(metadata.name)}`;
    const present = (await client.send({ path })).json() as Manifest;
    const body = { ...manifest, metadata: { ...metadata, resourceVersion: present.metadata['resourceVersion'] } };
    answer = await client.send({ method: 'PUT', path, body });
  }
  if (answer.status >= 300) throw new ManifestError(`${kind} ${metadata.name}: ${messageOf(answer)}`);
}

async function lookUp(
  client: RestClient,
  base: string,
  apiVersion: string,
  kind: string,
  known: Map<string, ResourceEntry>,
): Promise<ResourceEntry> {
  const id = `${apiVersion} ${kind}`;
  const found = known.get(id);
  if (found !== undefined) return found;
  const answer = await client.send({ path: base });
  if (answer.status === 200) {
    const { resources } = answer.json() as { resources: readonly (ResourceEntry & { readonly kind: string })[] };
    for (const resource of resources)
      if (!resource.name.includes('/')) known.set(`${apiVersion} ${resource.kind}`, resource);
  }
  const served = known.get(id);
  if (served === undefined)
    throw new ManifestError(`the server knows no kind ${kind} in ${apiVersion}: is its definition installed?`);
  return served;
}

async function waitUntilEstablished(client: RestClient, name: string, deadline: number): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  for (;;) {
    const answer = await client.send({ path });
    const definition = answer.json() as Established;
    const conditions = definition.status?.conditions ?? [];
    const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
    if (established && (await isServed(client, definition))) return;
    const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
    if (refused !== undefined)
      throw new ManifestError(`CustomResourceDefinition ${name}: ${refused.message ?? 'its names are not accepted'}`);
    if (performance.now() > deadline)
      throw new ManifestError(`CustomResourceDefinition ${name} is not established in time`);
    await sleep(20);
  }
}

interface Established {
  readonly spec?: {
    readonly group: string;
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
    readonly names: { readonly plural: string };
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** A definition is established a moment before a real server serves it. */
async function isServed(client: RestClient, { spec }: Established): Promise<boolean> {
  const version = spec?.versions.find(({ served }) => served)?.name;
  if (spec === undefined || version === undefined) return true;
  const answer = await client.send({ path: `/apis/${spec.group}/${version}` });
  if (answer.status !== 200) return false;
  return (answer.json() as { resources: readonly ResourceEntry[] }).resources.some(
    ({ name }) => name === spec.names.plural,
  );
}

function messageOf(answer: RestResponse): string {
  try {
    const { message } = answer.json() as { readonly message?: string };
    return message ?? `HTTP ${answer.status}`;
  } catch (error) {
    if (error instanceof SyntaxError) return `HTTP ${answer.status}: ${answer.text.slice(0, 200)}`;
    throw error;
  }
}
