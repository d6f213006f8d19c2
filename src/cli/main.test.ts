import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markers } from '../markers/index.ts';
import { ownVersion } from '../project/index.ts';
import { main } from './main.ts';
import { recordingIo } from './testing/io.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

async function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, printed } = recordingIo(root);
  const code = await main(argv, io);
  return { code, ...printed };
}

describe('main', () => {
  it.each(['--version', '-v'])('prints its version for %s', async (flag) => {
    expect(await run(flag)).toEqual({ code: 0, stdout: `${ownVersion()}\n`, stderr: '' });
  });

  it('prints help for the word, too', async () => {
    expect(await run('help')).toEqual(await run('--help'));
    expect(await run('help', 'generate')).toEqual(await run('generate', '--help'));
  });

  it('prints help, also of a command', async () => {
    const help = await run('--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: create-operator/);
    expect(help.stdout).toContain('generate');
    const generate = await run('generate', '--help');
    expect(generate.code).toBe(0);
    for (const flag of [
      '--source',
      '--crd-dir',
      '--rbac-dir',
      '--role-name',
      '--webhook-dir',
      '--client-dir',
      '--kind-roles',
    ]) {
      expect(generate.stdout).toContain(flag);
    }
  });

  it.each<[string[], string, string]>([
    [['generate', '--crd-dirs', 'x'], "unknown option '--crd-dirs'", 'did you mean --crd-dir?'],
    [['generate', 'x'], "too many arguments for 'generate'", 'create-operator generate --help'],
    [['generate', '--source'], "option '--source <glob>' argument missing", 'create-operator generate --help'],
    [['generate', '--format', 'xml'], "argument 'xml' is invalid", 'create-operator generate --help'],
    [['--bogus'], "unknown option '--bogus'", 'create-operator --help'],
    [['generate'], 'no sources are named, and this is no project', '--source'],
    [['generate', '--crd-dir', 'crd'], 'no sources are named', '--source'],
    [['generate', '--source', 'a.ts'], 'there is nothing to write', '--crd-dir'],
    [
      ['generate', '--source', 'a.ts', '--crd-dir', 'crd', '--kind-roles'],
      '--kind-roles needs the folder of roles',
      '--rbac-dir',
    ],
    [['generate', '--source', 'a.ts', '--crd-dir', 'crd', '--watch', '--check'], '--watch goes with neither', ''],
    [['generate', '--source', 'a.ts', '--crd-dir', ''], '--crd-dir names no folder', ''],
    [
      ['generate', '--source', 'a.ts', '--crd-dir', 'c', '--kubernetes-version', 'x'],
      'no version of Kubernetes',
      'as in 1.34',
    ],
    [['generate', '--source', 'a.ts', '--crd-dir', 'c', '--tsconfig', 'none.json'], '--tsconfig: there is no file', ''],
    [['generate', '--source', 'a.ts', '--crd-dir', 'c', '--tsconfig', '.'], '--tsconfig: there is no file', ''],
    [['generate', '--source', '', '--crd-dir', 'c'], '--source names no file', '--source'],
    [['generate', '--source', 'a.ts', '--rbac-dir', 'r', '--role-name', ''], '"" is no name of a role', 'not empty'],
    [['generate', '--source', 'a.ts', '--rbac-dir', 'r', '--role-name', 'a/b'], '"a/b" is no name of a role', '"/"'],
    [['diff'], 'has no command "diff"', 'create-operator ./diff'],
    [['webhook', '--kind', 'Cart'], 'has no command "webhook"', 'create-operator ./webhook'],
    [['markers', 'Minimun'], 'there is no marker Minimun', 'did you mean Minimum?'],
  ])('refuses %j in one line with a hint, and exits 2', async (argv, message, hint) => {
    const { code, stdout, stderr } = await run(...argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    const [first = '', second = '', ...rest] = stderr.split('\n');
    expect(first).toMatch(/^error: /);
    expect(first).toContain(message);
    if (hint === '') expect(second).toBe('');
    else expect(second).toMatch(/^ {2}help: /);
    expect(second).toContain(hint);
    expect(rest.filter((line) => line !== '')).toEqual([]);
  });

  it('says which patterns match nothing, as it has resolved them, and writes nothing', async () => {
    put('src/x.d.ts', '');
    const { code, stderr } = await run(
      'generate',
      '--source',
      'apis/**/*.ts',
      '--source',
      'src\\*.ts',
      '--crd-dir',
      'crd',
    );
    expect(code).toBe(1);
    expect(stderr).toContain(`error CO2400: no TypeScript source matches ${root}/apis/**/*.ts\n`);
    expect(stderr).toContain(`error CO2400: no TypeScript source matches ${root}/src/*.ts\n`);
    expect(stderr).toContain('2 errors; nothing was written');
    expect(readdirSync(root)).toEqual(['src']);
  });

  it('reports problems as JSON', async () => {
    const { code, stdout, stderr } = await run(
      'generate',
      '--source',
      'apis/*.ts',
      '--crd-dir',
      'crd',
      '--format',
      'json',
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      diagnostics: [{ code: 'CO2400', severity: 'error' }],
      kinds: 0,
      files: [],
    });
  });

  it('exits 2 when the runtime of the project belongs to another version', async () => {
    put('node_modules/operator-runtime/package.json', '{ "name": "operator-runtime", "version": "99.0.0" }');
    put('a.ts', '');
    const { code, stderr } = await run('generate', '--source', 'a.ts', '--crd-dir', 'crd');
    expect(code).toBe(2);
    expect(stderr).toContain('operator-runtime 99.0.0 do not belong together');
    expect(stderr).toContain('npm install');
  });

  it('does not take an operator.json that makes no sense', async () => {
    put('operator.json', '{');
    expect(await run('generate')).toMatchObject({ code: 2, stderr: expect.stringContaining('operator.json') });
  });

  it('succeeds in a project that has no API yet', async () => {
    put('operator.json', '{}');
    expect(await run('generate')).toEqual({ code: 0, stdout: '0 kinds, 0 roles, 0 files\n', stderr: '' });
  });
});

describe('markers', () => {
  it('lists every marker with its help', async () => {
    const { code, stdout } = await run('markers');
    expect(code).toBe(0);
    for (const { name, help } of markers) {
      expect(stdout).toMatch(new RegExp(`^${name} +`, 'm'));
      expect(stdout).toContain(help);
    }
  });

  it.each(['MinLength', 'minLength', '@minLength'])('explains %s', async (name) => {
    const { code, stdout } = await run('markers', name);
    expect(code).toBe(0);
    expect(stdout).toContain('@MinLength(');
    expect(stdout).toContain('@minLength ');
  });

  it('prints JSON for machines', async () => {
    const { stdout } = await run('markers', '--format', 'json');
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual(markers.map(({ name }) => name));
  });
});

describe('bin/create-operator.js', () => {
  const bin = fileURLToPath(new URL('../../bin/create-operator.js', import.meta.url));

  it('refuses an old Node.js in one line', () => {
    const script = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); await import(${JSON.stringify(bin)});`;
    const result = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toMatch(/^[^\n]*22\.19[^\n]*\n$/);
  });

  it('sets a flag of V8 that this Node.js knows: of others V8 would complain', () => {
    const [, flag = ''] = /setFlagsFromString\('(.*)'\)/.exec(readFileSync(bin, 'utf8')) ?? [];
    expect(flag).toMatch(/^--/);
    const script = `require('node:v8').setFlagsFromString(${JSON.stringify(flag)})`;
    expect(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });
});
