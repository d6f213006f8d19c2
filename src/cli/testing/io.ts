import type { Io } from '../io.ts';

/** What a command printed. */
export interface Printed {
  stdout: string;
  stderr: string;
}

/** An `Io` that keeps what is printed; for tests. */
export function recordingIo(
  folder: string,
  parts: { readonly terminal?: boolean; readonly environment?: Io['environment']; readonly input?: string } = {},
): {
  io: Io;
  printed: Printed;
} {
  const printed: Printed = { stdout: '', stderr: '' };
  const isTerminal = parts.terminal === true;
  const io: Io = {
    folder,
    stdout: { isTerminal, write: (text) => void (printed.stdout += text) },
    stderr: { isTerminal, write: (text) => void (printed.stderr += text) },
    environment: parts.environment ?? {},
    readInput: (limit) => {
      const input = parts.input ?? '';
      if (input.length > limit) return Promise.reject(new RangeError('the standard input is too long'));
      return Promise.resolve(input);
    },
    isInteractive: false,
    holdSignals: () => () => {},
    interrupted: () => new Promise(() => {}),
  };
  return { io, printed };
}
