import { describe, expect, it } from 'vitest';
import type { Condition } from '../apis/meta/v1.ts';
import { freeze } from '../client/cached.ts';
import { findCondition, isConditionTrue, setCondition } from './conditions.ts';

const condition = (
  type: string,
  status: Condition['status'],
  lastTransitionTime = '2026-01-01T00:00:00Z',
): Condition => ({
  type,
  status,
  lastTransitionTime,
  reason: 'Because',
  message: '',
});
const now = Date.UTC(2026, 5, 1, 12, 0, 0, 999);

describe('setting a condition', () => {
  const before = freeze([condition('Ready', 'False'), condition('Other', 'True')]);

  it('adds it behind the others, with the time in whole seconds', () => {
    const { lastTransitionTime: _, ...added } = condition('New', 'Unknown');
    expect(setCondition(before, added, now)).toEqual([
      ...before,
      { ...added, lastTransitionTime: '2026-06-01T12:00:00Z' },
    ]);
    expect(setCondition(undefined, added, now)).toHaveLength(1);
  });

  it('keeps its time while its status stays, whatever else is said', () => {
    const said = {
      type: 'Ready',
      status: 'False',
      reason: 'Still',
      message: 'waiting',
      observedGeneration: 2,
    } as const;
    expect(setCondition(before, said, now)).toEqual([
      { ...said, lastTransitionTime: '2026-01-01T00:00:00Z' },
      before[1],
    ]);
    const { lastTransitionTime: _, ...same } = condition('Ready', 'False');
    expect(setCondition(before, same, now)).toEqual(before);
  });

  it('takes the time when its status changes, in its place', () => {
    const said = { type: 'Ready', status: 'True', reason: 'Up', message: '' } as const;
    expect(setCondition(before, said, now)).toEqual([
      { ...said, lastTransitionTime: '2026-06-01T12:00:00Z' },
      before[1],
    ]);
    expect(before[0]?.status).toBe('False');
  });
});

describe('looking for a condition', () => {
  it.each<[readonly Condition[] | undefined, string, boolean]>([
    [[condition('Ready', 'True')], 'Ready', true],
    [[condition('Ready', 'False')], 'Ready', false],
    [[condition('Ready', 'Unknown')], 'Ready', false],
    [[condition('Other', 'True')], 'Ready', false],
    [[], 'Ready', false],
    [undefined, 'Ready', false],
  ])('%j %s: %s', (conditions, type, expected) => {
    expect(isConditionTrue(conditions, type)).toBe(expected);
    expect(findCondition(conditions, type)?.type).toBe(conditions?.find((other) => other.type === type)?.type);
  });
});
