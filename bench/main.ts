// npm run bench -- NAME [--json]: runs bench/NAME.ts or bench/NAME/bench.ts. Prints a table, or with --json one object
// { name, figures: [{ name, ours, baseline, ratio, goal, holds }] } as the last line. Exit codes: 0 measured, 2 wrong usage.
import { globSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { build } from '../tools/build.ts';
import { main } from '../tools/repository.ts';
import type { Benchmark, Figure } from './benchmark.ts';

/** Modules of this folder that are no benchmarks. */
const helpers = ['main', 'benchmark'];

const modules = new Map(
  globSync(['*.ts', '*/bench.ts'], { cwd: import.meta.dirname })
    .map((file): [string, string] => [file.replaceAll('\\', '/').replace(/(\/bench)?\.ts$/, ''), `./${file}`])
    .filter(([name]) => !helpers.includes(name) && !name.endsWith('.test'))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);
const usage = `usage: npm run bench -- NAME [--json]\nNAME: ${[...modules.keys()].join(', ')}`;

function table(figures: readonly Figure[]): string {
  const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
  const rows = figures.map(({ name, ours, baseline, ratio, goal, holds }) => [
    name,
    number(ours),
    number(baseline),
    number(ratio),
    goal,
    holds ? 'yes' : 'NO',
  ]);
  const head = ['', 'ours', 'baseline', 'ratio', 'goal', 'holds'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 || column > 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

function readArguments(args: string[]): { readonly module: string; readonly json: boolean } | string {
  const config = { args, options: { json: { type: 'boolean' } }, allowPositionals: true } satisfies ParseArgsConfig;
  try {
    const { values, positionals } = parseArgs(config);
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) return usage;
    const module = modules.get(name);
    return module === undefined ? `there is no benchmark "${name}"\n${usage}` : { module, json: values.json ?? false };
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
  // Benchmarks measure what users get: the built packages.
  await build();
  const benchmark = (await import(options.module)) as Benchmark;
  const result = await benchmark.run();
  console.log(options.json ? JSON.stringify(result) : table(result.figures));
  return 0;
});
