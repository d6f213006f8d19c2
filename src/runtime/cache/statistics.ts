/** What an informer did since it was made: counters that only grow, for metrics. */
export interface InformerStatistics {
  /** Lists that succeeded, of either form. The first fills the cache, each later one is a relist. */
  readonly lists: number;
  /** Those of them that were streamed (`sendInitialEvents`). */
  readonly streamedLists: number;
  /** Pages that were read, also of lists that failed. */
  readonly pages: number;
  /** Watches that were opened, streaming lists among them. */
  readonly watches: number;
  /** Lists and watches that failed: an error, a silence, a watch that ended at once. */
  readonly failures: number;
  /** Connections that were given up because nothing came. */
  readonly silences: number;
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  readonly bookmarks: number;
  /** Events of a watch that were left out because nobody knows what they are. */
  readonly unknownEvents: number;
  /** Bytes of lists and watches, after decompression. */
  readonly bytes: number;
  /** How long the latest list took, until its objects were in the cache, in milliseconds; 0 before the first. */
  readonly lastListMilliseconds: number;
}

export type MutableStatistics = { -readonly [K in keyof InformerStatistics]: InformerStatistics[K] };

export function newStatistics(): MutableStatistics {
  return {
    lists: 0,
    streamedLists: 0,
    pages: 0,
    watches: 0,
    failures: 0,
    silences: 0,
    added: 0,
    modified: 0,
    deleted: 0,
    bookmarks: 0,
    unknownEvents: 0,
    bytes: 0,
    lastListMilliseconds: 0,
  };
}

/** The counters of several together; of durations the longest. */
export function sumStatistics(all: readonly InformerStatistics[]): InformerStatistics {
  const sum = newStatistics();
  for (const one of all) {
    for (const name of Object.keys(sum) as (keyof InformerStatistics)[]) {
      sum[name] = name === 'lastListMilliseconds' ? Math.max(sum[name], one[name]) : sum[name] + one[name];
    }
  }
  return sum;
}
