/** A file of the project, or a flag, that makes no sense. The message is one line in the user's terms. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
