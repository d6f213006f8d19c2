import type { HeadScanner } from './head-scanner.ts';

/** Where texts are put together of parts. */
let scratch = Buffer.allocUnsafe(64 * 1024);

/**
 * An object as its bytes came, which are a part of a larger piece: of what was read from a socket, usually with other objects before and
 * after. As long as it is not decoded it costs nothing, but keeps that piece alive.
 */
export class RawBody {
  /** Another version is in its place already: nobody will ask for this one, or only once more. */
  isSuperseded = false;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #headEnd: number;
  /** What is left out; both are 0 when nothing is. */
  readonly #cutStart: number;
  readonly #cutEnd: number;
  readonly #labelsStart: number;
  readonly #labelsEnd: number;
  readonly #ownersStart: number;
  readonly #ownersEnd: number;

  /** The object from `start` to `end` of the bytes, as the scanner has just found it. */
  constructor(bytes: Buffer, start: number, end: number, head: HeadScanner, withoutManagedFields: boolean) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#headEnd = head.end;
    this.#cutStart = withoutManagedFields ? head.cutStart : 0;
    this.#cutEnd = withoutManagedFields ? head.cutEnd : 0;
    this.#labelsStart = head.labels.start;
    this.#labelsEnd = head.labels.end;
    this.#ownersStart = head.ownerReferences.start;
    this.#ownersEnd = head.ownerReferences.end;
  }

  /** Of the text, in bytes. */
  get length(): number {
    return this.#end - this.#start - (this.#cutEnd - this.#cutStart);
  }

  /** Of the text to the end of the metadata, in bytes. */
  get headLength(): number {
    return this.#headEnd - this.#start - (this.#cutEnd - this.#cutStart);
  }

  /** How many bytes it keeps alive. */
  get piece(): ArrayBufferLike {
    return this.#bytes.buffer;
  }

  text(): string {
    return this.#decode(this.#end, '');
  }

  /** The text with members of its own at the beginning: `"a":1,`. */
  textWith(members: string): string {
    return this.#decode(this.#end, members);
  }

  /** The text to the end of the metadata; with a closing brace it is JSON. */
  head(): string {
    return this.#decode(this.#headEnd, '');
  }

  /** The text of this member of the metadata alone; undefined where there is none. */
  member(name: 'labels' | 'ownerReferences'): string | undefined {
    const start = name === 'labels' ? this.#labelsStart : this.#ownersStart;
    const end = name === 'labels' ? this.#labelsEnd : this.#ownersEnd;
    return end === 0 ? undefined : this.#bytes.toString('utf8', start, end);
  }

  #decode(end: number, members: string): string {
    const cut = this.#cutEnd - this.#cutStart;
    if (cut === 0 && members === '') return this.#bytes.toString('utf8', this.#start, end);
    const most = end - this.#start + 3 * members.length;
    if (scratch.length < most) scratch = Buffer.allocUnsafe(2 * most);
    let length = 0;
    let start = this.#start;
    if (members !== '') {
      length = scratch.write(`{${members}`, 0, 'utf8');
      start++;
    }
    if (cut > 0) {
      length += this.#bytes.copy(scratch, length, start, this.#cutStart);
      start = this.#cutEnd;
    }
    length += this.#bytes.copy(scratch, length, start, end);
    return scratch.toString('utf8', 0, length);
  }
}
