import type { Json } from '../model/index.ts';
import type {
  Conversion,
  Definition,
  DefinitionNames,
  DefinitionSchema,
  DefinitionSpec,
  DefinitionStatus,
  DefinitionVersion,
  PrinterColumn,
  ScaleSubresource,
  SelectableField,
  ServiceReference,
  Subresources,
  WebhookClientConfig,
} from './definition.ts';
import {
  type DecodeContext,
  DecodeError,
  decodeBoolean,
  decodeInteger,
  decodeList,
  decodeString,
  decodeStrings,
  decodeStruct,
  decodeWhole,
  mismatch,
} from './go-decoder.ts';
import { findBase64Error } from './base64.ts';
import { decodeMetaText, decodeTime } from './object-meta.ts';
import { decodeNode } from './schema-decoder.ts';
import { noItems } from './schema-node.ts';

type Draft<T> = { -readonly [name in keyof T]: T[name] };
type Fields<T> = readonly (readonly [string, (value: Json, context: DecodeContext, draft: Draft<T>) => void])[];

function struct<T>(value: Json, type: string, context: DecodeContext, draft: Draft<T>, fields: Fields<T>): T {
  return decodeStruct<Draft<T>>(value, `v1.${type}`, context, new Map(fields), draft);
}

/**
 * Decodes a definition, defaulted already, into the server's own form. Throws a {@link DecodeError} where a member has the wrong
 * type; the server answers 400 then. Schemas that stand in `decoded` are taken from there, and new ones put in.
 */
export function decodeDefinition(value: Json, decoded?: DecodeContext['decoded']): Definition {
  return decodeWhole((context) => decodeRoot(value, context), decoded);
}

function decodeRoot(value: Json, root: DecodeContext): Definition {
  const draft: Draft<Definition> = { metadata: {}, spec: hoist(emptySpec()), status: emptyStatus() };
  return struct<Definition>(value, 'CustomResourceDefinition', root, draft, [
    ['apiVersion', (member, context) => void decodeString(member, context)],
    ['kind', (member, context) => void decodeString(member, context)],
    ['metadata', (member, context, definition) => (definition.metadata = decodeMetaText(member, context).metadata)],
    ['spec', (member, context, definition) => (definition.spec = hoist(decodeSpec(member, context)))],
    ['status', (member, context, definition) => (definition.status = decodeStatus(member, context))],
  ]);
}

function emptySpec(): Draft<DefinitionSpec> {
  return {
    group: '',
    version: '',
    names: emptyNames(),
    scope: '',
    versions: noItems,
    additionalPrinterColumns: noItems,
    selectableFields: noItems,
    preserveUnknownFields: false,
  };
}

function decodeSpec(value: Json, context: DecodeContext): DefinitionSpec {
  return struct<DefinitionSpec>(value, 'CustomResourceDefinitionSpec', context, emptySpec(), [
    ['group', (member, at, spec) => (spec.group = decodeString(member, at))],
    ['names', (member, at, spec) => (spec.names = decodeNames(member, at))],
    ['scope', (member, at, spec) => (spec.scope = decodeString(member, at, 'v1.ResourceScope'))],
    [
      'versions',
      (member, at, spec) => {
        spec.versions = decodeList(member, at, '[]v1.CustomResourceDefinitionVersion', decodeVersion);
      },
    ],
    ['conversion', (member, at, spec) => (spec.conversion = decodeConversion(member, at))],
    ['preserveUnknownFields', (member, at, spec) => (spec.preserveUnknownFields = decodeBoolean(member, at))],
  ]);
}

function emptyNames(): Draft<DefinitionNames> {
  return { plural: '', singular: '', shortNames: [], kind: '', listKind: '', categories: [] };
}

function decodeNames(value: Json, context: DecodeContext): DefinitionNames {
  return struct<DefinitionNames>(value, 'CustomResourceDefinitionNames', context, emptyNames(), [
    ['plural', (member, at, names) => (names.plural = decodeString(member, at))],
    ['singular', (member, at, names) => (names.singular = decodeString(member, at))],
    ['shortNames', (member, at, names) => (names.shortNames = decodeStrings(member, at))],
    ['kind', (member, at, names) => (names.kind = decodeString(member, at))],
    ['listKind', (member, at, names) => (names.listKind = decodeString(member, at))],
    ['categories', (member, at, names) => (names.categories = decodeStrings(member, at))],
  ]);
}

function decodeVersion(value: Json, context: DecodeContext): DefinitionVersion {
  const draft: Draft<DefinitionVersion> = {
    name: '',
    served: false,
    storage: false,
    deprecated: false,
    additionalPrinterColumns: noItems,
    selectableFields: noItems,
  };
  return struct<DefinitionVersion>(value, 'CustomResourceDefinitionVersion', context, draft, [
    ['name', (member, at, version) => (version.name = decodeString(member, at))],
    ['served', (member, at, version) => (version.served = decodeBoolean(member, at))],
    ['storage', (member, at, version) => (version.storage = decodeBoolean(member, at))],
    ['deprecated', (member, at, version) => (version.deprecated = decodeBoolean(member, at))],
    ['deprecationWarning', (member, at, version) => (version.deprecationWarning = decodeString(member, at))],
    ['schema', (member, at, version) => (version.schema = decodeVersionSchema(member, at))],
    ['subresources', (member, at, version) => (version.subresources = decodeSubresources(member, at))],
    [
      'additionalPrinterColumns',
      (member, at, version) => {
        version.additionalPrinterColumns = decodeList(member, at, '[]v1.CustomResourceColumnDefinition', decodeColumn);
      },
    ],
    [
      'selectableFields',
      (member, at, version) => {
        version.selectableFields = decodeList(member, at, '[]v1.SelectableField', decodeSelectableField);
      },
    ],
  ]);
}

function decodeVersionSchema(value: Json, context: DecodeContext): DefinitionSchema {
  const draft: Draft<DefinitionSchema> = {};
  return struct<DefinitionSchema>(value, 'CustomResourceValidation', context, draft, [
    ['openAPIV3Schema', (member, at, schema) => (schema.openAPIV3Schema = decodeNode(member, at))],
  ]);
}

function decodeSubresources(value: Json, context: DecodeContext): Subresources {
  const draft: Draft<Subresources> = {};
  return struct<Subresources>(value, 'CustomResourceSubresources', context, draft, [
    [
      'status',
      (member, at, subresources) => {
        struct<object>(member, 'CustomResourceSubresourceStatus', at, {}, []);
        subresources.status = true;
      },
    ],
    ['scale', (member, at, subresources) => (subresources.scale = decodeScale(member, at))],
  ]);
}

function decodeScale(value: Json, context: DecodeContext): ScaleSubresource {
  const draft: Draft<ScaleSubresource> = { specReplicasPath: '', statusReplicasPath: '' };
  return struct<ScaleSubresource>(value, 'CustomResourceSubresourceScale', context, draft, [
    ['specReplicasPath', (member, at, scale) => (scale.specReplicasPath = decodeString(member, at))],
    ['statusReplicasPath', (member, at, scale) => (scale.statusReplicasPath = decodeString(member, at))],
    ['labelSelectorPath', (member, at, scale) => (scale.labelSelectorPath = decodeString(member, at))],
  ]);
}

function decodeColumn(value: Json, context: DecodeContext): PrinterColumn {
  const draft: Draft<PrinterColumn> = { name: '', type: '', format: '', description: '', priority: 0, jsonPath: '' };
  return struct<PrinterColumn>(value, 'CustomResourceColumnDefinition', context, draft, [
    ['name', (member, at, column) => (column.name = decodeString(member, at))],
    ['type', (member, at, column) => (column.type = decodeString(member, at))],
    ['format', (member, at, column) => (column.format = decodeString(member, at))],
    ['description', (member, at, column) => (column.description = decodeString(member, at))],
    ['priority', (member, at, column) => (column.priority = Number(decodeInteger(member, at, 32)))],
    ['jsonPath', (member, at, column) => (column.jsonPath = decodeString(member, at))],
  ]);
}

function decodeSelectableField(value: Json, context: DecodeContext): SelectableField {
  const draft: Draft<SelectableField> = { jsonPath: '' };
  return struct<SelectableField>(value, 'SelectableField', context, draft, [
    ['jsonPath', (member, at, field) => (field.jsonPath = decodeString(member, at))],
  ]);
}

function decodeConversion(value: Json, context: DecodeContext): Conversion {
  const draft: Draft<Conversion> = { strategy: '', reviewVersions: [] };
  return struct<Conversion>(value, 'CustomResourceConversion', context, draft, [
    [
      'strategy',
      (member, at, conversion) => (conversion.strategy = decodeString(member, at, 'v1.ConversionStrategyType')),
    ],
    [
      'webhook',
      (member, at, conversion) => {
        struct<Conversion>(member, 'WebhookConversion', at, conversion, [
          ['clientConfig', (config, below, webhook) => (webhook.clientConfig = decodeClientConfig(config, below))],
          [
            'conversionReviewVersions',
            (versions, below, webhook) => (webhook.reviewVersions = decodeStrings(versions, below)),
          ],
        ]);
      },
    ],
  ]);
}

function decodeClientConfig(value: Json, context: DecodeContext): WebhookClientConfig {
  const draft: Draft<WebhookClientConfig> = { caBundle: '' };
  return struct<WebhookClientConfig>(value, 'WebhookClientConfig', context, draft, [
    ['url', (member, at, config) => (config.url = decodeString(member, at))],
    ['service', (member, at, config) => (config.service = decodeService(member, at))],
    ['caBundle', (member, at, config) => (config.caBundle = decodeBytes(member, at))],
  ]);
}

function decodeService(value: Json, context: DecodeContext): ServiceReference {
  const draft: Draft<ServiceReference> = { namespace: '', name: '', port: 0 };
  return struct<ServiceReference>(value, 'ServiceReference', context, draft, [
    ['namespace', (member, at, service) => (service.namespace = decodeString(member, at))],
    ['name', (member, at, service) => (service.name = decodeString(member, at))],
    ['path', (member, at, service) => (service.path = decodeString(member, at))],
    ['port', (member, at, service) => (service.port = Number(decodeInteger(member, at, 32)))],
  ]);
}

/** Base64 with padding; line ends are ignored. */
function decodeBytes(value: Json, context: DecodeContext): string {
  if (typeof value !== 'string') throw mismatch(value, context, '[]uint8');
  const position = findBase64Error(value);
  if (position !== undefined) context.mismatches.push(new DecodeError(`illegal base64 data at input byte ${position}`));
  return value.replace(/[\r\n]/g, '');
}

function emptyStatus(): Draft<DefinitionStatus> {
  return { acceptedNames: emptyNames(), storedVersions: noItems, isEstablished: false };
}

function decodeStatus(value: Json, context: DecodeContext): DefinitionStatus {
  return struct<DefinitionStatus>(value, 'CustomResourceDefinitionStatus', context, emptyStatus(), [
    ['acceptedNames', (member, at, status) => (status.acceptedNames = decodeNames(member, at))],
    ['storedVersions', (member, at, status) => (status.storedVersions = decodeStrings(member, at))],
    [
      'conditions',
      (member, at, status) => {
        const conditions = decodeList(member, at, '[]v1.CustomResourceDefinitionCondition', decodeCondition);
        status.isEstablished = conditions.find((condition) => condition.type === 'Established')?.status === 'True';
      },
    ],
  ]);
}

function decodeCondition(value: Json, context: DecodeContext): { type: string; status: string } {
  return struct<{ type: string; status: string }>(
    value,
    'CustomResourceDefinitionCondition',
    context,
    { type: '', status: '' },
    [
      [
        'type',
        (member, at, condition) =>
          (condition.type = decodeString(member, at, 'v1.CustomResourceDefinitionConditionType')),
      ],
      ['status', (member, at, condition) => (condition.status = decodeString(member, at, 'v1.ConditionStatus'))],
      ['lastTransitionTime', (member, at) => void decodeTime(member, at, [], '')],
      ['reason', (member, at) => void decodeString(member, at)],
      ['message', (member, at) => void decodeString(member, at)],
      ['observedGeneration', (member, at) => void decodeInteger(member, at, 64)],
    ],
  );
}

/** Moves what all versions have alike from the versions to the spec. */
function hoist(spec: DefinitionSpec): DefinitionSpec {
  const [first] = spec.versions;
  if (first === undefined) return spec;
  const isSame = (of: (version: DefinitionVersion) => unknown) =>
    spec.versions.every((version) => isEqual(of(version), of(first)));
  const same = {
    schema: isSame((version) => version.schema),
    subresources: isSame((version) => version.subresources),
    columns: isSame((version) => version.additionalPrinterColumns),
    fields: isSame((version) => version.selectableFields),
  };
  return {
    ...spec,
    version: first.name,
    ...(same.schema && first.schema !== undefined ? { validation: first.schema } : {}),
    ...(same.subresources && first.subresources !== undefined ? { subresources: first.subresources } : {}),
    ...(same.columns ? { additionalPrinterColumns: first.additionalPrinterColumns } : {}),
    ...(same.fields ? { selectableFields: first.selectableFields } : {}),
    versions: spec.versions.map(({ schema, subresources, ...version }) => ({
      ...version,
      ...(same.schema || schema === undefined ? {} : { schema }),
      ...(same.subresources || subresources === undefined ? {} : { subresources }),
      ...(same.columns ? { additionalPrinterColumns: noItems } : {}),
      ...(same.fields ? { selectableFields: noItems } : {}),
    })),
  };
}

/** Deep equality of decoded values. */
export function isEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (left instanceof Map) {
    if (!(right instanceof Map) || left.size !== right.size) return false;
    return [...left].every(([name, value]) => right.has(name) && isEqual(value, right.get(name)));
  }
  if (Array.isArray(left) !== Array.isArray(right) || left.constructor !== right.constructor) return false;
  const [a, b] = [Object.entries(left), new Map(Object.entries(right))];
  return a.length === b.size && a.every(([name, value]) => b.has(name) && isEqual(value, b.get(name)));
}
