import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Where Yeoman's modules read their own package.json while they load: in a bundle there is none beside them. */
const reads: readonly { readonly file: RegExp; readonly text: string }[] = [
  { file: /yeoman-environment[\\/]dist[\\/]environment-base\.js$/, text: "require('../package.json')" },
  {
    file: /yeoman-environment[\\/]dist[\\/]module-lookup\.js$/,
    text: "JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json')).toString())",
  },
  {
    file: /yeoman-generator[\\/]dist[\\/]generator\.js$/,
    text: "JSON.parse(readFileSync(pathJoin(_dirname, '../package.json'), 'utf8'))",
  },
];

/** Puts name and version of such a package into the bundle. Fails the build when a new release reads them in another way. */
export const packageVersions: Plugin = {
  name: 'package-versions',
  setup(build) {
    for (const { file, text } of reads) {
      build.onLoad({ filter: file }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!source.includes(text)) return { errors: [{ text: `${path} has no "${text}": see ${import.meta.url}` }] };
        const { name, version } = JSON.parse(await readFile(join(dirname(path), '..', 'package.json'), 'utf8')) as {
          name: string;
          version: string;
        };
        return { contents: source.replace(text, JSON.stringify({ name, version })), loader: 'js' };
      });
    }
  },
};
