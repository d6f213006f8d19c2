// What users install, taken from the packed tarballs, never from the sources.
import { cpSync, globSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPackageJson, root, run, runChecked } from '../../tools/repository.ts';
import { installConsumer, packageFiles, type Consumer } from './consumer.ts';
import { nodeOfVersion, withoutNode } from './nodes.ts';

const names = ['create-operator', 'operator-runtime'] as const;
const minute = 60_000;
/** Programs of the repository, such as tsc, that judge what was installed. */
const tool = (name: string): string => join(root, 'node_modules', '.bin', name);

/** A version that is too old, the oldest and the newest that the packages are for. */
const [tooOld, oldest, newest] = await Promise.all(
  ['20.20.2', '22.19.0', '24.21.0'].map(async (version) => {
    const path = await nodeOfVersion(version);
    return {
      path: path ?? '',
      missing: path === undefined,
      title: path === undefined ? ` (skipped: ${withoutNode})` : '',
    };
  }),
);
if (tooOld === undefined || oldest === undefined || newest === undefined) throw new Error('three were asked for');

let consumer: Consumer;
const installed = (...path: string[]): string => join(consumer.folder, 'node_modules', ...path);

beforeAll(async () => {
  consumer = await installConsumer();
}, 5 * minute);
afterAll(() => consumer?.remove());

/** The declarations of `create-operator` that one of them leads to, itself included. */
function reachableDeclarations(start: string): string[] {
  const files = packageFiles(consumer, 'create-operator');
  const found = new Set<string>();
  const waiting = [start];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const specifiers = (files.get(file)?.toString() ?? '').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g);
    for (const [, specifier = ''] of specifiers) {
      waiting.push(posix.join(posix.dirname(file), specifier).replace(/\.[jt]s$/, '.d.ts'));
    }
  }
  return [...found];
}

describe.each(names)('%s', (name) => {
  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir: installed(name), pack: false, strict: true, level: 'warning' });
    const manifest = readPackageJson(installed(name)) as unknown as Record<string, unknown>;
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
  });

  it('has its licence, its page and the same version as the other', () => {
    expect(consumer.tarballs[name].files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(packageFiles(consumer, name).get('LICENSE')?.toString()).toContain('Apache License');
    expect(consumer.tarballs[name].version).toBe(readPackageJson(root).version);
  });

  it(
    'has types that resolve in every ESM resolution',
    async () => {
      const { path } = consumer.tarballs[name];
      const result = await run(tool('attw'), [path, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii']);
      expect(result.code, result.stdout + result.stderr).toBe(0);
    },
    minute,
  );

  it('names no folder of the machine that built it', () => {
    const folders = ['src', 'dist', 'node_modules', 'templates'].map((folder) => join(root, folder));
    for (const [file, content] of packageFiles(consumer, name)) {
      for (const folder of folders) expect(content.includes(folder), `${folder} in ${file}`).toBe(false);
    }
  });
});

describe('create-operator', () => {
  it('holds the bundle, the templates as they are, and nothing else', () => {
    // Not globbed: npm treats some names with a leading dot in its own way.
    const templates = readdirSync(join(root, 'templates'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    const expected = new Set([
      ...templates,
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES',
      'bin/create-operator.js',
      'dist/cli/main.js',
      'dist/testing/index.js',
      ...reachableDeclarations('dist/types/testing/index.d.ts'),
      'package.json',
      'schemas/operator.schema.json',
    ]);
    const { files } = consumer.tarballs['create-operator'];
    const unexpected = files.filter((file) => !expected.has(file) && !/^dist\/chunks\/[\w.-]+\.c?js$/.test(file));
    expect(unexpected).toEqual([]);
    expect(files).toEqual(expect.arrayContaining([...expected]));
  });

  it('is small: one dependency, and no more than 2 MB to download', () => {
    expect(Object.keys(readPackageJson(installed('create-operator')).dependencies ?? {})).toEqual(['ts-morph']);
    expect(consumer.tarballs['create-operator'].size).toBeLessThan(2_000_000);
  });

  it(
    'brings at most 15 packages and 30 MB to who runs it by npx',
    async () => {
      // The tree that npx makes: the tool alone, without a project around it.
      const folder = join(consumer.folder, 'npx');
      mkdirSync(folder);
      const tarball = consumer.tarballs['create-operator'].path;
      const install = [
        'install',
        '--prefer-offline',
        '--no-save',
        '--no-audit',
        '--no-fund',
        '--prefix',
        folder,
        tarball,
      ];
      await runChecked('npm', install, { cwd: folder });
      const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      const packages = files.filter((file) => /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(file));
      const megabytes = files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
      expect(packages.length).toBeGreaterThan(1);
      expect(packages.length, packages.join('\n')).toBeLessThanOrEqual(15);
      expect(megabytes).toBeLessThanOrEqual(30);
    },
    minute,
  );

  it('brings the licence of every package in its bundle', () => {
    const licenses = packageFiles(consumer, 'create-operator').get('THIRD-PARTY-LICENSES')?.toString() ?? '';
    const bundle = [...packageFiles(consumer, 'create-operator')]
      .filter(([file]) => file.startsWith('dist/'))
      .map(([, content]) => content.toString())
      .join('\n');
    // The bundler leaves the path of each source in a comment.
    const bundled = new Set(
      [...bundle.matchAll(/^\s*\/\/ (?:.*\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm)].map(([, found]) => found),
    );
    expect(bundled.size).toBeGreaterThan(0);
    for (const found of bundled) expect(licenses).toMatch(new RegExp(`^${found} \\d`, 'm'));
  });

  it('says its version and what it can do', async () => {
    const npx = ['--no-install', 'create-operator'];
    expect(await runChecked('npx', [...npx, '--version'], { cwd: consumer.folder })).toBe(
      `${readPackageJson(root).version}\n`,
    );
    const help = await runChecked('npx', [...npx, '--help'], { cwd: consumer.folder });
    expect(help).toMatch(/^usage: create-operator/im);
    expect(help).toContain('generate');
  });

  it.skipIf(oldest.missing)(`runs on Node.js 22.19${oldest.title}`, async () => {
    const bin = installed('create-operator', 'bin', 'create-operator.js');
    const version = await runChecked(oldest.path, [bin, '--version'], { cwd: consumer.folder });
    expect(version).toBe(`${readPackageJson(root).version}\n`);
  });

  it.skipIf(tooOld.missing)(`says on Node.js 20 in one line that it is too old${tooOld.title}`, async () => {
    const bin = installed('create-operator', 'bin', 'create-operator.js');
    const result = await run(tooOld.path, [bin, 'generate'], { cwd: consumer.folder });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^[^\n]*22\.19[^\n]*\n$/);
  });
});

describe('operator-runtime', () => {
  it('holds what was compiled from its sources, and nothing else', () => {
    const sources = globSync('**/*.ts', { cwd: join(root, 'src', 'runtime') }).filter(
      (file) => !/^(dist|node_modules)\/|\.test\.ts$|\.test-d\.ts$/.test(file),
    );
    const endingsOf = (file: string): readonly string[] =>
      file.endsWith('.generated.ts') ? ['.js', '.d.ts'] : ['.js', '.js.map', '.d.ts'];
    const compiled = sources.flatMap((file) =>
      endingsOf(file).map((ending) => `dist/${file.slice(0, -'.ts'.length)}${ending}`),
    );
    expect(consumer.tarballs['operator-runtime'].files).toEqual(
      [...compiled, 'dist/program.d.ts', 'LICENSE', 'README.md', 'package.json'].sort(),
    );
  });

  it('is small', () => {
    expect(consumer.tarballs['operator-runtime'].size).toBeLessThan(800_000);
  });

  it('has markers that import nothing', () => {
    const files = [...packageFiles(consumer, 'operator-runtime')].filter(([file]) =>
      /^dist\/markers\/.*\.js$/.test(file),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const [file, content] of files) {
      const outside = [...content.toString().matchAll(/\bfrom '([^']+)'/g)].filter(
        ([, from]) => !from?.startsWith('./'),
      );
      expect(outside, file).toEqual([]);
    }
  });

  it('declares no type of its dependencies', () => {
    for (const [file, content] of packageFiles(consumer, 'operator-runtime')) {
      if (!file.endsWith('.d.ts')) continue;
      expect(content.toString(), file).not.toMatch(
        /['"](@kubernetes\/client-node|@opentelemetry\/api|undici|pino|prom-client)['"/]/,
      );
    }
  });
});

describe('what both export', () => {
  const imports = async (node: string): Promise<void> => {
    const script = consumer.exports.map((path) => `await import('${path}');`).join('\n');
    writeFileSync(join(consumer.folder, 'imports.js'), script);
    expect(consumer.exports).toEqual(expect.arrayContaining(['operator-runtime/markers', 'create-operator/testing']));
    const result = await run(node, ['imports.js'], { cwd: consumer.folder });
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
  };
  it('can be imported on this Node.js', async () => await imports(process.execPath));
  it.skipIf(oldest.missing)(`can be imported on Node.js 22.19${oldest.title}`, async () => await imports(oldest.path));
  it.skipIf(newest.missing)(`can be imported on Node.js 24${newest.title}`, async () => await imports(newest.path));

  it(
    'has declarations that compile in a project that checks libraries, too',
    async () => {
      const folder = join(consumer.folder, 'declarations');
      mkdirSync(folder);
      const lines = consumer.exports.map((path, index) => `export * as export${index} from '${path}';`);
      writeFileSync(join(folder, 'index.ts'), lines.join('\n'));
      const compilerOptions = {
        module: 'nodenext',
        target: 'es2023',
        types: ['node'],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const result = await run(tool('tsc'), ['-p', folder], { cwd: consumer.folder });
      expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
    },
    minute,
  );
});

describe('a bundle', () => {
  const bundle = async (file: string): Promise<number> => {
    const tsconfigRaw = { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } };
    const { outputFiles } = await build({
      absWorkingDir: consumer.folder,
      entryPoints: [file],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'node',
      tsconfigRaw,
    });
    return outputFiles.reduce((size, { contents }) => size + contents.byteLength, 0);
  };

  const types = globSync('*/{decorators,jsdoc}/**/*.types.ts', { cwd: join(root, 'fixtures') }).sort();
  it.each(types)('of fixtures/%s alone stays below 2 kB', async (file) => {
    const fixture = file.split('/')[0] ?? '';
    cpSync(join(root, 'fixtures', fixture), join(consumer.folder, 'fixtures', fixture), { recursive: true });
    expect(await bundle(join(consumer.folder, 'fixtures', file))).toBeLessThan(2000);
  });

  it('of a decorated type stays below 2 kB', async () => {
    const file = join(consumer.folder, 'decorated.ts');
    writeFileSync(
      file,
      `import { Maximum, Minimum, Resource } from 'operator-runtime/markers';
      class WidgetSpec { @Minimum(1) @Maximum(9) size!: number }
      @Resource({ group: 'example.com', version: 'v1' })
      export class Widget { spec!: WidgetSpec }`,
    );
    expect(await bundle(file)).toBeLessThan(2000);
  });
});
