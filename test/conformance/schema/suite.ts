import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../../src/model/index.ts';
import { parseJson } from '../../../src/schema/index.ts';
import type { SuiteOptions, SuiteResult } from '../suite.ts';
import { compareCorpus } from './compare.ts';

const repository = join(import.meta.dirname, '../../..');
const shared = join(repository, '../shared/schema');

/** Where the corpus is: the whole one beside the checkout, or the part of it in the fixtures. */
export const corpusFolder = existsSync(join(shared, 'corpus.json')) ? shared : join(repository, 'fixtures/schema');

/** A quirk of the server that is left out, with the reason. */
export interface Difference {
  readonly id: string;
  /** What our code says. */
  readonly actual: string;
  readonly reason: string;
}

export function readJson(file: string): Json {
  return parseJson(readFileSync(file, 'utf8'));
}

export function readDifferences(): Difference[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'differences.json'), 'utf8')) as Difference[];
}

/** Counts definitions and objects of a corpus that do not equal what the API server's own code says of them. */
export async function run(options: SuiteOptions): Promise<SuiteResult> {
  const isBundled = options.corpus === undefined;
  const corpus = readJson(options.corpus ?? join(corpusFolder, 'corpus.json'));
  const results = readJson(options.results ?? join(corpusFolder, 'corpus.results.json'));
  const known = new Map(isBundled ? readDifferences().map(({ id, actual }) => [id, actual] as const) : []);
  let [passed, failed] = [0, 0];
  for (const { id, expected, actual } of compareCorpus(corpus, results)) {
    const isPassed = actual === expected || known.get(id) === actual;
    if (isPassed) passed += 1;
    else failed += 1;
    if (options.json)
      options.print(JSON.stringify(isPassed ? { id, passed: true } : { id, passed: false, expected, actual }));
    else if (!isPassed) options.print(oneLine(`${id}: expected ${expected}, got ${actual}`));
  }
  return { passed, failed, skipped: 0 };
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' \u23ce ');
}
