import { ts } from 'ts-morph';
import {
  type CallReport,
  compareText,
  type MarkerPlace,
  type PermissionUse,
  type SourcePosition,
  type UnresolvedCall,
} from '../../model/index.ts';
import { readFull, readLean, type ReadOptions, type ReadResult } from '../read.ts';
import { SourceProject } from '../source-project.ts';
import { CallIndex } from './call-index.ts';
import { type CallSink, CallUses } from './call-uses.ts';
import { DoubtError, Doubts } from './doubt.ts';
import { Escapes } from './escapes.ts';
import { inertFiles } from './inert.ts';
import { KindResolver } from './kind-resolver.ts';
import { KnownKinds } from './known-kinds.ts';
import { readManagerOptions } from './manager-options.ts';
import { optionalUses } from './optional-uses.ts';
import { markerPlaces } from './places.ts';

/**
 * Reads what the operator's sources ask of the API server: the files given, and all of the user's own that these import. Where it can, it
 * does without the packages that the program uses, operator-runtime aside; what it says is the same.
 */
export function readCalls(options: ReadOptions): CallReport {
  return readCallsLean(options) ?? readCallsWhole(options);
}

/** Reads with the types of the whole program: takes as long as a check of it does. */
export function readCallsWhole(options: ReadOptions): CallReport {
  return readCallsIn(new SourceProject(options, false), options.files, false);
}

/** Reads with as few types as will do; undefined where that are not enough. */
export function readCallsLean(options: ReadOptions): CallReport | undefined {
  return leanly(() => readCallsIn(new SourceProject(options, 'calls'), options.files, true));
}

/** What is read, or undefined where the whole program is needed. */
export function leanly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DoubtError) return undefined;
    throw error;
  }
}

/** The same in a program that is there already. With `lean` it throws a `DoubtError` where the whole program may say more. */
export function readCallsIn(project: SourceProject, entries: readonly string[], lean: boolean): CallReport {
  const files = reachable(project, entries);
  const inert = lean ? inertFiles(project, files) : undefined;
  const looked = files.filter((file) => inert?.has(file) !== true);
  const index = new CallIndex(project.checker, files, inert);
  const doubts = lean ? new Doubts(project, index) : undefined;
  doubts?.look(looked);
  const known = new KnownKinds(project, index, doubts);
  const resolver = new KindResolver(project, index, known, doubts);
  const uses = new Map<string, PermissionUse>();
  const unresolved = new Map<string, UnresolvedCall>();
  const sink: CallSink = {
    use: (use) => uses.set(JSON.stringify(use), use),
    unresolved: (call) => {
      doubts?.raise();
      unresolved.set(JSON.stringify(call), call);
    },
  };
  const calls = new CallUses(project, index, known, resolver, sink);
  for (const call of index.calls) calls.read(call);
  const escapes = new Escapes(project, index, sink);
  for (const file of looked) escapes.readFile(file);
  const manager = readManagerOptions(project, index, known, sink, doubts);
  const all = [...uses.values()].sort(byPlace);
  const controllers = all.filter(({ reason }) => /(^|\.)for\(/.test(reason));
  return {
    uses: all,
    optional: optionalUses(all, controllers).sort(byPlace),
    unresolved: [...unresolved.values()].sort(byPlace),
    places: files
      .flatMap((file): MarkerPlace[] => markerPlaces(project, file))
      .sort((a, b) => compareText(a.file, b.file)),
    ...manager,
  };
}

export interface ProgramReading extends ReadResult {
  /** Undefined where the sources have errors. */
  readonly calls: CallReport | undefined;
}

/**
 * Reads the markers of `options.files` and the calls of the program that begins at `entries`, in one program: a lean one where that will
 * do.
 */
export function readProgram(options: ReadOptions, entries: readonly string[]): ProgramReading {
  const files = [...options.files, ...entries];
  const lean = open({ ...options, files }, 'calls');
  const result = lean && readLean(options, lean);
  const calls = result && leanly(() => readCallsIn(lean, entries, true));
  if (result !== undefined && calls !== undefined) return { ...result, calls };
  const whole = open({ ...options, files }, false);
  // What is wrong with the project is said by the reader of markers.
  const full = result ?? readFull(options, whole);
  const failed = whole === undefined || full.diagnostics.some(({ severity }) => severity === 'error');
  const inputs = [...new Set([...full.inputs, ...(whole?.inputs ?? [])])].sort();
  return { ...full, inputs, calls: failed ? undefined : readCallsIn(whole, entries, false) };
}

/** Undefined where tsconfig.json is wrong. */
function open(options: ReadOptions, lean: false | 'calls'): SourceProject | undefined {
  try {
    return new SourceProject(options, lean);
  } catch (error) {
    if (options.tsconfig === undefined) throw error;
    return undefined;
  }
}

/** The files given and what they import; modules that are imported when the program runs belong to it, too. */
function reachable(project: SourceProject, entries: readonly string[]): ts.SourceFile[] {
  const wanted = new Set(entries);
  const found = new Set(project.reachableFrom(project.files.filter(({ fileName }) => wanted.has(fileName))));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    const imported = [...found].flatMap((file) => dynamicImports(project, file));
    for (const file of project.reachableFrom(imported)) found.add(file);
  }
  return [...found].filter((file) => !file.isDeclarationFile).sort((a, b) => compareText(a.fileName, b.fileName));
}

function dynamicImports(project: SourceProject, file: ts.SourceFile): ts.SourceFile[] {
  if (!file.text.includes('import(')) return [];
  const found: ts.SourceFile[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      const module = argument && project.checker.getSymbolAtLocation(argument)?.valueDeclaration;
      if (module !== undefined) found.push(module.getSourceFile());
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function byPlace(a: { position: SourcePosition }, b: { position: SourcePosition }): number {
  return (
    compareText(a.position.file, b.position.file) ||
    a.position.line - b.position.line ||
    a.position.column - b.position.column
  );
}
