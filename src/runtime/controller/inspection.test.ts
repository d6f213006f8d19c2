import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { Inspection } from './inspection.ts';
import type { Cause, Request } from './reconcile.ts';
import { requestIdentity } from './reconcile.ts';

function setUp() {
  const world = createVirtualEnvironment();
  const queue = new WorkQueue<Request, Cause>({ ...world, identity: requestIdentity });
  const inspection = new Inspection(world.clock);
  const controller = { name: 'widget', kind: undefined, hasSynced: () => true };
  return { world, queue, inspection, state: () => inspection.state(controller, 1, 0, queue) };
}
const request = (index: number): Request => ({ namespace: 'ns', name: `w-${index}` });

describe('what is shown of a controller', () => {
  it('is bounded: a thousand entries of the queue, and of the results the latest', () => {
    const { queue, inspection, state } = setUp();
    for (let index = 0; index < 1_500; index++) {
      queue.add(request(index));
      inspection.begin(request(index), `id-${index}`, [])('success');
    }
    const { queue: shown, lastResults } = state();
    expect([shown.ready, shown.items.length, lastResults.length]).toEqual([1_500, 1_000, 1_000]);
    expect([lastResults[0]?.request.name, lastResults.at(-1)?.request.name]).toEqual(['w-500', 'w-1499']);
  });

  it('has one result for each object, the last one; the latest at the end', async () => {
    const { world, inspection, state } = setUp();
    const first = inspection.begin(request(1), 'one', []);
    inspection.begin(request(2), 'two', [])('error', new Error('no cloud'));
    await world.advance(250);
    expect(state().running).toEqual([{ request: request(1), reconcileID: 'one', causes: [], milliseconds: 250 }]);
    expect(first('requeue_after')).toBe(250);
    inspection.begin(request(2), 'three', [])('error', 'a string');
    expect(state()).toMatchObject({
      running: [],
      lastResults: [
        { request: request(1), outcome: 'requeue_after', milliseconds: 250, endedAt: '2026-01-01T00:00:00.250Z' },
        { request: request(2), reconcileID: 'three', outcome: 'error', error: "'a string'" },
      ],
    });
  });
});
