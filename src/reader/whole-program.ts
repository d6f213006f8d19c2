import { InMemoryFileSystemHost, Project } from 'ts-morph';
import { defaultOptions, fixedOptions, type OpenedProgram, type ProgramOptions } from './opened-program.ts';
import { sourceSystem } from './source-system.ts';
import { tsconfigOptions } from './tsconfig.ts';

/** Opens sources as the compiler does: with the language's library, ambient types and all packages. Throws `TsconfigError`. */
export function openWholeProgram({ files, root, tsconfig, fileSystem }: ProgramOptions): OpenedProgram {
  const configFiles: string[] = [];
  const system = sourceSystem(fileSystem);
  const configured = tsconfig === undefined ? defaultOptions : tsconfigOptions(tsconfig, root, system, configFiles);
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    compilerOptions: { ...configured, ...fixedOptions },
    ...(fileSystem === undefined ? {} : { fileSystem: inMemory(fileSystem) }),
  });
  for (const file of files) project.addSourceFileAtPathIfExists(file);
  const program = project.getProgram().compilerObject;
  return { program, system, configFiles, made: new Set(), library: undefined };
}

function inMemory(files: ReadonlyMap<string, string>): InMemoryFileSystemHost {
  const host = new InMemoryFileSystemHost();
  for (const [path, text] of files) host.writeFileSync(path, text);
  return host;
}
