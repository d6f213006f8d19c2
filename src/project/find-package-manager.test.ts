import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkNotPlugAndPlay, findPackageManager } from './find-package-manager.ts';
import type { PackageManager } from './package-manager.ts';
import { ProjectError } from './project-error.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'package-manager-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const workspaces = '{ "workspaces": ["packages/*"] }';

describe('findPackageManager', () => {
  it.each<[string | undefined, PackageManager]>([
    [undefined, 'npm'],
    ['', 'npm'],
    ['npm/11.19.0 node/v24.21.0 linux x64 workspaces/false', 'npm'],
    ['pnpm/9.1.0 npm/? node/v22.0.0 linux x64', 'pnpm'],
    ['yarn/4.18.1 npm/? node/v24.21.0 linux x64', 'yarn'],
    ['yarn/1.22.22 npm/? node/v24.21.0 linux x64', 'yarn'],
    ['bun/1.4.5 npm/? node/v26.3.0 linux x64', 'bun'],
    ['cnpm/1.0.0', 'npm'],
    ['nonsense', 'npm'],
  ])('follows the user agent %s', (userAgent, name) => {
    expect(findPackageManager(join(folder, 'op'), undefined, userAgent)).toEqual({ name, workspace: undefined });
  });

  it.each<[string, Record<string, string>, PackageManager]>([
    [
      'its field packageManager',
      { 'package.json': '{ "workspaces": [], "packageManager": "bun@1.4.5" }', 'yarn.lock': '' },
      'bun',
    ],
    ['pnpm-workspace.yaml', { 'pnpm-workspace.yaml': 'packages: []\n' }, 'pnpm'],
    ['the lock file of pnpm', { 'package.json': workspaces, 'pnpm-lock.yaml': '' }, 'pnpm'],
    ['the lock file of yarn', { 'package.json': workspaces, 'yarn.lock': '# yarn lockfile v1\n' }, 'yarn'],
    ['the lock file of bun', { 'package.json': workspaces, 'bun.lock': '' }, 'bun'],
    ['the lock file of old versions of bun', { 'package.json': workspaces, 'bun.lockb': '' }, 'bun'],
    ['the lock file of npm', { 'package.json': workspaces, 'package-lock.json': '' }, 'npm'],
    ['the user agent, where it says nothing', { 'package.json': workspaces }, 'pnpm'],
  ])('follows the workspace around the folder: %s', (_what, files, name) => {
    put(files);
    expect(findPackageManager(join(folder, 'packages/op'), undefined, 'pnpm/9.1.0')).toEqual({
      name,
      workspace: folder,
    });
  });

  it('follows the flag before all else, and is then no part of the workspace of another', () => {
    put({ 'package.json': workspaces, 'bun.lock': '' });
    expect(findPackageManager(join(folder, 'op'), 'pnpm', 'yarn/4.0.0')).toEqual({
      name: 'pnpm',
      workspace: undefined,
    });
    expect(findPackageManager(join(folder, 'op'), 'bun', 'yarn/4.0.0')).toEqual({ name: 'bun', workspace: folder });
  });

  it.each(['{', '[]', '{}', 'null'])('takes a folder with the package.json %s for no workspace', (text) => {
    put({ 'package.json': text, 'yarn.lock': '' });
    expect(findPackageManager(join(folder, 'op'), undefined, undefined)).toEqual({ name: 'npm', workspace: undefined });
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['its default', { 'yarn.lock': '__metadata:\n  version: 8\n' }, true],
    ['its field and no settings', { 'package.json': '{ "workspaces": [], "packageManager": "yarn@4.18.1" }' }, true],
    ['nodeLinker: pnp', { 'yarn.lock': '', '.yarnrc.yml': 'nodeLinker: pnp\n' }, true],
    ['nodeLinker: node-modules', { 'yarn.lock': '', '.yarnrc.yml': 'a: 1\nnodeLinker: "node-modules"\n' }, false],
    ['nodeLinker: pnpm', { 'yarn.lock': '', '.yarnrc.yml': 'nodeLinker: pnpm\n' }, false],
    ['yarn 1', { 'yarn.lock': '# yarn lockfile v1\n' }, false],
    ['yarn 1 by its field', { 'package.json': '{ "workspaces": [], "packageManager": "yarn@1.22.22" }' }, false],
  ])("refuses workspaces of yarn that install by Plug'n'Play: %s", (_what, files, refused) => {
    put({ 'package.json': workspaces, ...files });
    const find = () => findPackageManager(join(folder, 'op'), undefined, 'yarn/4.18.1');
    if (!refused) return expect(find().name).toBe('yarn');
    expect(find).toThrow(ProjectError);
    expect(find).toThrow("Yarn Plug'n'Play");
  });
});

describe('checkNotPlugAndPlay', () => {
  it('refuses a project that yarn has installed without node_modules, and names the remedy', () => {
    put({ '.pnp.cjs': '', 'packages/op/package.json': '{}' });
    try {
      checkNotPlugAndPlay(join(folder, 'packages/op'));
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ProjectError);
      expect((error as ProjectError).hint).toContain('"nodeLinker: node-modules"');
    }
  });

  it('takes one that was never installed, and one whose linker is another by now', () => {
    checkNotPlugAndPlay(folder);
    put({ '.pnp.cjs': '', '.yarnrc.yml': 'nodeLinker: node-modules\n' });
    expect(() => checkNotPlugAndPlay(folder)).not.toThrow();
  });
});
