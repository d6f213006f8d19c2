import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, type Tarball } from '../../tools/pack.ts';
import { readPackageJson, root, runChecked } from '../../tools/repository.ts';

/** A fresh project with both packages installed from their tarballs. */
export interface Consumer {
  readonly folder: string;
  readonly tarballs: { readonly 'create-operator': Tarball; readonly 'operator-runtime': Tarball };
  /** The paths that both packages export, patterns filled in: `operator-runtime/apis/core/v1`. */
  readonly exports: readonly string[];
  readonly remove: () => void;
}

/** Packs both packages and installs them as a user would, beside the types of Node.js that a TypeScript project has. */
export async function installConsumer(): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-consumer-'));
  try {
    return await install(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function install(folder: string): Promise<Consumer> {
  const tarballs = await pack(join(folder, 'tarballs'));
  const named = (name: string): Tarball => {
    const found = tarballs.find((tarball) => tarball.name === name);
    if (found === undefined) throw new Error(`${name} was not packed`);
    return found;
  };
  const [tool, runtime] = [named('create-operator'), named('operator-runtime')];
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: { 'operator-runtime': `file:${runtime.path}` },
    devDependencies: { 'create-operator': `file:${tool.path}`, '@types/node': devDependencies['@types/node'] },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await runChecked('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  return {
    folder,
    tarballs: { 'create-operator': tool, 'operator-runtime': runtime },
    exports: ['create-operator', 'operator-runtime'].flatMap((name) =>
      exportedPaths(name, join(folder, 'node_modules', name)),
    ),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function exportedPaths(name: string, folder: string): string[] {
  const { exports } = readPackageJson(folder) as unknown as { exports: Record<string, string | { default: string }> };
  return Object.entries(exports).flatMap(([path, target]) => {
    const specifier = `${name}${path.slice(1)}`;
    if (typeof target === 'string') return [];
    if (!path.includes('*')) return [specifier];
    const [before = '', after = ''] = target.default.slice(2).split('*');
    const files = globSync(`${before}**/*${after}`, { cwd: folder }).sort();
    return files.map((file) => specifier.replace('*', file.slice(before.length, -after.length)));
  });
}

/** All files of an installed package with their contents. */
export function packageFiles({ folder, tarballs }: Consumer, name: keyof Consumer['tarballs']): Map<string, Buffer> {
  const base = join(folder, 'node_modules', name);
  return new Map(tarballs[name].files.map((file) => [file, readFileSync(join(base, file))]));
}
