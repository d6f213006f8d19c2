import { createRequire } from 'node:module';
import type * as TsMorph from 'ts-morph';
import { defaultOptions, fixedOptions, type OpenedProgram, type ProgramOptions } from './opened-program.ts';
import { sourceSystem } from './source-system.ts';
import { tsconfigOptions } from './tsconfig.ts';

/** What one whole program leaves for the next of the same sources. */
export class KeptProject {
  /** The settings of the compiler and the names of the files. */
  key = '';
  project: TsMorph.Project | undefined;
}

/** Opens sources as the compiler does: with the language's library, ambient types and all packages. Throws `TsconfigError`. */
export function openWholeProgram(
  { files, root, tsconfig, fileSystem }: ProgramOptions,
  kept = new KeptProject(),
): OpenedProgram {
  const configFiles: string[] = [];
  const system = sourceSystem(fileSystem);
  const configured = tsconfig === undefined ? defaultOptions : tsconfigOptions(tsconfig, root, system, configFiles);
  const compilerOptions = { ...configured, ...fixedOptions };
  const key = JSON.stringify([compilerOptions, files]);
  if (kept.project === undefined || kept.key !== key || fileSystem !== undefined) {
    kept.key = key;
    const { Project } = tsMorph();
    kept.project = new Project({
      skipAddingFilesFromTsConfig: true,
      skipFileDependencyResolution: true,
      compilerOptions,
      ...(fileSystem === undefined ? {} : { fileSystem: inMemory(fileSystem) }),
    });
  }
  const { project } = kept;
  for (const file of project.getSourceFiles()) if (!file.isInNodeModules()) file.refreshFromFileSystemSync();
  for (const file of files) project.addSourceFileAtPathIfExists(file);
  const program = project.getProgram().compilerObject;
  return { program, system, configFiles, made: new Set(), library: undefined, resolvedAsBefore: false };
}

/** Loaded when it is needed: most runs need the compiler alone. */
function tsMorph(): typeof TsMorph {
  return createRequire(import.meta.url)('ts-morph') as typeof TsMorph;
}

function inMemory(files: ReadonlyMap<string, string>): TsMorph.InMemoryFileSystemHost {
  const { InMemoryFileSystemHost } = tsMorph();
  const host = new InMemoryFileSystemHost();
  for (const [path, text] of files) host.writeFileSync(path, text);
  return host;
}
