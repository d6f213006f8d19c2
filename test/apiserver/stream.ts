import { request as httpsRequest } from 'node:https';
import { request as httpRequest } from 'node:http';
import type { Connection } from '../../src/testing/rest.ts';

/** One line of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly kind?: string;
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly labels?: Readonly<Record<string, string>>;
    };
    readonly data?: Readonly<Record<string, string>>;
  };
}

/** An open watch whose events are read one after the other. */
export class WatchStream {
  readonly #events: WatchEvent[] = [];
  #waiting: (() => void) | undefined;
  #ended = false;
  #close: () => void = () => undefined;

  static open(connection: Connection, path: string): Promise<WatchStream> {
    const stream = new WatchStream();
    const send = connection.url.startsWith('https:') ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = send(
        new URL(path, connection.url),
        { headers: { Authorization: `Bearer ${connection.token}` }, agent: false, ca: connection.caCertificate },
        (response) => {
          if (response.statusCode !== 200) {
            response.resume();
            reject(new Error(`HTTP ${response.statusCode}`));
            return;
          }
          let rest = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop() ?? '';
            for (const line of lines) stream.#push(JSON.parse(line) as WatchEvent);
          });
          const end = (): void => {
            stream.#ended = true;
            stream.#waiting?.();
          };
          response.on('end', end);
          response.on('close', end);
          response.on('error', end);
          resolve(stream);
        },
      );
      stream.#close = () => request.destroy();
      request.on('error', reject);
      request.end();
    });
  }

  #push(event: WatchEvent): void {
    this.#events.push(event);
    this.#waiting?.();
  }

  /** The next event; nothing when the stream has ended. */
  async next(): Promise<WatchEvent | undefined> {
    while (this.#events.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => (this.#waiting = resolve));
    }
    return this.#events.shift();
  }

  /** The next events, as `<type> <name>`. */
  async take(count: number): Promise<readonly string[]> {
    const result: string[] = [];
    for (let index = 0; index < count; index++) {
      const event = await this.next();
      result.push(event === undefined ? 'END' : `${event.type} ${event.object.metadata.name ?? ''}`.trim());
    }
    return result;
  }

  close(): void {
    this.#close();
  }
}
