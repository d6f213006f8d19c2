import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { cacheFolder, root } from '../repository.ts';
import { declarationFiles, declarationInputs } from './declarations.ts';
import { packageVersions } from './package-versions.ts';
import { thirdPartyLicenses } from './licenses.ts';

const dist = join(root, 'dist');
const licensesFile = join(root, 'THIRD-PARTY-LICENSES');
const stampFile = join(cacheFolder, 'build', 'command-line.json');

/** What the last build read and wrote. A build is repeated when a size or a time of these differs. */
interface Stamp {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

/** The modules of `exports` in package.json, below src/. */
const exportedModules = ['testing/index'];

/** Bundled CommonJS packages call `require` for Node's own modules; an ES module has none. */
const requireBanner =
  "import { createRequire as createRequireForBundle } from 'node:module'; const require = createRequireForBundle(import.meta.url);";

const aliases = {
  '@inquirer/external-editor': './tools/build/external-editor.ts',
  'fly-import': './tools/build/fly-import.ts',
  prettier: './tools/build/prettier.ts',
};

/**
 * What is bundled, each part for itself: the whole command line and what is exported, in chunks that they share, and beside them
 * `create-operator generate` and `rbac` alone and what looks whether `generate` has anything to do. These are run all day, and loading many
 * small modules would take longer than much of their work.
 */
const bundles: readonly BuildOptions[] = [
  {
    entryPoints: { 'cli/main': 'src/cli/main.ts', 'testing/index': 'src/testing/index.ts' },
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    banner: { js: requireBanner },
  },
  {
    entryPoints: { 'chunks/generate': 'src/cli/generate/main.ts' },
    // A script, whose compiled code can be kept with that of all functions that were called (kept-code.ts).
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': 'moduleUrl' },
    alias: { ...aliases, 'ts-morph': './tools/build/ts-morph.ts' },
    minifyWhitespace: true,
  },
  { entryPoints: { 'chunks/repeat': 'src/cli/repeat.ts' } },
];

/**
 * Bundles `src/cli/main.ts` into `dist/cli/main.js`, `src/testing/index.ts` into `dist/testing/index.js`, and all else into
 * `dist/chunks/*.js`; the declarations of what is exported go to `dist/types/`. All outputs stand two levels below the
 * package's root as the sources do, so that `new URL('../../templates/', import.meta.url)` is right in both.
 */
export async function buildCommandLine(): Promise<void> {
  if (await upToDate()) return;
  const results = await Promise.all(bundles.map(bundle));
  const outputFiles = results.flatMap((result) => result.outputFiles);
  const metafile: Metafile = {
    inputs: Object.assign({}, ...results.map((result) => result.metafile.inputs)),
    outputs: Object.assign({}, ...results.map((result) => result.metafile.outputs)),
  };
  const written = new Map<string, Uint8Array>(outputFiles.map((file) => [file.path, file.contents]));
  for (const [path, contents] of await declarationFiles(exportedModules)) written.set(path, contents);
  for (const [path, contents] of written) await writeIfChanged(path, contents);
  await removeOthers(new Set(written.keys()));
  await writeIfChanged(licensesFile, Buffer.from(await thirdPartyLicenses(bundledInputs(metafile))));
  await writeStamp(metafile, [...written.keys(), licensesFile]);
}

async function bundle(options: BuildOptions) {
  return await build({
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    alias: aliases,
    external: ['ts-morph', 'operator-runtime', 'operator-runtime/*'],
    plugins: [packageVersions],
    legalComments: 'none',
    minifySyntax: true,
    logLevel: 'silent',
    ...options,
    metafile: true,
    write: false,
  });
}

/** The files that left something in the bundle; what was only looked at and dropped needs no licence. */
function bundledInputs(metafile: Metafile): string[] {
  const names = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [name, input] of Object.entries(output.inputs)) if (input.bytesInOutput > 0) names.add(name);
  }
  return [...names].sort();
}

async function writeIfChanged(path: string, contents: Uint8Array): Promise<void> {
  if (existsSync(path) && (await readFile(path)).equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, contents);
  await rename(temporary, path);
}

async function removeOthers(keep: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !keep.has(path)) await rm(path, { force: true });
  }
}

async function fingerprint(path: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs } = await stat(join(root, path));
    return `${size} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}

async function fingerprints(paths: Iterable<string>): Promise<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const path of paths) result[path] = (await fingerprint(path)) ?? 'missing';
  return result;
}

async function writeStamp(metafile: Metafile, outputs: readonly string[]): Promise<void> {
  // What decides about the bundle besides its sources: this script and the versions of what is installed.
  const settings = [
    'tools/build/command-line.ts',
    'tools/build/declarations.ts',
    'tools/build/licenses.ts',
    'package.json',
    'package-lock.json',
  ];
  const stamp: Stamp = {
    inputs: await fingerprints([
      ...Object.keys(metafile.inputs),
      ...(await declarationInputs(exportedModules)),
      ...settings,
    ]),
    outputs: await fingerprints(outputs.map((path) => relative(root, path))),
  };
  await writeIfChanged(stampFile, Buffer.from(JSON.stringify(stamp)));
}

async function upToDate(): Promise<boolean> {
  if (!existsSync(stampFile)) return false;
  const { inputs, outputs } = JSON.parse(await readFile(stampFile, 'utf8')) as Stamp;
  for (const [path, seen] of Object.entries({ ...inputs, ...outputs })) {
    if ((await fingerprint(path)) !== seen) return false;
  }
  return true;
}
