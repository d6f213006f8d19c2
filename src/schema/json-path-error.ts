/** A path that cannot be read, or that does not fit the value it is evaluated on. Messages are those of client-go. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}
