import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Kind } from '../kind/kind.ts';
import { freeze, type Cached } from './cached.ts';
import { InvalidCallError } from './errors.ts';
import type { OwnWrites } from './own-writes.ts';
import { objectPath, type Query } from './paths.ts';
import type { Rest, RestRequest } from './rest.ts';
import type { ApplyOptions, ObjectKey, WriteOptions } from './types.ts';

export const jsonPatchType = 'application/json-patch+json';
export const mergePatchType = 'application/merge-patch+json';
/** JSON is YAML, so that nothing must be converted. */
export const applyPatchType = 'application/apply-patch+yaml';

/** What a client says with each write unless the call says otherwise. */
export interface WriteDefaults {
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** What `apply` reads of a configuration. */
export interface ApplyInput {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectKey;
}

/** Sends what changes objects, and lets reads of this client know. */
export class Writer {
  readonly #rest: Rest;
  readonly #ownWrites: OwnWrites;
  readonly #defaults: WriteDefaults;

  constructor(rest: Rest, ownWrites: OwnWrites, defaults: WriteDefaults) {
    this.#rest = rest;
    this.#ownWrites = ownWrites;
    this.#defaults = defaults;
  }

  query(options: WriteOptions): Query {
    return {
      dryRun: options.dryRun === true ? 'All' : undefined,
      fieldManager: options.fieldManager ?? this.#defaults.fieldManager,
      fieldValidation: options.fieldValidation ?? this.#defaults.fieldValidation,
    };
  }

  /**
   * Sends a write to an object, or to one whose name the server gives. Reads of it that begin meanwhile wait for the answer, and then for
   * what `remember` makes of it; that is not called for a dry run.
   */
  async send(
    kind: Kind,
    key: Partial<ObjectKey>,
    request: RestRequest,
    dryRun: boolean | undefined,
    remember: (answer: Record<string, unknown>) => void,
  ): Promise<Record<string, unknown>> {
    if (dryRun === true) return this.#rest.json(request);
    const flight = this.#ownWrites.begin(kind, key);
    try {
      const answer = await this.#rest.json(request);
      remember(answer);
      return answer;
    } finally {
      flight.end();
    }
  }

  /** After an answer that is the object as it is now, or (of a subresource) a thing with its version. */
  readonly wrote = (kind: Kind, answer: Record<string, unknown>): void => {
    this.#ownWrites.wrote(kind, answer as unknown as KubernetesObject);
  };

  async patch<T>(
    kind: Kind,
    key: ObjectKey,
    subresource: string | undefined,
    contentType: string,
    body: unknown,
    options: WriteOptions = {},
    query: Query = {},
  ): Promise<Cached<T>> {
    if ((contentType === jsonPatchType) !== Array.isArray(body)) {
      throw new InvalidCallError(`patch of ${kind.kind}: a JSON patch is an array, any other patch an object`);
    }
    const request: RestRequest = {
      verb: 'patch',
      method: 'PATCH',
      path: objectPath(kind, key, subresource),
      query: { ...this.query(options), ...query },
      body,
      contentType,
      signal: options.signal,
    };
    const answer = await this.send(kind, key, request, options.dryRun, (object) => this.wrote(kind, object));
    return freeze(answer as T);
  }

  async apply<T>(
    kind: Kind,
    configuration: ApplyInput,
    subresource: string | undefined,
    options: ApplyOptions = {},
  ): Promise<Cached<T>> {
    if ((options.fieldManager ?? this.#defaults.fieldManager) === undefined) {
      throw new InvalidCallError(`apply of ${kind.kind}: it needs a fieldManager, of the client or of the call`);
    }
    const { apiVersion = kind.apiVersion, kind: name = kind.kind } = configuration;
    if (apiVersion !== kind.apiVersion || name !== kind.kind) {
      throw new InvalidCallError(`apply of ${kind.kind}: the configuration is a ${name} of ${apiVersion}`);
    }
    const body = { ...configuration, apiVersion, kind: name };
    const query = options.force === true ? { force: true } : {};
    return this.patch(kind, configuration.metadata, subresource, applyPatchType, body, options, query);
  }
}
