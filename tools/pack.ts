// npm run pack -- DIR: builds both packages and writes their tarballs into DIR.
import { mkdirSync, statSync } from 'node:fs';
import { resolve, join } from 'node:path';
import { build } from './build.ts';
import { isMain, main, packages, runChecked } from './repository.ts';

export interface Tarball {
  readonly name: string;
  readonly version: string;
  /** The absolute path of the file. */
  readonly path: string;
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes of what is in it. */
  readonly unpackedSize: number;
  /** Paths inside the package, sorted. */
  readonly files: readonly string[];
}

interface NpmPackReport {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Builds both packages and writes `create-operator-<version>.tgz` and `operator-runtime-<version>.tgz` into a folder, which is made if need be. */
export async function pack(folder: string): Promise<Tarball[]> {
  const destination = resolve(folder);
  mkdirSync(destination, { recursive: true });
  await build();
  const tarballs: Tarball[] = [];
  for (const source of Object.values(packages)) {
    // The build above is what the prepack scripts would do.
    const args = ['pack', '--json', '--ignore-scripts', '--workspaces=false', '--pack-destination', destination];
    const [report] = JSON.parse(await runChecked('npm', args, { cwd: source })) as [NpmPackReport];
    const path = join(destination, report.filename);
    const files = report.files.map((file) => file.path).sort();
    tarballs.push({ ...report, path, size: statSync(path).size, files });
  }
  return tarballs;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const [folder, ...rest] = process.argv.slice(2);
    if (folder === undefined || rest.length > 0 || folder.startsWith('-')) {
      console.error('usage: npm run pack -- DIR');
      return 2;
    }
    for (const { path, size, unpackedSize, files } of await pack(resolve(process.env['INIT_CWD'] ?? '.', folder))) {
      const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
      console.log(`${path}  ${kilobytes(size)}, ${kilobytes(unpackedSize)} unpacked, ${files.length} files`);
    }
    return 0;
  });
}
