import { ts } from 'ts-morph';
import type { SourcePosition } from '../model/index.ts';
import { type KeptLeanProgram, openCallsProgram, openLeanProgram } from './lean-program.ts';
import { type OpenedProgram, type ProgramOptions, runtimePackage } from './opened-program.ts';
import { ambientModule } from './runtime-program.ts';
import { type KeptProject, openWholeProgram } from './whole-program.ts';

/** A declaration of the operator-runtime package: the module inside the package (`markers/index`) and the name. */
export interface RuntimeDeclaration {
  readonly module: string;
  readonly name: string;
}

/** What programs of the same sources left, in a process that reads them again and again. */
export interface KeptPrograms {
  readonly lean?: KeptLeanProgram;
  readonly whole?: KeptProject;
}

/** A program over the user's sources, and what is known about its files. */
export class SourceProject {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
  readonly missing: readonly string[];
  readonly options: ts.CompilerOptions;
  readonly #root: string;
  readonly #opened: OpenedProgram;
  readonly #packages = new Map<string, { readonly name: string; readonly folder: string } | undefined>();
  readonly #own = new Map<ts.SourceFile, boolean>();
  readonly #imports = new Map<ts.SourceFile, readonly ts.SourceFile[]>();
  readonly #lines = new Map<ts.SourceFile, { readonly path: string; readonly starts: readonly number[] }>();
  /** The modules of operator-runtime that files are; `undefined` for those of other packages. */
  readonly #modules = new Map<ts.SourceFile, string | undefined>();

  /** `calls` is lean, and has what the reader of calls needs. Throws `TsconfigError`. */
  constructor(options: ProgramOptions, lean: boolean | 'calls', kept: KeptPrograms = {}) {
    const files = [...new Set(options.files)].sort();
    this.#opened = open({ ...options, files }, lean, kept);
    this.program = this.#opened.program;
    this.checker = this.program.getTypeChecker();
    this.options = this.program.getCompilerOptions();
    this.files = files.flatMap((file) => this.program.getSourceFile(file) ?? []);
    this.missing = files.filter((file) => this.program.getSourceFile(file) === undefined);
    this.#root = options.root.replace(/\/+$/, '');
  }

  /** Whether every import of a file that is as it was means what it meant in the program before. */
  get resolvedAsBefore(): boolean {
    return this.#opened.resolvedAsBefore;
  }

  /** The files on the disk that the program was made of, as far as they decide what it says: sources, declarations, settings. */
  get inputs(): string[] {
    const sources = this.program.getSourceFiles().map(({ fileName }) => fileName);
    const packages = [...this.#packages.values()].flatMap((found) => found?.folder ?? []);
    const manifests = packages.map((folder) => `${folder}/package.json`);
    const { configFiles, made } = this.#opened;
    return [...new Set([...sources, ...manifests, ...configFiles])].filter((file) => !made.has(file)).sort();
  }

  /** A file's path as people read it: relative to the root where it lies below it. */
  relativePath(fileName: string): string {
    return fileName.startsWith(`${this.#root}/`) ? fileName.slice(this.#root.length + 1) : fileName;
  }

  position(file: ts.SourceFile, offset: number): SourcePosition {
    let lines = this.#lines.get(file);
    if (lines === undefined) {
      lines = { path: this.relativePath(file.fileName), starts: lineStarts(file) };
      this.#lines.set(file, lines);
    }
    const line = lineOf(lines.starts, offset);
    return { file: lines.path, line: line + 1, column: offset - (lines.starts[line] ?? 0) + 1 };
  }

  positionOf(node: ts.Node): SourcePosition {
    const file = node.getSourceFile();
    return this.position(file, node.getStart(file, false));
  }

  /** A type as people write it; never with a path of this machine in it. */
  typeText(type: ts.Type): string {
    return this.checker.typeToString(type).replace(/import\("[^"]*\/([^"/]*)"\)/g, 'import("$1")');
  }

  isLibrary(file: ts.SourceFile): boolean {
    return file.fileName === this.#opened.library || this.program.isSourceFileDefaultLibrary(file);
  }

  /** Whether a file is the user's own: not of the language, nor of a package. */
  isOwn(file: ts.SourceFile): boolean {
    const known = this.#own.get(file);
    if (known !== undefined) return known;
    const own =
      !this.isLibrary(file) &&
      !this.program.isSourceFileFromExternalLibrary(file) &&
      !file.fileName.includes('/node_modules/') &&
      this.#packageOf(file)?.name !== runtimePackage;
    this.#own.set(file, own);
    return own;
  }

  /** These files, and all of the user's that they import, directly or not. */
  reachableFrom(files: Iterable<ts.SourceFile>): ts.SourceFile[] {
    const found = new Set<ts.SourceFile>();
    const waiting = [...files];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (found.has(file) || !this.isOwn(file)) continue;
      found.add(file);
      waiting.push(...this.#importsOf(file));
    }
    return [...found];
  }

  #importsOf(file: ts.SourceFile): readonly ts.SourceFile[] {
    const known = this.#imports.get(file);
    if (known !== undefined) return known;
    // What the compiler itself goes by: imports and exports, types of the form import('...'), and require.
    const { imports: specifiers = [] } = file as ts.SourceFile & { readonly imports?: readonly ts.StringLiteralLike[] };
    const imports = specifiers.flatMap(
      (specifier) => this.checker.getSymbolAtLocation(specifier)?.valueDeclaration?.getSourceFile() ?? [],
    );
    this.#imports.set(file, imports);
    return imports;
  }

  /** Whether a file belongs to a package other than operator-runtime. */
  isForeign(file: ts.SourceFile): boolean {
    return !this.isLibrary(file) && !this.isOwn(file) && this.#packageOf(file)?.name !== runtimePackage;
  }

  /** Where a declaration stands in operator-runtime, in whichever copy of it; undefined for all other declarations. */
  runtimeDeclaration(declaration: ts.Node): RuntimeDeclaration | undefined {
    const ofFile = this.#runtimeModule(declaration.getSourceFile());
    if (ofFile === undefined) return undefined;
    const module = moduleName(ambientModule(declaration) ?? ofFile);
    const name = ts.getNameOfDeclaration(declaration as ts.Declaration);
    return name === undefined || !ts.isIdentifier(name) ? undefined : { module, name: name.text };
  }

  #runtimeModule(file: ts.SourceFile): string | undefined {
    if (this.#modules.has(file)) return this.#modules.get(file);
    const owner = this.#packageOf(file);
    const module =
      owner?.name === runtimePackage
        ? file.fileName
            .slice(owner.folder.length + 1)
            .replace(/^(dist|src)\//, '')
            .replace(/(\.d)?\.[cm]?ts$/, '')
        : undefined;
    this.#modules.set(file, module);
    return module;
  }

  #packageOf(file: ts.SourceFile): { readonly name: string; readonly folder: string } | undefined {
    return this.#packageAbove(file.fileName.slice(0, file.fileName.lastIndexOf('/')));
  }

  #packageAbove(folder: string): { readonly name: string; readonly folder: string } | undefined {
    if (this.#packages.has(folder)) return this.#packages.get(folder);
    const { system } = this.#opened;
    const manifest = `${folder}/package.json`;
    let found: { readonly name: string; readonly folder: string } | undefined;
    const text = system.fileExists(manifest) ? system.readFile(manifest) : undefined;
    const name = text === undefined ? undefined : packageName(text);
    if (name !== undefined) found = { name, folder };
    else if (folder.includes('/')) found = this.#packageAbove(folder.slice(0, folder.lastIndexOf('/')));
    this.#packages.set(folder, found);
    return found;
  }
}

function open(options: ProgramOptions, lean: boolean | 'calls', kept: KeptPrograms): OpenedProgram {
  if (lean === 'calls') return openCallsProgram(options);
  return lean ? openLeanProgram(options, kept.lean) : openWholeProgram(options, kept.whole);
}

/** Where the lines of a file start. Most files have line feeds alone, which are found faster than by the compiler. */
function lineStarts(file: ts.SourceFile): readonly number[] {
  const { text } = file;
  if (/[\r\u2028\u2029]/.test(text)) return file.getLineStarts();
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

/** The line, counted from 0, in which an offset lies. */
function lineOf(starts: readonly number[], offset: number): number {
  let first = 0;
  let last = starts.length - 1;
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    if ((starts[middle] ?? 0) > offset) last = middle - 1;
    else first = middle;
  }
  return first;
}

function moduleName(path: string): string {
  return path.endsWith('.generated') ? path.slice(0, -'.generated'.length) : path;
}

function packageName(text: string): string | undefined {
  const { config } = ts.parseConfigFileTextToJson('package.json', text) as { config?: { name?: unknown } };
  return typeof config?.name === 'string' ? config.name : undefined;
}
