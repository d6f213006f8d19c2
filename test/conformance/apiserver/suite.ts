import { startTestEnvironment } from '../../../src/testing/index.ts';
import { sequences } from '../../apiserver/sequences/index.ts';
import {
  answersOf,
  compareSequence,
  differences,
  installed,
  readRecorded,
  type Answers,
  type Line,
} from '../../apiserver/table.ts';
import { findPrograms } from '../kubernetes/programs.ts';
import type { SuiteOptions, SuiteResult } from '../suite.ts';

type Judge = 'recorded answers' | 'kube-apiserver';

async function answersFrom(assets: string): Promise<Answers> {
  const environment = await startTestEnvironment({ assets, ...installed, timeout: 180_000 });
  try {
    return await answersOf((step) => environment.request(step));
  } finally {
    await environment.stop();
  }
}

/**
 * Puts the table of requests to the embedded server and compares each answer with the recorded one of a real kube-apiserver. Where the
 * real programs are (`KUBEBUILDER_ASSETS`, or what `build.ts` made), they are asked the same beside it: those answers count, too, so that a
 * recording that has become untrue fails. Without them these comparisons are skipped.
 *
 * A listed difference passes as long as it is one; when it is none any more it fails, so that the list stays short.
 */
export async function run({ json, print }: SuiteOptions): Promise<SuiteResult> {
  let passed = 0;
  let failed = 0;
  const ours = await answersFrom('');
  const compare = (judge: Judge, theirs: Answers): void => {
    for (const sequence of sequences) {
      for (const line of compareSequence(sequence, ours[sequence.name], theirs[sequence.name])) {
        const good = line.outcome === 'equal' || line.outcome === 'listed';
        if (good) passed++;
        else failed++;
        if (json) print(JSON.stringify({ judge, ...line, reason: differences[line.id] }));
        else if (!good) print(describe(judge, line));
      }
    }
  };
  compare('recorded answers', readRecorded());
  const programs = findPrograms();
  const total = sequences.reduce((sum, { steps }) => sum + steps.length, 0);
  if (programs === undefined) {
    if (!json) print('There is no kube-apiserver to ask: the recorded answers stand for it.');
    return { passed, failed, skipped: total };
  }
  compare('kube-apiserver', await answersFrom(programs));
  if (!json) {
    for (const [id, reason] of Object.entries(differences)) print(`differs as listed: ${id}: ${reason}`);
  }
  return { passed, failed, skipped: 0 };
}

function describe(judge: Judge, { id, request, outcome, ours, theirs }: Line): string {
  if (outcome === 'unlisted') return `${id}: ${request}: is listed as a difference from the ${judge} and is none`;
  return `${id}: ${request}\n  ours:   ${JSON.stringify(ours)}\n  ${judge}: ${JSON.stringify(theirs)}`;
}
