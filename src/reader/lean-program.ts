import { ts } from 'ts-morph';
import { callsLibrary } from './calls/calls-library.ts';
import { minimalLibrary } from './minimal-library.ts';
import {
  defaultOptions,
  fixedOptions,
  type OpenedProgram,
  type ProgramOptions,
  runtimePackage,
} from './opened-program.ts';
import { type SourceSystem, sourceSystem } from './source-system.ts';
import { tsconfigOptions } from './tsconfig.ts';

const library = '/create-operator/library.d.ts';

/** The name of the module that stands for all of operator-runtime beside its own entry. */
const leanEntry = 'create-operator-types.d.ts';

/** Of the runtime's entry only the types of an API are read; a name that is missing then is an error, and all of it is. */
const entryParts = ['apis/meta/v1', 'scalars/scalars'];

/**
 * Opens sources without what costs most of a run: the language's library but for its core, ambient types of packages
 * (`@types/node`), all packages but operator-runtime, and of that all but scalars, Kubernetes' types and markers. The caller repeats
 * the run with everything where anything was amiss. Throws `TsconfigError`.
 */
export function openLeanProgram(options: ProgramOptions): OpenedProgram {
  return openWith(options, minimalLibrary, true);
}

/**
 * The same for programs whose calls are read: with what passes values on of the language's library, and the runtime's own entry. All other
 * packages are left out, and what comes from them is `any`.
 */
export function openCallsProgram(options: ProgramOptions): OpenedProgram {
  return openWith(options, minimalLibrary + callsLibrary, false);
}

function openWith(
  { files, root, tsconfig, fileSystem }: ProgramOptions,
  libraryText: string,
  leanRuntime: boolean,
): OpenedProgram {
  const configFiles: string[] = [];
  const system = sourceSystem(fileSystem);
  const configured = tsconfig === undefined ? defaultOptions : tsconfigOptions(tsconfig, root, system, configFiles);
  const options: ts.CompilerOptions = { ...configured, ...fixedOptions, types: [], noLib: true };
  const host = new LeanHost(options, root, system, libraryText, leanRuntime);
  const rootNames = [library, ...files.filter((file) => system.fileExists(file))];
  const program = ts.createProgram({ rootNames, options, host });
  return { program, system, configFiles, made: new Set([library, ...host.entries.keys()]), library };
}

/** Finds modules as the compiler does, but for those of packages that are no part of an API's types. */
class LeanHost implements ts.CompilerHost {
  /** The texts of the modules that stand for the runtime's entry, by their paths. */
  readonly entries = new Map<string, string>();
  readonly #root: string;
  readonly #system: SourceSystem;
  readonly #modules: ts.ModuleResolutionCache;
  readonly #library: string;
  readonly #leanRuntime: boolean;

  constructor(
    options: ts.CompilerOptions,
    root: string,
    system: SourceSystem,
    libraryText: string,
    leanRuntime: boolean,
  ) {
    this.#root = root;
    this.#system = system;
    this.#library = libraryText;
    this.#leanRuntime = leanRuntime;
    this.#modules = ts.createModuleResolutionCache(root, (path) => this.getCanonicalFileName(path), options);
  }

  getSourceFile(fileName: string, given: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
    const text = this.readFile(fileName);
    const options = typeof given === 'object' ? given : { languageVersion: given };
    // Comments are read from the text.
    const { ParseNone: jsDocParsingMode } = ts.JSDocParsingMode;
    return text === undefined ? undefined : ts.createSourceFile(fileName, text, { ...options, jsDocParsingMode });
  }

  readFile(path: string): string | undefined {
    if (path === library) return this.#library;
    return this.entries.get(path) ?? this.#system.readFile(path);
  }

  fileExists(path: string): boolean {
    return path === library || this.entries.has(path) || this.#system.fileExists(path);
  }

  directoryExists(path: string): boolean {
    return this.#system.folderExists(path);
  }

  realpath(path: string): string {
    return this.#system.realPath(path);
  }

  getCanonicalFileName(path: string): string {
    return this.useCaseSensitiveFileNames() ? path : path.toLowerCase();
  }

  useCaseSensitiveFileNames(): boolean {
    return ts.sys.useCaseSensitiveFileNames;
  }

  getCurrentDirectory(): string {
    return this.#root;
  }

  getDefaultLibFileName(): string {
    return library;
  }

  getNewLine(): string {
    return '\n';
  }

  writeFile(): void {
    // Nothing is emitted.
  }

  getModuleResolutionCache(): ts.ModuleResolutionCache {
    return this.#modules;
  }

  resolveModuleNameLiterals(
    names: readonly ts.StringLiteralLike[],
    containingFile: string,
    redirected: ts.ResolvedProjectReference | undefined,
    options: ts.CompilerOptions,
    containing: ts.SourceFile,
  ): readonly ts.ResolvedModuleWithFailedLookupLocations[] {
    return names.map((name) => {
      const mode = ts.getModeForUsageLocation(containing, name, options);
      const found = ts.resolveModuleName(name.text, containingFile, options, this, this.#modules, redirected, mode);
      return { ...found, resolvedModule: found.resolvedModule && this.#lean(name.text, found.resolvedModule) };
    });
  }

  #lean(name: string, module: ts.ResolvedModuleFull): ts.ResolvedModuleFull | undefined {
    const { resolvedFileName, packageId } = module;
    if (name === runtimePackage && this.#leanRuntime)
      return { ...module, resolvedFileName: this.#entryBeside(resolvedFileName) };
    const isRuntime = packageId?.name === runtimePackage || resolvedFileName.includes(`/${runtimePackage}/`);
    return resolvedFileName.includes('/node_modules/') && !isRuntime ? undefined : module;
  }

  /** The module that stands for the runtime's entry; the entry itself where its parts are not where they are expected. */
  #entryBeside(entry: string): string {
    const folder = entry.slice(0, entry.lastIndexOf('/'));
    const path = `${folder}/${leanEntry}`;
    if (this.entries.has(path)) return path;
    const exists = (part: string): boolean =>
      ['.d.ts', '.ts'].some((end) => this.#system.fileExists(`${folder}/${part}${end}`));
    if (!entryParts.every(exists)) return entry;
    this.entries.set(path, entryParts.map((part) => `export type * from './${part}.js';\n`).join(''));
    return path;
  }
}
