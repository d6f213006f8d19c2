import { ts } from 'ts-morph';
import type { SourcePosition } from '../model/index.ts';
import type { SourceSystem } from './source-system.ts';

/** One thing that is wrong with a tsconfig.json or with a file that it extends. */
export interface TsconfigProblem {
  readonly text: string;
  readonly position: SourcePosition;
  readonly remedy: string;
}

/** The settings of the compiler cannot be read; the message names all problems, each with its place. */
export class TsconfigError extends Error {
  readonly problems: readonly TsconfigProblem[];

  constructor(problems: readonly TsconfigProblem[]) {
    super(problems.map(({ text, position: { file, line } }) => `${file}:${line}: ${text}`).join('\n'));
    this.name = 'TsconfigError';
    this.problems = problems;
  }
}

/**
 * The compiler's options of a tsconfig.json, without looking for the files that it includes; the files that it is made of go into
 * `read`. Positions are relative to `root`. Throws `TsconfigError`.
 */
export function tsconfigOptions(path: string, root: string, system: SourceSystem, read: string[]): ts.CompilerOptions {
  const host: ts.ParseConfigHost = {
    useCaseSensitiveFileNames: ts.sys.useCaseSensitiveFileNames,
    fileExists: (file) => system.fileExists(file),
    readFile(file) {
      read.push(file);
      return system.fileExists(file) ? system.readFile(file) : undefined;
    },
    readDirectory: () => [],
  };
  const source = ts.readJsonConfigFile(path, (file) => host.readFile(file)) as ts.TsConfigSourceFile & {
    readonly parseDiagnostics: readonly ts.Diagnostic[];
  };
  const folder = path.slice(0, path.lastIndexOf('/'));
  const [broken] = source.parseDiagnostics;
  if (broken !== undefined) throw new TsconfigError([problemOf(broken, source, root)]);
  const { options, errors } = ts.parseJsonSourceFileConfigFileContent(source, host, folder, undefined, path);
  const problems = errors.filter(({ code }) => !noInputs.has(code)).map((each) => problemOf(each, source, root));
  if (problems.length > 0) throw new TsconfigError(problems);
  return options;
}

/** No files are looked for, so that none are found. */
const noInputs: ReadonlySet<number> = new Set([18002, 18003]);

function problemOf(diagnostic: ts.Diagnostic, config: ts.TsConfigSourceFile, root: string): TsconfigProblem {
  const { code, messageText } = diagnostic;
  const file = diagnostic.file ?? config;
  const isMissing = (config.statements as typeof config.statements | undefined) === undefined;
  const start = diagnostic.start ?? (isAboutBase(code) && !isMissing ? placeOfExtends(config) : 0);
  // A file that cannot be read has no lines.
  const { line, character } = start === 0 ? { line: 0, character: 0 } : ts.getLineAndCharacterOfPosition(file, start);
  const base = `${root.replace(/\/+$/, '')}/`;
  const name = file.fileName.startsWith(base) ? file.fileName.slice(base.length) : file.fileName;
  const text = ts.flattenDiagnosticMessageText(messageText, ' ').replaceAll(base, '').replace(/\.$/, '');
  return {
    text,
    position: { file: name, line: line + 1, column: character + 1 },
    remedy: remedyFor(code, name, isMissing),
  };
}

const cannotReadFile = 5083;
const fileNotFound = 6053;
const unknownOption: ReadonlySet<number> = new Set([5023, 5025]);
const wrongValue: ReadonlySet<number> = new Set([5024, 6046]);

function isAboutBase(code: number): boolean {
  return code === cannotReadFile || code === fileNotFound;
}

function remedyFor(code: number, name: string, missing: boolean): string {
  if (isAboutBase(code) && missing) return 'name a file that can be read';
  if (isAboutBase(code)) return 'correct "extends", or install the package that it names';
  if (unknownOption.has(code)) return 'correct the name of the option, or take it out';
  if (wrongValue.has(code)) return 'correct the value of the option, or take it out';
  return code < 2000 ? `correct the JSON of ${name}` : `correct ${name}: tsc --showConfig tells more`;
}

/** Where the value of `extends` stands; the start of the file where there is none. */
function placeOfExtends(config: ts.TsConfigSourceFile): number {
  const value = config.statements[0]?.expression;
  if (value === undefined || !ts.isObjectLiteralExpression(value)) return 0;
  const property = value.properties.find(
    (each): each is ts.PropertyAssignment =>
      ts.isPropertyAssignment(each) && ts.isStringLiteral(each.name) && each.name.text === 'extends',
  );
  return property?.initializer.getStart(config) ?? 0;
}
