// A run that has nothing to do says so without reading the sources; whatever may have changed is read again.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { repeat } from '../../src/cli/repeat.ts';
import { recordingIo } from '../../src/cli/testing/io.ts';
import { TestProject, widget } from './project.ts';

const flags = ['generate', '--source', 'src/**/*.types.ts', '--crd-dir', 'crd'];
const manifest = 'node_modules/.cache/create-operator/generate.json';
const crd = 'crd/example.com_widgets.yaml';

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

/** A project whose last run left a manifest, in which the number of kinds is a mark: who says it has not read the sources. */
async function projectAfterRun(): Promise<TestProject> {
  const project = new TestProject({
    'tsconfig.json': '{ "extends": "./base.json" }',
    'base.json': '{ "compilerOptions": { "strict": true } }',
    'src/widget.types.ts': widget(),
    'src/shared.ts': 'export type Size = number;\n',
  });
  projects.push(project);
  mkdirSync(project.path('node_modules'));
  await untilRemembered(project);
  project.put(manifest, project.read(manifest).replace('"kinds":1', '"kinds":77'));
  return project;
}

/** Files that were written in the very moment in which a run began may not be trusted; then it leaves nothing. */
async function untilRemembered(project: TestProject, argv = flags, folder = '.'): Promise<void> {
  for (let count = 0; count < 100; count++) {
    expect((await project.runIn(folder, ...argv)).code).toBe(0);
    try {
      project.read(manifest);
      return;
    } catch {
      continue;
    }
  }
  throw new Error('no run left a manifest');
}

/** What is said without even loading the command; undefined where it has to be. */
function repeated(project: TestProject, argv: readonly string[] = flags, folder = '.'): string | undefined {
  let printed = '';
  const code = repeat(argv, project.path(folder), (text) => (printed += text));
  expect(code === undefined).toBe(printed === '');
  return code === undefined ? undefined : printed;
}

describe('a run after one that wrote everything', () => {
  it('says what that one said, without its work', async () => {
    const project = await projectAfterRun();
    const { code, stdout, stderr } = await project.run(...flags);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '77 kinds, 0 roles, 1 file (1 unchanged)\n',
      stderr: '',
    });
    expect(repeated(project)).toBe(stdout);
    const json = await project.run(...flags, '--format', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({ kinds: 77 });
  });

  it('is asked for with the very same words in the same folder, else the command looks for itself', async () => {
    const project = await projectAfterRun();
    expect(repeated(project, [...flags, '--format', 'json'])).toBeUndefined();
    expect(repeated(project, ['rbac', ...flags.slice(1)])).toBeUndefined();
    expect(repeated(project, flags, 'src')).toBeUndefined();
    expect(repeated(project)).toBeDefined();
  });

  it('says nothing at once where there is more to say: warnings, JSON', async () => {
    const project = await projectAfterRun();
    rmSync(project.path(manifest));
    const json = [...flags, '--format', 'json'];
    await project.run(...json);
    expect(repeated(project, json)).toBeUndefined();
    project.put('src/widget.types.ts', widget().replace(' * @statusSubresource\n', ''));
    await untilRemembered(project);
    expect(repeated(project)).toBeUndefined();
  });

  it('is known below the folder of a project, too', async () => {
    const project = new TestProject({
      'operator.json': '{}',
      'src/api/v1/widget.types.ts': widget(),
      'tsconfig.json': '{ "compilerOptions": { "strict": true } }',
    });
    projects.push(project);
    mkdirSync(project.path('node_modules'));
    await untilRemembered(project, ['generate'], 'src/api');
    expect(repeated(project, ['generate'], 'src/api')).toContain('1 kind,');
    project.put('src/operator.json', '{}');
    expect(repeated(project, ['generate'], 'src/api')).toBeUndefined();
  });

  it.each<[string, (project: TestProject) => void]>([
    ['operator.json', (project) => project.put('operator.json', '{ "kubernetesVersion": "1.35" }')],
    [
      'another operator-runtime',
      (project) => project.put('node_modules/operator-runtime/package.json', '{ "version": "0.0.0" }'),
    ],
    ['a folder of sources', (project) => mkdirSync(project.path('src/more'))],
    ['a file that was passed over', (project) => project.put('src/old.types.ts', widget('Old'))],
  ])('is not known after a change of %s', async (_, change) => {
    const project = await projectAfterRun();
    const header = project.read(crd).split('\n')[0]?.replace('#', '//') ?? '';
    project.put('src/old.types.ts', `${header}\n${widget('Old')}`);
    project.put('operator.json', '{ "kubernetesVersion": "1.34" }');
    rmSync(project.path(manifest));
    await untilRemembered(project);
    expect(repeated(project)).toBeDefined();
    change(project);
    expect(repeated(project)).toBeUndefined();
  });

  it('takes nothing for read that came to be while it went on', async () => {
    const project = await projectAfterRun();
    rmSync(project.path(manifest));
    const { io } = recordingIo(project.root);
    const write = (): void => project.put('src/gadget.types.ts', widget('Gadget'));
    // All files are read and written when it prints what it did.
    expect(await main(flags, { ...io, stdout: { isTerminal: false, write } })).toBe(0);
    expect(repeated(project)).toBeUndefined();
    expect((await project.run(...flags)).stdout).toContain('2 kinds');
  });

  it('repeats the warnings', async () => {
    const project = await projectAfterRun();
    project.put('src/widget.types.ts', widget().replace(' * @statusSubresource\n', ''));
    const first = await project.run(...flags);
    rmSync(project.path(manifest), { force: true });
    await untilRemembered(project);
    const again = await project.run(...flags);
    expect(first.stderr).toContain('CO1309');
    expect(again.stderr).toBe(first.stderr);
  });

  it.each<[string, (project: TestProject) => void]>([
    ['a source', (project) => project.put('src/widget.types.ts', widget().replace('@minimum 1', '@minimum 2'))],
    ['another source', (project) => project.put('src/gadget.types.ts', widget('Gadget'))],
    ['a file beside a source', (project) => project.put('src/other.ts', 'export {};\n')],
    ['a source that is gone', (project) => rmSync(project.path('src/shared.ts'))],
    ['an output', (project) => project.put(crd, project.read(crd).replace('minimum: 1', 'minimum: 3'))],
    ['an output that is gone', (project) => rmSync(project.path(crd))],
    ['a file beside an output', (project) => project.put('crd/mine.yaml', 'a: 1\n')],
    ['tsconfig.json', (project) => project.put('tsconfig.json', '{ "extends": "./base.json", "compilerOptions": {} }')],
    [
      'what tsconfig.json extends',
      (project) => project.put('base.json', '{ "compilerOptions": { "strict": true, "noEmit": true } }'),
    ],
    ['a nearer tsconfig.json', (project) => project.put('src/tsconfig.json', '{ "extends": "../base.json" }')],
    ['a manifest that was cut off', (project) => project.put(manifest, project.read(manifest).slice(0, 40))],
    ['a manifest that is none', (project) => project.put(manifest, 'null')],
    ['a manifest of another form', (project) => project.put(manifest, '{"task":1,"stamps":[]}')],
  ])('does its work after a change of %s', async (_, change) => {
    const project = await projectAfterRun();
    change(project);
    expect(repeated(project)).toBeUndefined();
    const { code, stdout } = await project.run(...flags);
    expect(code).toBe(0);
    expect(stdout).not.toContain('77 kinds');
    const wanted = readFileSync(project.path('src/widget.types.ts'), 'utf8').includes('@minimum 2') ? 2 : 1;
    expect(project.read(crd)).toContain(`minimum: ${wanted}`);
  });

  it('removes what is stale in a folder that holds no outputs', async () => {
    const project = await projectAfterRun();
    const all = [...flags, '--client-dir', 'clients'];
    mkdirSync(project.path('clients/v9'), { recursive: true });
    for (let count = 0; count < 3; count++) expect((await project.run(...all)).code).toBe(0);
    project.put('clients/v9/gone.ts', project.read('clients/v1/widget.ts'));
    expect((await project.run(...all)).stdout).toContain('1 removed');
  });

  it.each([['--check'], ['--stdout'], ['--kubernetes-version', '1.35'], ['--rbac-dir', 'rbac']])(
    'does its work with %s',
    async (...more) => {
      const project = await projectAfterRun();
      const { code, stdout } = await project.run(...flags, ...more);
      expect(code).toBe(0);
      expect(stdout).not.toContain('77 kinds');
    },
  );

  it('leaves nothing where packages are kept in no folder, and after errors', async () => {
    const project = await projectAfterRun();
    rmSync(project.path('node_modules'), { recursive: true });
    expect((await project.run(...flags)).code).toBe(0);
    expect(Object.keys(project.tree()).filter((path) => path.includes('node_modules'))).toEqual([]);
    mkdirSync(project.path('node_modules'));
    writeFileSync(project.path('src/widget.types.ts'), widget().replace('size?: number', 'size?: any'));
    expect((await project.run(...flags)).code).toBe(1);
    expect((await project.run(...flags)).code).toBe(1);
  });
});
