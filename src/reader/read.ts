import type { ts } from 'ts-morph';
import type { Diagnostic, KubernetesCatalogue, Model } from '../model/index.ts';
import { bundledCatalogue, catalogues } from './catalogue/catalogue.ts';
import { reportGoMarkers } from './go-markers.ts';
import { KindReader } from './kinds.ts';
import { needsLibrary } from './library-gate.ts';
import { MarkerReader } from './marker-reader.ts';
import { Problems } from './problems.ts';
import { SchemaReader } from './schema-reader.ts';
import type { KeptFile, ReadSession } from './session.ts';
import { SourceProject } from './source-project.ts';
import { reportStrayTags } from './stray-tags.ts';
import { TsconfigError } from './tsconfig.ts';
import { reportTypeErrors } from './type-errors.ts';

export interface ReadOptions {
  /** The source files to read, absolute, with `/`. What they import is found from them. */
  readonly files: readonly string[];
  /** The folder that positions are relative to, absolute, with `/`. */
  readonly root: string;
  /** The tsconfig.json that applies, absolute. Without it strict defaults do. */
  readonly tsconfig?: string | undefined;
  /** JSDoc tags that pass besides the standard ones (`allowedTags` of operator.json). */
  readonly allowedTags?: readonly string[] | undefined;
  /** Schemas of Kubernetes' types besides those that the reader knows. */
  readonly catalogue?: KubernetesCatalogue | undefined;
  /** All files there are, by absolute path, in place of the disk. */
  readonly fileSystem?: ReadonlyMap<string, string> | undefined;
}

export interface ReadResult {
  /** Only to be used where no diagnostic is an error. */
  readonly model: Model;
  /** All problems, in the order of files and lines. */
  readonly diagnostics: readonly Diagnostic[];
  /** The files that the result depends on, absolute. */
  readonly inputs: readonly string[];
}

/**
 * Reads the kinds and permissions of TypeScript sources. Nothing is executed; the same sources give the same model whatever the
 * order of `files`.
 */
export function read(options: ReadOptions, session?: ReadSession): ReadResult {
  const lean = session?.needsWhole === true ? undefined : readLean(options, undefined, session);
  if (lean !== undefined) return lean;
  const result = readFull(options, undefined, session);
  if (session === undefined) return result;
  const failed = result.diagnostics.some(isError);
  session.needsWhole = !failed;
  if (failed) session.forgetWhole();
  return result;
}

/**
 * Reads with the least that could do (`opened` is such a program that has the files of the options among its own); undefined where
 * that might not be enough: where anything is wrong, since what is left out can show as a problem, and where it would not show.
 */
export function readLean(options: ReadOptions, opened?: SourceProject, session?: ReadSession): ReadResult | undefined {
  const { unsure, ...result } = readOnce(options, true, opened, session);
  return unsure || result.diagnostics.some(isError) ? undefined : result;
}

/** Reads with the whole library and all packages; `opened` is a program that has the files of the options among its own. */
export function readFull(options: ReadOptions, opened?: SourceProject, session?: ReadSession): ReadResult {
  const { unsure: _, ...result } = readOnce(options, false, opened, session);
  return result;
}

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';

function readOnce(
  options: ReadOptions,
  lean: boolean,
  opened?: SourceProject,
  session?: ReadSession,
): ReadResult & { readonly unsure: boolean } {
  const problems = new Problems();
  const project = opened ?? openProject(options, lean, problems, session);
  if (project === undefined) return { model: emptyModel, diagnostics: problems.sorted(), inputs: [], unsure: false };
  checkProject(options, project, problems);
  const own = project.program.getSourceFiles().filter((file) => project.isOwn(file));
  const markers = new MarkerReader(project, problems, options.allowedTags ?? []);
  const catalogue = catalogues(...(options.catalogue === undefined ? [] : [options.catalogue]), bundledCatalogue);
  const schemas = new SchemaReader(project, markers, catalogue, problems);
  const kinds = new KindReader(project, markers, schemas, problems);
  const wanted = opened === undefined ? undefined : new Set(options.files);
  const kept: ReadonlyMap<ts.SourceFile, KeptFile> = (lean ? session?.unchanged(project) : undefined) ?? new Map();
  for (const file of project.files) {
    const known = kept.get(file)?.reading;
    if (known !== undefined) kinds.add(known);
    else if (wanted?.has(file.fileName) !== false) kinds.readFile(file);
  }
  const types = new Set(project.reachableFrom(kinds.readings.flatMap(({ file, hasKinds }) => (hasKinds ? file : []))));
  // Of the others nothing was to be told, and is not now.
  const changed = own.filter((file) => kept.get(file)?.hasTypes !== types.has(file));
  reportTypeErrors(project, changed, types, problems);
  for (const file of changed) reportGoMarkers(file, project, problems);
  const allowedTags = new Set(options.allowedTags);
  for (const file of changed) {
    const isRead = (offset: number): boolean => markers.hasRead(file, offset);
    reportStrayTags(file, project, problems, { hasTypes: types.has(file), isRead, allowedTags });
  }
  checkDecorators(options, project, markers, problems);
  const model = kinds.result();
  const typesChanged = changed.filter((file) => types.has(file));
  const unsure =
    lean && !problems.hasErrors && (markers.hasUnknownDecorator || needsLibrary(typesChanged, project.checker));
  if (!lean || unsure || problems.size > 0) session?.forgetFiles();
  else session?.keep(project, keptFiles(project, own, new Set(changed), types, kept, kinds));
  return { model, diagnostics: problems.sorted(), inputs: project.inputs, unsure };
}

function keptFiles(
  project: SourceProject,
  own: readonly ts.SourceFile[],
  changed: ReadonlySet<ts.SourceFile>,
  types: ReadonlySet<ts.SourceFile>,
  kept: ReadonlyMap<ts.SourceFile, KeptFile>,
  kinds: KindReader,
): Map<ts.SourceFile, KeptFile> {
  const readings = new Map(kinds.readings.map((reading) => [reading.file, reading]));
  const files = own.map((file): [ts.SourceFile, KeptFile] => {
    const known = changed.has(file) ? undefined : kept.get(file);
    const reached = known?.reached ?? project.reachableFrom([file]);
    return [file, { reached, hasTypes: types.has(file), reading: readings.get(file) }];
  });
  return new Map(files);
}

const emptyModel: Model = { kinds: [], policyRules: [], webhooks: [], webhookConfigurations: [] };

function openProject(
  options: ReadOptions,
  lean: boolean,
  problems: Problems,
  session?: ReadSession,
): SourceProject | undefined {
  if (options.files.length === 0) {
    problems.report('noFiles', {}, { remedy: `the patterns were looked up in ${options.root}` });
    return undefined;
  }
  try {
    return new SourceProject(options, lean, session?.programs);
  } catch (error) {
    if (!(error instanceof TsconfigError)) throw error;
    for (const { text, position, remedy } of error.problems)
      problems.report('tsconfig', { text }, { position, remedy });
    return undefined;
  }
}

function checkProject(options: ReadOptions, project: SourceProject, problems: Problems): void {
  for (const file of project.missing) {
    problems.report('unreadableFile', { file: project.relativePath(file) }, {});
  }
  const { strict, strictNullChecks } = project.options;
  if (strictNullChecks ?? strict ?? true) return;
  const file = options.tsconfig && project.relativePath(options.tsconfig);
  const remedy = `set "strict": true in ${file ?? 'tsconfig.json'}`;
  problems.report(
    'notStrict',
    {},
    { remedy, ...(file === undefined ? {} : { position: { file, line: 1, column: 1 } }) },
  );
}

/** vite and vitest lower only legacy decorators; standard ones they leave in, as a syntax error at run time. */
function checkDecorators(
  options: ReadOptions,
  project: SourceProject,
  markers: MarkerReader,
  problems: Problems,
): void {
  const position = markers.firstDecorator;
  if (position === undefined || options.tsconfig === undefined || project.options.experimentalDecorators === true)
    return;
  const remedy = 'set "experimentalDecorators": true and "useDefineForClassFields": false, or write JSDoc tags';
  problems.report('notLowered', { tsconfig: project.relativePath(options.tsconfig) }, { position, remedy });
}
