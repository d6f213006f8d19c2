/** Of a Status: one thing that is wrong, and where. */
export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message: string;
  readonly field?: string;
}
