import { describe, expect, it } from 'vitest';
import type { InformerHealth } from '../cache/types.ts';
import { defineKind } from '../kind/kind.ts';
import { assertInformersReady } from './readiness.ts';

const kind = defineKind({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  scope: 'Cluster',
  subresources: [],
});
const error = new Error('connect ECONNREFUSED');

describe('readiness', () => {
  const check = (synced: boolean, health: Omit<InformerHealth, 'state' | 'synced'>, now = 1_000_000): void => {
    assertInformersReady(
      [{ kind, hasSynced: () => synced, health: () => ({ state: 'watching', synced, ...health }) }],
      now,
    );
  };

  it.each<[string, boolean, Omit<InformerHealth, 'state' | 'synced'>]>([
    ['all is well', true, { lastProgress: 999_000 }],
    ['nothing happens for a long time, without an error', true, { lastProgress: 0 }],
    ['errors are recent', true, { error, lastProgress: 820_000 }],
  ])('holds while %s', (_, synced, health) => {
    expect(() => {
      check(synced, health);
    }).not.toThrow();
  });

  it.each<[string, boolean, Omit<InformerHealth, 'state' | 'synced'>, string]>([
    ['the first list is not there', false, {}, 'Node is not synced'],
    ['the kind is refused', false, { error }, 'Node is not synced (connect ECONNREFUSED)'],
    [
      'it fails for more than three minutes',
      true,
      { error, lastProgress: 819_999 },
      'Node has not reached the API server',
    ],
  ])('fails when %s', (_, synced, health, message) => {
    expect(() => {
      check(synced, health);
    }).toThrow(message);
  });

  it('holds without informers', () => {
    expect(() => {
      assertInformersReady([], 0);
    }).not.toThrow();
  });
});
