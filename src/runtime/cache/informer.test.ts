import { beforeEach, describe, expect, it } from 'vitest';
import {
  answersList,
  list,
  opens,
  refused,
  status,
  widget,
  InformerBench,
  useInformerBench,
} from '../../../test/support/informer-bench.ts';
import type { ScriptedExchange } from '../environment/scripted-transport.ts';

const current = useInformerBench();
let bench: InformerBench;
beforeEach(() => {
  bench = current();
});

describe('errors', () => {
  it.each([
    ['refused', (one: ScriptedExchange) => one.fail(refused()), 'ConnectionFailed'],
    ['401', (one: ScriptedExchange) => one.answer(401, status(401, 'Unauthorized')), 'Unauthorized'],
    ['403', (one: ScriptedExchange) => one.answer(403, status(403, 'Forbidden')), 'Forbidden'],
    ['500', (one: ScriptedExchange) => one.answer(500, status(500, 'InternalError')), 'InternalError'],
    [
      'HTML',
      (one: ScriptedExchange) => one.answer(200, '<html></html>', { 'content-type': 'text/html' }),
      'UnexpectedAnswer',
    ],
    ['HTML with 502', (one: ScriptedExchange) => one.answer(502, '<html>', { 'content-type': 'text/html' }), 'Unknown'],
    ['an object in place of a list', (one: ScriptedExchange) => one.answer(200, widget('a', '1')), 'UnexpectedAnswer'],
    ['an item without name', (one: ScriptedExchange) => one.answer(200, list('1', [{}])), 'UnexpectedAnswer'],
    ['silence', () => undefined, 'DeadlineExceeded'],
  ])(
    'a server that answers lists with %s for ten minutes: few bench.requests, clear lines, and it goes on',
    async (_name, answer, reason) => {
      bench.transport.handler = answer;
      await bench.start();
      await bench.environment.advance(600_000);
      expect(bench.transport.exchanges.length).toBeGreaterThanOrEqual(7);
      expect(bench.transport.exchanges.length).toBeLessThanOrEqual(40);
      expect(bench.log.every(({ level, fields }) => level === 'warn' && fields?.['reason'] === reason)).toBe(true);
      expect(bench.informer.health().error).toBeDefined();
      expect(bench.informer.hasSynced()).toBe(false);
      bench.transport.handler = (one) => (one.isWatch ? one.head() : one.answer(200, list('10', [widget('a', '3')])));
      await bench.environment.advance(120_000);
      expect(bench.cached()).toEqual(['a 3']);
      expect(bench.informer.health().error).toBeUndefined();
    },
  );

  it('a CRD that is not installed is named, with how to install it; it starts when it appears', async () => {
    bench.transport.handler = (one) => one.answer(404, '404 page not found', { 'content-type': 'text/plain' });
    await bench.start();
    await bench.environment.advance(300_000);
    expect(bench.log[0]?.message).toContain('widgets.example.com v1: install the CRD of Widget (make install');
    bench.transport.handler = (one) => (one.isWatch ? one.head() : one.answer(200, list('10', [widget('a', '3')])));
    await bench.environment.advance(10_000);
    expect(bench.cached()).toEqual(['a 3']);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000, 8000],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT' }, 20_000, 22_100],
    ['an absurd time', { 'retry-after': '999999' }, 60_000, 66_100],
  ])('Retry-After as %s', async (_name, headers, earliest, latest) => {
    bench.script(answersList('10'), (one) => one.answer(429, status(429, 'TooManyRequests'), headers));
    await bench.start();
    await bench.environment.advance(earliest - 1);
    expect(bench.requests()).toHaveLength(2);
    await bench.environment.advance(latest - earliest);
    expect(bench.requests()).toEqual(['list latest', 'watch 10', 'watch 10']);
  });

  describe('an object that is no JSON', () => {
    const broken = (version: string): string =>
      JSON.stringify({ ...widget('a', version), spec: { size: 1 } }).replace('1}}', '1,}}');
    const listOf = (version: string, item: string): string =>
      `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"${version}"},"items":[${item}]}`;
    const key = { namespace: 'a', name: 'a' };
    const size = { ...widget('a', '11'), spec: { size: 2 } };

    it('in a watch: its readers get an error, it is not taken for deleted, and all objects are listed again', async () => {
      bench.script(answersList('10', widget('a', '3')), opens, answersList('12', size), opens);
      await bench.start();
      const heard: string[] = [];
      bench.informer.addLazyEventHandler({
        add: ({ name, resourceVersion }) => heard.push(`add ${name} ${resourceVersion}`),
        update: (previous, { resourceVersion }) => heard.push(`update ${previous.resourceVersion} ${resourceVersion}`),
      });
      bench.informer.indexer.addIndex('size', ({ spec }) => [String(spec?.size)]);
      bench.exchange(1).write(`{"type":"MODIFIED","object":${broken('11')}}\n`);
      await bench.environment.settle();
      expect(heard).toEqual(['add a 3', 'update 3 11']);
      const held = bench.informer.indexer.peek(key);
      // The bench's handler reads bodies.
      expect(bench.log.map(({ fields }) => String(fields?.['error']))).toContainEqual(
        expect.stringContaining('what the server sent as a/a is no JSON'),
      );
      for (let tries = 0; tries < 5; tries++) {
        expect(() => bench.informer.indexer.get(key)).toThrow('is no JSON');
        await bench.environment.advance(100);
      }
      await bench.environment.advance(3000);
      expect(bench.requests()).toEqual(['list latest', 'watch 10', 'list 11', 'watch 12']);
      expect(bench.informer.indexer.get(key)).toEqual(size);
      expect(bench.informer.indexer.byIndex('size', '2')).toEqual([size]);
      // Whoever has kept the object can read it now, too.
      expect(held?.object).toEqual(size);
      expect(heard.slice(2)).toEqual(['update 11 11']);
      expect(bench.heard).toEqual(['add a 3 initial', 'update a 3 11']);
    });

    it('again and again: the other objects are up to date all the same', async () => {
      const relists = ['12', '14', '16'].map((version) => (one: ScriptedExchange): void => {
        const other = JSON.stringify(widget('b', version));
        if (one.isWatch) one.head();
        else one.answer(200, listOf(version, `${other},${broken('3')}`));
      });
      bench = new InformerBench({ eager: false });
      bench.script((one) => one.answer(200, listOf('10', broken('3'))), opens, ...relists.flatMap((one) => [one, one]));
      await bench.start();
      for (const version of ['12', '14', '16']) {
        expect(() => bench.informer.indexer.get(key)).toThrow('is no JSON');
        await bench.environment.advance(60_000);
        expect(bench.informer.resourceVersion).toBe(version);
        expect(bench.informer.indexer.get({ namespace: 'a', name: 'b' })).toEqual(widget('b', version));
      }
      bench.stop.abort();
    });

    it('in a list, which a handler finds while it is told: another list follows', async () => {
      bench.script((one) => one.answer(200, listOf('10', broken('3'))), answersList('12', widget('a', '3')), opens);
      await bench.start();
      expect(bench.heard).toEqual([]);
      await bench.environment.advance(3000);
      expect(bench.requests()).toEqual(['list latest', 'list 10', 'watch 12']);
      expect(bench.heard).toEqual(['add a 3']);
      expect(bench.log.map(({ fields }) => fields?.['reason'])).toContain('UnexpectedAnswer');
    });

    it('in a list, which is found while no watch is open', async () => {
      const busy = (one: ScriptedExchange): void =>
        one.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '5' });
      bench = new InformerBench({ eager: false });
      bench.script(
        (one) => one.answer(200, listOf('10', broken('3'))),
        busy,
        answersList('12', widget('a', '3')),
        opens,
      );
      await bench.start();
      expect(() => bench.informer.indexer.list()).toThrow('is no JSON');
      await bench.environment.advance(6000);
      expect(bench.requests()).toEqual(['list latest', 'watch 10', 'list 10', 'watch 12']);
      expect(bench.cached()).toEqual(['a 3']);
      bench.stop.abort();
    });

    it('deleted before it could be read: told of with what is known', async () => {
      const deleted: unknown[] = [];
      bench.script(answersList('10', widget('a', '3')), opens);
      await bench.start();
      bench.informer.addEventHandler({ delete: (object, unknown) => deleted.push([object, unknown]) });
      bench.exchange(1).write(`{"type":"DELETED","object":${broken('11')}}\n`);
      await bench.environment.settle();
      expect(deleted).toEqual([[widget('a', '11'), true]]);
      expect(bench.informer.indexer.list()).toEqual([]);
    });
  });

  it('a condition that throws rejects who waits for it, and nobody else', async () => {
    bench.script(answersList('10', widget('a', '3')), opens);
    let asked = 0;
    const failing = bench.informer.waitUntil(() => {
      if (asked++ > 0) throw new Error('mine');
      return false;
    });
    const failed = expect(failing).rejects.toThrow('mine');
    const synced = bench.informer.waitForSync();
    await bench.start();
    await Promise.all([failed, synced]);
    expect(bench.informer.health().error).toBeUndefined();
  });

  it('handlers that throw or reject, and index functions that throw, disturb nobody', async () => {
    bench.script(answersList('10', widget('a', '3')), opens);
    bench.informer.addEventHandler({
      add() {
        throw new Error('one');
      },
      update: () => Promise.reject(new Error('two')) as unknown as void,
    });
    // Neither its order nor that of the others waits for it.
    bench.informer.addEventHandler({ add: () => new Promise<void>(() => undefined) as unknown as void });
    bench.informer.indexer.addIndex('bad', () => {
      throw new Error('three');
    });
    let last = 0;
    bench.informer.addEventHandler({ add: () => (last += 1), update: () => (last += 1) });
    await bench.start();
    bench.exchange(1).event('MODIFIED', widget('a', '11'));
    await bench.environment.settle();
    expect(last).toBe(2);
    // An index is asked about the new version when somebody looks it up.
    expect(bench.informer.indexer.byIndex('bad', 'x')).toEqual([]);
    expect(bench.log.filter(({ level }) => level === 'error')).toHaveLength(4);
    expect(bench.informer.resourceVersion).toBe('11');
  });
});

describe('stop', () => {
  const points: [string, () => Promise<void>][] = [
    ['before the list is answered', async () => {}],
    [
      'between two pages',
      async () => {
        bench.exchange(0).answer(200, list('10', [widget('a', '3')], 't'));
        await bench.environment.settle();
      },
    ],
    [
      'before the watch is answered',
      async () => {
        bench.exchange(0).answer(200, list('10', [widget('a', '3')]));
        await bench.environment.settle();
      },
    ],
    [
      'in the middle of a line',
      async () => {
        bench.exchange(0).answer(200, list('10', [widget('a', '3')]));
        await bench.environment.settle();
        bench.exchange(1).head();
        bench.exchange(1).write('{"type":"MODI');
        await bench.environment.settle();
      },
    ],
    [
      'while it waits to try again',
      async () => {
        bench.exchange(0).fail(refused());
        await bench.environment.settle();
      },
    ],
  ];

  it.each(points)('%s: nothing is left, and a second start works', async (_name, reach) => {
    await bench.start();
    await reach();
    const before = bench.transport.exchanges.length;
    const stopped = Promise.all([bench.informer.stop(), bench.informer.stop()]);
    await bench.environment.settle();
    await stopped;
    expect(bench.environment.pendingTimers).toBe(0);
    expect(bench.transport.open).toEqual([]);
    expect(bench.informer.health().state).toBe('stopped');
    await bench.environment.advance(1_000_000);
    expect(bench.transport.exchanges).toHaveLength(before);
    expect(bench.log.filter(({ level }) => level === 'error')).toEqual([]);

    bench.transport.handler = (one) => (one.isWatch ? one.head() : one.answer(200, list('20', [widget('b', '15')])));
    await bench.start();
    expect(bench.cached()).toEqual(['b 15']);
    expect(bench.transport.open).toHaveLength(1);
  });

  it('in a watch: the next start lists from the version that was seen', async () => {
    bench.script(answersList('10', widget('a', '3')), opens);
    await bench.start();
    bench.exchange(1).event('MODIFIED', widget('a', '12'));
    await bench.environment.settle();
    await Promise.all([bench.informer.stop(), bench.environment.settle()]);
    await bench.start();
    expect(bench.requests().at(-1)).toBe('list 12');
  });

  it('from within a handler', async () => {
    bench.informer.addEventHandler({ add: () => void bench.informer.stop() });
    bench.script(answersList('10', widget('a', '3'), widget('b', '4')), opens);
    await bench.start();
    expect(bench.transport.exchanges).toHaveLength(1);
    // The batch that was begun is finished, so that no handler misses a part of it.
    expect(bench.heard).toEqual(['add a 3 initial', 'add b 4 initial']);
  });

  it('starting twice is starting once', async () => {
    const first = bench.informer.start(bench.stop.signal);
    expect(bench.informer.start(new AbortController().signal)).toBe(first);
    await bench.environment.settle();
    expect(bench.transport.exchanges).toHaveLength(1);
  });

  it('a thousand starts and stops leave no listener on the signal', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => {
      warnings.push(warning);
    };
    process.on('warning', note);
    bench.transport.handler = (one) => (one.isWatch ? one.head() : one.answer(200, list('20', [])));
    for (let round = 0; round < 1000; round++) {
      void bench.informer.start(bench.stop.signal);
      await Promise.resolve();
      await bench.informer.stop();
    }
    await bench.environment.settle();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('handlers', () => {
  it('a late one is told of what is there, before the call returns', async () => {
    bench.script(answersList('10', widget('a', '3')), opens);
    await bench.start();
    const late: string[] = [];
    const registration = bench.informer.addEventHandler({
      add: ({ metadata }, initial) => late.push(`${metadata.name} ${initial}`),
    });
    expect(late).toEqual(['a true']);
    expect(registration.hasSynced()).toBe(true);
    bench.exchange(1).event('ADDED', widget('b', '11'));
    await bench.environment.settle();
    registration.remove();
    registration[Symbol.dispose]();
    bench.exchange(1).event('ADDED', widget('c', '12'));
    await bench.environment.settle();
    expect(late).toEqual(['a true', 'b false']);
  });

  it('one that is added by a handler is told once', async () => {
    bench.script(answersList('10'), opens);
    await bench.start();
    const told: string[] = [];
    const registration = bench.informer.addEventHandler({
      add: () => {
        registration.remove();
        bench.informer.addEventHandler({ add: ({ metadata }, initial) => told.push(`${metadata.name} ${initial}`) });
      },
    });
    bench.exchange(1).event('ADDED', widget('a', '11'));
    bench.exchange(1).event('ADDED', widget('b', '12'));
    await bench.environment.settle();
    expect(told).toEqual(['a true', 'b false']);
  });

  it('get frozen objects, the same that the indexer gives', async () => {
    bench.script(answersList('10', widget('a', '3')), opens);
    await bench.start();
    const object = bench.informer.indexer.get({ namespace: 'a', name: 'a' });
    expect(Object.isFrozen(object)).toBe(true);
    expect(Object.isFrozen(object?.metadata)).toBe(true);
    expect(bench.informer.indexer.list({ namespace: 'a' })[0]).toBe(object);
    expect(bench.informer.indexer.list({ namespace: 'b' })).toEqual([]);
  });
});
