import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownVersion } from '../../project/index.ts';
import { scaffoldedFolder } from '../../../test/support/scaffolded-folder.ts';

const project = scaffoldedFolder();
const { run } = project;

describe('create-operator init', () => {
  it('remembers every choice', async () => {
    const choices = [
      '--namespaced',
      '--multigroup',
      '--no-helm',
      '--package-manager',
      'pnpm',
      '--kubernetes-version',
      '1.35',
    ];
    await run(['other', '--skip-install', ...choices], project.folder);
    expect(JSON.parse(readFileSync(join(project.folder, 'other/operator.json'), 'utf8'))).toEqual({
      $schema: './node_modules/create-operator/schemas/operator.schema.json',
      projectName: 'other',
      cliVersion: ownVersion(),
      kubernetesVersion: '1.35',
      packageManager: 'pnpm',
      namespaced: true,
      multigroup: true,
      helm: false,
      resources: [],
    });
  });

  it('prints its plan and writes nothing with --dry-run', async () => {
    const { code, stdout } = await run(['other', '--dry-run'], project.folder);
    expect(code).toBe(0);
    expect(stdout).toContain('create    src/main.ts\n');
    expect(existsSync(join(project.folder, 'other'))).toBe(false);
  });

  it.each([[], ['--dry-run'], ['--force']])('refuses a folder below a file: %s', async (...flags) => {
    writeFileSync(join(project.folder, 'file'), '');
    const { code, stdout, stderr } = await run(['file/in/it', '--skip-install', ...flags], project.folder);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `error: file/in/it cannot be a folder: ${join(project.folder, 'file')} is a file\n  help: choose another folder\n`,
    );
  });

  it('overwrites what is in the way with --force only, and lists it', async () => {
    mkdirSync(join(project.folder, 'full'));
    writeFileSync(join(project.folder, 'full/README.md'), 'mine\n');
    writeFileSync(join(project.folder, 'full/notes.txt'), 'mine\n');
    expect(await run(['full', '--skip-install'], project.folder)).toMatchObject({ code: 2, stdout: '' });
    const { code, stdout } = await run(['full', '--skip-install', '--force'], project.folder);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}overwrite README\.md\nCreated full/);
    expect(readFileSync(join(project.folder, 'full/notes.txt'), 'utf8')).toBe('mine\n');
  });

  it.each(['npm', 'pnpm', 'yarn', 'bun'])('speaks in the commands of %s', async (manager) => {
    const { stdout } = await run(['other', '--skip-install', '--package-manager', manager], project.folder);
    expect(stdout).toContain(`  ${manager} install\n`);
    const { scripts } = JSON.parse(readFileSync(join(project.folder, 'other/package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    // The image takes the bundle, which need not be there.
    expect(scripts['docker-build']).toMatch(new RegExp(`^${manager} run build && docker build `));
    const others = ['npm', 'pnpm', 'yarn', 'bun'].filter((name) => name !== manager);
    const spoken = new RegExp(`(^|[\\s\`"'])(${others.join('|')}) (run|install|test|ci)\\b`, 'm');
    for (const entry of readdirSync(join(project.folder, 'other'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      // Bun and its like are themselves installed with npm.
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8').replaceAll('npm install --global', '');
      expect(spoken.exec(text)?.[0], `${entry.parentPath}/${entry.name}`).toBeUndefined();
    }
    const settings: Record<string, string> = { pnpm: 'pnpm-workspace.yaml', yarn: '.yarnrc.yml' };
    for (const [name, file] of Object.entries(settings)) {
      expect(existsSync(join(project.folder, 'other', file)), file).toBe(name === manager);
    }
  });

  it('takes the package manager that runs it, and leaves its settings to a workspace', async () => {
    await run(['other', '--skip-install'], project.folder, { npm_config_user_agent: 'yarn/4.18.1 npm/?' });
    expect(JSON.parse(readFileSync(join(project.folder, 'other/operator.json'), 'utf8'))).toMatchObject({
      packageManager: 'yarn',
    });
    writeFileSync(join(project.folder, 'pnpm-workspace.yaml'), 'packages: [all/*]\n');
    await run(['all/one', '--skip-install'], project.folder);
    expect(JSON.parse(readFileSync(join(project.folder, 'all/one/operator.json'), 'utf8'))).toMatchObject({
      packageManager: 'pnpm',
      workspace: true,
    });
    expect(existsSync(join(project.folder, 'all/one/pnpm-workspace.yaml'))).toBe(false);
  });

  it.skipIf(process.getuid?.() === 0)('says what cannot be written, and leaves nothing (not as root)', async () => {
    mkdirSync(join(project.folder, 'closed'));
    chmodSync(join(project.folder, 'closed'), 0o500);
    const { code, stderr } = await run(['closed/op', '--skip-install'], project.folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: cannot write .*permission denied\n {2}help: nothing has been changed\n$/);
    expect(readdirSync(join(project.folder, 'closed'))).toEqual([]);
  });
});
