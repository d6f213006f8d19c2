import { describe, expect, it } from 'vitest';
import { widget, Widget } from '../../../test/support/informer-bench.ts';
import { createCache } from '../cache/cache.ts';
import { createClient } from './client.ts';
import { ScriptedTransport } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { OwnWrites } from './own-writes.ts';

describe('OwnWrites', () => {
  it('remembers nothing of kinds that are not cached', () => {
    const environment = createVirtualEnvironment();
    const cache = createCache({ transport: new ScriptedTransport(() => undefined), environment, streamingList: false });
    const writes = new OwnWrites(cache, environment.clock, 1000);
    for (let count = 0; count < 1000; count++) writes.wrote(Widget, widget(`w-${count}`, String(count)));
    expect(writes.size).toBe(0);
  });

  it('does not grow with writes that nobody reads', async () => {
    const environment = createVirtualEnvironment();
    const transport = new ScriptedTransport((one) => {
      if (one.isWatch) one.head();
      else one.answer(200, { kind: 'WidgetList', metadata: { resourceVersion: '1' }, items: [] });
    });
    const cache = createCache({ transport, environment, streamingList: false });
    const informer = cache.informerFor(Widget);
    const stop = new AbortController();
    const running = cache.start(stop.signal);
    await informer.waitForSync();
    const writes = new OwnWrites(cache, environment.clock, 1000);
    await environment.settle();
    for (let count = 2; count < 5000; count++) {
      const object = widget(`w-${count}`, String(count));
      writes.wrote(Widget, object);
      transport.open[0]?.event('ADDED', object);
      if (count % 100 === 0) await environment.settle();
    }
    expect(writes.size).toBeLessThan(512);
    // What the cache has not seen is never forgotten.
    for (let count = 5000; count < 6000; count++) writes.wrote(Widget, widget(`w-${count}`, String(count)));
    expect(writes.size).toBeGreaterThanOrEqual(1000);
    stop.abort();
    await environment.settle();
    await running;
  });

  it('are shared by clients that say so: a read of one waits for the write of the other', async () => {
    const environment = createVirtualEnvironment();
    const transport = new ScriptedTransport((one) => {
      if (one.isWatch) one.head();
      else if (one.request.method === 'POST') one.answer(201, widget('w', '2'));
      else one.answer(200, { kind: 'WidgetList', metadata: { resourceVersion: '1' }, items: [] });
    });
    const cache = createCache({ transport, environment, streamingList: false });
    const informer = cache.informerFor(Widget);
    const stop = new AbortController();
    const running = cache.start(stop.signal);
    await informer.waitForSync();
    await environment.settle();
    const writer = createClient({ transport, environment, cache });
    const reader = createClient({ transport, environment, cache, sharesWritesWith: writer });
    const alone = createClient({ transport, environment, cache });
    const { resourceVersion: _, ...metadata } = widget('w', '2').metadata;
    await writer.create({ ...widget('w', '2'), metadata });
    const key = { namespace: 'a', name: 'w' };
    expect(await alone.get(Widget, key)).toBeUndefined();
    let read: unknown = 'nothing yet';
    const reading = reader.get(Widget, key).then((object) => (read = object));
    await environment.settle();
    expect(read).toBe('nothing yet');
    transport.open[0]?.event('ADDED', widget('w', '2'));
    await environment.settle();
    await reading;
    expect(read).toMatchObject({ metadata: { name: 'w' } });
    stop.abort();
    await environment.settle();
    await running;
  });

  it('does not wait for versions that have no order', () => {
    const environment = createVirtualEnvironment();
    const cache = createCache({ transport: new ScriptedTransport(() => undefined), environment, streamingList: false });
    cache.informerFor(Widget);
    const writes = new OwnWrites(cache, environment.clock, 1000);
    writes.wrote(Widget, widget('w', 'abc'));
    expect(writes.size).toBe(0);
    writes.wrote(Widget, widget('w', '12'));
    expect(writes.size).toBe(1);
  });
});
