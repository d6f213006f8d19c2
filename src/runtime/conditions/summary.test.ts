import { describe, expect, it } from 'vitest';
import type { Condition } from '../apis/meta/v1.ts';
import { summarizeConditions } from './summary.ts';

const condition = (
  type: string,
  status: Condition['status'],
  message = '',
  observedGeneration?: number,
): Condition => ({
  type,
  status,
  reason: `${type}Reason`,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
});

describe('the summary of conditions', () => {
  it.each([
    ['all true', [condition('A', 'True', '', 3), condition('B', 'True', '', 2)], 'True', 'Ready', '', 2],
    [
      'one false',
      [condition('A', 'Unknown', 'u'), condition('B', 'False', 'f')],
      'False',
      'BReason',
      'B: f; A: u',
      undefined,
    ],
    ['one unknown', [condition('A', 'Unknown', 'u'), condition('B', 'True')], 'Unknown', 'AReason', 'A: u', undefined],
    ['one missing', [condition('B', 'True', '', 1)], 'Unknown', 'Pending', 'A: not known yet', 1],
    ['none', undefined, 'Unknown', 'Pending', 'A: not known yet; B: not known yet', undefined],
  ] as const)('of %s', (_, conditions, status, reason, message, observedGeneration) => {
    expect(summarizeConditions(conditions, 'Ready', ['A', 'B'])).toEqual({
      type: 'Ready',
      status,
      reason,
      message,
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
    });
  });

  it('leaves other conditions out', () => {
    const conditions = [condition('A', 'True'), condition('Other', 'False')];
    expect(summarizeConditions(conditions, 'Ready', ['A']).status).toBe('True');
  });
});
