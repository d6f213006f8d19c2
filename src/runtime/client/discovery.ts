import { defineKind, type Kind } from '../kind/kind.ts';
import { InvalidCallError, isNotFound } from './errors.ts';
import { isRecord } from './json.ts';
import { groupVersionPath } from './paths.ts';
import type { Rest } from './rest.ts';

/**
 * Finds the kind of an object by its `apiVersion` and `kind`: among the kinds that are known in the program, else by asking the server
 * (`GET /apis/<group>/<version>`), whose answers are kept.
 */
export class KindResolver {
  readonly #rest: Rest;
  readonly #known: () => readonly Kind[];
  readonly #found = new Map<string, Kind>();

  constructor(rest: Rest, known: () => readonly Kind[]) {
    this.#rest = rest;
    this.#known = known;
  }

  async resolve(apiVersion: string, kind: string, signal: AbortSignal | undefined): Promise<Kind> {
    if (!apiVersion || !kind) throw new InvalidCallError('an object needs apiVersion and kind');
    const name = `${apiVersion} ${kind}`;
    const known =
      this.#found.get(name) ?? this.#known().find((one) => one.apiVersion === apiVersion && one.kind === kind);
    if (known !== undefined) return known;
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    const version = apiVersion.slice(slash + 1);
    const path = groupVersionPath({ group, version });
    let answer: Record<string, unknown>;
    try {
      answer = await this.#rest.json({ verb: 'get', method: 'GET', path, signal });
    } catch (error) {
      if (isNotFound(error))
        throw new InvalidCallError(`the server does not know ${apiVersion}: is the CRD of ${kind} installed?`);
      throw error;
    }
    const resources = Array.isArray(answer['resources']) ? (answer['resources'] as unknown[]).filter(isRecord) : [];
    const found = resources.find(({ kind: served, name: plural }) => served === kind && !String(plural).includes('/'));
    if (found === undefined) throw new InvalidCallError(`the server does not know ${kind} in ${apiVersion}`);
    const plural = String(found['name']);
    const resolved = defineKind({
      group,
      version,
      kind,
      plural,
      scope: found['namespaced'] === true ? 'Namespaced' : 'Cluster',
      subresources: (['status', 'scale'] as const).filter((name) =>
        resources.some((resource) => resource['name'] === `${plural}/${name}`),
      ),
    });
    this.#found.set(name, resolved);
    return resolved;
  }
}
