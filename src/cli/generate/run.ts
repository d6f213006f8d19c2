import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { generate } from '../../generate/generate.ts';
import {
  type CallReport,
  compareDiagnostics,
  compareText,
  type Diagnostic,
  type Model,
  type OutputFile,
} from '../../model/index.ts';
import { compareOutput } from '../../output/compare.ts';
import { KnownFiles } from '../../output/known-files.ts';
import { writeOutput } from '../../output/write.ts';
import {
  checkNotPlugAndPlay,
  checkOwnVersion,
  checkRuntimeVersion,
  findSources,
  findTsconfig,
  type Sources,
} from '../../project/index.ts';
import type { ReadOptions, ReadResult, ReadSession } from '../../reader/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { UsagePlan } from '../rbac/usage.ts';
import type { GenerateFlags } from './flags.ts';
import { certainProblems } from './certain.ts';
import { checkListedDefinitions, listedDefinitions } from './listed-definitions.ts';
import { outputSet } from './output-set.ts';
import { rememberRun } from './manifest.ts';
import { type Plan, planGenerate } from './plan.ts';
import { type FileState, type Report, writeReport } from './report.ts';

/** `create-operator generate`; `argv` is what the user typed, where it was this command. */
export async function runGenerate(flags: GenerateFlags, io: Io, argv?: readonly string[]): Promise<ExitCode> {
  const plan = planGenerate(flags, io.folder);
  checkNotPlugAndPlay(plan.root);
  checkRuntimeVersion(plan.root);
  if (plan.mode === 'check') checkOwnVersion(plan.root);
  if (flags.watch === true) {
    const { watchSources } = await import('./watch.ts');
    const memory: RunMemory = { session: undefined, outputs: new KnownFiles() };
    return await watchSources(plan, io, () => runOnce(plan, flags.format, io, undefined, memory));
  }
  return await runOnce(plan, flags.format, io, argv);
}

/** What the runs of `--watch` hand on, so that each does no more than its edit asks for. */
interface RunMemory {
  session: ReadSession | undefined;
  readonly outputs: KnownFiles;
}

async function runOnce(
  plan: Plan,
  format: GenerateFlags['format'],
  io: Io,
  argv?: readonly string[],
  memory?: RunMemory,
): Promise<ExitCode> {
  const began = Date.now();
  const sources = findSources(plan.globs, plan.root);
  const { model, part, diagnostics, inputs = [], calls } = await readSources(plan, sources, memory);
  const generated =
    model === undefined
      ? { files: [], diagnostics: part === undefined ? [] : checkPart(part, diagnostics, plan), roles: 0 }
      : generate(model, plan.outputs);
  const all = [...diagnostics, ...generated.diagnostics].sort(compareDiagnostics);
  const failed = all.some(isError);
  const files = failed ? [] : await putOut(plan, generated.files, io, memory?.outputs);
  const permissions =
    failed || model === undefined || calls === undefined ? [] : await checkPermissions(plan, sources, model, calls);
  const listed = failed || plan.mode === 'print' ? [] : checkListedDefinitions(plan, generated.files);
  const report: Report = {
    mode: plan.mode,
    diagnostics: [...all, ...listed, ...permissions].sort(compareDiagnostics),
    kinds: model?.kinds.length ?? 0,
    roles: generated.roles,
    files,
    failed,
  };
  await writeReport(report, format, io, (file) => readSource(plan.root, file));
  if (plan.mode === 'write' && !failed && memory === undefined) {
    const paths = generated.files.map(({ path }) => path).sort(compareText);
    const caller = { folder: io.folder, argv: format === 'text' ? argv : undefined };
    rememberRun(plan, caller, { ...report, sources, inputs, files: paths, began });
  }
  const drifted = plan.mode === 'check' && files.some(({ state }) => state !== 'unchanged');
  return failed || drifted || permissions.some(isError) ? exitCode.problems : exitCode.done;
}

/** What the operator's calls need beside what its markers grant. */
async function checkPermissions(
  plan: Plan,
  sources: Sources,
  model: Model,
  calls: CallReport,
): Promise<readonly Diagnostic[]> {
  // Sources that call nothing are types: then the operator's code stands elsewhere.
  if (calls.uses.length === 0 && calls.unresolved.length === 0) return [];
  const { usageOf } = await import('../rbac/usage.ts');
  const { usage } = usageOf(calls, usagePlan(plan, sources), model.policyRules);
  // Of a part of a program nobody can say what the rest of it uses.
  return calls.makesManager ? usage.diagnostics : usage.diagnostics.filter(({ code }) => code !== 'CO2121');
}

function usagePlan(plan: Plan, sources: Sources): UsagePlan {
  const { root, rbacDir, roleName, ownNamespace, kindRoleNamespace } = plan.outputs;
  return {
    root,
    sources: sources.files.map(slashed),
    inProject: !plan.namedSources,
    tsconfig: tsconfigOf(plan, sources),
    roleName,
    rbacDir,
    ownNamespace,
    namespaced: kindRoleNamespace !== undefined,
  };
}

function tsconfigOf(plan: Plan, sources: Sources): string | undefined {
  const tsconfig = plan.tsconfig ?? findTsconfig(sources.files);
  return tsconfig === undefined ? undefined : slashed(tsconfig);
}

const emptyModel: Model = { kinds: [], policyRules: [], webhooks: [], webhookConfigurations: [] };

interface Reading {
  /** `undefined` where the sources could not be read whole. */
  readonly model: Model | undefined;
  /** What could be read where there are errors. */
  readonly part?: Model;
  readonly diagnostics: readonly Diagnostic[];
  /** The files that were read. */
  readonly inputs?: readonly string[];
  /** What the operator's program calls: in a check of roles only, since it takes the whole program. */
  readonly calls?: CallReport | undefined;
}

async function readSources(plan: Plan, sources: Sources, memory?: RunMemory): Promise<Reading> {
  const unmatched = plan.namedSources ? sources.unmatched : [];
  if (unmatched.length > 0 || (plan.namedSources && sources.files.length === 0)) {
    return { model: undefined, diagnostics: (unmatched.length > 0 ? unmatched : sources.patterns).map(nothingMatches) };
  }
  if (sources.files.length === 0) {
    const isLost = (listedDefinitions(plan)?.size ?? 0) > 0;
    // Else it is a project that has no API yet.
    return isLost ? { model: undefined, diagnostics: [nothingLeft(plan)] } : { model: emptyModel, diagnostics: [] };
  }
  const options = {
    files: sources.files.map(slashed),
    root: plan.outputs.root,
    allowedTags: plan.allowedTags,
    tsconfig: tsconfigOf(plan, sources),
  };
  const { model, diagnostics, inputs, calls } = await readModel(plan, sources, options, memory);
  if (diagnostics.some(isError)) return { model: undefined, part: model, diagnostics };
  const isEmpty = model.kinds.length + model.policyRules.length + model.webhooks.length === 0;
  const found = plan.namedSources && isEmpty ? [...diagnostics, nothingFound(sources)] : diagnostics;
  return { model, diagnostics: found, inputs, calls };
}

async function readModel(
  plan: Plan,
  sources: Sources,
  options: ReadOptions,
  memory?: RunMemory,
): Promise<ReadResult & { calls?: CallReport | undefined }> {
  const { read, readProgram, ReadSession } = await import('../../reader/index.ts');
  if (memory !== undefined) return read(options, (memory.session ??= new ReadSession()));
  if (plan.mode !== 'check' || plan.outputs.rbacDir === undefined) return read(options);
  const { programEntries } = await import('../rbac/usage.ts');
  return readProgram(options, programEntries(usagePlan(plan, sources)));
}

/** What is wrong in any case with the part of a model that could be read. */
function checkPart(part: Model, diagnostics: readonly Diagnostic[], plan: Plan): Diagnostic[] {
  const { root, kubernetesVersion, roleName } = plan.outputs;
  // Without folders it checks, and has nothing to write.
  const { diagnostics: found } = generate(part, { root, kubernetesVersion, roleName, kindRoles: false });
  return certainProblems(found, diagnostics.filter(isError));
}

const slashed = (path: string): string => path.replaceAll('\\', '/');

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';

function nothingMatches(pattern: string): Diagnostic {
  return {
    code: 'CO2400',
    severity: 'error',
    message: `no TypeScript source matches ${pattern}`,
    remedy: 'node_modules, .d.ts and .test.ts files, and files that create-operator has generated do not count',
  };
}

/** All outputs would be removed then: rather a pattern is wrong than a project at its end. */
function nothingFound({ files, patterns }: Sources): Diagnostic {
  return {
    code: 'CO2401',
    severity: 'error',
    message: `no kind, no permission and no webhook is declared in what matches ${patterns.join(', ')}; files: ${files.length}`,
    remedy: 'a kind carries the marker Resource, a permission Rbac, a webhook MutatingWebhook or ValidatingWebhook',
  };
}

/** The same of a project: its sources are moved, or not checked out. */
function nothingLeft({ globs }: Plan): Diagnostic {
  return {
    code: 'CO2400',
    severity: 'error',
    message: `no TypeScript source matches ${globs.join(', ')}, and the project has kinds`,
    remedy: 'take its sources from your version control; create-operator delete api takes a kind out of a project',
  };
}

async function putOut(plan: Plan, files: readonly OutputFile[], io: Io, known?: KnownFiles): Promise<FileState[]> {
  if (plan.mode === 'print') return files.map(({ path, content }) => ({ path, state: 'printed', content }));
  const set = outputSet(plan.outputs, plan.root, files);
  if (plan.mode === 'check') {
    const differences = compareOutput(set);
    return withUnchanged(
      files,
      differences.map((difference) => ({ path: difference.path, state: difference.state, difference })),
    );
  }
  const release = io.holdSignals();
  try {
    const { written, removed } = await writeOutput(set, undefined, known);
    return withUnchanged(files, [
      ...written.map((path) => ({ path, state: 'written' as const })),
      ...removed.map((path) => ({ path, state: 'removed' as const })),
    ]);
  } finally {
    release();
  }
}

function withUnchanged(files: readonly OutputFile[], states: readonly FileState[]): FileState[] {
  const named = new Set(states.map(({ path }) => path));
  const unchanged = files
    .filter(({ path }) => !named.has(path))
    .map(({ path }): FileState => ({ path, state: 'unchanged' }));
  return [...states, ...unchanged].sort((a, b) => compareText(a.path, b.path));
}

/** A source for the frame around a diagnostic. One that cannot be read any more has none. */
function readSource(root: string, file: string): string | undefined {
  try {
    return readFileSync(resolve(root, file), 'utf8');
  } catch {
    return undefined;
  }
}
