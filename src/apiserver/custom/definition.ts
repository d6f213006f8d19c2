import { at, isObject, jsonObject, list, member, object, text, texts, type Json, type JsonObject } from '../json.ts';
import { compareVersions } from '../discovery/discovery.ts';
import type { PublishedResource } from '../discovery/openapi.ts';
import type { ScalePaths } from '../handlers/scale.ts';
import type { Resource, Subresource } from '../resources/resource.ts';
import { webhookConversion, type ConversionParts } from './conversion.ts';
import { compileCustomSchema } from './schema.ts';
import { ageColumn, customStrategy } from './strategy.ts';

export const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

/** A definition that is served: its resources, with their schemas and scale paths. */
export interface ServedDefinition {
  readonly resources: readonly Resource[];
  readonly published: readonly PublishedResource[];
  readonly scale: ReadonlyMap<Resource, ScalePaths>;
  /** Warnings for each request of a deprecated version. */
  readonly deprecations: ReadonlyMap<Resource, string>;
}

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const verbsOfTerminating = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** The condition of a definition by type: whether it is true. */
export function conditionIsTrue(definition: JsonObject, type: string): boolean {
  return list(definition, 'status', 'conditions').some(
    (condition) => text(condition, 'type') === type && text(condition, 'status') === 'True',
  );
}

/** Makes the resources of a definition whose names are accepted. */
export function serveDefinition(definition: JsonObject, parts: ConversionParts): ServedDefinition {
  const spec = object(definition, 'spec');
  const group = text(spec, 'group');
  const names = object(definition, 'status', 'acceptedNames');
  const namespaced = text(spec, 'scope') === 'Namespaced';
  const versions = list(spec, 'versions').filter(isObject);
  const storageVersion = text(
    versions.find((version) => version['storage'] === true),
    'name',
  );
  const terminating = isObject(definition['metadata']) && Object.hasOwn(definition['metadata'], 'deletionTimestamp');
  const resources: Resource[] = [];
  const published: PublishedResource[] = [];
  const scales = new Map<Resource, ScalePaths>();
  const deprecations = new Map<Resource, string>();
  const conversion =
    text(spec, 'conversion', 'strategy') === 'Webhook'
      ? {
          storedApiVersion: `${group}/${storageVersion}`,
          convert: webhookConversion(spec['conversion'], text(names, 'kind'), parts),
        }
      : undefined;
  for (const version of versions) {
    if (version['served'] !== true) continue;
    const name = text(version, 'name');
    const kind = { group, version: name, kind: text(names, 'kind') };
    const hasStatus = isObject(at(version, 'subresources', 'status'));
    const scale = scalePaths(at(version, 'subresources', 'scale'));
    const columns = list(version, 'additionalPrinterColumns');
    const selectable = list(version, 'selectableFields');
    const schema = member(at(version, 'schema'), 'openAPIV3Schema') ?? jsonObject();
    const subresources = new Map<string, Subresource>();
    if (hasStatus) subresources.set('status', { name: 'status', responseKind: kind, verbs: subresourceVerbs });
    if (scale !== undefined) {
      subresources.set('scale', {
        name: 'scale',
        responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        verbs: subresourceVerbs,
      });
    }
    const resource: Resource = {
      ...kind,
      resource: text(names, 'plural'),
      singular: text(names, 'singular'),
      listKind: text(names, 'listKind'),
      namespaced,
      verbs,
      ...(terminating && { shownVerbs: verbsOfTerminating }),
      shortNames: texts(names, 'shortNames'),
      categories: texts(names, 'categories'),
      subresources,
      storage: `${text(names, 'plural')}.${group}`,
      custom: true,
      ...(conversion !== undefined && { conversion }),
      definedVersions: versions.map((found) => text(found, 'name')),
      strategy: customStrategy({
        ...kind,
        storageVersion,
        namespaced,
        schema: compileCustomSchema(schema),
        statusSubresource: hasStatus,
        scale,
        columns: columns.length === 0 ? [ageColumn] : columns,
        selectableFields: selectable.map((field) => text(field, 'jsonPath')),
      }),
    };
    resources.push(resource);
    published.push({
      resource,
      schema: object(schema),
      selectableFields: selectable.map((field): Json => ({ fieldPath: text(field, 'jsonPath').replace(/^\./, '') })),
    });
    if (scale !== undefined) scales.set(resource, scale);
    if (version['deprecated'] === true)
      deprecations.set(
        resource,
        text(version, 'deprecationWarning') || deprecationText(group, name, kind.kind, versions),
      );
  }
  return { resources, published, scale: scales, deprecations };
}

function scalePaths(scale: Json | undefined): ScalePaths | undefined {
  if (!isObject(scale)) return undefined;
  return {
    specReplicasPath: text(scale, 'specReplicasPath'),
    statusReplicasPath: text(scale, 'statusReplicasPath'),
    labelSelectorPath: text(scale, 'labelSelectorPath'),
    selectorIsObject: false,
  };
}

function deprecationText(group: string, name: string, kind: string, versions: readonly JsonObject[]): string {
  const newer = versions
    .filter((version) => version['served'] === true && version['deprecated'] !== true)
    .map((version) => text(version, 'name'));
  const best = newer.sort(compareVersions)[0];
  const start = `${group}/${name} ${kind} is deprecated`;
  return best === undefined || compareVersions(best, name) > 0 ? start : `${start}; use ${group}/${best} ${kind}`;
}
