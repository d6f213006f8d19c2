import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownVersion } from '../../project/index.ts';
import { basePath, formatBase, parseBase } from '../../scaffold/base.ts';
import { api, scaffoldedFolder } from '../../../test/support/scaffolded-folder.ts';

const project = scaffoldedFolder();
const { edit, put, read, run, tree } = project;

describe('create-operator upgrade', () => {
  /** Makes it look as if an older version, with other templates, had made the project. */
  function age(change: (files: Map<string, string>) => void): void {
    const files = parseBase(read(basePath));
    const before = new Map(files);
    change(files);
    put(basePath, formatBase(files));
    for (const [path, content] of files) if (before.get(path) !== content) put(path, content);
    for (const path of before.keys()) if (!files.has(path)) rmSync(join(project.root, path));
    put('operator.json', read('operator.json').replace(`"cliVersion": "${ownVersion()}"`, '"cliVersion": "0.0.1"'));
  }
  const older = (files: Map<string, string>): void => {
    const main = files.get('src/main.ts') ?? '';
    files.set('src/main.ts', main.replace('const manager = createManager', 'const runtime = createManager'));
    files.set('hack/old.sh', 'old\n');
    files.delete('Dockerfile');
    files.set('README.md', `${files.get('README.md') ?? ''}old\n`);
    files.set('Makefile', (files.get('Makefile') ?? '').replace('CONTAINER_TOOL ?= docker', 'CONTAINER_TOOL ?= moby'));
  };

  it('has nothing to do after init and api', async () => {
    await run(api('Widget'));
    const before = tree();
    expect(await run(['upgrade'])).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was changed') });
    expect(tree()).toEqual(before);
  });

  it('brings what is new, takes what is gone, and keeps what the user changed and deleted', async () => {
    await run(api('Widget'));
    const wanted = tree();
    age(older);
    edit('src/main.ts', 'return 2;', 'return 3;');
    edit('src/api/v1/widget.types.ts', 'message?: string;', 'text?: string;');
    edit('package.json', '"test": "vitest run",', '"test": "vitest run",\n    "mine": "echo",');
    rmSync(join(project.root, 'README.md'));
    const before = tree();
    const dry = await run(['upgrade', '--dry-run']);
    expect(dry.stdout).toContain('Nothing was written.');
    expect(tree()).toEqual(before);

    const { code, stdout, stderr } = await run(['upgrade']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const line of [
      'Upgraded from 0.0.1 to',
      'create    Dockerfile\n',
      'delete    hack/old.sh\n',
      'update    Makefile\n',
      'merge     src/main.ts\n',
      'keep      README.md (you deleted it)\n',
    ]) {
      expect(stdout).toContain(line);
    }
    const { 'README.md': _, ...rest } = wanted;
    expect(tree()).toEqual({
      ...rest,
      'src/main.ts': (wanted['src/main.ts'] ?? '').replace('return 2;', 'return 3;'),
      'src/api/v1/widget.types.ts': (wanted['src/api/v1/widget.types.ts'] ?? '').replace('message?: ', 'text?: '),
      'package.json': (wanted['package.json'] ?? '').replace('"vitest run",', '"vitest run",\n    "mine": "echo",'),
    });
    expect((await run(['upgrade'])).stdout).toContain('nothing was changed');
  });

  it('marks conflicts as git does, lists them, and exits 1 until they are mended', async () => {
    age(older);
    edit('Makefile', 'CONTAINER_TOOL ?= moby', 'CONTAINER_TOOL ?= podman');
    edit('hack/old.sh', 'old', 'mine');
    const { code, stderr } = await run(['upgrade']);
    expect(code).toBe(1);
    expect(stderr).toContain('CONFLICT Makefile: you changed the same lines\n');
    expect(stderr).toContain('CONFLICT hack/old.sh: you changed it, and it is no part of the scaffold any more\n');
    expect(read('Makefile')).toContain(
      `<<<<<<< yours\nCONTAINER_TOOL ?= podman\n=======\nCONTAINER_TOOL ?= docker\n>>>>>>> create-operator ${ownVersion()}\n`,
    );
    expect(read('hack/old.sh')).toBe('mine\n');
    expect(await run(['upgrade'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CONFLICT Makefile: it still has the conflict markers'),
    });
    put('Makefile', read('Makefile').replace(/<{7}[^]*>{7}.*\n/, 'CONTAINER_TOOL ?= podman\n'));
    expect((await run(['upgrade'])).code).toBe(0);
  });

  it('follows choices that were made in operator.json', async () => {
    put('operator.json', read('operator.json').replace('"packageManager": "npm"', '"packageManager": "bun"'));
    expect((await run(['upgrade'])).code).toBe(0);
    expect(read('README.md')).toContain('bun run generate');
  });

  it('refuses to go back to an older version, and to guess what the scaffold was', async () => {
    put('operator.json', read('operator.json').replace(/"cliVersion": ".*"/, '"cliVersion": "99.0.0"'));
    expect(await run(['upgrade'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npx create-operator@99.0.0'),
    });
    age(() => {});
    put('operator.json', read('operator.json').replace(/"cliVersion": ".*"/, '"cliVersion": "0.0.1"'));
    rmSync(join(project.root, basePath));
    expect(await run(['upgrade'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${basePath} is missing`),
    });
    const before = tree();
    expect(await run(['edit', '--namespaced'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${basePath} is missing`),
    });
    expect(tree()).toEqual(before);
    put(basePath, '{');
    expect(await run(['upgrade'])).toMatchObject({ code: 2, stderr: expect.stringContaining('version control') });
  });
});
