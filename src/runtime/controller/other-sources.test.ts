import { describe, expect, it } from 'vitest';
import { ConfigMap, configMap, recorder, setUp, widget } from '../../../test/support/controller-bench.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { RequestChannel, fromTimer } from './other-sources.ts';
import { generationChanged } from './predicates.ts';
import type { Request } from './reconcile.ts';
import { done } from './result.ts';

describe('a channel', () => {
  it('asks each controller that listens for a run, and nobody after the stop', async () => {
    const channel = new RequestChannel();
    const bench = setUp(() => Promise.resolve(done));
    bench.builder.watchesChannel(channel);
    channel.send({ namespace: 'ns', name: 'too early' });
    const { stop } = bench.start();
    await bench.world.settle();
    channel.send({ namespace: 'ns', name: 'a' });
    await bench.world.settle();
    expect(bench.names()).toEqual(['a']);
    expect(bench.runs[0]?.context.causes).toEqual([{ kind: '', namespace: 'ns', name: 'a', event: 'generic' }]);
    await stop();
    channel.send({ namespace: 'ns', name: 'too late' });
    await bench.world.settle();
    expect(bench.names()).toEqual(['a']);
  });
});

describe('a timer source', () => {
  it('asks again and again, goes on after a failure, and leaves nothing behind', async () => {
    let calls = 0;
    const bench = setUp(() => Promise.resolve(done));
    bench.builder.every('30s', () => {
      calls++;
      if (calls === 2) {
        throw new Error('not now');
      }
      return [{ namespace: 'ns', name: `key-${calls}` }];
    });
    const { stop } = bench.start();
    await bench.world.advance(29_999);
    expect(calls).toBe(0);
    await bench.world.advance(60_001);
    expect(bench.names()).toEqual(['key-1', 'key-3']);
    expect(bench.runs[0]?.context.causes).toMatchObject([{ event: 'timer' }]);
    expect(bench.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    await stop();
    expect(bench.world.pendingTimers).toBe(0);
  });

  it('asks for nothing when its function answers after the stop', async () => {
    const world = createVirtualEnvironment();
    const asked: string[] = [];
    const answer = Promise.withResolvers<{ name: string }[]>();
    const target = { log: recorder([]), enqueue: ({ name }: Request) => void asked.push(name), retry: () => undefined };
    const listening = fromTimer(1_000, () => answer.promise).attach(target, world.clock);
    await world.advance(1_000);
    listening[Symbol.dispose]();
    answer.resolve([{ name: 'late' }]);
    await world.settle();
    expect([asked, world.pendingTimers]).toEqual([[], 0]);
  });

  it.each([0, -1, '0s'])('needs a period longer than 0, not %s', (period) => {
    expect(() => setUp(() => Promise.resolve(done)).builder.every(period, () => [])).toThrow(/longer than 0/);
  });
});

describe('what was there when the controller started', () => {
  it('waits behind what changes meanwhile', async () => {
    const bench = setUp(async (request, _context, { world, widgets }) => {
      if (request.name === 'old-0') {
        widgets.set(widget('new'));
      }
      await new Promise<void>((resolve) => world.clock.setTimer(resolve, 10));
      return done;
    });
    for (let index = 0; index < 5; index++) {
      bench.widgets.set(widget(`old-${index}`));
    }
    const { stop } = bench.start();
    await bench.world.advance(100);
    expect(bench.names()).toEqual(['old-0', 'new', 'old-1', 'old-2', 'old-3', 'old-4']);
    await stop();
  });

  it('keeps its priority when it is tried again', async () => {
    let tries = 0;
    const bench = setUp(async (_request, { log: _log }) => {
      await Promise.resolve();
      if (++tries === 1) {
        throw new Error('again');
      }
      return done;
    });
    bench.widgets.set(widget('old'));
    const { stop } = bench.start();
    await bench.world.advance(100);
    expect(bench.names()).toEqual(['old', 'old']);
    await stop();
  });
});

describe('a predicate of the generation', () => {
  it('on a kind without one lets all pass, and says so once', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.builder.watches(ConfigMap, ({ metadata }) => [{ namespace: 'ns', name: metadata.name ?? '' }], {
      predicates: [generationChanged],
    });
    const { stop } = bench.start();
    for (const resourceVersion of ['1', '2', '3']) {
      bench.configMaps.set(configMap('c', { resourceVersion }));
      await bench.world.settle();
    }
    expect(bench.names()).toEqual(['c', 'c', 'c']);
    expect(bench.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['watched'])).toEqual([
      { kind: 'ConfigMap' },
    ]);
    await stop();
  });
});

describe('the fairness key of a controller', () => {
  it('lets namespaces take turns', async () => {
    const bench = setUp(
      async (_request, _context, { world }) => {
        await new Promise<void>((resolve) => world.clock.setTimer(resolve, 10));
        return done;
      },
      { fairnessKey: ({ namespace }) => namespace },
    );
    const { stop } = bench.start();
    await bench.world.settle();
    for (const name of ['first', 'big-1', 'big-2', 'big-3']) {
      bench.widgets.set(widget(name));
    }
    bench.widgets.set(widget('small', { namespace: 'other' }));
    await bench.world.advance(100);
    expect(bench.names()).toEqual(['first', 'big-1', 'small', 'big-2', 'big-3']);
    await stop();
  });
});
