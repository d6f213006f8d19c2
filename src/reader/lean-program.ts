import { ts } from 'ts-morph';
import { callsLibrary } from './calls/calls-library.ts';
import { minimalLibrary } from './minimal-library.ts';
import { LeanHost, library } from './lean-host.ts';
import { defaultOptions, fixedOptions, type OpenedProgram, type ProgramOptions } from './opened-program.ts';
import { findRuntimeProgram } from './runtime-program.ts';
import { type SourceSystem, sourceSystem } from './source-system.ts';
import { tsconfigOptions } from './tsconfig.ts';

/**
 * Opens sources without what costs most of a run: the language's library but for its core, ambient types of packages
 * (`@types/node`), all packages but operator-runtime, and of that all but scalars, Kubernetes' types and markers. The caller repeats
 * the run with everything where anything was amiss. Throws `TsconfigError`.
 */
export function openLeanProgram(options: ProgramOptions, kept?: KeptLeanProgram): OpenedProgram {
  return openWith(options, minimalLibrary, true, kept);
}

/** What one lean program leaves for the next of the same sources. */
export class KeptLeanProgram {
  /** The settings of the compiler, as JSON: with others nothing can be used again. */
  options = '';
  /** What decides where modules are found, and how many files there are. */
  key = '';
  host: LeanHost | undefined;
  program: ts.Program | undefined;
  readonly parsed = new Map<string, ts.SourceFile>();
}

/**
 * The same for programs whose calls are read: with what passes values on of the language's library, and the runtime's own entry. All other
 * packages are left out, and what comes from them is `any`.
 */
export function openCallsProgram(options: ProgramOptions): OpenedProgram {
  const text = minimalLibrary + callsLibrary;
  const opened = openWith(options, text, false);
  return opened.holds ? opened : openWith(options, text, false, undefined, false);
}

interface LeanProgram extends OpenedProgram {
  /** Whether nothing is left out that the sources ask for: if not, each file of operator-runtime has to be read by itself. */
  readonly holds: boolean;
}

function openWith(
  { files, root, tsconfig, fileSystem }: ProgramOptions,
  libraryText: string,
  leanRuntime: boolean,
  kept = new KeptLeanProgram(),
  inOneFile = !leanRuntime,
): LeanProgram {
  const configFiles: string[] = [];
  const system = sourceSystem(fileSystem);
  const configured = tsconfig === undefined ? defaultOptions : tsconfigOptions(tsconfig, root, system, configFiles);
  const options: ts.CompilerOptions = { ...configured, ...fixedOptions, types: [], noLib: true };
  const runtimeProgram = inOneFile ? findRuntimeProgram(files, options, system) : undefined;
  const roots = runtimeProgram === undefined ? [library] : [library, runtimeProgram];
  const rootNames = [...roots, ...files.filter((file) => system.fileExists(file))];
  if (kept.options !== JSON.stringify(options)) {
    kept.options = JSON.stringify(options);
    kept.parsed.clear();
    kept.host = undefined;
  }
  const key = JSON.stringify([rootNames, namesAround(rootNames, system)]);
  if (kept.host === undefined || kept.key !== key || !kept.host.continueWith(system)) {
    kept.host = new LeanHost({ options, root, system, libraryText, leanRuntime, runtimeProgram, parsed: kept.parsed });
    kept.key = key;
    kept.program = undefined;
  }
  const { host, program: oldProgram } = kept;
  const create = (): ts.Program =>
    ts.createProgram({ rootNames, options, host, ...(oldProgram === undefined ? {} : { oldProgram }) });
  let program = create();
  const isOfRuntime = (fileName: string): boolean => fileName === runtimeProgram || host.isOfRuntime(fileName);
  const asks = ({ fileName, text }: ts.SourceFile): boolean => asksForDescriptions.test(text) && !isOfRuntime(fileName);
  let holds = host.holdsRuntime;
  if (!host.described && program.getSourceFiles().some(asks)) {
    holds &&= runtimeProgram === undefined;
    host.described = true;
    if (holds) program = create();
  }
  const augments = ({ fileName, text }: ts.SourceFile): boolean => augmentsRuntime.test(text) && !isOfRuntime(fileName);
  if (runtimeProgram !== undefined) holds &&= !program.getSourceFiles().some(augments);
  kept.program = program;
  return {
    program,
    system,
    configFiles,
    made: new Set([library, ...host.entries.keys()]),
    library,
    resolvedAsBefore: oldProgram !== undefined,
    holds,
  };
}

/** The marker or tag, or what could be another name for it. */
const asksForDescriptions = /\b[dD]escriptionDepth\b/;

/** Adds to a module of the package under the name of its entry. */
const augmentsRuntime = /\bmodule\s+["']operator-runtime(\/[^"']*)?["'] *\{/;

/** What stands in the folders of files: a new file may be what an import means from now on. */
function namesAround(files: readonly string[], system: SourceSystem): string[][] {
  const folders = new Set(files.map((file) => file.slice(0, file.lastIndexOf('/'))));
  return [...folders].map((folder) => system.names(folder));
}
