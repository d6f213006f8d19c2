type Task = (signal: AbortSignal) => Promise<void>;

/** A name, or what is to be said of the task now. */
type Name = string | (() => string);

/** Named tasks that begin together, run until a common signal ends them, and of which each failure is reported. */
export class TaskGroup {
  readonly #abort = new AbortController();
  readonly #tasks = new Map<Promise<void>, Name>();
  readonly #onFailure: (error: unknown, name: string) => void;
  #waiting: { readonly name: Name; readonly task: Task }[] | undefined = [];

  constructor(onFailure: (error: unknown, name: string) => void) {
    this.#onFailure = onFailure;
  }

  /** Whether it was started and not stopped. */
  get running(): boolean {
    return this.#waiting === undefined && !this.#abort.signal.aborted;
  }

  /** The names of the tasks that have begun and not ended. */
  get names(): readonly string[] {
    return [...this.#tasks.values()].map(say);
  }

  /** The task begins with the group, or at once if that has begun. In a group that was stopped it never begins. */
  add(name: Name, task: Task): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push({ name, task });
    } else if (!this.#abort.signal.aborted) {
      this.#begin(name, task);
    }
  }

  start(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const { name, task } of waiting) {
      this.#begin(name, task);
    }
  }

  /** Aborts the signal and resolves when all have ended. */
  async stop(reason: unknown): Promise<void> {
    this.#waiting = undefined;
    this.#abort.abort(reason);
    while (this.#tasks.size > 0) {
      await Promise.all(this.#tasks.keys());
    }
  }

  #begin(name: Name, task: Task): void {
    const { signal } = this.#abort;
    const run = async (): Promise<void> => {
      try {
        await task(signal);
      } catch (error) {
        // To reject with the reason of the abort is the usual way to end.
        if (!(signal.aborted && error === signal.reason)) {
          this.#onFailure(error, say(name));
        }
      }
    };
    const promise = run().finally(() => this.#tasks.delete(promise));
    this.#tasks.set(promise, name);
  }
}

function say(name: Name): string {
  return typeof name === 'string' ? name : name();
}
