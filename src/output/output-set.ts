import type { OutputFile } from '../model/index.ts';

/** A folder that a run fills. */
export interface OutputFolder {
  /** Relative to the root, with `/`; may lead out of it, since the user named it. */
  readonly path: string;
  /** How many levels of folders below it hold outputs; 0 for the folder alone. */
  readonly depth: number;
  /** Whether a file that carries our first line is an output of this folder: what is pruned when it is no longer expected. */
  readonly owns: (content: string) => boolean;
  /** Whether a file in the way that does not carry our first line may be replaced. */
  readonly replacesForeign: boolean;
}

/** All that a run puts out: the folders hold these files, and none else of ours. */
export interface OutputSet {
  /** The project's root, absolute. */
  readonly root: string;
  readonly folders: readonly OutputFolder[];
  readonly files: readonly OutputFile[];
  /** Files that shall not be there any more, whoever wrote them: relative to the root, with `/`. Folders that become empty go, too. */
  readonly removals?: readonly string[];
  /**
   * Files that must still say what the set was made from (`undefined`: must still not be there): looked at when no other run writes
   * any more, so that two runs at a time do not lose what the other did.
   */
  readonly basis?: ReadonlyMap<string, string | undefined>;
}

/** How a path differs from what a run would write. `current` and `expected` are texts with LF. */
export type Difference =
  | { readonly path: string; readonly state: 'missing'; readonly expected: string }
  | { readonly path: string; readonly state: 'changed'; readonly current: string; readonly expected: string }
  | { readonly path: string; readonly state: 'stale'; readonly current: string };

/** A path that cannot be written, with the reason in the user's terms. Nothing has been changed when it is thrown. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  readonly path: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.path = path;
  }
}
