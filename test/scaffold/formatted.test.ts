// People format their projects right after init, each in a way of their own: every change of the scaffold still works.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { ownPackages } from '../../src/cli/project-folder.ts';
import { recordingIo } from '../../src/cli/testing/io.ts';
import { isGenerated } from '../../src/model/index.ts';
import { parseOperatorFile } from '../../src/project/operator-file.ts';
import { basePath, formatBase, parseBase } from '../../src/scaffold/base.ts';
import { sameButLayout } from '../../src/scaffold/layout/layout.ts';
import { choicesOf, renderScaffold } from '../../src/scaffold/scaffold.ts';
import { root as repository, runChecked } from '../../tools/repository.ts';
import { LinkedProject } from './shipped/project.ts';

const kind = (name: string): string[] => ['--group', 'example.com', '--version', 'v1', '--kind', name];

describe.each([
  { options: 'its own settings', args: [] },
  {
    options: 'other settings',
    args: (
      '--tab-width 4 --single-quote --no-semi --print-width 60 --arrow-parens avoid --quote-props consistent ' +
      '--trailing-comma none --prose-wrap always --no-bracket-spacing'
    ).split(' '),
  },
])('a project formatted by prettier with $options', ({ args }) => {
  let project: LinkedProject;
  beforeAll(async () => {
    project = await LinkedProject.create('my-operator', [
      ['--kind', 'Widget'],
      ['--kind', 'Policy', '--no-controller'],
    ]);
  }, 60_000);
  afterAll(() => project?.remove());

  const read = (path: string): string => readFileSync(project.path(path), 'utf8');

  async function format(): Promise<void> {
    const program = join(repository, 'node_modules', '.bin', 'prettier');
    await runChecked(program, ['--write', '--cache', '--no-config', ...args, '.'], { cwd: project.root });
  }

  /** The scaffold that `operator.json` gives, and each of its files that says something else in the project. */
  async function differing(): Promise<string[]> {
    const tree = await renderScaffold(project.root, choicesOf(parseOperatorFile(read('operator.json')), ownPackages()));
    const found = new Set(
      readdirSync(project.root, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/')),
    );
    return [...tree].flatMap(([path, text]) => {
      if (!found.has(path)) return [`${path} is missing`];
      return isGenerated(text) || sameButLayout(path, text, read(path)) ? [] : [path];
    });
  }

  it.each([
    [['api', ...kind('Gadget')], 'in the project already'],
    [['api', ...kind('Policy'), '--controller'], 'in the project already'],
    [['edit', '--multigroup'], 'nothing was changed'],
    [['edit', '--namespaced', '--no-helm'], 'nothing was changed'],
    [['edit', '--package-manager', 'pnpm', '--kind-roles', 'aggregated'], 'nothing was changed'],
    [['edit', '--no-namespaced', '--helm', '--no-multigroup'], 'nothing was changed'],
    [['delete', 'api', ...kind('Gadget')], undefined],
    [['upgrade'], 'nothing was changed'],
  ])(
    'does %j, and again nothing',
    async (command, unchanged) => {
      const flags = command[0] === 'upgrade' ? [] : ['--no-generate'];
      await format();
      await project.run(...command, ...flags);
      expect(await differing()).toEqual([]);
      await format();
      if (unchanged !== undefined) expect(await project.run(...command, ...flags)).toContain(unchanged);
    },
    60_000,
  );

  it('has generated files that the formatter leaves alone', async () => {
    await project.run('generate');
    await format();
    await project.run('generate', '--check');
  }, 60_000);

  it('upgrades what an older version scaffolded, and keeps what is its own', async () => {
    await format();
    const older: readonly (readonly [string, RegExp, string, string])[] = [
      ['src/main.ts', /'leader-elect'|"leader-elect"/g, "'elect'", 'const mine = [1, 2, 3];\n'],
      ['src/controllers/widget-controller.ts', /'10m'|"10m"/g, "'20m'", 'export const mine = 1;\n'],
      ['test/e2e/operator.e2e.ts', /\b300_000\b|\b120_000\b/g, '999', '// mine\n'],
      ['config/manager/manager.yaml', /runAsNonRoot: true/g, 'runAsNonRoot: false', '# mine\n'],
      ['README.md', /\bdeploy\b/g, 'ship', '\nMine.\n'],
      ['package.json', /"build": /g, '"make": ', ''],
    ];
    const base = parseBase(read(basePath));
    for (const [path, now, then, mine] of older) {
      const was = (base.get(path) ?? '').replaceAll(now, then);
      if (path !== 'package.json' && !path.includes('e2e')) expect(was, path).not.toBe(base.get(path));
      base.set(path, was);
      project.write(path, read(path).replaceAll(now, then) + mine);
    }
    project.write(basePath, formatBase(base));
    await format();
    await project.run('upgrade');
    for (const [path, , then, mine] of older) {
      const text = read(path);
      expect(text, path).not.toContain(then);
      expect(text.replaceAll(/[;\s]/g, ''), path).toContain(mine.replaceAll(/[;\s]/g, ''));
    }
    expect(await project.run('upgrade')).toContain('nothing was changed');
  }, 60_000);

  it('gives up nothing of the user, and names it', async () => {
    const [controller, test] = ['src/controllers/widget-controller.ts', 'test/widget.test.ts'];
    project.write(test, read(test).replace(/^import/m, '// mine\nimport'));
    await format();
    const { io, printed } = recordingIo(project.root);
    expect(await main(['delete', 'api', ...kind('Widget')], io)).toBe(2);
    expect(printed.stderr).toContain(`${controller}: you changed it`);
    expect(printed.stderr).toContain(`${test}: you changed it`);
    expect(printed.stderr).toContain('2 files stand in the way');
    await project.run('delete', 'api', ...kind('Widget'), '--force');
    expect(readdirSync(project.path('src/controllers')).filter((name) => name.startsWith('widget'))).toEqual([]);
  }, 60_000);
});
