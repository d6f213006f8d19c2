import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Difference } from './output-set.ts';

/** A unified diff from what stands there to what a run would write; `/dev/null` stands for a file that is not there. */
export function unifiedDiff(difference: Difference): string {
  const current = difference.state === 'missing' ? '' : difference.current;
  const expected = difference.state === 'stale' ? '' : difference.expected;
  const from = difference.state === 'missing' ? '/dev/null' : `a/${difference.path}`;
  const to = difference.state === 'stale' ? '/dev/null' : `b/${difference.path}`;
  return createTwoFilesPatch(from, to, current, expected, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}
