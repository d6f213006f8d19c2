import { ts } from 'ts-morph';
import { runtimePackage } from './opened-program.ts';
import { isModuleOfProgram, RuntimeProgram } from './runtime-program.ts';
import type { SourceSystem } from './source-system.ts';

/** The file that stands for the language's library. */
export const library = '/create-operator/library.d.ts';

/** The name of the module that stands for all of operator-runtime beside its own entry. */
const leanEntry = 'create-operator-types.d.ts';

/** Of the runtime's entry only the types of an API are read; a name that is missing then is an error, and all of it is. */
const entryParts = ['apis/meta/v1', 'scalars/scalars'];

export interface LeanHostOptions {
  readonly options: ts.CompilerOptions;
  readonly root: string;
  readonly system: SourceSystem;
  readonly libraryText: string;
  /** Whether the runtime's entry is read in part only. */
  readonly leanRuntime: boolean;
  /** The file that declares most modules of the runtime; undefined where each is read by itself. */
  readonly runtimeProgram?: string | undefined;
  /** Files that were parsed before with the same options, by their names; new ones are added. */
  readonly parsed?: Map<string, ts.SourceFile> | undefined;
}

/** Finds modules as the compiler does, but for those of packages that are no part of an API's types. */
export class LeanHost implements ts.CompilerHost {
  /** The texts of the modules that stand for the runtime's entry, by their paths. */
  readonly entries = new Map<string, string>();
  readonly #root: string;
  #system: SourceSystem;
  readonly #modules: ts.ModuleResolutionCache;
  readonly #library: string;
  readonly #leanRuntime: boolean;
  readonly #parsed: Map<string, ts.SourceFile>;
  /** The manifests that were read, with their texts. */
  readonly #manifests = new Map<string, string | undefined>();
  /** Where copies of operator-runtime stand, with a slash at the end. */
  readonly #runtimeFolders = new Set<string>();
  /** Whether somebody asks for the descriptions of Kubernetes' types. */
  described = false;
  readonly #program: RuntimeProgram | undefined;

  constructor(given: LeanHostOptions) {
    const { options, root, system, libraryText, leanRuntime, runtimeProgram, parsed = new Map() } = given;
    this.#root = root;
    this.#system = system;
    this.#library = libraryText;
    this.#leanRuntime = leanRuntime;
    this.#parsed = parsed;
    this.#program = runtimeProgram === undefined ? undefined : new RuntimeProgram(runtimeProgram, system);
    this.#modules = ts.createModuleResolutionCache(root, (path) => this.getCanonicalFileName(path), options);
  }

  /** Reads from another system from now on. Gives whether the packages are there what they were when modules were found in them. */
  continueWith(system: SourceSystem): boolean {
    this.#system = system;
    return [...this.#manifests].every(([path, text]) => system.readFile(path) === text);
  }

  getSourceFile(fileName: string, given: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
    const whole = this.readFile(fileName);
    if (whole === undefined) return undefined;
    const plain = !this.described && fileName.endsWith('.d.ts') && this.isOfRuntime(fileName);
    const bare = plain && !this.#program?.is(fileName) ? withoutComments(whole) : whole;
    const text = this.#program?.linked(fileName, bare) ?? bare;
    const known = this.#parsed.get(fileName);
    const options = typeof given === 'object' ? given : { languageVersion: given };
    if (known?.text === text && known.impliedNodeFormat === options.impliedNodeFormat) return known;
    // Comments are read from the text.
    const { ParseNone: jsDocParsingMode } = ts.JSDocParsingMode;
    const file = ts.createSourceFile(fileName, text, { ...options, jsDocParsingMode });
    this.#parsed.set(fileName, file);
    return file;
  }

  /** Whether a file belongs to operator-runtime. */
  isOfRuntime(fileName: string): boolean {
    for (const folder of this.#runtimeFolders) if (fileName.startsWith(folder)) return true;
    return false;
  }

  readFile(path: string): string | undefined {
    if (path === library) return this.#library;
    const text = this.entries.get(path) ?? this.#system.readFile(path);
    if (path.endsWith('.json')) this.#manifests.set(path, text);
    return text;
  }

  /** Whether the program means what it would mean with each module of the runtime read by itself. */
  get holdsRuntime(): boolean {
    return this.#program?.holds !== false;
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
    const program = this.#program;
    if (program?.is(containingFile) === true) return names.map(() => ({ resolvedModule: undefined }));
    return names.map((name) => {
      if (isModuleOfProgram(name.text)) return { resolvedModule: undefined };
      const mode = ts.getModeForUsageLocation(containing, name, options);
      const found = ts.resolveModuleName(name.text, containingFile, options, this, this.#modules, redirected, mode);
      const module = found.resolvedModule && this.#lean(name.text, found.resolvedModule);
      return { ...found, resolvedModule: program === undefined ? module : program.beside(name.text, module) };
    });
  }

  #lean(name: string, module: ts.ResolvedModuleFull): ts.ResolvedModuleFull | undefined {
    const { resolvedFileName, packageId } = module;
    if (packageId?.name === runtimePackage && resolvedFileName.endsWith(packageId.subModuleName)) {
      this.#runtimeFolders.add(resolvedFileName.slice(0, -packageId.subModuleName.length));
    }
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

/** Most of Kubernetes' declarations is comments, and the compiler would go through them letter by letter. */
function withoutComments(declarations: string): string {
  return declarations.replace(/^[ \t]*\/\*\*[^]*?\*\/[ \t]*\n/gm, '');
}
