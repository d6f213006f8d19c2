import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/model/index.ts';
import { checkRules } from '../../../src/schema/cel/index.ts';
import { isObject, parseJson } from '../../../src/schema/json.ts';
import { list } from './group.ts';
import { run } from './suite.ts';

const repository = join(import.meta.dirname, '../../..');
const shared = join(repository, '../shared');
const corpus = join(shared, 'cel/corpus.json');
const definitions = join(shared, 'cel/definitions.results.json');

async function mismatches(folder: string): Promise<string[]> {
  const lines: string[] = [];
  const options = { corpus: join(folder, 'corpus.json'), results: join(folder, 'corpus.results.json') };
  const { passed } = await run({ ...options, json: false, print: (line) => lines.push(line) });
  expect(passed).toBeGreaterThan(100);
  return lines;
}

describe('what the code of the API server says of CEL rules', () => {
  it('is said of the rules and objects of the fixtures', async () => {
    expect(await mismatches(join(repository, 'fixtures/cel'))).toEqual([]);
  });

  it.skipIf(!existsSync(corpus))('is said of the whole corpus, where it is there', { timeout: 120_000 }, async () => {
    expect(await mismatches(join(shared, 'cel'))).toEqual([]);
  });

  it.skipIf(!existsSync(definitions))('is said of the rules of published definitions, where they are there', () => {
    const wrong: string[] = [];
    for (const result of list(parseJson(readFileSync(definitions, 'utf8'))).filter(isObject)) {
      const [file = '', version = ''] = typeof result['id'] === 'string' ? result['id'].split('#') : [];
      const definition = parse(readFileSync(join(shared, file), 'utf8')) as {
        spec: { versions: { name: string; schema: { openAPIV3Schema: JsonObject } }[] };
      };
      const schema = definition.spec.versions.find(({ name }) => name === version)?.schema.openAPIV3Schema ?? {};
      const { rules } = checkRules(schema);
      for (const [position, rule] of list(result['rules']).filter(isObject).entries()) {
        const facts = rules[position];
        const outcome = [facts?.maxCost, facts?.cardinality, facts?.cost].map(String).join(' ');
        const expected = [rule['maxCost'], rule['cardinality'], rule['cost']].map(String).join(' ');
        if (outcome !== expected) wrong.push(`${file}: rule ${String(position)}: ${outcome} instead of ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
