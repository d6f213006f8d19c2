import { say } from './screen.ts';
import { eventually, type Background } from './session.ts';

/** What an operator logs, as it is waited for and shown. */
export class OperatorLog {
  readonly #lines: string[] = [];
  #seen = 0;

  /** Takes each line that the operator prints. */
  readonly line = (line: string): void => {
    this.#lines.push(line);
  };

  /** Waits for the next line with this message and shows it: `operator  finalizer added`. */
  async says(message: string, signal: AbortSignal, operator: Background): Promise<void> {
    let ending: string | undefined;
    void operator.ended.then((how) => (ending = how));
    await eventually(`"${message}" in the operator's log`, signal, () => {
      const found = this.#lines.findIndex((line, index) => index >= this.#seen && messageOf(line) === message);
      if (found >= 0) {
        this.#seen = found + 1;
        return true;
      }
      if (ending !== undefined) throw new Error(`the operator ended with ${ending}\n${this.#lines.join('\n')}`);
      return undefined;
    });
    say(`operator: ${message}`);
  }

  /** The last lines, for a message about a failure. */
  tail(): string {
    return this.#lines.slice(-10).join('\n');
  }
}

function messageOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { readonly msg?: unknown } | null)?.msg;
  } catch {
    // No line of the log, but of Node.js itself.
    return undefined;
  }
}
