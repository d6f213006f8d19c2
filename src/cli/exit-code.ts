/** How a command ends. */
export const exitCode = {
  done: 0,
  /** Problems in the user's input, or drift. */
  problems: 1,
  /** Wrong usage or environment. */
  usage: 2,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** What a command calls when it has ended. */
export type Finish = (code: ExitCode) => void;
