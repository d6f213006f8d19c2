import type { Diagnostic, KubernetesCatalogue, Model } from '../model/index.ts';
import { bundledCatalogue, catalogues } from './catalogue/catalogue.ts';
import { reportGoMarkers } from './go-markers.ts';
import { KindReader } from './kinds.ts';
import { needsLibrary } from './library-gate.ts';
import { MarkerReader } from './marker-reader.ts';
import { Problems } from './problems.ts';
import { SchemaReader } from './schema-reader.ts';
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
export function read(options: ReadOptions): ReadResult {
  return readLean(options) ?? readFull(options);
}

/**
 * Reads with the least that could do (`opened` is such a program that has the files of the options among its own); undefined where that might not be enough: where anything is wrong, since what is left out can
 * show as a problem, and where it would not show.
 */
export function readLean(options: ReadOptions, opened?: SourceProject): ReadResult | undefined {
  const { unsure, ...result } = readOnce(options, true, opened);
  return unsure || result.diagnostics.some(({ severity }) => severity === 'error') ? undefined : result;
}

/** Reads with the whole library and all packages; `opened` is a program that has the files of the options among its own. */
export function readFull(options: ReadOptions, opened?: SourceProject): ReadResult {
  const { unsure: _, ...result } = readOnce(options, false, opened);
  return result;
}

function readOnce(
  options: ReadOptions,
  lean: boolean,
  opened?: SourceProject,
): ReadResult & { readonly unsure: boolean } {
  const problems = new Problems();
  const project = opened ?? openProject(options, lean, problems);
  if (project === undefined) return { model: emptyModel, diagnostics: problems.sorted(), inputs: [], unsure: false };
  checkProject(options, project, problems);
  const own = project.program.getSourceFiles().filter((file) => project.isOwn(file));
  const markers = new MarkerReader(project, problems, options.allowedTags ?? []);
  const catalogue = catalogues(...(options.catalogue === undefined ? [] : [options.catalogue]), bundledCatalogue);
  const schemas = new SchemaReader(project, markers, catalogue, problems);
  const kinds = new KindReader(project, markers, schemas, problems);
  const wanted = opened === undefined ? undefined : new Set(options.files);
  for (const file of project.files) if (wanted?.has(file.fileName) !== false) kinds.readFile(file);
  const reached = new Set(project.reachableFrom(kinds.files));
  reportTypeErrors(project, own, reached, problems);
  for (const file of own) reportGoMarkers(file, project, problems);
  const allowedTags = new Set(options.allowedTags);
  for (const file of own) {
    const isRead = (offset: number): boolean => markers.hasRead(file, offset);
    reportStrayTags(file, project, problems, { hasTypes: reached.has(file), isRead, allowedTags });
  }
  checkDecorators(options, project, markers, problems);
  const model = kinds.result();
  const unsure = lean && !problems.hasErrors && (markers.hasUnknownDecorator || needsLibrary(reached, project.checker));
  return { model, diagnostics: problems.sorted(), inputs: project.inputs, unsure };
}

const emptyModel: Model = { kinds: [], policyRules: [], webhooks: [], webhookConfigurations: [] };

function openProject(options: ReadOptions, lean: boolean, problems: Problems): SourceProject | undefined {
  if (options.files.length === 0) {
    problems.report('noFiles', {}, { remedy: `the patterns were looked up in ${options.root}` });
    return undefined;
  }
  try {
    return new SourceProject(options, lean);
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
