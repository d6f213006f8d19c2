import type {
  ConversionWebhook,
  Json,
  JsonObject,
  Kind,
  PrinterColumn,
  ScaleSubresource,
  Version,
} from '../../model/index.ts';
import { jsonObject } from '../../model/index.ts';
import { type EmittedTexts, emitFile } from '../yaml/emit.ts';
import { membersToJson, schemaToJson } from './schema-json.ts';

/** The name of a kind's CustomResourceDefinition: `<plural>.<group>`. */
export function definitionName(kind: Kind): string {
  return `${kind.plural}.${kind.group}`;
}

/** The file of a kind's CustomResourceDefinition, as controller-gen names it. */
export function definitionFile(kind: Kind): string {
  return `${kind.group}_${kind.plural}.yaml`;
}

/** The text of a kind's file; `known` has texts of other kinds of the run. */
export function emitDefinition(kind: Kind, known?: EmittedTexts): string {
  const text = emitted.get(kind) ?? emitFile([definitionToJson(kind)], known);
  emitted.set(kind, text);
  return text;
}

/** While sources are watched, most kinds stay as they are. */
const emitted = new WeakMap<Kind, string>();

/** Each is asked for by several checks, and written. */
const definitions = new WeakMap<Kind, JsonObject>();

/** The CustomResourceDefinition (apiextensions.k8s.io/v1) of a kind. */
export function definitionToJson(kind: Kind): JsonObject {
  const made = definitions.get(kind) ?? makeDefinition(kind);
  definitions.set(kind, made);
  return made;
}

function makeDefinition(kind: Kind): JsonObject {
  return jsonObject([
    ['apiVersion', 'apiextensions.k8s.io/v1'],
    ['kind', 'CustomResourceDefinition'],
    ['metadata', metadata(kind)],
    [
      'spec',
      jsonObject([
        ...(kind.conversion === undefined ? [] : [['conversion', conversionToJson(kind.conversion)] as const]),
        ['group', kind.group],
        ['names', names(kind)],
        ['scope', kind.scope],
        ['versions', kind.versions.map(versionToJson)],
      ]),
    ],
  ]);
}

/** A CA bundle is what cert-manager (annotation `cert-manager.io/inject-ca-from`) or the operator itself fills in. */
function conversionToJson(webhook: ConversionWebhook): JsonObject {
  const { serviceName, serviceNamespace, path, conversionReviewVersions } = webhook;
  const service = jsonObject([
    ['name', serviceName],
    ['namespace', serviceNamespace],
    ['path', path],
  ]);
  return jsonObject([
    ['strategy', 'Webhook'],
    [
      'webhook',
      jsonObject([
        ['clientConfig', jsonObject([['service', service]])],
        ['conversionReviewVersions', conversionReviewVersions],
      ]),
    ],
  ]);
}

function metadata(kind: Kind): JsonObject {
  const object = jsonObject([['name', definitionName(kind)]]);
  if (kind.annotations.size > 0) object['annotations'] = jsonObject(kind.annotations);
  if (kind.labels.size > 0) object['labels'] = jsonObject(kind.labels);
  return object;
}

function names(kind: Kind): JsonObject {
  const object = jsonObject([
    ['kind', kind.kind],
    ['listKind', kind.listKind],
    ['plural', kind.plural],
    ['singular', kind.singular],
  ]);
  if (kind.categories.length > 0) object['categories'] = kind.categories;
  if (kind.shortNames.length > 0) object['shortNames'] = kind.shortNames;
  return object;
}

function versionToJson(version: Version): JsonObject {
  const object = jsonObject([
    ['name', version.name],
    ['schema', jsonObject([['openAPIV3Schema', schemaToJson(version.schema)]])],
    ['served', version.served],
    ['storage', version.storage],
  ]);
  if (version.deprecated) {
    object['deprecated'] = true;
    if (version.deprecationWarning !== undefined) object['deprecationWarning'] = version.deprecationWarning;
  }
  if (version.printerColumns.length > 0) object['additionalPrinterColumns'] = version.printerColumns.map(columnToJson);
  if (version.selectableFields.length > 0) {
    object['selectableFields'] = version.selectableFields.map((field) => jsonObject([['jsonPath', field.jsonPath]]));
  }
  if (version.statusSubresource || version.scaleSubresource !== undefined) {
    object['subresources'] = subresources(version.statusSubresource, version.scaleSubresource);
  }
  return object;
}

function columnToJson(column: PrinterColumn): Json {
  const { position: _, priority, description, ...members } = column;
  return membersToJson({
    ...members,
    ...(description === undefined || description === '' ? {} : { description }),
    // 0 is what the server takes without it.
    ...(priority === undefined || priority === 0 ? {} : { priority }),
  });
}

function subresources(status: boolean, scale: ScaleSubresource | undefined): JsonObject {
  const object = jsonObject();
  if (status) object['status'] = jsonObject();
  if (scale !== undefined) {
    const { position: _, ...members } = scale;
    object['scale'] = membersToJson(members);
  }
  return object;
}
