import { ts } from 'ts-morph';
import { runtimePackage } from './opened-program.ts';
import type { SourceSystem } from './source-system.ts';

/** The file of operator-runtime, beside its entry, that declares the modules of its entries as ambient ones. */
const fileName = 'program.d.ts';

/** What the names of these modules begin with; behind it stands a module of the package (`client/types`). */
const modulePrefix = `${runtimePackage}:`;

/** Whether an import names a module of such a file, which only other files of the package do. */
export function isModuleOfProgram(name: string): boolean {
  return name.startsWith(modulePrefix);
}

/** The file of the operator-runtime that sources import; undefined where there is none, and in a checkout of its sources. */
export function findRuntimeProgram(
  files: readonly string[],
  options: ts.CompilerOptions,
  system: SourceSystem,
): string | undefined {
  const [file] = files;
  if (file === undefined) return undefined;
  const host: ts.ModuleResolutionHost = {
    fileExists: (path) => system.fileExists(path),
    readFile: (path) => system.readFile(path),
    directoryExists: (path) => system.folderExists(path),
    realpath: (path) => system.realPath(path),
  };
  const mode = ts.ModuleKind.ESNext;
  const { resolvedModule } = ts.resolveModuleName(runtimePackage, file, options, host, undefined, undefined, mode);
  const entry = resolvedModule?.resolvedFileName;
  if (entry?.endsWith('/dist/index.d.ts') !== true) return undefined;
  const folder = entry.slice(0, -'dist/index.d.ts'.length);
  // Beside sources the declarations may have been compiled anew, and the file not.
  const path = `${folder}dist/${fileName}`;
  return system.fileExists(path) && !system.fileExists(`${folder}tsconfig.json`) ? path : undefined;
}

/** The module of operator-runtime in which something is declared in such a file; undefined in all other files. */
export function ambientModule(declaration: ts.Node): string | undefined {
  if (!declaration.getSourceFile().fileName.endsWith(`/${fileName}`)) return undefined;
  for (let node = declaration; !ts.isSourceFile(node); node = node.parent) {
    if (ts.isModuleDeclaration(node) && node.name.text.startsWith(modulePrefix)) {
      return node.name.text.slice(modulePrefix.length);
    }
  }
  return undefined;
}

/** Most modules of one copy of operator-runtime in one file, in place of a file each. */
export class RuntimeProgram {
  readonly #path: string;
  readonly #folder: string;
  readonly #modules: ReadonlySet<string>;
  #holds = true;

  constructor(path: string, system: SourceSystem) {
    this.#path = path;
    this.#folder = path.slice(0, path.lastIndexOf('/') + 1);
    const text = system.readFile(path) ?? '';
    this.#modules = new Set(
      [...text.matchAll(/^declare module 'operator-runtime:([^']+)' \{$/gm)].map(([, name = '']) => name),
    );
  }

  is(fileName: string): boolean {
    return fileName === this.#path;
  }

  /** Whether all imports of the runtime mean this copy of it: if not, each file has to be read by itself. */
  get holds(): boolean {
    return this.#holds;
  }

  /** The declarations of another file of the package, which import from the modules of this one by their names. */
  linked(fileName: string, text: string): string | undefined {
    if (this.is(fileName) || !fileName.startsWith(this.#folder)) return undefined;
    const folder = fileName.slice(0, fileName.lastIndexOf('/'));
    return text.replaceAll(/\b(from |import\()['"](\.[^'"]+)\.[jt]s['"]/g, (whole, before: string, path: string) => {
      const module = this.#moduleOf(normalized(`${folder}/${path}`));
      return module === undefined ? whole : `${before}'${modulePrefix}${module}'`;
    });
  }

  /** What an import means beside this file: nothing where the checker finds an ambient module. */
  beside(name: string, module: ts.ResolvedModuleFull | undefined): ts.ResolvedModuleFull | undefined {
    if (name !== runtimePackage && !name.startsWith(`${runtimePackage}/`)) return module;
    const file = module?.resolvedFileName;
    if (file?.startsWith(this.#folder) !== true) this.#holds = false;
    const isHere = file !== undefined && this.#moduleOf(file.replace(/\.d\.ts$/, '')) !== undefined;
    return isHere ? undefined : module;
  }

  /** By its path without an ending. */
  #moduleOf(path: string): string | undefined {
    if (!path.startsWith(this.#folder)) return undefined;
    const module = path.slice(this.#folder.length);
    return this.#modules.has(module) ? module : undefined;
  }
}

/** Without `.` and `..` in it. */
function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
