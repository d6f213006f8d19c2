/** Wrong usage: exit code 2, one line, and a hint on the next one. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
