import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';
import type { GenerateFlags } from './flags.ts';

export function defineGenerate(program: Command, io: Io, finish: Finish, argv: readonly string[]): void {
  program
    .command('generate')
    .description('write CRDs, roles, webhook configurations and typed clients from marked TypeScript types')
    .option('--source <glob>', 'read these files, folders or globs (repeatable)', append)
    .option('--crd-dir <dir>', 'write CustomResourceDefinitions here: <group>_<plural>.yaml')
    .option('--rbac-dir <dir>', 'write the roles of Rbac markers here: role.yaml')
    .option('--role-name <name>', 'the role of markers that name none (default: manager-role)')
    .option('--kind-roles', 'write the admin, editor and viewer role of each kind, too')
    .option('--aggregate-kind-roles', "the same, taken in by Kubernetes' own roles admin, edit and view")
    .option('--webhook-dir <dir>', 'write webhook configurations here: manifests.yaml')
    .option('--conversion-webhook <kind.group>', 'a webhook converts the objects of this kind (repeatable)', append)
    .option('--client-dir <dir>', 'write typed clients here: <version>/<kind>.ts')
    .option('--tsconfig <file>', 'the tsconfig.json of the sources (default: the nearest above them)')
    .option('--kubernetes-version <version>', 'the oldest Kubernetes that the definitions are for (default: 1.34)')
    .option('--check', 'write nothing; show what is missing, stale or changed, and exit 1 if anything is')
    .option('--stdout', 'print the outputs and write nothing')
    .option('--watch', 'run again whenever a source changes')
    .addOption(new Option('--format <format>', 'how to report').choices(['text', 'json']).default('text'))
    .allowExcessArguments(false)
    .action(async (flags: GenerateFlags) => {
      const { repeatRun } = await import('./manifest.ts');
      const repeated = await repeatRun(flags, io);
      if (repeated !== undefined) return finish(repeated);
      const { runGenerate } = await import('./run.ts');
      finish(await runGenerate(flags, io, argv));
    });
}

function append(glob: string, globs: readonly string[] | undefined): readonly string[] {
  return [...(globs ?? []), glob];
}
