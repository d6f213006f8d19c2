// npm run conformance -- NAME [--corpus FILE --results FILE] [--json]: runs test/conformance/NAME/suite.ts and prints
// "N passed, N failed, N skipped" last. Exit codes: 0 nothing failed, 1 something did, 2 wrong usage.
import { existsSync, globSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../tools/build.ts';
import { main } from '../../tools/repository.ts';
import type { Suite, SuiteOptions } from './suite.ts';

const names = globSync('*/suite.ts', { cwd: import.meta.dirname })
  .map(dirname)
  .sort();
const usage = `usage: npm run conformance -- NAME [--corpus FILE --results FILE] [--json]\nNAME: ${names.join(', ')}`;

interface Arguments extends Omit<SuiteOptions, 'print'> {
  readonly name: string;
}

/** The arguments, or what is wrong with them. */
function readArguments(args: string[]): Arguments | string {
  const options = { corpus: { type: 'string' }, results: { type: 'string' }, json: { type: 'boolean' } } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) return usage;
    if (!names.includes(name)) return `there is no suite "${name}"\n${usage}`;
    const { corpus, results, json = false } = values;
    if (corpus === undefined && results === undefined) return { name, json };
    if (corpus === undefined || results === undefined) return `--corpus and --results go together\n${usage}`;
    // npm changes to the repository's root; paths are relative to where the user stands.
    const base = process.env['INIT_CWD'] ?? '.';
    const files = [corpus, results].map((file) => resolve(base, file));
    const missing = files.find((file) => !existsSync(file));
    if (missing !== undefined) return `there is no file ${missing}`;
    return { name, json, corpus: resolve(base, corpus), results: resolve(base, results) };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${usage}`;
  }
}

await main(async () => {
  const options = readArguments(process.argv.slice(2));
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  // Suites reach the runtime as its users do: by the package's name.
  await build();
  const { name, ...rest } = options;
  const suite = (await import(`./${name}/suite.ts`)) as Suite;
  const { passed, failed, skipped } = await suite.run({ ...rest, print: (line) => console.log(line) });
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
});
