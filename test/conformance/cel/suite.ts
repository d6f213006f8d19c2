import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../../src/model/index.ts';
import { checkRules, compileRules, type RuleFacts } from '../../../src/schema/cel/index.ts';
import type { FieldError } from '../../../src/schema/field-error.ts';
import { isObject, parseJson } from '../../../src/schema/json.ts';
import type { SuiteOptions } from '../suite.ts';
import { type Group, list, readGroup } from './group.ts';

/** One comparison that may go wrong. */
interface Outcome {
  /** `group/rule 3` or `group/object 1` or `group/definition`. */
  readonly id: string;
  readonly expected: string;
  readonly actual: string;
}

const repository = join(import.meta.dirname, '../../..');
const shared = join(repository, '../shared/cel');
const path = 'spec.validation.openAPIV3Schema';

function readJson(file: string): Json {
  return parseJson(readFileSync(file, 'utf8'));
}

/** Rules and objects of a corpus whose outcome does not equal the results of the API server's own code. */
export async function run(options: SuiteOptions): Promise<{ passed: number; failed: number; skipped: number }> {
  const folder = existsSync(join(shared, 'corpus.json')) ? shared : join(repository, 'fixtures/cel');
  const corpus = options.corpus ?? join(folder, 'corpus.json');
  const results = options.results ?? join(folder, 'corpus.results.json');
  const outcomes = compareCorpus(readJson(corpus), readJson(results));
  const known = readDifferences();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const outcome of outcomes) {
    const isKnown = outcome.actual !== outcome.expected && known.get(outcome.id) === outcome.actual;
    if (outcome.actual === outcome.expected) counts.passed += 1;
    else if (isKnown) counts.skipped += 1;
    else {
      counts.failed += 1;
      options.print(`${outcome.id}: expected ${outcome.expected}, got ${outcome.actual}`);
    }
  }
  if (options.json) options.print(JSON.stringify(counts));
  return counts;
}

/** What is known to differ, by id, with the outcome that it has. */
function readDifferences(): ReadonlyMap<string, string> {
  const json = readJson(join(import.meta.dirname, 'differences.json'));
  const entries = list(json)
    .filter(isObject)
    .map((entry) => [text(entry['id']) ?? '', text(entry['actual']) ?? ''] as const);
  return new Map(entries);
}

/** Compares every group with its results. */
export function compareCorpus(corpus: Json, results: Json): Outcome[] {
  const groups = list(corpus).filter(isObject);
  const expectations = new Map(
    list(results)
      .filter(isObject)
      .map((result) => [text(result['id']) ?? '', result]),
  );
  return groups.flatMap((json) => {
    const result = expectations.get(text(json['id']) ?? '');
    if (result === undefined || result['problem'] !== undefined) return [];
    return compareGroup(readGroup(json), result);
  });
}

function compareGroup(group: Group, result: JsonObject): Outcome[] {
  const definitionErrors = list(result['definitionErrors']).filter(isObject);
  const ofRules = definitionErrors.filter(isRuleError);
  const checked = checkRules(group.schema, { path, structural: definitionErrors.length === ofRules.length });
  const outcomes: Outcome[] = list(result['rules'])
    .filter(isObject)
    .map((rule, position) => ({
      id: `${group.id}/rule ${position}`,
      expected: expectedRule(rule),
      actual: actualRule(checked.rules[position]),
    }));
  outcomes.push({
    id: `${group.id}/definition`,
    expected: ofRules.map(printError).sort().join('\n'),
    actual: checked.errors.map(printError).sort().join('\n'),
  });
  const rules = compileRules(group.schema);
  const objects = list(result['objects']).filter(isObject);
  for (const [position, object] of group.objects.entries()) {
    const expected = objects[position];
    if (expected === undefined) continue;
    const { errors, cost } = rules.evaluate(object.value, object.old);
    outcomes.push({
      id: `${group.id}/object ${position}`,
      expected: [
        ...list(expected['ruleErrors']).filter(isObject).map(printError).sort(),
        `cost ${Number(expected['cost'])}`,
      ].join('\n'),
      actual: [...errors.map(printError).sort(), `cost ${cost}`].join('\n'),
    });
  }
  return outcomes;
}

function isRuleError(error: JsonObject): boolean {
  const inRules = text(error['field'])?.includes('x-kubernetes-validations') === true;
  return inRules || text(error['detail'])?.startsWith('x-kubernetes-validations') === true;
}

/**
 * Texts of the compiler are cut down to the place of the first error: its words may differ. Which of several rules of equal cost
 * are named beside the total is chance on the server.
 */
function printError(error: Pick<FieldError, 'type' | 'field' | 'detail'> | JsonObject): string {
  const detail = text(error.detail) ?? '';
  const field = detail.startsWith('contributed to estimated rule cost') ? '' : (text(error.field) ?? '');
  return `${text(error.type) ?? ''} ${field}: ${compileError(detail)}`;
}

function compileError(detail: string): string {
  const match = /^(.*compilation failed: ERROR: <input>:-?\d+:\d+):/s.exec(detail);
  return match?.[1] ?? detail;
}

function expectedRule(rule: JsonObject): string {
  const message = rule['messageExpressionError'];
  return printRule({
    error: text(rule['error']),
    maxCost: text(rule['maxCost']),
    cardinality: text(rule['cardinality']),
    cost: text(rule['cost']),
    usesOldSelf: rule['usesOldSelf'] === true,
    messageError: text(message),
    messageCost: text(rule['messageExpressionCost']),
  });
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

interface ComparedRule {
  readonly error: string | undefined;
  readonly maxCost: string | undefined;
  readonly cardinality: string | undefined;
  readonly cost: string | undefined;
  readonly usesOldSelf: boolean;
  readonly messageError: string | undefined;
  readonly messageCost: string | undefined;
}

function printRule(rule: ComparedRule): string {
  if (rule.error !== undefined) return compileError(rule.error);
  const message = rule.messageError === undefined ? rule.messageCost : compileError(rule.messageError);
  return `${rule.maxCost} * ${rule.cardinality} = ${rule.cost}${rule.usesOldSelf ? ' oldSelf' : ''}${message === undefined ? '' : ` message ${message}`}`;
}

function actualRule(facts: RuleFacts | undefined): string {
  if (facts === undefined) return 'no such rule';
  return printRule({
    error: facts.error?.detail,
    maxCost: printCost(facts.maxCost),
    cardinality: printCost(facts.cardinality),
    cost: printCost(facts.cost),
    usesOldSelf: facts.usesOldSelf,
    messageError: facts.messageExpressionError?.detail,
    messageCost: facts.messageExpressionCost === undefined ? undefined : printCost(facts.messageExpressionCost),
  });
}

function printCost(cost: bigint): string {
  return cost === 2n ** 64n - 1n ? 'max' : String(cost);
}
