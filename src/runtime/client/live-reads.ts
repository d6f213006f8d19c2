import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Kind } from '../kind/kind.ts';
import { freeze, type Cached } from './cached.ts';
import { isExpired, isNotFound, UnexpectedAnswerError } from './errors.ts';
import { isRecord } from './json.ts';
import { labelSelectorString } from './labels.ts';
import { collectionPath, objectPath } from './paths.ts';
import type { Rest } from './rest.ts';
import type { LiveListOptions, ObjectKey } from './types.ts';

const pageSize = 500;
/** A list whose continue token expires is begun again so often. */
const maxRestarts = 3;

/** An object as the server has it; undefined when there is none. */
export async function getLive<T extends KubernetesObject>(
  rest: Rest,
  kind: Kind<T>,
  key: ObjectKey,
  signal: AbortSignal | undefined,
): Promise<Cached<T> | undefined> {
  try {
    const answer = await rest.json({ verb: 'get', method: 'GET', path: objectPath(kind, key), signal });
    return freeze(answer as unknown as T);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** All objects of a kind as the server has them, read in pages. */
export async function listLive<T extends KubernetesObject>(
  rest: Rest,
  kind: Kind<T>,
  options: LiveListOptions = {},
): Promise<readonly Cached<T>[]> {
  const path = collectionPath(kind, options.namespace);
  const query = {
    limit: pageSize,
    labelSelector: options.labels === undefined ? undefined : labelSelectorString(options.labels) || undefined,
    fieldSelector: options.fields,
  };
  for (let restarts = 0; ; restarts++) {
    const objects: Cached<T>[] = [];
    let token: string | undefined;
    try {
      do {
        const answer = await rest.json({
          verb: 'list',
          method: 'GET',
          path,
          query: { ...query, continue: token },
          signal: options.signal,
        });
        const items = answer['items'] ?? [];
        if (!Array.isArray(items))
          throw new UnexpectedAnswerError(`list ${path}: the answer has no items`, { verb: 'list', path });
        for (const item of items as T[]) {
          // Items of built-in kinds come without their type.
          objects.push(freeze({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }) as Cached<T>);
        }
        const next = isRecord(answer['metadata']) ? answer['metadata']['continue'] : undefined;
        token = typeof next === 'string' && next !== '' ? next : undefined;
      } while (token !== undefined);
      return objects;
    } catch (error) {
      if (!isExpired(error) || token === undefined || restarts >= maxRestarts) throw error;
    }
  }
}
