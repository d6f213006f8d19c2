import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkRules } from '../../generate/rbac/check.ts';
import { emitRoles } from '../../generate/rbac/role.ts';
import { rolesOf } from '../../generate/rbac/rules.ts';
import { derivedRules, type EditedFile, insertMarkers } from '../../generate/rbac/usage/index.ts';
import { type CallReport, compareDiagnostics, type Diagnostic, type PolicyRule } from '../../model/index.ts';
import { unifiedDiff, writeOutput } from '../../output/index.ts';
import {
  checkRuntimeVersion,
  findSources,
  findTsconfig,
  projectLayout,
  readOperatorMembers,
  readSettings,
  toProjectPath,
} from '../../project/index.ts';
import { formatDiagnostics } from '../diagnostics.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { hasColor, type Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import type { RbacFlags } from './flags.ts';
import { type ProgramFacts, recall, remember } from './memory.ts';
import { usageJson, usageText } from './report.ts';
import { programEntries, type UsagePlan, type UsageReading, usageOf } from './usage.ts';

interface Plan extends UsagePlan {
  readonly allowedTags: readonly string[];
}

/** `create-operator rbac` */
export async function runRbac(flags: RbacFlags, io: Io): Promise<ExitCode> {
  if (flags.check === true && flags.write === true) throw new UsageError('--check writes nothing; leave out --write');
  if (flags.write === true && flags.format !== 'text') {
    throw new UsageError('--write goes with --format text only', 'leave out --format');
  }
  const plan = planRbac(flags, io.folder);
  checkRuntimeVersion(plan.root);
  const { problems, policyRules, calls } = await readSources(plan);
  if (calls === undefined || problems.some(isError)) {
    printDiagnostics(problems, plan.root, io);
    io.stderr.write('the permissions cannot be compared before the problems are mended\n');
    return exitCode.problems;
  }
  const reading = usageOf(calls, plan, policyRules);
  const all = [...problems, ...reading.usage.diagnostics].sort(compareDiagnostics);
  if (flags.write === true) return await write(reading, policyRules, plan, flags, io);
  if (flags.format === 'json') io.stdout.write(`${JSON.stringify(usageJson(reading.usage, all), undefined, 2)}\n`);
  else if (flags.format === 'yaml') {
    io.stdout.write(emitRoles(rolesOf(derivedRules(reading.ownUses, plan.ownNamespace), plan.roleName)));
  } else if (flags.check !== true) io.stdout.write(usageText(reading.usage));
  const shown = flags.format === 'json' ? [] : flags.check === true ? all : problems;
  printDiagnostics(shown, plan.root, io);
  if (flags.check !== true) return exitCode.done;
  if (flags.format === 'text') io.stdout.write(`${summary(all)}\n`);
  return all.some(isError) ? exitCode.problems : exitCode.done;
}

function planRbac(flags: RbacFlags, folder: string): Plan {
  const settings = readSettings(folder);
  const inProject = settings.root !== undefined && flags.source === undefined;
  if (!inProject && flags.source === undefined) {
    throw new UsageError(
      'no sources are named, and this is no project of create-operator (no operator.json here or above)',
      "name them: --source 'src/**/*.ts'",
    );
  }
  const root = (inProject ? (settings.root ?? folder) : folder).replaceAll('\\', '/');
  const { files, unmatched } = findSources(flags.source ?? projectLayout.sources, root);
  if (flags.source !== undefined && unmatched.length > 0) {
    throw new UsageError(`no TypeScript source matches ${unmatched.join(', ')}`);
  }
  const sources = files.map((file) => file.replaceAll('\\', '/'));
  const named = flags.tsconfig === undefined ? undefined : resolve(folder, flags.tsconfig);
  if (named !== undefined && !existsSync(named)) throw new UsageError(`--tsconfig: there is no file ${named}`);
  const begin = sources.length > 0 ? sources : [`${root}/src/main.ts`];
  const tsconfig = (named ?? findTsconfig(begin))?.replaceAll('\\', '/');
  return {
    root,
    sources,
    inProject,
    tsconfig,
    roleName: flags.roleName ?? projectLayout.roleName,
    rbacDir:
      flags.rbacDir === undefined ? (inProject ? projectLayout.rbacDir : undefined) : folderOf(flags.rbacDir, root),
    allowedTags: settings.allowedTags,
    ownNamespace: inProject ? ownNamespace(root) : undefined,
    namespaced: inProject && settings.namespaced,
  };
}

function folderOf(folder: string, root: string): string {
  const path = toProjectPath(folder, root);
  if (path === undefined) throw new UsageError(`--rbac-dir ${folder} lies on another drive than ${root}`);
  return path;
}

/** The namespace that the scaffolded manifests put the operator into. */
function ownNamespace(root: string): string | undefined {
  const { projectName } = readOperatorMembers(readFileSync(join(root, 'operator.json'), 'utf8'));
  // Projects that were not scaffolded by us need no name.
  return projectName === undefined ? undefined : `${projectName}-system`;
}

interface Reading extends Omit<ProgramFacts, 'calls'> {
  /** Undefined where the sources have errors. */
  readonly calls: CallReport | undefined;
}

/** The markers of the sources, and the calls of the program: as the last run read them where nothing has changed since. */
async function readSources(plan: Plan): Promise<Reading> {
  const entries = programEntries(plan);
  const { root, sources, tsconfig, allowedTags } = plan;
  const task = { root, sources, entries, tsconfig, allowedTags };
  const known = recall(task);
  if (known !== undefined) return known;
  const began = Date.now();
  const { readCalls, readProgram } = await import('../../reader/index.ts');
  // A project that has no API yet.
  if (sources.length === 0)
    return { problems: [], policyRules: [], calls: readCalls({ files: entries, root, tsconfig }) };
  const { model, diagnostics, calls, inputs } = readProgram({ files: sources, root, allowedTags, tsconfig }, entries);
  const facts = { problems: [...diagnostics, ...checkRules(model)], policyRules: model.policyRules, calls };
  if (calls !== undefined && !facts.problems.some(isError)) remember(task, { ...facts, calls }, inputs, began);
  return facts;
}

async function write(
  { calls, usage }: UsageReading,
  policyRules: readonly PolicyRule[],
  plan: Plan,
  flags: RbacFlags,
  io: Io,
): Promise<ExitCode> {
  printDiagnostics(
    usage.diagnostics.filter(({ code }) => code !== 'CO2120' && code !== 'CO2121'),
    plan.root,
    io,
  );
  if (usage.missing.length === 0) {
    io.stdout.write('nothing is missing\n');
    return exitCode.done;
  }
  const read = new Set(plan.sources);
  const edited = insertMarkers({
    missing: usage.missing,
    places: calls.places.filter(({ file }) => read.has(`${plan.root}/${file}`)),
    policyRules,
    ownNamespace: plan.ownNamespace,
    read: (file) => readFileSync(join(plan.root, file), 'utf8'),
  });
  if (edited === undefined) {
    printDiagnostics(usage.diagnostics.filter(isError), plan.root, io);
    io.stderr.write('no class of the sources can carry the markers\n  help: Rbac stands on reconciler classes\n');
    return exitCode.problems;
  }
  if (flags.stdout === true) {
    for (const file of edited) io.stdout.write(unifiedDiff(difference(file)));
    return exitCode.done;
  }
  await writeFiles(edited, plan.root, io);
  io.stdout.write(`${edited.map(({ file }) => `changed ${file}\n`).join('')}run create-operator generate\n`);
  return exitCode.done;
}

function difference({ file, before, after }: EditedFile): Parameters<typeof unifiedDiff>[0] {
  return { path: file, state: 'changed', current: before, expected: after };
}

async function writeFiles(edited: readonly EditedFile[], root: string, io: Io): Promise<void> {
  const release = io.holdSignals();
  try {
    await writeOutput({
      root,
      folders: [{ path: '.', depth: 0, owns: () => false, replacesForeign: true }],
      files: edited.map(({ file, after }) => ({ path: file, content: after })),
    });
  } finally {
    release();
  }
}

function printDiagnostics(diagnostics: readonly Diagnostic[], root: string, io: Io): void {
  const source = (file: string): string | undefined => {
    const path = resolve(root, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const style = { color: hasColor(io, io.stderr), ...(io.stderr.isTerminal ? { source } : {}) };
  io.stderr.write(formatDiagnostics(diagnostics, style));
}

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';

function summary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError).length;
  const warnings = diagnostics.length - errors;
  if (diagnostics.length === 0) return 'what is used is granted, and nothing else';
  return `${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
}
