import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, win32 } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { typeScriptHeader } from '../model/index.ts';
import { toPattern, toProjectPath } from './paths.ts';
import { parseKubernetesVersion, ProjectError, readSettings } from './settings.ts';
import { findSources } from './sources.ts';
import { findTsconfig } from './tsconfig.ts';
import { checkOwnVersion, checkRuntimeVersion, ownVersion } from './version.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'my op-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, content = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

describe('toProjectPath', () => {
  it.each<[string, string, string | undefined]>([
    ['api\\v1\\cart.ts', 'C:\\Work\\my op\\', 'api/v1/cart.ts'],
    ['c:\\work\\my op\\config\\crd', 'C:\\Work\\my op', 'config/crd'],
    ['config/crd', 'C:\\Work\\my op', 'config/crd'],
    ['..\\other\\x.ts', 'C:\\Work\\my op', '../other/x.ts'],
    ['D:\\cache\\x.ts', 'C:\\Work\\my op', undefined],
    ['.', 'C:\\Work', '.'],
  ])('gives %s in %s as %s on Windows', (file, folder, expected) => {
    expect(toProjectPath(file, folder, win32)).toBe(expected);
  });

  it.each([
    ['api/v1/cart.ts', '/home/ada/my op', 'api/v1/cart.ts'],
    ['/home/ada/my op/config/', '/home/ada/my op/', 'config'],
    ['/elsewhere/x.ts', '/work', '../elsewhere/x.ts'],
  ])('gives %s in %s as %s elsewhere', (file, folder, expected) => {
    expect(toProjectPath(file, folder, posix)).toBe(expected);
  });
});

describe('toPattern', () => {
  it.each([
    ['src\\**\\*.ts', 'C:\\Work\\my op', win32, 'C:/Work/my op/src/**/*.ts'],
    ['D:\\api\\*.ts', 'C:\\Work', win32, 'D:/api/*.ts'],
    ['./src/*.ts', 'C:\\Work\\', win32, 'C:/Work/src/*.ts'],
    ['src\\**\\*.ts', '/home/ada/op', posix, '/home/ada/op/src/**/*.ts'],
    ['/api/*.ts', '/home/ada/op', posix, '/api/*.ts'],
  ])('reads %s in %s', (glob, folder, path, expected) => {
    expect(toPattern(glob, folder, path)).toBe(expected);
  });
});

describe('findSources', () => {
  const names = (globs: string[]): string[] =>
    findSources(globs, root).files.map((file) => file.slice(root.length + 1));

  beforeEach(() => {
    put('src/api/v1/a.ts');
    put('src/api/v1/b.mts');
    put('src/api/v1/c.d.ts');
    put('src/api/v1/d.js');
    put('src/api/v1/a.test.ts');
    put('src/api/v1/client.ts', `${typeScriptHeader}\nexport {};\n`);
    put('src/api/[id].ts');
    put('src/node_modules/x/y.ts');
  });

  it.each([
    [['src/**/*.ts'], ['src/api/[id].ts', 'src/api/v1/a.ts']],
    [['src\\api\\v1\\*.ts'], ['src/api/v1/a.ts']],
    [['src/api'], ['src/api/[id].ts', 'src/api/v1/a.ts', 'src/api/v1/b.mts']],
    [['src/api/v1/a.ts', './src/api/v1/*.ts'], ['src/api/v1/a.ts']],
    [['src/api/[id].ts'], ['src/api/[id].ts']],
    [['src/**/*.{ts,mts}'], ['src/api/[id].ts', 'src/api/v1/a.ts', 'src/api/v1/b.mts']],
  ])('finds %j', (globs, files) => {
    expect(names(globs)).toEqual(files);
  });

  it('tells which patterns match nothing, as it has resolved them', () => {
    expect(findSources(['apis/**/*.ts', 'src/api', 'nothing.ts'], root)).toMatchObject({
      unmatched: [`${root}/apis/**/*.ts`, `${root}/nothing.ts`],
    });
  });

  it('takes a file with several names by symbolic links once, by its real one', () => {
    symlinkSync('../src', join(root, 'src/again'));
    symlinkSync('v1/a.ts', join(root, 'src/api/0.ts'));
    expect(names(['src'])).toEqual(['src/api/[id].ts', 'src/api/v1/a.ts', 'src/api/v1/b.mts']);
    expect(names(['src/api/0.ts'])).toEqual(['src/api/0.ts']);
  });

  it.skipIf(process.getuid?.() === 0)('says which file cannot be read (not as root)', () => {
    chmodSync(join(root, 'src/api/v1/a.ts'), 0);
    expect(() => findSources(['src'], root)).toThrow('a.ts cannot be read: permission denied');
  });
});

describe('readSettings', () => {
  it('finds the nearest operator.json', () => {
    put('operator.json', '{ "kubernetesVersion": "1.35", "allowedTags": ["@beta", "since2"], "name": "x" }');
    mkdirSync(join(root, 'src/api'), { recursive: true });
    expect(readSettings(join(root, 'src/api'))).toEqual({
      root,
      kubernetesVersion: { major: 1, minor: 35 },
      allowedTags: ['beta', 'since2'],
      kindRoles: 'plain',
      namespaced: false,
      multigroup: false,
      conversions: [],
    });
  });

  it('names each kind once whose objects a webhook converts', () => {
    const resource = { group: 'example.com', kind: 'Widget', plural: 'widgets' };
    const resources = [
      { ...resource, version: 'v1', webhooks: { conversion: true } },
      { ...resource, version: 'v2', webhooks: { conversion: true } },
      { ...resource, version: 'v1', kind: 'Gadget', webhooks: { conversion: false } },
      { ...resource, version: 'v1', kind: 'Other', webhooks: {} },
    ];
    put('operator.json', JSON.stringify({ resources }));
    expect(readSettings(root).conversions).toEqual([{ group: 'example.com', kind: 'Widget' }]);
  });

  it('has defaults outside a project', () => {
    expect(readSettings(root)).toEqual({
      root: undefined,
      kubernetesVersion: { major: 1, minor: 34 },
      allowedTags: [],
      kindRoles: 'plain',
      namespaced: false,
      multigroup: false,
      conversions: [],
    });
  });

  it.each([
    ['{ "kubernetesVersion": 1.34 }', 'kubernetesVersion is no text'],
    ['{ "kubernetesVersion": "latest" }', 'is no version of Kubernetes'],
    ['{ "kubernetesVersion": "1.30" }', 'Kubernetes 1.30 is not supported'],
    ['{ "allowedTags": "x" }', 'allowedTags is no list'],
    ['{ "allowedTags": [1] }', 'allowedTags[0] is no text'],
    ['{ "multigroup": "yes" }', 'multigroup is no true or false'],
    ['{ "kindRoles": "all" }', 'kindRoles is none of'],
    [
      '{ "resources": [{ "group": "a", "version": "v1", "kind": "B", "plural": "b", "webhooks": { "conversion": "x" } }] }',
      'resources[0].webhooks.conversion is no true or false',
    ],
    ['[]', 'is no JSON object'],
    ['{', 'JSON'],
  ])('refuses %s', (text, message) => {
    put('operator.json', text);
    expect(() => readSettings(root)).toThrow(ProjectError);
    expect(() => readSettings(root)).toThrow(message);
  });

  it.each([
    ['1.34', { major: 1, minor: 34 }],
    ['v1.36.2', { major: 1, minor: 36 }],
  ])('reads %s', (text, version) => {
    expect(parseKubernetesVersion(text, '--kubernetes-version')).toEqual(version);
  });
});

describe('findTsconfig', () => {
  it('is the nearest above all sources', () => {
    put('tsconfig.json');
    put('src/tsconfig.json');
    put('src/api/tsconfig.json');
    const files = (...paths: string[]): string[] => paths.map((path) => join(root, path));
    expect(findTsconfig(files('src/api/v1/a.ts', 'src/api/v1/b.ts'))).toBe(join(root, 'src/api/tsconfig.json'));
    expect(findTsconfig(files('src/api/v1/a.ts', 'src/apis/b.ts'))).toBe(join(root, 'src/tsconfig.json'));
    expect(findTsconfig(files('src/a.ts', 'other/b.ts'))).toBe(join(root, 'tsconfig.json'));
  });
});

describe('checkRuntimeVersion', () => {
  const install = (version: string): void => {
    put('node_modules/operator-runtime/package.json', JSON.stringify({ name: 'operator-runtime', version }));
  };

  it.each(['0.1.0', '0.1.9'])('takes %s with 0.1.3', (version) => {
    install(version);
    expect(() => checkRuntimeVersion(root, '0.1.3')).not.toThrow();
  });

  it.each(['0.2.0', '1.1.0'])('refuses %s with 0.1.3 and says what to install', (version) => {
    install(version);
    expect(() => checkRuntimeVersion(root, '0.1.3')).toThrow(`create-operator 0.1.3 and operator-runtime ${version}`);
    try {
      checkRuntimeVersion(root, '0.1.3');
    } catch (error) {
      expect((error as ProjectError).hint).toContain('npm install operator-runtime@0.1.3');
    }
  });

  it("speaks in the commands of the project's package manager", () => {
    install('0.2.0');
    put('operator.json', '{ "packageManager": "pnpm" }');
    try {
      checkRuntimeVersion(root, '0.1.3');
      expect.unreachable();
    } catch (error) {
      expect((error as ProjectError).hint).toBe(
        'pnpm add operator-runtime@0.1.3 && pnpm add --save-dev create-operator@0.1.3',
      );
    }
  });

  it('takes a project without the runtime', () => {
    expect(() => checkRuntimeVersion(root)).not.toThrow();
    expect(ownVersion()).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('checkOwnVersion', () => {
  it('takes the installed version, and projects that have none', () => {
    expect(() => checkOwnVersion(root, '0.1.3')).not.toThrow();
    put('node_modules/create-operator/package.json', '{ "version": "0.1.3" }');
    expect(() => checkOwnVersion(root, '0.1.3')).not.toThrow();
  });

  it('refuses another', () => {
    put('node_modules/create-operator/package.json', '{ "version": "0.1.4" }');
    expect(() => checkOwnVersion(root, '0.1.3')).toThrow('the project has create-operator 0.1.4, and this is 0.1.3');
  });
});
