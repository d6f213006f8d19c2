import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writePrivateFile } from '../output/private-file.ts';
import type { Io } from './io.ts';
import { UsageError } from './usage-error.ts';

/** How long a state must rest before it is written; ms. */
const quiet = 500;

/** Keeps the state of an embedded API server in a file: read at the start, written after changes and at the end. */
export class StateFile {
  /** What the file held; nothing when it is not there yet. */
  readonly text: string | undefined;
  readonly #path: string;
  readonly #io: Io;
  #snapshot: (() => string) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failed = false;

  /** @throws UsageError when the file is there and cannot be read */
  constructor(file: string, io: Io) {
    this.#path = resolve(io.folder, file);
    this.#io = io;
    try {
      this.text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      if (error.code !== 'ENOENT') throw new UsageError(`cannot read the state in ${file}: ${error.message}`);
    }
  }

  /** Begins to keep what `snapshot` gives. Throws an OutputError when the file cannot be written. */
  keep(snapshot: () => string): void {
    this.#snapshot = snapshot;
    writePrivateFile(this.#path, snapshot());
  }

  /** The state is not the same any more: it is written soon. */
  changed(): void {
    if (this.#snapshot === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#write();
    }, quiet);
  }

  /** Writes the state for the last time. */
  close(): void {
    clearTimeout(this.#timer);
    this.#write();
    this.#snapshot = undefined;
  }

  /** A failure is told once, until a write succeeds again. */
  #write(): void {
    if (this.#snapshot === undefined) return;
    try {
      writePrivateFile(this.#path, this.#snapshot());
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#io.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
      this.#failed = true;
    }
  }

  /** The error of a server that does not start with what the file holds. */
  unusable(error: Error): UsageError {
    return new UsageError(
      `cannot start with the state in ${this.#path}: ${error.message}`,
      'delete the file to start with a new cluster',
    );
  }
}
