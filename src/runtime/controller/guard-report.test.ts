import { describe, expect, it } from 'vitest';
import { Widget, recorder, widget } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Client } from '../client/types.ts';
import type { EventNote } from '../events/event.ts';
import type { Write } from './guard-patterns.ts';
import { reportTrip } from './guard-report.ts';
import type { GuardName } from './guard-types.ts';

const managed: KubernetesObject = widget('w', {
  managedFields: ['theirs', 'ours'].map((manager) => ({
    manager,
    operation: 'Update',
    apiVersion: 'example.com/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:size': {} } },
  })),
});

/** What is said of a trip, and the reads that it took. */
async function report(guard: GuardName, live: () => Promise<KubernetesObject | undefined>) {
  const lines: Line[] = [];
  const notes: (string | undefined)[] = [];
  let reads = 0;
  const client = {
    live: {
      get: () => {
        reads++;
        return live();
      },
    },
  } as unknown as Client;
  const write: Write = { kind: 'Widget', of: Widget, how: 'patch', before: undefined, after: widget('w') };
  const trip = { guard, object: 'Widget ns/w', fields: ['/spec/size'], remedy: 'do better' };
  await reportTrip({ namespace: 'ns', name: 'w' }, trip, write, {
    client,
    log: recorder(lines),
    events: { event: (_object: unknown, { note }: EventNote) => void notes.push(note) },
    object: widget('w'),
  });
  return { line: lines.find(({ level }) => level === 'warn'), notes, reads };
}

describe('the report of a guard', () => {
  it('names the writers of a field, for which the object is read once', async () => {
    const { line, notes, reads } = await report('fieldConflict', () => Promise.resolve(managed));
    expect(line?.fields).toMatchObject({ managers: ['theirs', 'ours'], fields: ['/spec/size'], object: 'Widget ns/w' });
    expect(notes).toEqual([expect.stringContaining('(Widget ns/w /spec/size); written by theirs, ours; do better')]);
    expect(reads).toBe(1);
  });

  it.each<[string, () => Promise<KubernetesObject | undefined>]>([
    ['cannot be read', () => Promise.reject(new Error('forbidden'))],
    ['is gone', () => Promise.resolve(undefined)],
  ])('is made without the writers when the object %s', async (_, live) => {
    const { line, notes, reads } = await report('fieldConflict', live);
    expect(line?.fields).not.toHaveProperty('managers');
    expect(notes).toEqual([expect.stringMatching(/^fieldConflict: .*; do better$/)]);
    expect(reads).toBe(1);
  });

  it('of any other guard reads nothing', async () => {
    expect(await report('selfTriggeredLoop', () => Promise.resolve(managed))).toMatchObject({ reads: 0 });
  });
});
