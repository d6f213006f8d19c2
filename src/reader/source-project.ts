import { InMemoryFileSystemHost, Project, type ProjectOptions as MorphOptions, ts } from 'ts-morph';
import type { SourcePosition } from '../model/index.ts';
import { minimalLibrary } from './minimal-library.ts';
import { tsconfigOptions } from './tsconfig.ts';

/** The package whose markers and types the reader knows. */
const runtimePackage = 'operator-runtime';

export interface ProjectOptions {
  /** Absolute paths with `/`. */
  readonly files: readonly string[];
  /** Absolute; positions are relative to it. */
  readonly root: string;
  /** Absolute path of the tsconfig.json that applies. */
  readonly tsconfig?: string | undefined;
  /** All files there are, by absolute path: the disk is not touched. */
  readonly fileSystem?: ReadonlyMap<string, string> | undefined;
}

/** A declaration of the operator-runtime package: the module inside the package (`markers/index`) and the name. */
export interface RuntimeDeclaration {
  readonly module: string;
  readonly name: string;
}

/** A program over the user's sources, and what is known about its files. */
export class SourceProject {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
  readonly missing: readonly string[];
  readonly options: ts.CompilerOptions;
  readonly #root: string;
  readonly #configFiles: readonly string[];
  readonly #project: Project;
  readonly #minimalLibrary: string | undefined;
  readonly #packages = new Map<string, { readonly name: string; readonly folder: string } | undefined>();

  constructor(options: ProjectOptions, lean: boolean) {
    const files = [...new Set(options.files)].sort();
    const configFiles: string[] = [];
    const project = createProject(options, lean, configFiles);
    this.#configFiles = configFiles;
    if (lean) {
      this.#minimalLibrary = addMinimalLibrary(project);
      addRuntimeTypes(project, files[0]);
    }
    const found = files.map((file) => project.addSourceFileAtPathIfExists(file));
    this.missing = files.filter((_, index) => found[index] === undefined);
    this.program = project.getProgram().compilerObject;
    this.checker = this.program.getTypeChecker();
    this.options = this.program.getCompilerOptions();
    this.files = files.flatMap((file) => this.program.getSourceFile(file) ?? []);
    this.#root = options.root.replace(/\/+$/, '');
    this.#project = project;
  }

  /** The files on the disk that the program was made of, as far as they decide what it says: sources, declarations, settings. */
  get inputs(): string[] {
    const sources = this.program.getSourceFiles().map(({ fileName }) => fileName);
    const packages = [...this.#packages.values()].flatMap((found) => found?.folder ?? []);
    const manifests = packages.map((folder) => `${folder}/package.json`);
    const made = (file: string): boolean => file === this.#minimalLibrary || file.endsWith(`/${leanEntry}`);
    return [...new Set([...sources, ...manifests, ...this.#configFiles])].filter((file) => !made(file)).sort();
  }

  /** A file's path as people read it: relative to the root where it lies below it. */
  relativePath(fileName: string): string {
    return fileName.startsWith(`${this.#root}/`) ? fileName.slice(this.#root.length + 1) : fileName;
  }

  position(file: ts.SourceFile, offset: number): SourcePosition {
    const { line, character } = file.getLineAndCharacterOfPosition(offset);
    return { file: this.relativePath(file.fileName), line: line + 1, column: character + 1 };
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
    return file.fileName === this.#minimalLibrary || this.program.isSourceFileDefaultLibrary(file);
  }

  /** Whether a file is the user's own: not of the language, nor of a package. */
  isOwn(file: ts.SourceFile): boolean {
    return (
      !this.isLibrary(file) &&
      !this.program.isSourceFileFromExternalLibrary(file) &&
      !file.fileName.includes('/node_modules/') &&
      this.#packageOf(file)?.name !== runtimePackage
    );
  }

  /** These files, and all of the user's that they import, directly or not. */
  reachableFrom(files: Iterable<ts.SourceFile>): ts.SourceFile[] {
    const found = new Set<ts.SourceFile>();
    const waiting = [...files];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (found.has(file) || !this.isOwn(file)) continue;
      found.add(file);
      file.forEachChild((statement) => {
        if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return;
        const specifier = statement.moduleSpecifier;
        const module = specifier && this.checker.getSymbolAtLocation(specifier)?.valueDeclaration;
        if (module !== undefined) waiting.push(module.getSourceFile());
      });
    }
    return [...found];
  }

  /** Whether a file belongs to a package other than operator-runtime. */
  isForeign(file: ts.SourceFile): boolean {
    return !this.isLibrary(file) && !this.isOwn(file) && this.#packageOf(file)?.name !== runtimePackage;
  }

  /** Where a declaration stands in operator-runtime, in whichever copy of it; undefined for all other declarations. */
  runtimeDeclaration(declaration: ts.Node): RuntimeDeclaration | undefined {
    const file = declaration.getSourceFile();
    const owner = this.#packageOf(file);
    const name = ts.getNameOfDeclaration(declaration as ts.Declaration);
    if (owner?.name !== runtimePackage || name === undefined || !ts.isIdentifier(name)) return undefined;
    const module = file.fileName
      .slice(owner.folder.length + 1)
      .replace(/^(dist|src)\//, '')
      .replace(/(\.generated)?(\.d)?\.[cm]?ts$/, '');
    return { module, name: name.text };
  }

  #packageOf(file: ts.SourceFile): { readonly name: string; readonly folder: string } | undefined {
    return this.#packageAbove(file.fileName.slice(0, file.fileName.lastIndexOf('/')));
  }

  #packageAbove(folder: string): { readonly name: string; readonly folder: string } | undefined {
    if (this.#packages.has(folder)) return this.#packages.get(folder);
    const system = this.#project.getFileSystem();
    const manifest = `${folder}/package.json`;
    let found: { readonly name: string; readonly folder: string } | undefined;
    const name = system.fileExistsSync(manifest) ? packageName(system.readFileSync(manifest)) : undefined;
    if (name !== undefined) found = { name, folder };
    else if (folder.includes('/')) found = this.#packageAbove(folder.slice(0, folder.lastIndexOf('/')));
    this.#packages.set(folder, found);
    return found;
  }
}

function packageName(text: string): string | undefined {
  const { config } = ts.parseConfigFileTextToJson('package.json', text) as { config?: { name?: unknown } };
  return typeof config?.name === 'string' ? config.name : undefined;
}

/**
 * `lean` leaves out what costs most of a run: the language's library but for its core, ambient types of packages (`@types/node`), all
 * packages but operator-runtime, and of that all but scalars, Kubernetes' types and markers. The caller repeats the run with
 * everything where anything was amiss.
 */
function createProject(options: ProjectOptions, lean: boolean, configFiles: string[]): Project {
  const compilerOptions: ts.CompilerOptions = {
    noEmit: true,
    skipLibCheck: true,
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    ...(lean ? { types: [], noLib: true } : {}),
  };
  const fileSystem = options.fileSystem && memory(options.fileSystem);
  const shared: MorphOptions = {
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    ...(lean ? { resolutionHost: leanResolution } : {}),
    ...(fileSystem === undefined ? {} : { fileSystem }),
  };
  if (options.tsconfig !== undefined) {
    const configured = tsconfigOptions(options.tsconfig, options.root, fileSystem, configFiles);
    return new Project({ ...shared, compilerOptions: { ...configured, ...compilerOptions } });
  }
  return new Project({ ...shared, compilerOptions: { ...defaultOptions, ...compilerOptions } });
}

/** Returns the file's path. */
function addMinimalLibrary(project: Project): string {
  return project.createSourceFile('/create-operator/library.d.ts', minimalLibrary, { overwrite: true }).getFilePath();
}

/** The name of the module that stands for all of operator-runtime beside its own entry. */
const leanEntry = 'create-operator-types.d.ts';

/** Of the runtime's entry only the types of an API are read; a name that is missing then is an error, and all of it is. */
function addRuntimeTypes(project: Project, from: string | undefined): void {
  if (from === undefined) return;
  const host = project.getModuleResolutionHost();
  const { resolvedModule } = ts.resolveModuleName(runtimePackage, from, project.getCompilerOptions(), host);
  const folder = resolvedModule && folderOf(resolvedModule.resolvedFileName);
  if (folder === undefined) return;
  const parts = ['apis/meta/v1', 'scalars/scalars'];
  if (!parts.every((part) => ['.d.ts', '.ts'].some((end) => host.fileExists(`${folder}/${part}${end}`)))) return;
  const text = parts.map((part) => `export type * from './${part}.js';\n`).join('');
  project.createSourceFile(`${folder}/${leanEntry}`, text, { overwrite: true });
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Finds modules as the compiler does, but for those of packages that are no part of an API's types. */
const leanResolution: NonNullable<MorphOptions['resolutionHost']> = (host, getOptions) => ({
  resolveModuleNames(names, containingFile) {
    const options = getOptions();
    return names.map((name) => {
      const { resolvedModule } = ts.resolveModuleName(name, containingFile, options, host);
      if (resolvedModule === undefined) return undefined;
      const { resolvedFileName, packageId } = resolvedModule;
      if (name === runtimePackage) {
        const entry = `${folderOf(resolvedFileName)}/${leanEntry}`;
        return host.fileExists(entry) ? { ...resolvedModule, resolvedFileName: entry } : resolvedModule;
      }
      const isRuntime = packageId?.name === runtimePackage || resolvedFileName.includes(`/${runtimePackage}/`);
      return resolvedFileName.includes('/node_modules/') && !isRuntime ? undefined : resolvedModule;
    });
  },
});

/** What applies to sources that no tsconfig.json covers. */
const defaultOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  experimentalDecorators: true,
  useDefineForClassFields: false,
};

function memory(files: ReadonlyMap<string, string>): InMemoryFileSystemHost {
  const host = new InMemoryFileSystemHost();
  for (const [path, text] of files) host.writeFileSync(path, text);
  return host;
}
