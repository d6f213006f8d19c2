import { packageManagerCommands } from '../../project/package-manager.ts';
import { ownVersion } from '../../project/version.ts';
import { type FileNote, planUpgrade } from '../../scaffold/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { openProject, ownPackages } from '../project-folder.ts';
import { changeList, planned, writeChanges } from '../scaffold-changes.ts';
import { UsageError } from '../usage-error.ts';
import type { UpgradeFlags } from './flags.ts';

/** `create-operator upgrade` */
export async function runUpgrade(flags: UpgradeFlags, io: Io): Promise<ExitCode> {
  const folder = openProject(io);
  const version = ownVersion();
  const { cliVersion } = folder.file;
  refuseOlder(cliVersion, version);
  const plan = await planned(() => planUpgrade({ ...folder, versions: ownPackages() }, folder.file, version));
  const isDry = flags.dryRun === true;
  const code = plan.conflicts.length === 0 ? exitCode.done : exitCode.problems;
  if (plan.changes.length === 0 && code === exitCode.done) {
    io.stdout.write(`The project is as create-operator ${version} scaffolds it; nothing was changed\n`);
    return code;
  }
  const way = `from ${cliVersion ?? 'an unknown version'} to ${version}`;
  if (!isDry) await writeChanges(folder, plan, io);
  io.stdout.write(`${isDry ? 'Would upgrade' : 'Upgraded'} ${way}:\n${changeList(plan)}`);
  if (isDry) io.stdout.write('Nothing was written.\n');
  if (plan.conflicts.length > 0) io.stderr.write(conflictReport(plan.conflicts, isDry));
  if (!isDry) {
    const { install, run } = packageManagerCommands[folder.file.packageManager ?? 'npm'];
    io.stdout.write(`\nNext:\n  ${install}\n  ${run} generate\n  ${run} build, then ${run} test\n`);
  }
  return code;
}

function conflictReport(conflicts: readonly FileNote[], isDry: boolean): string {
  const list = conflicts.map(({ path, reason }) => `CONFLICT ${path}: ${reason}\n`).join('');
  const help = isDry
    ? 'they would get conflict markers'
    : 'edit them: what is yours stands between <<<<<<< and =======';
  return `${list}error: ${conflicts.length} ${conflicts.length === 1 ? 'conflict' : 'conflicts'}\n  help: ${help}\n`;
}

/** Going back would take away what the newer version brought. */
function refuseOlder(from: string | undefined, to: string): void {
  if (from === undefined || !isNewer(from, to)) return;
  throw new UsageError(
    `the project was scaffolded by create-operator ${from}, and this is ${to}`,
    `use that one, or a newer: npx create-operator@${from} upgrade`,
  );
}

/** Whether a version is newer than another by its numbers: what comes before its release counts as the release. */
function isNewer(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) =>
    text
      .replace(/[-+].*$/, '')
      .split('.')
      .map(Number),
  );
  for (let index = 0; index < 3; index++) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
