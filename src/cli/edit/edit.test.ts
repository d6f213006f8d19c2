import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { api, kindFlags, scaffoldedFolder } from '../../../test/support/scaffolded-folder.ts';

const project = scaffoldedFolder();
const { edit, put, read, run, tree } = project;

describe('create-operator edit', () => {
  it.each([
    ['--namespaced', '--no-namespaced'],
    ['--multigroup', '--no-multigroup'],
    ['--no-helm', '--helm'],
  ])('%s and %s take each other back', async (there, back) => {
    await run(api('Widget'));
    const before = tree();
    expect((await run(['edit', there])).code).toBe(0);
    const changed = tree();
    expect(changed).not.toEqual(before);
    expect((await run(['edit', there])).stdout).toContain('nothing was changed');
    expect(tree()).toEqual(changed);
    expect((await run(['edit', back])).code).toBe(0);
    expect(tree()).toEqual(before);
  });

  it('moves what the user changed into the folders of groups, with its imports', async () => {
    await run(api('Widget'));
    edit('src/controllers/widget-controller.ts', "requeueAfter('10m')", "requeueAfter('1h')");
    edit('src/api/v1/widget.types.ts', 'message?: string;', 'text?: string;');
    const { code, stdout } = await run(['edit', '--multigroup']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'merge     src/controllers/example.com/widget-controller.ts (was src/controllers/widget-controller.ts)',
    );
    const controller = read('src/controllers/example.com/widget-controller.ts');
    expect(controller).toContain("requeueAfter('1h')");
    expect(controller).toContain("from '../../api/example.com/v1/widget.js'");
    expect(read('src/api/example.com/v1/widget.types.ts')).toContain('text?: string;');
    expect(existsSync(join(project.root, 'src/controllers/widget-controller.ts'))).toBe(false);
    expect(read('src/generated/registry.ts')).toContain("from '../controllers/example.com/widget-controller.js'");
  });

  it('keeps changes of files that it changes itself', async () => {
    edit('config/manager/manager.yaml', 'replicas: 1', 'replicas: 3');
    const { stdout } = await run(['edit', '--namespaced']);
    expect(stdout).toContain('merge     config/manager/manager.yaml');
    expect(read('config/manager/manager.yaml')).toContain('replicas: 3');
    expect(read('config/manager/manager.yaml')).toContain('WATCH_NAMESPACE');
  });

  it('changes the package manager in all texts', async () => {
    expect((await run(['edit', '--package-manager', 'pnpm'])).code).toBe(0);
    expect(read('README.md')).toContain('pnpm run generate');
    expect(existsSync(join(project.root, 'pnpm-workspace.yaml'))).toBe(true);
  });

  it('refuses to overwrite, and does so with --force', async () => {
    put('README.md', 'all mine\n');
    const before = tree();
    const { code, stderr } = await run(['edit', '--package-manager', 'bun']);
    expect(code).toBe(2);
    expect(stderr).toContain('README.md: you changed the same lines');
    expect(tree()).toEqual(before);
    const forced = await run(['edit', '--package-manager', 'bun', '--force']);
    expect(forced.stdout).toContain('overwrite README.md\n');
  });

  it('refuses to change nothing', async () => {
    expect(await run(['edit'])).toMatchObject({ code: 2, stderr: expect.stringContaining('no choice is named') });
  });
});

describe.each([['api'], ['edit'], ['delete', 'api'], ['upgrade']])('%s %s', (...command) => {
  it('is for projects only', async () => {
    const flags = command[0] === 'edit' ? ['--helm'] : command[0] === 'upgrade' ? [] : kindFlags('Widget');
    const { code, stderr } = await run([...command, ...flags], project.folder);
    expect(code).toBe(2);
    expect(stderr).toContain('this is no project');
  });
});
