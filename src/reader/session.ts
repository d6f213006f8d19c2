import { ts } from 'ts-morph';
import type { KindReading } from './kinds.ts';
import { KeptLeanProgram } from './lean-program.ts';
import type { KeptPrograms, SourceProject } from './source-project.ts';
import { KeptProject } from './whole-program.ts';

/** One of the user's files as it was read without finding anything to tell of. */
export interface KeptFile {
  /** The file, and all of the user's that it reaches. */
  readonly reached: readonly ts.SourceFile[];
  /** Whether it stood among the types of kinds. */
  readonly hasTypes: boolean;
  /** Nothing for a file that is only imported. */
  readonly reading: KindReading | undefined;
}

interface KeptFiles {
  readonly own: ReadonlyMap<ts.SourceFile, KeptFile>;
  /** The other files of the program: those of packages. */
  readonly others: readonly ts.SourceFile[];
}

/**
 * What readings of the same sources leave for the next one, in a process that goes on (`generate --watch`): the programs, and what was
 * read of files that stayed as they were with all that they reach. It changes how long a reading takes, never what it gives.
 */
export class ReadSession {
  #lean = new KeptLeanProgram();
  #whole = new KeptProject();
  #files: KeptFiles | undefined;
  /** Whether the last reading needed the whole library, though nothing was wrong. */
  needsWhole = false;

  get programs(): KeptPrograms {
    return { lean: this.#lean, whole: this.#whole };
  }

  /** The files of a lean program of which nothing new can be read. */
  unchanged(project: SourceProject): ReadonlyMap<ts.SourceFile, KeptFile> {
    const kept = this.#files;
    if (kept === undefined || !project.resolvedAsBefore) return new Map();
    const { program } = project;
    const isSame = (file: ts.SourceFile): boolean => program.getSourceFile(file.fileName) === file;
    if (!kept.others.every(isSame) || program.getSourceFiles().some((file) => reachesAll(file, project)))
      return new Map();
    return new Map([...kept.own].filter(([, { reached }]) => reached.every(isSame)));
  }

  /** Keeps what was read where nothing was found to tell of; `files` are the user's. */
  keep(project: SourceProject, files: ReadonlyMap<ts.SourceFile, KeptFile>): void {
    const others = project.program.getSourceFiles().filter((file) => !project.isOwn(file));
    this.#files = { own: files, others };
  }

  /** Keeps no files: what was found has to be found again. */
  forgetFiles(): void {
    this.#files = undefined;
  }

  /** After errors: what was not found may be there next time, and the compiler looks for it in a new program only. */
  forgetWhole(): void {
    this.#whole = new KeptProject();
  }
}

/** Whether a file says something about others that do not import it. */
function reachesAll(file: ts.SourceFile, project: SourceProject): boolean {
  return !project.isLibrary(file) && (!ts.isExternalModule(file) || /\bdeclare\s+(global|module)\b/.test(file.text));
}
