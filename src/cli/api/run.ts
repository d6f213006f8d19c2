import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pluralOfKind } from '../../markers/plural.ts';
import { writeOutput } from '../../output/index.ts';
import { nearest } from '../../project/settings.ts';
import {
  ApiConflictError,
  checkGroup,
  checkKind,
  checkVersion,
  type NameProblem,
  parseOperatorFile,
  planApi,
  type PlannedFile,
} from '../../scaffold/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { runGenerate } from '../generate/run.ts';
import { ask } from '../init/ask.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import type { ApiFlags } from './command.ts';

/** `create-operator api` */
export async function runApi(flags: ApiFlags, io: Io): Promise<ExitCode> {
  const root = nearest(io.folder, 'operator.json');
  if (root === undefined) {
    throw new UsageError(
      'this is no project: there is no operator.json here or above',
      'create one first: npx create-operator my-operator',
    );
  }
  const group = await nameOf(
    '--group',
    flags.group,
    'The API group, a domain of your own?',
    'example.com',
    checkGroup,
    io,
  );
  const version = await nameOf('--version', flags.version, 'The API version?', 'v1', checkVersion, io);
  const kind = await nameOf('--kind', flags.kind, 'The kind?', 'Widget', checkKind, io);
  const resource = {
    group,
    version,
    kind,
    plural: pluralOfKind(kind),
    scope: flags.scope,
    controller: flags.controller,
  };

  const files = await planned(root, resource);
  const release = io.holdSignals();
  try {
    await writeOutput({ root, folders: [{ path: '.', depth: 0, owns: () => false, replacesForeign: true }], files });
  } finally {
    release();
  }
  io.stdout.write(`Added ${kind} (${group}/${version}):\n${files.map(({ path }) => `  ${path}\n`).join('')}`);

  const installed = hasRuntime(root);
  const code =
    flags.generate && installed ? await runGenerate({ format: 'text' }, { ...io, folder: root }) : exitCode.done;
  if (code !== exitCode.done) return code;
  const file = kind.toLowerCase();
  const steps = [
    ...(installed ? [] : ['npm install, then npm run generate: the dependencies are not there yet']),
    `edit src/api/${version}/${file}.types.ts: what a ${kind} is`,
    ...(flags.controller ? [`edit src/controllers/${file}-controller.ts: what it does`] : []),
    'npm run generate, after each change of the types',
    'npm test, then npm run dev',
  ];
  io.stdout.write(`\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
  return code;
}

/** Whether the project's dependencies are installed: its types cannot be read without them. */
function hasRuntime(root: string): boolean {
  try {
    createRequire(join(root, 'package.json')).resolve('operator-runtime/package.json');
    return true;
  } catch {
    return false;
  }
}

async function planned(root: string, resource: Parameters<typeof planApi>[2]): Promise<readonly PlannedFile[]> {
  const read = (path: string): string | undefined => {
    try {
      return readFileSync(join(root, path), 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  };
  try {
    return await planApi(root, parseOperatorFile(read('operator.json') ?? ''), resource, read);
  } catch (error) {
    if (error instanceof ApiConflictError) throw new UsageError(error.message, error.hint);
    throw error;
  }
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
