import type { KubernetesObject } from '../apis/meta/v1.ts';
import { LineFramer } from '../cache/line-framer.ts';
import { parseWatchEvent } from '../cache/watch-event.ts';
import { childSignal } from '../environment/child-signal.ts';
import type { Kind } from '../kind/kind.ts';
import { freeze } from './cached.ts';
import { labelSelectorString } from './labels.ts';
import { collectionPath } from './paths.ts';
import type { Rest } from './rest.ts';
import type { LiveWatchEvent, LiveWatchOptions } from './types.ts';

/** The events of one watch, until the server ends it. Nothing is resumed: that is what informers do. */
export async function* watchLive<T extends KubernetesObject>(
  rest: Rest,
  kind: Kind<T>,
  options: LiveWatchOptions = {},
): AsyncGenerator<LiveWatchEvent<T>, void, undefined> {
  const path = collectionPath(kind, options.namespace);
  const request = { verb: 'watch', method: 'GET', path } as const;
  const query = {
    watch: true,
    allowWatchBookmarks: options.bookmarks === true ? true : undefined,
    labelSelector: options.labels === undefined ? undefined : labelSelectorString(options.labels) || undefined,
    fieldSelector: options.fields,
    resourceVersion: options.resourceVersion,
    timeoutSeconds: options.timeoutSeconds,
  };
  using connection = childSignal(options.signal, rest.environment.clock);
  const framer = new LineFramer();
  try {
    const { body } = await rest.stream({ ...request, query }, connection);
    for await (const chunk of body) {
      for (const line of framer.push(chunk)) {
        const event = parseWatchEvent(line.toString('utf8'), kind, request);
        if (event.type === 'ERROR') throw event.error;
        if (event.type === 'BOOKMARK') yield { type: 'BOOKMARK', resourceVersion: event.resourceVersion };
        else if (event.type !== 'UNKNOWN') yield { type: event.type, object: freeze(event.object as T) };
      }
    }
  } finally {
    connection.abort();
  }
}
