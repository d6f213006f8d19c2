import { sendObject, sendText, type Exchange } from '../http/exchange.ts';
import { parseAccept } from '../http/negotiation.ts';
import {
  aggregatedDiscovery,
  legacyGroup,
  legacyGroups,
  legacyResources,
  legacyVersions,
  type TaggedDocument,
} from '../discovery/discovery.ts';
import type { OpenApiDocuments } from '../discovery/openapi.ts';
import { fromPlain } from '../json.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { apiVersionOf } from '../resources/resource.ts';
import { noSuchResource, notAcceptable } from '../status.ts';
import type { RequestMetrics } from './metrics.ts';

const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const swaggerType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const oldSwaggerType = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

export const versionInfo = {
  major: '1',
  minor: '37',
  emulationMajor: '1',
  emulationMinor: '37',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '36',
  gitVersion: 'v1.37.2',
  gitCommit: 'embedded',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'node/any',
};

/** Everything that is no object: discovery, OpenAPI, version, health, metrics. */
export class RootDocuments {
  readonly #registry: ResourceRegistry;
  readonly #openapi: OpenApiDocuments;
  readonly #metrics: RequestMetrics;
  readonly #aggregated = new Map<string, { readonly generation: number; readonly document: TaggedDocument }>();

  constructor(registry: ResourceRegistry, openapi: OpenApiDocuments, metrics: RequestMetrics) {
    this.#registry = registry;
    this.#openapi = openapi;
    this.#metrics = metrics;
  }

  /** Serves the request; false when the path is none of these documents. */
  async serve(exchange: Exchange): Promise<boolean> {
    const path = exchange.info.path.replace(/\/+$/, '') || '/';
    const [first = '', second, third, ...rest] = path.slice(1).split('/');
    switch (first) {
      case '':
        sendObject(exchange, 200, fromPlain({ paths: this.#paths() }));
        return true;
      case 'version':
        sendObject(exchange, 200, fromPlain(versionInfo));
        return second === undefined;
      case 'healthz':
      case 'livez':
      case 'readyz':
        return this.#health(exchange, first, second);
      case 'api':
        if (second === undefined) return this.#groups(exchange, true);
        if (third === undefined && second !== 'v1') throw noSuchResource();
        return third === undefined ? this.#resources(exchange, '', 'v1') : false;
      case 'apis':
        if (second === undefined) return this.#groups(exchange, false);
        if (third === undefined) return this.#group(exchange, second);
        return rest.length === 0 ? this.#resources(exchange, second, third) : false;
      case 'metrics':
        if (second !== undefined) return false;
        sendText(exchange, 200, this.#metrics.text(), { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
        return true;
      case 'openapi':
        if (second === 'v2' && third === undefined) return this.#swagger(exchange);
        if (second === 'v3')
          return this.#openapiDocument(exchange, [third, ...rest].filter((part) => part !== undefined).join('/'));
        return false;
      default:
        return false;
    }
  }

  #paths(): readonly string[] {
    const groups = this.#registry
      .groups()
      .flatMap((group) =>
        group.name === ''
          ? []
          : [`/apis/${group.name}`, ...group.versions.map(({ version }) => `/apis/${group.name}/${version}`)],
      );
    return [
      '/api',
      '/api/v1',
      '/apis',
      ...groups,
      '/healthz',
      '/livez',
      '/metrics',
      '/openapi/v2',
      '/openapi/v3',
      '/readyz',
      '/version',
    ];
  }

  #health(exchange: Exchange, name: string, check: string | undefined): boolean {
    if (check !== undefined && check !== 'ping') return false;
    const verbose = exchange.query.has('verbose') && check === undefined;
    const text = verbose ? `[+]ping ok\n${name} check passed\n` : 'ok';
    sendText(exchange, 200, text, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' });
    return true;
  }

  #groups(exchange: Exchange, core: boolean): boolean {
    for (const { type, parameters } of parseAccept(exchange.request.headers.accept)) {
      const aggregated = parameters['as'] === 'APIGroupDiscoveryList';
      if (
        type === 'application/json' &&
        aggregated &&
        parameters['g'] === 'apidiscovery.k8s.io' &&
        parameters['v'] === 'v2'
      ) {
        sendTagged(exchange, this.#aggregatedDocument(core), discoveryType);
        return true;
      }
      if (!aggregated) break;
    }
    const address = exchange.request.headers.host ?? '';
    const groups = this.#registry.groups().filter(({ name }) => name !== '');
    sendObject(exchange, 200, core ? legacyVersions(address) : legacyGroups(groups));
    return true;
  }

  #aggregatedDocument(core: boolean): TaggedDocument {
    const { generation } = this.#registry;
    const name = core ? 'core' : 'groups';
    const known = this.#aggregated.get(name);
    if (known?.generation === generation) return known.document;
    const document = aggregatedDiscovery(this.#registry.groups().filter((group) => (group.name === '') === core));
    this.#aggregated.set(name, { generation, document });
    return document;
  }

  #group(exchange: Exchange, name: string): boolean {
    const group = this.#registry.groups().find((found) => found.name === name);
    if (group === undefined) return false;
    sendObject(exchange, 200, legacyGroup(group));
    return true;
  }

  #resources(exchange: Exchange, group: string, version: string): boolean {
    const found = this.#registry.groups().find(({ name }) => name === group);
    if (found === undefined) return false;
    const own = found.versions.find((served) => served.version === version);
    if (own === undefined) throw noSuchResource();
    sendObject(exchange, 200, legacyResources(apiVersionOf({ group, version }), own.resources));
    return true;
  }

  async #swagger(exchange: Exchange): Promise<boolean> {
    const accepted = parseAccept(exchange.request.headers.accept);
    for (const { type } of accepted.length === 0 ? [{ type: '*/*' }] : accepted) {
      if (type === 'application/json' || type === '*/*' || type === 'application/*') {
        sendText(exchange, 200, await this.#openapi.swagger(), { 'Content-Type': 'application/json', Vary: 'Accept' });
        return true;
      }
      if (type === swaggerType || type === oldSwaggerType) {
        const headers = { 'Content-Type': swaggerType, Vary: 'Accept' };
        sendText(exchange, 200, await this.#openapi.swaggerProtobuf(), headers);
        return true;
      }
    }
    throw notAcceptable(['application/json', oldSwaggerType, swaggerType]);
  }

  async #openapiDocument(exchange: Exchange, name: string): Promise<boolean> {
    if (name === '') {
      sendObject(exchange, 200, await this.#openapi.index());
      return true;
    }
    const text = await this.#openapi.document(name);
    if (text === undefined) return false;
    const accepted = parseAccept(exchange.request.headers.accept);
    const json =
      accepted.length === 0 ||
      accepted.some(({ type }) => type === 'application/json' || type === '*/*' || type === 'application/*');
    if (!json) throw notAcceptable(['application/json']);
    const hash = await this.#openapi.hash(name);
    const wanted = exchange.query.get('hash');
    const { response } = exchange;
    if (wanted !== null && wanted !== '' && wanted !== hash) {
      sendText(exchange, 301, '', { Location: `/openapi/v3/${name}?hash=${hash}`, Vary: 'Accept' });
      return true;
    }
    if (wanted === hash) {
      response.setHeader('Cache-Control', 'public, immutable');
      response.setHeader('Expires', new Date(Date.now() + 365 * 24 * 60 * 60 * 1000).toUTCString());
    }
    sendTagged(exchange, { text, tag: `"${hash}"` }, 'application/json', false);
    return true;
  }
}

/** Sends a document unless the client has it already. */
function sendTagged(exchange: Exchange, { text, tag }: TaggedDocument, type: string, cache = true): void {
  const { response, request } = exchange;
  response.setHeader('Vary', 'Accept');
  response.setHeader('ETag', tag);
  if (cache) response.setHeader('Cache-Control', 'public');
  if (request.headers['if-none-match'] === tag) {
    response.statusCode = 304;
    response.end();
    return;
  }
  sendText(exchange, 200, text, { 'Content-Type': type });
}
