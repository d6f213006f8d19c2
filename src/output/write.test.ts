import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OutputFile, yamlHeader } from '../model/index.ts';
import { compareOutput } from './compare.ts';
import { unifiedDiff } from './diff.ts';
import { KnownFiles } from './known-files.ts';
import { OutputError, type OutputFolder, type OutputSet } from './output-set.ts';
import { writePrivateFile } from './private-file.ts';
import { type Disk, writeOutput } from './write.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'output-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const text = (body: string): string => `${yamlHeader}\n${body}\n`;
const folder = (path: string, parts: Partial<OutputFolder> = {}): OutputFolder => ({
  path,
  depth: 0,
  owns: () => true,
  replacesForeign: true,
  ...parts,
});

function outputs(files: Record<string, string>, folders: readonly OutputFolder[] = [folder('crd')]): OutputSet {
  const list: OutputFile[] = Object.entries(files).map(([path, body]) => ({ path, content: text(body) }));
  return { root, folders, files: list };
}

function put(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** All files below the root with their contents. */
function tree(): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  );
}

const realDisk: Disk = { writeFile: (path, content) => writeFileSync(path, content), rename: renameSync };

const failing = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

describe('writeOutput', () => {
  it('writes what is missing or changed, and leaves the rest alone', async () => {
    put('crd/a.yaml', text('a'));
    put('crd/b.yaml', text('old'));
    const past = new Date('2020-01-01T00:00:00Z');
    utimesSync(join(root, 'crd/a.yaml'), past, past);
    const summary = await writeOutput(outputs({ 'crd/a.yaml': 'a', 'crd/b.yaml': 'b', 'crd/c.yaml': 'c' }));
    expect(summary).toEqual({ written: ['crd/b.yaml', 'crd/c.yaml'], removed: [], unchanged: 1 });
    expect(tree()).toEqual({ 'crd/a.yaml': text('a'), 'crd/b.yaml': text('b'), 'crd/c.yaml': text('c') });
    expect(statSync(join(root, 'crd/a.yaml')).mtime).toEqual(past);
    expect(await writeOutput(outputs({ 'crd/a.yaml': 'a', 'crd/b.yaml': 'b', 'crd/c.yaml': 'c' }))).toEqual({
      written: [],
      removed: [],
      unchanged: 3,
    });
  });

  it('prunes what we wrote before, and nothing else', async () => {
    put('crd/stale.yaml', text('old'));
    put('crd/crlf.yaml', text('old').replaceAll('\n', '\r\n'));
    put('crd/other.yaml', 'kind: Own\n');
    put('crd/late.yaml', `kind: Own\n${text('x')}`);
    put('crd/deep/stale.yaml', text('old'));
    put('crd/stale.txt', text('old'));
    put('crd/foreign.yaml', text('foreign'));
    const owns = (content: string): boolean => !content.includes('foreign');
    const summary = await writeOutput(outputs({ 'crd/a.yaml': 'a' }, [folder('crd', { owns })]));
    expect(summary.removed).toEqual(['crd/crlf.yaml', 'crd/stale.yaml']);
    expect(Object.keys(tree())).toEqual([
      'crd/a.yaml',
      'crd/deep/stale.yaml',
      'crd/foreign.yaml',
      'crd/late.yaml',
      'crd/other.yaml',
      'crd/stale.txt',
    ]);
  });

  it('prunes in folders below as deep as told, but not in hidden ones nor in node_modules', async () => {
    for (const path of ['v1/a.ts', 'g/v1/a.ts', 'g/v1/deep/a.ts', 'node_modules/x/a.ts', '.cache/a.ts'])
      put(`gen/${path}`, text('old'));
    const summary = await writeOutput(outputs({}, [folder('gen', { depth: 2 })]));
    expect(summary.removed).toEqual(['gen/g/v1/a.ts', 'gen/v1/a.ts']);
  });

  it('removes what it is told to, whoever wrote it, and the folders that become empty', async () => {
    put('crd/deep/er/mine.txt', 'mine');
    put('crd/deep/other.txt', 'other');
    const set = { ...outputs({ 'crd/a.yaml': 'a' }), removals: ['crd/deep/er/mine.txt', 'crd/gone.txt'] };
    expect(await writeOutput(set)).toMatchObject({ written: ['crd/a.yaml'], removed: ['crd/deep/er/mine.txt'] });
    expect(tree()).toEqual({ 'crd/a.yaml': text('a'), 'crd/deep/other.txt': 'other' });
    expect(existsSync(join(root, 'crd/deep/er'))).toBe(false);
  });

  it('puts back what it removed when something fails', async () => {
    put('crd/mine.txt', 'mine');
    const set = { ...outputs({ 'crd/z.yaml': 'z' }), removals: ['crd/mine.txt'] };
    await expect(writeOutput(set, { ...realDisk, rename: () => failing('ENOSPC') })).rejects.toThrow(OutputError);
    expect(tree()).toEqual({ 'crd/mine.txt': 'mine' });
  });

  it.each(['../outside.txt', '/outside.txt', 'link/mine.txt'])('removes nothing at %s', async (path) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'output-elsewhere-'));
    try {
      writeFileSync(join(elsewhere, 'mine.txt'), 'mine');
      symlinkSync(elsewhere, join(root, 'link'), 'junction');
      await expect(writeOutput({ ...outputs({}), removals: [path] })).rejects.toThrow(OutputError);
      expect(existsSync(join(elsewhere, 'mine.txt'))).toBe(true);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it('writes nothing where what the set was made from has changed meanwhile', async () => {
    put('state.json', 'new');
    const set = outputs({ 'crd/a.yaml': 'a' });
    for (const basis of [new Map([['state.json', 'old']]), new Map([['state.json', undefined]])]) {
      await expect(writeOutput({ ...set, basis })).rejects.toThrow('state.json: another program has changed it');
    }
    expect(tree()).toEqual({ 'state.json': 'new' });
    const basis = new Map([
      ['state.json', 'new'],
      ['none.json', undefined],
    ]);
    expect((await writeOutput({ ...set, basis })).written).toEqual(['crd/a.yaml']);
  });

  it('takes a CRLF checkout as unchanged', async () => {
    put('crd/a.yaml', text('a').replaceAll('\n', '\r\n'));
    expect(compareOutput(outputs({ 'crd/a.yaml': 'a' }))).toEqual([]);
  });

  it('keeps the mode of a file', async () => {
    put('crd/a.yaml', text('old'));
    chmodSync(join(root, 'crd/a.yaml'), 0o640);
    await writeOutput(outputs({ 'crd/a.yaml': 'a' }));
    expect(statSync(join(root, 'crd/a.yaml')).mode & 0o777).toBe(0o640);
  });

  it('removes what killed runs left', async () => {
    put('crd/.a.yaml.0123456789ab.create-operator-tmp', 'half');
    put('crd/.a.yaml.0123456789ab.create-operator-old', 'old');
    put('crd/.create-operator-lock', JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }));
    put('crd/.create-operator-lock-0123456789ab', '{}');
    put('crd/.keep', 'mine');
    await writeOutput(outputs({ 'crd/a.yaml': 'a' }));
    expect(Object.keys(tree())).toEqual(['crd/.keep', 'crd/a.yaml']);
  });

  it.each<[string, Partial<Disk>]>([
    ['the disk is full at the second file', { writeFile: failAt(2, realDisk.writeFile, 'ENOSPC') }],
    ['the first rename fails', { rename: failAt(1, realDisk.rename, 'EACCES') }],
    ['the last rename fails', { rename: failAt(3, realDisk.rename, 'EIO') }],
  ])('leaves all as it was when %s', async (_name, broken) => {
    put('crd/a.yaml', text('old a'));
    put('crd/b.yaml', text('old b'));
    put('crd/z.yaml', text('stale'));
    const before = tree();
    const set = outputs({ 'crd/a.yaml': 'a', 'crd/b.yaml': 'b', 'new/deep/c.yaml': 'c' }, [
      folder('crd'),
      folder('new/deep'),
    ]);
    await expect(writeOutput(set, { ...realDisk, ...broken })).rejects.toThrow(OutputError);
    expect(tree()).toEqual(before);
    expect(existsSync(join(root, 'new'))).toBe(false);
  });

  it('says why in the terms of the user', async () => {
    put('crd', 'a file');
    await expect(writeOutput(outputs({ 'crd/a.yaml': 'a' }))).rejects.toThrow(
      /^crd.*: a part of the path is a file, not a folder$/,
    );
    rmSync(join(root, 'crd'));
    mkdirSync(join(root, 'crd/a.yaml'), { recursive: true });
    await expect(writeOutput(outputs({ 'crd/a.yaml': 'a' }))).rejects.toThrow('crd/a.yaml: a folder stands in the way');
    const disk = { ...realDisk, writeFile: () => failing('ENOSPC') };
    await expect(writeOutput(outputs({ 'crd/b.yaml': 'b' }), disk)).rejects.toThrow(
      'crd/b.yaml: no space left on the device',
    );
  });

  it('says where a symbolic link leads nowhere, and leaves no folder of its own', async () => {
    symlinkSync('nowhere', join(root, 'crd'));
    const set = outputs({ 'new/a.yaml': 'a', 'crd/deep/a.yaml': 'a' }, [folder('new'), folder('crd/deep')]);
    await expect(writeOutput(set)).rejects.toThrow('a symbolic link that leads nowhere stands in the way');
    expect(readdirSync(root)).toEqual(['crd']);
  });

  const writeInProcess = (shell: string, folderPath: string) => {
    const set = {
      root,
      folders: [{ path: folderPath, depth: 0 }],
      files: [{ path: `${folderPath}/a.yaml`, content: text('a') }],
    };
    const script = `
      import { writeOutput } from ${JSON.stringify(new URL('write.ts', import.meta.url).href)};
      const set = ${JSON.stringify(set)};
      set.folders[0].owns = () => true;
      set.folders[0].replacesForeign = true;
      await writeOutput(set).catch((error) => console.log(error.name));`;
    return spawnSync('sh', ['-c', `${shell} exec "$0" --input-type=module -e "$1"`, process.execPath, script], {
      encoding: 'utf8',
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
  };

  it.skipIf(!existsSync('/proc/self'))('ends where a file system makes no folders', () => {
    const { stdout, signal } = writeInProcess('', '/proc/no-such-folder/crd');
    expect({ stdout, signal }).toEqual({ stdout: 'OutputError\n', signal: null });
  });

  it.skipIf(process.platform === 'win32')('leaves nothing, not even its lock, where no byte can be written', () => {
    put('crd/a.yaml', text('old'));
    const { stdout } = writeInProcess('ulimit -f 0;', 'crd');
    expect(stdout).toBe('OutputError\n');
    expect(tree()).toEqual({ 'crd/a.yaml': text('old') });
  });

  it.skipIf(process.getuid?.() === 0)('does not replace a read-only file (not as root)', async () => {
    put('crd/a.yaml', text('old'));
    chmodSync(join(root, 'crd/a.yaml'), 0o444);
    await expect(writeOutput(outputs({ 'crd/a.yaml': 'a' }))).rejects.toThrow('permission denied');
    expect(tree()).toEqual({ 'crd/a.yaml': text('old') });
  });

  it('never leaves its folders', async () => {
    await expect(writeOutput(outputs({ 'crd/../x.yaml': 'x' }))).rejects.toThrow('lies in none of the output folders');
    await expect(writeOutput(outputs({ '/x.yaml': 'x' }, [folder('.')]))).rejects.toThrow(
      'lies in none of the output folders',
    );
    mkdirSync(join(root, 'elsewhere'));
    mkdirSync(join(root, 'gen'));
    symlinkSync('../elsewhere', join(root, 'gen/v1'));
    await expect(writeOutput(outputs({ 'gen/v1/a.ts': 'a' }, [folder('gen', { depth: 2 })]))).rejects.toThrow(
      'symbolic link',
    );
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);
  });

  it('does not prune through a symbolic link', async () => {
    put('elsewhere/a.ts', text('x'));
    mkdirSync(join(root, 'gen'));
    symlinkSync('../elsewhere', join(root, 'gen/v1'));
    expect(compareOutput(outputs({}, [folder('gen', { depth: 2 })]))).toEqual([]);
  });

  it('replaces a foreign file only where it may', async () => {
    put('crd/a.yaml', 'kind: Own\n');
    await expect(
      writeOutput(outputs({ 'crd/a.yaml': 'a' }, [folder('crd', { replacesForeign: false })])),
    ).rejects.toThrow('stands in the way');
    await writeOutput(outputs({ 'crd/a.yaml': 'a' }));
    expect(tree()).toEqual({ 'crd/a.yaml': text('a') });
  });

  it('ends with the tree of one run when several write at once', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `crd/f${index}.yaml`);
    const runs = ['one', 'two', 'three'].map((body) => outputs(Object.fromEntries(names.map((name) => [name, body]))));
    await Promise.all(runs.map((set) => writeOutput(set)));
    expect(Object.keys(tree()).toSorted()).toEqual(names.toSorted());
    expect(new Set(Object.values(tree())).size).toBe(1);
  });

  it('ends with the tree of one run when several processes write at once, though a killed one has left its lock', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `crd/f${index}.yaml`);
    put('crd/.create-operator-lock', JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }));
    const module = JSON.stringify(new URL('write.ts', import.meta.url).href);
    const runs = ['one', 'two', 'three'].map((body) => {
      const set = {
        root,
        folders: [{ path: 'crd', depth: 0, replacesForeign: true }],
        files: names.map((path) => ({ path, content: text(body) })),
      };
      const script = `
        import { writeOutput } from ${module};
        const set = ${JSON.stringify(set)};
        await writeOutput({ ...set, folders: set.folders.map((folder) => ({ ...folder, owns: () => true })) });`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
      return new Promise((resolve) => child.once('exit', resolve));
    });
    expect(await Promise.all(runs)).toEqual([0, 0, 0]);
    expect(Object.keys(tree()).toSorted()).toEqual(names.toSorted());
    expect(new Set(Object.values(tree())).size).toBe(1);
  });

  it('leaves whole files when a run is killed, and the next run cleans up', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `crd/f${index}.yaml`);
    const set = (body: string): OutputSet =>
      outputs(Object.fromEntries(names.map((name) => [name, body.repeat(2000)])));
    await writeOutput(set('old'));
    const module = JSON.stringify(new URL('write.ts', import.meta.url).href);
    // The child says when it begins and writes for as long as it lives, in turns; it is killed in the midst of it.
    const script = `
      import { writeOutput } from ${module};
      const files = (body) => ${JSON.stringify(names)}.map((path) => ({ path, content: ${JSON.stringify(`${yamlHeader}\n`)} + body.repeat(2000) + '\\n' }));
      const set = (body) => ({ root: ${JSON.stringify(root)}, folders: [{ path: 'crd', depth: 0, owns: () => true, replacesForeign: true }], files: files(body) });
      console.log('begun');
      for (;;) { await writeOutput(set('new')); await writeOutput(set('old')); }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await ended;
    const whole = new Set(['old', 'new'].map((body) => text(body.repeat(2000))));
    for (const name of names) expect(whole.has(readFileSync(join(root, name), 'utf8'))).toBe(true);
    await writeOutput(set('final'));
    expect(Object.keys(tree()).toSorted()).toEqual(names.toSorted());
  });
});

describe('KnownFiles', () => {
  it('knows what a run wrote or found, until somebody touches it', async () => {
    const known = new KnownFiles();
    const files = [
      { path: 'crd/a.yaml', content: text('a: 1') },
      { path: 'crd/b.yaml', content: text('b: 1') },
    ];
    const set: OutputSet = { root, folders: [folder('crd')], files };
    const a = join(root, 'crd/a.yaml');
    await writeOutput(set, undefined, known);
    expect(known.holds(a, text('a: 1'))).toBe(true);
    expect(known.holds(a, text('a: 2'))).toBe(false);
    expect(known.holds(join(root, 'crd/c.yaml'), '')).toBe(false);
    expect((await writeOutput(set, undefined, known)).written).toEqual([]);
    const { atime, mtime } = statSync(a);
    writeFileSync(a, text('a: 3'));
    utimesSync(a, atime, mtime);
    expect((await writeOutput(set, undefined, known)).written).toEqual(['crd/a.yaml']);
    rmSync(a);
    expect((await writeOutput(set, undefined, known)).written).toEqual(['crd/a.yaml']);
  });

  it.skipIf(process.platform === 'win32')('never knows what stands behind a symbolic link', async () => {
    const known = new KnownFiles();
    const set: OutputSet = { root, folders: [folder('crd')], files: [{ path: 'crd/a.yaml', content: text('a: 1') }] };
    mkdirSync(join(root, 'crd'));
    writeFileSync(join(root, 'elsewhere.yaml'), text('a: 1'));
    symlinkSync('../elsewhere.yaml', join(root, 'crd/a.yaml'));
    expect((await writeOutput(set, undefined, known)).written).toEqual([]);
    writeFileSync(join(root, 'elsewhere.yaml'), text('a: 2'));
    expect((await writeOutput(set, undefined, known)).written).toEqual(['crd/a.yaml']);
  });
});

describe('writePrivateFile', () => {
  it('replaces a file by one that its owner alone may read', () => {
    put('kubeconfig', 'old');
    chmodSync(join(root, 'kubeconfig'), 0o644);
    writePrivateFile(join(root, 'kubeconfig'), 'new');
    expect(tree()).toEqual({ kubeconfig: 'new' });
    expect(statSync(join(root, 'kubeconfig')).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing behind when it fails', () => {
    mkdirSync(join(root, 'folder/inner'), { recursive: true });
    expect(() => writePrivateFile(join(root, 'folder'), 'x')).toThrow(OutputError);
    expect(() => writePrivateFile(join(root, 'none/kubeconfig'), 'x')).toThrow(OutputError);
    expect(tree()).toEqual({});
  });
});

describe('unifiedDiff', () => {
  it('shows missing, changed and stale files', () => {
    put('crd/b.yaml', text('old'));
    put('crd/c.yaml', text('gone'));
    const diffs = compareOutput(outputs({ 'crd/a.yaml': 'a', 'crd/b.yaml': 'b' })).map(unifiedDiff);
    expect(diffs).toEqual([
      `--- /dev/null\n+++ b/crd/a.yaml\n@@ -0,0 +1,2 @@\n+${yamlHeader}\n+a\n`,
      `--- a/crd/b.yaml\n+++ b/crd/b.yaml\n@@ -1,2 +1,2 @@\n ${yamlHeader}\n-old\n+b\n`,
      `--- a/crd/c.yaml\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-${yamlHeader}\n-gone\n`,
    ]);
  });
});

function failAt<Arguments extends unknown[]>(count: number, action: (...parts: Arguments) => void, code: string) {
  let calls = 0;
  return (...parts: Arguments): void => {
    calls++;
    if (calls === count) failing(code);
    action(...parts);
  };
}
