/** A file that a run writes: `path` is relative to the project's root and written with `/`; `content` ends its lines with LF. */
export interface OutputFile {
  readonly path: string;
  readonly content: string;
}
