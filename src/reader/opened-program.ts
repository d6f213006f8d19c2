import { ts } from 'ts-morph';
import type { SourceSystem } from './source-system.ts';

/** The package whose markers and types the reader knows. */
export const runtimePackage = 'operator-runtime';

export interface ProgramOptions {
  /** Absolute paths with `/`. */
  readonly files: readonly string[];
  /** Absolute; positions are relative to it. */
  readonly root: string;
  /** Absolute path of the tsconfig.json that applies. */
  readonly tsconfig?: string | undefined;
  /** All files there are, by absolute path: the disk is not touched. */
  readonly fileSystem?: ReadonlyMap<string, string> | undefined;
}

/** A program of the compiler and where it comes from. */
export interface OpenedProgram {
  readonly program: ts.Program;
  readonly system: SourceSystem;
  /** The settings that were read, absolute. */
  readonly configFiles: readonly string[];
  /** Source files that stand on no disk. */
  readonly made: ReadonlySet<string>;
  /** The one of these that stands for the language's library. */
  readonly library: string | undefined;
  /** Whether every import of a file that is as it was means what it meant in the program before. */
  readonly resolvedAsBefore: boolean;
}

/** What is asked of every program, whatever its tsconfig.json says. */
export const fixedOptions: ts.CompilerOptions = {
  noEmit: true,
  skipLibCheck: true,
  composite: false,
  incremental: false,
  declaration: false,
  declarationMap: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
};

/** What applies to sources that no tsconfig.json covers. */
export const defaultOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  experimentalDecorators: true,
  useDefineForClassFields: false,
};
