import { createHash } from 'node:crypto';
import { fromPlain, type Json } from '../json.ts';
import { stringify } from '../json-text.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';

/** The groups that are served, each with its versions, the preferred first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly Resource[] }[];
}

function aggregatedResource(resource: Resource): unknown {
  return {
    resource: resource.resource,
    responseKind: {
      group: resource.custom ? resource.group : '',
      version: resource.custom ? resource.version : '',
      kind: resource.kind,
    },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.shownVerbs ?? resource.verbs,
    shortNames: resource.shortNames.length === 0 ? undefined : resource.shortNames,
    categories: resource.categories.length === 0 ? undefined : resource.categories,
    subresources:
      resource.subresources.size === 0
        ? undefined
        : [...resource.subresources.values()].map(({ name, verbs, responseKind }) => ({
            subresource: name,
            responseKind:
              !resource.custom && responseKind.group === resource.group && responseKind.version === resource.version
                ? { group: '', version: '', kind: responseKind.kind }
                : responseKind,
            verbs,
          })),
  };
}

/** A document with the tag that tells whether it has changed. */
export interface TaggedDocument {
  readonly text: string;
  readonly tag: string;
}

export function tagged(value: Json): TaggedDocument {
  const text = `${stringify(value)}\n`;
  return { text, tag: `"${hashOf(text)}"` };
}

export function hashOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}

/** `APIGroupDiscoveryList` of apidiscovery.k8s.io/v2. */
export function aggregatedDiscovery(groups: readonly ServedGroup[]): TaggedDocument {
  return tagged(
    fromPlain({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: groups.map((group) => ({
        metadata: group.name === '' ? {} : { name: group.name },
        versions: group.versions.map(({ version, resources }) => ({
          version,
          resources: resources.map(aggregatedResource),
          freshness: 'Current',
        })),
      })),
    }),
  );
}

const clientAddresses = (address: string): unknown => [{ clientCIDR: '0.0.0.0/0', serverAddress: address }];

export function legacyVersions(address: string): Json {
  return fromPlain({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: clientAddresses(address) });
}

function groupBody(group: ServedGroup): Record<string, unknown> {
  const versions = group.versions.map(({ version }) => ({
    groupVersion: apiVersionOf({ group: group.name, version }),
    version,
  }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

export function legacyGroups(groups: readonly ServedGroup[]): Json {
  return fromPlain({ kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupBody) });
}

export function legacyGroup(group: ServedGroup): Json {
  return fromPlain({ kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group) });
}

/** `APIResourceList` of one version of a group. */
export function legacyResources(groupVersion: string, resources: readonly Resource[]): Json {
  const entries = resources.flatMap((resource) => [
    {
      name: resource.resource,
      singularName: resource.singular,
      namespaced: resource.namespaced,
      kind: resource.kind,
      verbs: resource.shownVerbs ?? resource.verbs,
      shortNames: resource.shortNames.length === 0 ? undefined : resource.shortNames,
      categories: resource.categories.length === 0 ? undefined : resource.categories,
      storageVersionHash: resource.verbs.includes('list')
        ? Buffer.from(hashOf(`${resource.storage}/${resource.kind}`).slice(0, 16), 'hex').toString('base64')
        : undefined,
    },
    ...[...resource.subresources.values()].map(({ name, responseKind, verbs }) => ({
      name: `${resource.resource}/${name}`,
      singularName: '',
      namespaced: resource.namespaced,
      group:
        responseKind.group === resource.group && responseKind.version === resource.version
          ? undefined
          : responseKind.group,
      version:
        responseKind.group === resource.group && responseKind.version === resource.version
          ? undefined
          : responseKind.version,
      kind: responseKind.kind,
      verbs,
    })),
  ]);
  return fromPlain({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: entries });
}

/** Sorts versions as Kubernetes prefers them: released before beta before alpha, the newer first, other names last. */
export function compareVersions(left: string, right: string): number {
  const one = versionParts(left);
  const other = versionParts(right);
  if (one === undefined || other === undefined)
    return one === other ? (left < right ? -1 : Number(left > right)) : one === undefined ? 1 : -1;
  return other.stage - one.stage || other.major - one.major || other.minor - one.minor;
}

function versionParts(
  version: string,
): { readonly stage: number; readonly major: number; readonly minor: number } | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
