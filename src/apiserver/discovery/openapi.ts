import { swaggerProtobuf } from './openapi-protobuf.ts';
import { paths, schemas } from '../data/index.ts';
import {
  clone,
  fromPlain,
  isArray,
  isObject,
  jsonObject,
  object,
  type Json,
  type JsonObject,
  text,
  type MutableObject,
} from '../json.ts';
import { stringify } from '../json-text.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import { hashOf } from './discovery.ts';
import { version2Root } from './version-2-schema.ts';

export const refPrefix = '#/components/schemas/';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** A custom resource as documents show it: with the schema that stands in its definition. */
export interface PublishedResource {
  readonly resource: Resource;
  readonly schema: JsonObject;
  readonly selectableFields: readonly Json[];
}

interface Builtin {
  readonly paths: ReadonlyMap<string, JsonObject>;
  readonly schemas: JsonObject;
}

/** The OpenAPI documents of the server: those of built-in groups as recorded, those of custom resources made from definitions. */
export class OpenApiDocuments {
  readonly #custom: () => readonly PublishedResource[];
  readonly #generation: () => number;
  #protobuf: Buffer | undefined;
  readonly #texts = new Map<string, string>();
  #known = -1;
  #builtin: Promise<Builtin> | undefined;

  constructor(custom: () => readonly PublishedResource[], generation: () => number) {
    this.#custom = custom;
    this.#generation = generation;
  }

  /** The list of documents, by path, each with its hash. */
  async index(): Promise<JsonObject> {
    this.#refresh();
    const builtin = await this.#load();
    const names = new Set([...builtin.paths.keys(), ...this.#customGroups().keys()]);
    const entries: [string, Json][] = [];
    for (const name of [...names].sort())
      entries.push([name, fromPlain({ serverRelativeURL: `/openapi/v3/${name}?hash=${await this.hash(name)}` })]);
    return fromPlain({ paths: jsonObject(entries) }) as JsonObject;
  }

  /** The hash that stands in a document's URL. Recorded documents never change: theirs is that of their name. */
  async hash(name: string): Promise<string> {
    const custom = this.#customGroups().has(name);
    return hashOf(custom ? ((await this.document(name)) ?? '') : `recorded ${name}`);
  }

  /** The text of a document. */
  async document(name: string): Promise<string | undefined> {
    this.#refresh();
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    const builtin = await this.#load();
    const custom = this.#customGroups().get(name) ?? [];
    const recorded = builtin.paths.get(name);
    if (recorded === undefined && custom.length === 0) return undefined;
    const allPaths = jsonObject(Object.entries(recorded ?? {}));
    const own = jsonObject();
    for (const published of custom) {
      Object.assign(allPaths, customPaths(published));
      Object.assign(own, customSchemas(published));
    }
    const components = jsonObject([...Object.entries(own), ...closure([allPaths, own], builtin.schemas)]);
    const text = stringify(
      jsonObject([
        ['openapi', '3.0.0'],
        [
          'info',
          jsonObject([
            ['title', 'Kubernetes'],
            ['version', '1.37'],
          ]),
        ],
        ['paths', allPaths],
        ['components', jsonObject([['schemas', components]])],
      ]),
    );
    this.#texts.set(name, text);
    return text;
  }

  /** The one document of OpenAPI 2, with the definitions and paths of everything. */
  async swagger(): Promise<string> {
    this.#refresh();
    const known = this.#texts.get('v2');
    if (known !== undefined) return known;
    const builtin = await builtinSwagger();
    const custom = this.#customSwagger();
    const text = stringify(
      jsonObject([
        ...Object.entries(builtin),
        ['paths', { ...object(builtin, 'paths'), ...object(custom, 'paths') }],
        ['definitions', { ...object(builtin, 'definitions'), ...object(custom, 'definitions') }],
      ]),
    );
    this.#texts.set('v2', text);
    return text;
  }

  /** The same in protobuf, where a message may come in parts. */
  async swaggerProtobuf(): Promise<Buffer> {
    this.#refresh();
    this.#protobuf ??= Buffer.concat([await builtinProtobuf(), swaggerProtobuf(this.#customSwagger())]);
    return this.#protobuf;
  }

  #customSwagger(): JsonObject {
    const allPaths = jsonObject();
    const definitions = jsonObject();
    for (const published of this.#custom()) {
      Object.assign(allPaths, customPaths(published));
      for (const [name, schema] of Object.entries(customSchemas(published)))
        definitions[name] = version2Root(object(schema));
    }
    return swaggerParts(allPaths, definitions);
  }

  #refresh(): void {
    const generation = this.#generation();
    if (generation !== this.#known) {
      this.#texts.clear();
      this.#protobuf = undefined;
    }
    this.#known = generation;
  }

  async #load(): Promise<Builtin> {
    this.#builtin ??= loadBuiltin();
    return this.#builtin;
  }

  #customGroups(): Map<string, PublishedResource[]> {
    const groups = new Map<string, PublishedResource[]>();
    for (const published of this.#custom()) {
      const name = `apis/${apiVersionOf(published.resource)}`;
      groups.set(name, [...(groups.get(name) ?? []), published]);
    }
    return groups;
  }
}

async function loadBuiltin(): Promise<Builtin> {
  const [documents, all] = await Promise.all([paths(), builtinSchemas()]);
  return {
    paths: new Map(Object.entries(documents).map(([name, document]) => [name, fromPlain(document) as JsonObject])),
    schemas: all,
  };
}

/** The schemas of all built-in kinds by name. */
export async function builtinSchemas(): Promise<JsonObject> {
  builtinSchemaJson ??= (async () => fromPlain(await schemas()) as JsonObject)();
  return builtinSchemaJson;
}

let builtinSchemaJson: Promise<JsonObject> | undefined;

/** The schema of a custom resource as documents show it: with the metadata that all objects have. */
export function publishedSchema({ schema }: PublishedResource): JsonObject {
  return withMetadata(schema, true);
}

function swaggerParts(allPaths: JsonObject, definitions: JsonObject): JsonObject {
  return jsonObject([
    ['paths', jsonObject(Object.entries(allPaths).map(([path, item]) => [path, swaggerPath(item)]))],
    ['definitions', rewriteReferences(definitions)],
  ]);
}

let builtinParts: Promise<JsonObject> | undefined;
let builtinBytes: Promise<Buffer> | undefined;

/** What OpenAPI 2 says of built-in kinds: the same for all servers of the process. */
async function builtinSwagger(): Promise<JsonObject> {
  builtinParts ??= (async () => {
    const builtin = await loadBuiltin();
    const allPaths = jsonObject();
    for (const recorded of builtin.paths.values()) Object.assign(allPaths, recorded);
    return jsonObject([
      ['swagger', '2.0'],
      [
        'info',
        jsonObject([
          ['title', 'Kubernetes'],
          ['version', '1.37'],
        ]),
      ],
      ...Object.entries(swaggerParts(allPaths, builtin.schemas)),
    ]);
  })();
  return builtinParts;
}

async function builtinProtobuf(): Promise<Buffer> {
  builtinBytes ??= (async () => swaggerProtobuf(await builtinSwagger()))();
  return builtinBytes;
}

/** The schemas that others refer to, directly or through others. */
function closure(roots: readonly Json[], all: JsonObject): [string, Json][] {
  const found = new Map<string, Json>();
  const visit = (value: Json): void => {
    if (isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        if (name === '$ref' && typeof inner === 'string' && inner.startsWith(refPrefix)) {
          const target = inner.slice(refPrefix.length);
          const schema = all[target];
          if (schema !== undefined && !found.has(target)) {
            found.set(target, schema);
            visit(schema);
          }
        } else visit(inner);
      }
    }
  };
  roots.forEach(visit);
  return [...found].sort(([left], [right]) => (left < right ? -1 : 1));
}

function reference(name: string): JsonObject {
  return jsonObject([['$ref', `${refPrefix}${name}`]]);
}

/** The name of a custom resource's schema: the group's parts backwards, version, kind. */
export function schemaName({ group, version, kind }: Resource): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

function gvk(resource: Resource, kind: string): JsonObject {
  return jsonObject([
    ['group', resource.group],
    ['kind', kind],
    ['version', resource.version],
  ]);
}

function customSchemas({ resource, schema, selectableFields }: PublishedResource): JsonObject {
  const root = withMetadata(schema, true);
  root['x-kubernetes-group-version-kind'] = [gvk(resource, resource.kind)];
  if (selectableFields.length > 0) root['x-kubernetes-selectable-fields'] = [...selectableFields];
  const name = schemaName(resource);
  return jsonObject([
    [name, root],
    [
      [...resource.group.split('.').reverse(), resource.version, resource.listKind].join('.'),
      fromPlain({
        type: 'object',
        description: `${resource.listKind} is a list of ${resource.kind}`,
        required: ['items'],
        properties: {
          apiVersion: { type: 'string' },
          items: { type: 'array', items: reference(name) },
          kind: { type: 'string' },
          metadata: { allOf: [reference(`${meta}ListMeta`)] },
        },
        'x-kubernetes-group-version-kind': [gvk(resource, resource.listKind)],
      }),
    ],
  ]);
}

const apiVersionText =
  'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources';
const kindText =
  'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds';
const metadataText =
  "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/** A schema with what every object has, at the root and in embedded objects. */
function withMetadata(schema: JsonObject, root: boolean): MutableObject {
  const result = jsonObject(Object.entries(schema));
  if (root || schema['x-kubernetes-embedded-resource'] === true) {
    result['properties'] = jsonObject([
      ...Object.entries(object(schema, 'properties')),
      ['apiVersion', fromPlain({ type: 'string', description: apiVersionText })],
      ['kind', fromPlain({ type: 'string', description: kindText })],
      ['metadata', fromPlain({ description: metadataText, allOf: [reference(`${meta}ObjectMeta`)] })],
    ]);
  }
  const properties = result['properties'];
  if (isObject(properties)) {
    result['properties'] = jsonObject(
      Object.entries(properties).map(([name, inner]) => [name, isObject(inner) ? withMetadata(inner, false) : inner]),
    );
  }
  for (const name of ['items', 'additionalProperties']) {
    const inner = result[name];
    if (isObject(inner)) result[name] = withMetadata(inner, false);
  }
  return result;
}

const query = (name: string, type: string): JsonObject =>
  fromPlain({ name, in: 'query', schema: { type, uniqueItems: true } }) as JsonObject;

function customPaths({ resource }: PublishedResource): JsonObject {
  const base = `/apis/${resource.group}/${resource.version}`;
  const collection = resource.namespaced
    ? `${base}/namespaces/{namespace}/${resource.resource}`
    : `${base}/${resource.resource}`;
  const self = schemaName(resource);
  const list = [...resource.group.split('.').reverse(), resource.version, resource.listKind].join('.');
  const content = (name: string): JsonObject =>
    fromPlain({
      'application/json': { schema: reference(name) },
      'application/yaml': { schema: reference(name) },
    }) as JsonObject;
  const operation = (action: string, parameters: readonly Json[], name: string, body?: Json): JsonObject =>
    fromPlain({
      tags: [`${resource.group.split('.')[0] ?? ''}_${resource.version}`],
      operationId: `${action}${resource.kind}`,
      parameters,
      ...(body !== undefined && { requestBody: { content: body } }),
      responses: { 200: { description: 'OK', content: content(name) }, 401: { description: 'Unauthorized' } },
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': gvk(resource, resource.kind),
    }) as JsonObject;
  const write = [query('dryRun', 'string'), query('fieldManager', 'string'), query('fieldValidation', 'string')];
  const read = ['continue', 'fieldSelector', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'].map((name) =>
    query(name, 'string'),
  );
  const listing = [
    ...read,
    query('limit', 'integer'),
    query('timeoutSeconds', 'integer'),
    query('watch', 'boolean'),
    query('allowWatchBookmarks', 'boolean'),
  ];
  const shared: Json[] = [
    ...(resource.namespaced
      ? [fromPlain({ name: 'namespace', in: 'path', required: true, schema: { type: 'string', uniqueItems: true } })]
      : []),
    query('pretty', 'string'),
  ];
  const named: Json[] = [
    fromPlain({ name: 'name', in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }),
    ...shared,
  ];
  const patchBody = fromPlain({
    'application/apply-patch+yaml': { schema: reference(`${meta}Patch`) },
    'application/json-patch+json': { schema: reference(`${meta}Patch`) },
    'application/merge-patch+json': { schema: reference(`${meta}Patch`) },
  });
  const status = `${meta}Status`;
  const result = jsonObject([
    [
      collection,
      fromPlain({
        get: operation('list', listing, list),
        post: operation('post', write, self, content(self)),
        delete: operation('deletecollection', read, status),
        parameters: shared,
      }),
    ],
    [
      `${collection}/{name}`,
      fromPlain({
        get: operation('get', [query('resourceVersion', 'string')], self),
        put: operation('put', write, self, content(self)),
        delete: operation(
          'delete',
          [query('dryRun', 'string'), query('propagationPolicy', 'string')],
          status,
          content(`${meta}DeleteOptions`),
        ),
        patch: operation('patch', [...write, query('force', 'boolean')], self, patchBody),
        parameters: named,
      }),
    ],
  ]);
  if (resource.namespaced)
    result[`${base}/${resource.resource}`] = fromPlain({
      get: operation('list', listing, list),
      parameters: [query('pretty', 'string')],
    });
  for (const subresource of resource.subresources.values()) {
    const kind = subresource.name === 'scale' ? 'io.k8s.api.autoscaling.v1.Scale' : self;
    result[`${collection}/{name}/${subresource.name}`] = fromPlain({
      get: operation('get', [query('resourceVersion', 'string')], kind),
      put: operation('put', write, kind, content(kind)),
      patch: operation('patch', [...write, query('force', 'boolean')], kind, patchBody),
      parameters: named,
    });
  }
  return result;
}

function rewriteReferences(value: Json): Json {
  if (isArray(value)) return value.map(rewriteReferences);
  if (!isObject(value)) return value;
  const result = jsonObject();
  // A reference with a description beside it needs no allOf here; values of two types are texts with a format.
  const target = isArray(value['allOf']) && value['allOf'].length === 1 ? text(value['allOf'][0], '$ref') : '';
  const flat = target !== '' && value['type'] === undefined;
  if (flat) result['$ref'] = target.replace(refPrefix, '#/definitions/');
  const mixed = isArray(value['oneOf']) && value['type'] === undefined;
  if (mixed) result['type'] = 'string';
  for (const [name, inner] of Object.entries(value)) {
    if ((flat && (name === 'allOf' || name === 'default')) || (mixed && name === 'oneOf')) continue;
    result[name] =
      name === '$ref' && typeof inner === 'string'
        ? inner.replace(refPrefix, '#/definitions/')
        : rewriteReferences(inner);
  }
  return result;
}

/** A path of version 3 in the form of version 2. */
function swaggerPath(item: Json): Json {
  const result = jsonObject();
  for (const [method, operation] of Object.entries(object(item))) {
    if (method === 'parameters') {
      result[method] = isArray(operation) ? operation.map(swaggerParameter) : operation;
      continue;
    }
    if (!isObject(operation)) continue;
    const converted = clone<MutableObject>(operation);
    const parameters = isArray(operation['parameters']) ? operation['parameters'].map(swaggerParameter) : [];
    const body = object(operation, 'requestBody', 'content');
    const first = Object.values(body)[0];
    if (first !== undefined) {
      converted['consumes'] = Object.keys(body);
      parameters.unshift(
        jsonObject([
          ['name', 'body'],
          ['in', 'body'],
          ['required', true],
          ['schema', rewriteReferences(object(first)['schema'] ?? null)],
        ]),
      );
    }
    delete converted['requestBody'];
    converted['parameters'] = parameters;
    converted['produces'] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
    converted['schemes'] = ['https'];
    converted['responses'] = jsonObject(
      Object.entries(object(operation, 'responses')).map(([code, response]) => {
        const schema = object(Object.values(object(response, 'content'))[0])['schema'];
        return [
          code,
          jsonObject([
            ['description', code === '401' ? 'Unauthorized' : 'OK'],
            ...(schema === undefined ? [] : [['schema', rewriteReferences(schema)] as const]),
          ]),
        ];
      }),
    );
    result[method] = converted;
  }
  return result;
}

function swaggerParameter(parameter: Json): Json {
  const { schema, ...rest } = object(parameter);
  return jsonObject([...Object.entries(rest), ...Object.entries(object(schema))]);
}
