// Every option of the scaffold and every package manager at least once, from the packed tarballs to passing tests.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackageManager, packageManagerCommands } from '../../src/project/package-manager.ts';
import { root as repository, run, runChecked } from '../../tools/repository.ts';
import { findProgram, findPrograms } from '../conformance/kubernetes/programs.ts';
import { installPackageManagers } from './package-managers.ts';
import { packages, type Packages } from './project.ts';

const minute = 60_000;
const managers = await installPackageManagers();
const kubectl = await findProgram('kubectl');

let packed: Packages;
beforeAll(async () => {
  packed = await packages();
}, 5 * minute);
afterAll(() => packed?.remove());

const api = (group: string, version: string, kind: string, ...more: string[]): string[] => [
  'api',
  '--group',
  group,
  '--version',
  version,
  '--kind',
  kind,
  ...more,
];

interface Row {
  readonly manager: PackageManager;
  readonly choices: readonly string[];
  /** What is done to the project, one command after another. */
  readonly commands: readonly (readonly string[])[];
  /** How many files of tests pass at the end. */
  readonly tests: number;
}

/** Kinds of others whose names TypeScript knows, too. */
const oddNames = join(repository, 'fixtures/import/names.yaml');

// prettier-ignore
const rows: readonly Row[] = [
  {
    manager: 'npm',
    choices: ['--namespaced'],
    commands: [
      api('example.com', 'v1', 'Widget'),
      api('example.com', 'v2', 'Widget'),
      api('apps', 'v1', 'Deployment'),
      ['import', oddNames, '--out', 'src/imported'],
      api('g.test', 'v1', 'Record'),
      api('g.test', 'v1', 'default', '--no-resource'),
    ],
    tests: 5,
  },
  {
    manager: 'pnpm',
    choices: ['--multigroup'],
    commands: [
      api('example.com', 'v1', 'Widget'),
      api('other.example.com', 'v1', 'Widget', '--scope', 'Cluster'),
      api('core', 'v1', 'Node', '--no-resource'),
      api('example.com', 'v1', 'Request'),
    ],
    tests: 7,
  },
  {
    manager: 'yarn',
    choices: ['--no-helm', '--kubernetes-version', '1.36'],
    commands: [
      // Names that the templates use as well.
      api('example.com', 'v1beta1', 'Condition', '--no-controller'),
      api('example.com', 'v1beta1', 'Condition', '--controller'),
      api('example.com', 'v1beta1', 'Done'),
    ],
    tests: 4,
  },
  {
    manager: 'bun',
    choices: [],
    commands: [
      api('example.com', 'v1', 'Widget'),
      api('example.com', 'v1', 'Gone'),
      ['edit', '--multigroup', '--namespaced', '--kind-roles', 'aggregated'],
      ['delete', 'api', '--group', 'example.com', '--version', 'v1', '--kind', 'Gone'],
      ['edit', '--no-multigroup', '--no-helm'],
      ['upgrade'],
    ],
    tests: 2,
  },
];

describe.each(rows)('a project of $manager with $choices', ({ manager, choices, commands, tests }) => {
  const installed = managers.get(manager);
  const skipped = installed === undefined ? ` (skipped: ${manager} is not there and cannot be installed)` : '';

  it.skipIf(installed === undefined)(
    `is installed, generated, type-checked, linted, built and tested after each command${skipped}`,
    async () => {
      const name = `with-${manager}`;
      const root = join(packed.folder, name);
      const env = {
        PATH: installed?.path ?? '',
        npm_config_user_agent: undefined,
        // In CI yarn and pnpm install only what a lock file says; a new project has none.
        YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
        YARN_ENABLE_TELEMETRY: '0',
        NO_COLOR: '1',
        FORCE_COLOR: undefined,
        KUBEBUILDER_ASSETS: undefined,
      };
      const does = async (program: string, args: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await run(program, args, { cwd: root, env });
        expect(code, `${program} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
        return stdout;
      };
      const [, script = 'run'] = packageManagerCommands[manager].run.split(' ');

      const init = [name, '--skip-install', '--package-manager', manager, ...choices];
      await runChecked(packed.createOperator, init, { cwd: packed.folder, env });
      useTarballs(root, packed.tarballs);
      await does(manager, ['install']);
      expect(existsSync(join(root, packageManagerCommands[manager].lockFile))).toBe(true);

      const program = join(root, 'node_modules', '.bin', 'create-operator');
      for (const command of [['generate'], ...commands]) {
        await does(program, command);
        await does(program, ['generate', '--check']);
      }
      await does(manager, [script, 'typecheck']);
      await does(manager, [script, 'lint']);
      await does(manager, [script, 'build']);
      expect(await does(process.execPath, ['dist/main.js', '--help'])).toContain('--leader-elect');
      if (choices.includes('--namespaced')) {
        const unset = await run(process.execPath, ['dist/main.js'], {
          cwd: root,
          env: { ...env, WATCH_NAMESPACE: undefined },
        });
        expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('WATCH_NAMESPACE names no namespace') });
      }
      expect(await does(manager, [script, 'test'])).toMatch(new RegExp(`Test Files\\s+${tests} passed \\(${tests}\\)`));
      const assets = findPrograms();
      if (choices.includes('--namespaced') && assets !== undefined) {
        // With Roles alone, on the real thing.
        const { code, stdout, stderr } = await run(manager, [script, 'test'], {
          cwd: root,
          env: { ...env, KUBEBUILDER_ASSETS: assets },
        });
        expect(code, stdout + stderr).toBe(0);
      }
      expect(await does(program, ['upgrade'])).toContain('nothing was changed');

      if (kubectl === undefined) return;
      const folders = readdirSync(join(root, 'config')).filter((folder) =>
        existsSync(join(root, 'config', folder, 'kustomization.yaml')),
      );
      expect(folders).toContain('default');
      for (const folder of folders) await does(kubectl, ['kustomize', join('config', folder)]);
    },
    6 * minute,
  );
});

/** Lets a project take both packages from tarballs, as every package manager understands it. */
function useTarballs(root: string, tarballs: readonly string[]): void {
  const file = join(root, 'package.json');
  let text = readFileSync(file, 'utf8');
  for (const name of ['create-operator', 'operator-runtime']) {
    const tarball = tarballs.find((path) => path.includes(`${name}-`));
    text = text.replace(new RegExp(`("${name}": )"[^"]*"`), (_match, key: string) => `${key}"file:${tarball}"`);
  }
  writeFileSync(file, text);
}
