import { pluralOfKind } from '../../markers/plural.ts';
import { packageManagerCommands } from '../../project/package-manager.ts';
import { isSameVersion, type ProjectResource } from '../../project/operator-file.ts';
import {
  checkGroup,
  checkKind,
  checkPlural,
  checkVersion,
  isOwn,
  type NameProblem,
  planProjectChange,
  resourcePaths,
  withResource,
} from '../../scaffold/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { runGenerate } from '../generate/run.ts';
import { ask } from '../init/ask.ts';
import type { Io } from '../io.ts';
import { hasRuntime, openProject, ownPackages, type ProjectFolder } from '../project-folder.ts';
import { changeList, listOverwritten, planned, refuseConflicts, writeChanges } from '../scaffold-changes.ts';
import { UsageError } from '../usage-error.ts';
import { type DeclaredKind, findDeclaredKind } from './adopt.ts';
import type { ApiFlags } from './flags.ts';
import { findCoreKind, findImportedKind, type ForeignKind, isKubernetesGroup } from './foreign-kind.ts';

/** `create-operator api` */
export async function runApi(flags: ApiFlags, io: Io): Promise<ExitCode> {
  const folder = openProject(io);
  const asked = await askedKind(flags, folder, io);
  const wanted = {
    ...asked.names,
    ...(asked.defined ?? {
      plural: flags.plural ?? knownPlural(folder, asked.names) ?? pluralOfKind(asked.names.kind),
    }),
    scope: asked.defined?.scope ?? flags.scope,
    controller: flags.controller,
  };
  const { project, resource, isNew } = await planned(() => withResource(folder.file, wanted));
  const input = { ...folder, versions: ownPackages(), force: flags.force === true };
  const rewritten = flags.force === true && !isNew ? resource : undefined;
  const plan = await planned(() => planProjectChange(input, folder.file, project, rewritten));
  refuseConflicts(plan);

  const { group, version, kind } = resource;
  const name = `${kind} (${group === '' ? version : `${group}/${version}`})`;
  if (plan.changes.length === 0) {
    io.stdout.write(`${name} is in the project already; nothing was changed\n`);
    return exitCode.done;
  }
  const did = isNew ? ['Would add', 'Added'] : ['Would change', 'Changed'];
  if (flags.dryRun === true) {
    io.stdout.write(`${did[0]} ${name}:\n${changeList(plan)}Nothing was written.\n`);
    return exitCode.done;
  }
  listOverwritten(plan, io);
  await writeChanges(folder, plan, io);
  io.stdout.write(`${did[1]} ${name}:\n${changeList(plan)}`);
  return await finished(flags, resource, folder, io);
}

/** Runs `generate`, and says what comes next. */
async function finished(flags: ApiFlags, resource: ProjectResource, folder: ProjectFolder, io: Io): Promise<ExitCode> {
  const { root, file } = folder;
  const installed = hasRuntime(root);
  const code =
    flags.generate && installed ? await runGenerate({ format: 'text' }, { ...io, folder: root }) : exitCode.done;
  if (code !== exitCode.done) return code;
  const { types, controller } = resourcePaths(resource, file.multigroup === true);
  const { install, run } = packageManagerCommands[file.packageManager ?? 'npm'];
  const steps = [
    ...(installed ? [] : [`${install}, then ${run} generate: the dependencies are not there yet`]),
    ...(isOwn(resource)
      ? [`edit ${types}: what ${/^[AEIOU]/.test(resource.kind) ? 'an' : 'a'} ${resource.kind} is`]
      : []),
    ...(resource.controller ? [`edit ${controller}: what it does`] : []),
    ...(isOwn(resource) ? [`${run} generate, after each change of the types`] : []),
    `${run} test, then ${run} dev`,
  ];
  io.stdout.write(`\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
  return exitCode.done;
}

type Names = Pick<ProjectResource, 'group' | 'version' | 'kind'>;

/** The kind that the user wants, and what says already what it is: others, or types in the project. */
async function askedKind(
  flags: ApiFlags,
  folder: ProjectFolder,
  io: Io,
): Promise<{ readonly names: Names; readonly defined: ForeignKind | DeclaredKind | undefined }> {
  const { root, file } = folder;
  const asks = (name: string): NameProblem | undefined => (isKubernetesGroup(name) ? undefined : checkGroup(name));
  const given = await nameOf('--group', flags.group, 'The API group, a domain of your own?', 'example.com', asks, io);
  const group = given === 'core' ? '' : given;
  const version = await nameOf('--version', flags.version, 'The API version?', 'v1', checkVersion, io);
  // What others define may have a name that we refuse for own kinds, which are looked at below.
  const checked = flags.kind !== undefined || isKubernetesGroup(group) ? checkForeignKind : checkKind;
  const kind = await nameOf('--kind', flags.kind, 'The kind?', 'Widget', checked, io);
  const names = { group, version, kind };
  const core = isKubernetesGroup(group) ? await findCoreKind(group, version, kind) : undefined;
  if (core !== undefined) {
    if (flags.resource === true) {
      throw new UsageError(
        `${kind} of ${given}/${version} is defined by Kubernetes: the project cannot define it`,
        'leave out --resource; for a kind of your own give a group of your own',
      );
    }
    return { names, defined: asDefined(flags, core, 'others define the kind') };
  }
  const isKnown = file.resources.some((each) => each.group === group && each.kind === kind && isOwn(each));
  const imported =
    flags.resource === true || isKnown ? undefined : findImportedKind(root, names, flags.externalApiPath, io);
  if (imported !== undefined) return { names, defined: asDefined(flags, imported, 'others define the kind') };
  if (flags.resource === false) {
    throw new UsageError(
      `${kind} of ${given}/${version} is neither a kind of Kubernetes nor imported`,
      'import it first: create-operator import <its CRD> --out src/imported',
    );
  }
  if (flags.externalApiPath !== undefined) {
    throw new UsageError(`${kind} is defined by the project: --external-api-path goes with kinds of others`);
  }
  const isScaffolded = file.resources.some((each) => isSameVersion(each, names));
  const declared = isScaffolded || flags.force === true ? undefined : findDeclaredKind(folder, names);
  if (declared !== undefined) return { names, defined: asDefined(flags, declared, 'its types are there already') };
  for (const problem of [
    checkGroup(given),
    checkKind(kind),
    flags.plural === undefined ? undefined : checkPlural(flags.plural),
  ]) {
    if (problem !== undefined) throw new UsageError(problem.message, problem.remedy);
  }
  return { names, defined: undefined };
}

/** @throws UsageError for flags that only a new kind can take */
function asDefined<Defined extends ForeignKind | DeclaredKind>(flags: ApiFlags, kind: Defined, why: string): Defined {
  if (flags.plural !== undefined && flags.plural !== kind.plural) {
    throw new UsageError(`--plural ${flags.plural}: ${why}, and its plural is ${kind.plural}`);
  }
  if (flags.scope !== undefined && flags.scope !== kind.scope) {
    throw new UsageError(`--scope ${flags.scope}: ${why}, and it is ${kind.scope}`);
  }
  return kind;
}

function checkForeignKind(kind: string): NameProblem | undefined {
  return /^[A-Za-z][A-Za-z0-9]{0,62}$/.test(kind) ? undefined : checkKind(kind);
}

function knownPlural({ file }: ProjectFolder, { group, kind }: Names): string | undefined {
  return file.resources.find((each) => each.group === group && each.kind === kind)?.plural;
}

/** A name from its flag, or from the user where there is a terminal. */
async function nameOf(
  flag: string,
  given: string | undefined,
  question: string,
  example: string,
  check: (name: string) => NameProblem | undefined,
  io: Io,
): Promise<string> {
  if (given === undefined && !io.isInteractive) {
    throw new UsageError(`${flag} is missing, and there is no terminal to ask in`, `for instance ${flag} ${example}`);
  }
  const name = given ?? (await ask(io, question, example, (answer) => check(answer)?.message));
  const problem = check(name);
  if (problem !== undefined) throw new UsageError(problem.message, problem.remedy);
  return name;
}
