import type { RawBody } from './raw-body.ts';

/** What may be kept of sockets at a time, in bytes, by all caches of the process. */
const largestAmount = 8 * 1024 * 1024;

/** An object whose body is still what came from the socket. */
export interface Arrival {
  /** Makes a text of its own of the body, unless another version has taken the object's place. */
  detach(): void;
}

/**
 * The objects that came last and have no text of their own yet. Of many versions of an object that come soon after one another only the
 * last then needs one. Bounded: when the pieces that came from sockets are too much together, all objects are detached from them.
 */
export class Arrivals {
  readonly #limit: number;
  #objects: Arrival[] = [];
  #bytes = 0;
  #latestPiece: ArrayBufferLike | undefined;

  constructor(limit = largestAmount) {
    this.#limit = limit;
  }

  add(object: Arrival, { piece }: Pick<RawBody, 'piece'>): void {
    // Objects of one piece come one after the other.
    if (piece !== this.#latestPiece) {
      this.#latestPiece = piece;
      this.#bytes += piece.byteLength;
    }
    this.#objects.push(object);
    if (this.#bytes > this.#limit) this.settle();
  }

  /** Detaches all. */
  settle(): void {
    const objects = this.#objects;
    this.#objects = [];
    this.#bytes = 0;
    this.#latestPiece = undefined;
    for (const object of objects) object.detach();
  }
}

/** Those of the process: its memory is one. */
export const arrivals: Arrivals = new Arrivals();
