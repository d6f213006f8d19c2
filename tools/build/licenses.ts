import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPackageJson, root } from '../repository.ts';

/** The folder of the package that a bundled file belongs to: `node_modules/a/node_modules/@b/c`; undefined for our own files. */
export function packageFolder(input: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/@]+)\//.exec(input)?.[1];
}

interface License {
  readonly title: string;
  readonly text: string;
}

async function licenseOf(folder: string): Promise<License> {
  const { name, version, license } = readPackageJson(join(root, folder));
  const files = (await readdir(join(root, folder))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map(async (file) => (await readFile(join(root, folder, file), 'utf8')).trim()));
  if (typeof license !== 'string' && texts.length === 0) throw new Error(`${name} ${version} has no licence`);
  const text = texts.length === 0 ? 'The package has no licence file of its own.' : texts.join('\n\n');
  return { title: `${name} ${version}${typeof license === 'string' ? ` (${license})` : ''}`, text };
}

/**
 * The licences of all packages that have a part in a bundle, sorted by name; packages with one text stand together.
 * @param inputs paths of bundled files relative to the repository's root, as an esbuild metafile has them
 */
export async function thirdPartyLicenses(inputs: readonly string[]): Promise<string> {
  const folders = new Set<string>();
  for (const input of inputs) {
    const folder = packageFolder(input);
    if (folder !== undefined) folders.add(folder);
  }
  const licenses = await Promise.all([...folders].map(licenseOf));
  const titles = new Map<string, Set<string>>();
  for (const { title, text } of licenses.sort((a, b) => (a.title < b.title ? -1 : 1))) {
    const sharing = titles.get(text) ?? new Set();
    titles.set(text, sharing.add(title));
  }
  const rule = '-'.repeat(80);
  const sections = [...titles].map(([text, names]) => `${[...names].join('\n')}\n\n${text.replaceAll('\r\n', '\n')}\n`);
  const head = 'create-operator contains code of the following packages.\n';
  return [head, ...sections].join(`\n${rule}\n\n`);
}
