import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { widgets } from './definitions.ts';
import { runSequence, type Answer, type SentStep, type Sequence, type Step } from './sequence.ts';
import { sequences } from './sequences/index.ts';
import type { RestResponse } from '../../src/testing/rest.ts';

/** What a real kube-apiserver 1.37.2 answered to the sequences: written anew with RECORD_ANSWERS=1 and KUBEBUILDER_ASSETS. */
export const recordedFile = fileURLToPath(new URL('../../fixtures/apiserver/answers.json', import.meta.url));
const differencesFile = fileURLToPath(new URL('../../fixtures/apiserver/differences.json', import.meta.url));

/** Answers by the name of their sequence. */
export type Answers = Readonly<Record<string, readonly Answer[]>>;

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

export const readRecorded = (): Answers => readJson(recordedFile) as Answers;

/** Steps (`<sequence> <index>`) whose answer differs from a real server's, with the reason. */
export const differences: Readonly<Record<string, string>> = existsSync(differencesFile)
  ? (readJson(differencesFile) as Readonly<Record<string, string>>)
  : {};

/** What a server is started with before the sequences are put to it. */
export const installed = { users: [{ name: 'bob', groups: ['devs'] }], manifests: [widgets] };

/** Puts all sequences to a server, each after the one before. */
export async function answersOf(send: (step: SentStep) => Promise<RestResponse>): Promise<Answers> {
  const result: Record<string, readonly Answer[]> = {};
  for (const sequence of sequences) result[sequence.name] = await runSequence(sequence, send);
  return result;
}

/** One line of the table: a request and how it compares. */
export interface Line {
  readonly id: string;
  readonly request: string;
  /** `listed`: it differs as the list of differences says; `unlisted`: it is on that list and does not differ. */
  readonly outcome: 'equal' | 'different' | 'listed' | 'unlisted';
  readonly ours: Answer | undefined;
  readonly theirs: Answer | undefined;
}

export function describeStep({ method, path, body, make }: Step): string {
  const verb = method ?? (body === undefined && make === undefined ? 'GET' : 'POST');
  return `${verb} ${typeof path === 'string' ? path : '(made of earlier answers)'}`;
}

/** Compares the answers of two servers to one sequence, step by step. */
export function compareSequence(
  { name, steps }: Sequence,
  ours: readonly Answer[] = [],
  theirs: readonly Answer[] = [],
): readonly Line[] {
  return steps.map((step, index) => {
    const id = `${name} ${index}`;
    const same = JSON.stringify(ours[index]) === JSON.stringify(theirs[index]) && ours[index] !== undefined;
    const listed = differences[id] !== undefined;
    return {
      id,
      request: describeStep(step),
      outcome: same ? (listed ? 'unlisted' : 'equal') : listed ? 'listed' : 'different',
      ours: ours[index],
      theirs: theirs[index],
    };
  });
}
