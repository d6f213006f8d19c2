import type { Logger } from '../environment/logger.ts';

/** How many warnings are remembered; when there are more, the oldest may be logged again. */
const remembered = 1000;

/** Logs the API server's warnings (header `Warning: 299`), each once. */
export class WarningLog {
  readonly #seen = new Set<string>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  report(header: string | undefined): void {
    if (header === undefined) return;
    for (const [, quoted] of header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
      const text = (quoted ?? '').replace(/\\(.)/g, '$1');
      if (this.#seen.has(text)) continue;
      if (this.#seen.size >= remembered) {
        for (const oldest of this.#seen) {
          this.#seen.delete(oldest);
          break;
        }
      }
      this.#seen.add(text);
      this.#logger.warn('API server warning', { warning: text });
    }
  }
}
