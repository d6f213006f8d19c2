import { beforeEach, describe, expect, it } from 'vitest';
import {
  answersList,
  bookmark,
  list,
  opens,
  refused,
  status,
  widget,
  type InformerBench,
  useInformerBench,
} from '../../../test/support/informer-bench.ts';
import { ConnectionError } from '../client/errors.ts';
import type { ScriptedExchange } from '../environment/scripted-transport.ts';

const current = useInformerBench();
let bench: InformerBench;
beforeEach(() => {
  bench = current();
});

describe('list and watch', () => {
  it('lists the latest state in pages of 500, then watches from there with bookmarks and a random time-out', async () => {
    bench.script(answersList('10', widget('a', '3'), widget('b', '7')), opens);
    await bench.start();
    expect(bench.requests()).toEqual(['list latest', 'watch 10']);
    expect(Object.fromEntries(bench.exchange(0).query)).toEqual({ limit: '500' });
    const { timeoutSeconds, ...query } = Object.fromEntries(bench.exchange(1).query);
    expect(query).toEqual({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '10' });
    expect(Number(timeoutSeconds)).toBeGreaterThanOrEqual(300);
    expect(Number(timeoutSeconds)).toBeLessThanOrEqual(600);
    expect(bench.informer.hasSynced()).toBe(true);
    expect(bench.heard).toEqual(['add a 3 initial', 'add b 7 initial']);
    bench.exchange(1).event('ADDED', widget('c', '11'));
    bench.exchange(1).event('MODIFIED', widget('a', '12'));
    bench.exchange(1).event('DELETED', widget('b', '13'));
    bench.exchange(1).event('BOOKMARK', bookmark('20'));
    await bench.environment.settle();
    expect(bench.heard.slice(2)).toEqual(['add c 11', 'update a 3 12', 'delete b 13']);
    expect(bench.cached()).toEqual(['a 12', 'c 11']);
    expect(bench.informer.resourceVersion).toBe('20');
    expect(bench.informer.health()).toMatchObject({ state: 'watching', synced: true });
  });

  it('reads all pages before it shows anything, and only the first carries a version', async () => {
    bench.script((one) => one.answer(200, list('10', [widget('a', '1')], 't1')));
    await bench.start();
    expect(bench.heard).toEqual([]);
    expect(Object.fromEntries(bench.exchange(1).query)).toEqual({ limit: '500', continue: 't1' });
    bench.exchange(1).answer(200, list('10', [widget('b', '2')]));
    await bench.environment.settle();
    expect(bench.requests()).toEqual(['list latest', 'list t1', 'watch 10']);
    expect(bench.cached()).toEqual(['a 1', 'b 2']);
  });

  it('begins a list again when its continue token expires, and forgets what it read', async () => {
    bench.script(
      (one) => one.answer(200, list('10', [widget('a', '1'), widget('b', '2')], 't1')),
      (one) => one.answer(410, { ...status(410, 'Expired'), metadata: { continue: 't2' } }),
      (one) => one.answer(200, list('12', [widget('a', '1'), widget('c', '11')], 't3')),
      (one) => one.answer(200, list('12', [widget('d', '3')])),
      opens,
    );
    await bench.start();
    expect(bench.requests()).toEqual(['list latest', 'list t1', 'list latest', 'list t3', 'watch 12']);
    expect(bench.cached()).toEqual(['a 1', 'c 11', 'd 3']);
    expect(bench.heard).toEqual(['add a 1 initial', 'add c 11 initial', 'add d 3 initial']);
  });

  it('tries a page again rather than the whole list', async () => {
    bench.script(
      (one) => one.answer(200, list('10', [widget('a', '1')], 't1')),
      (one) => {
        one.head();
        one.write('{"items":[{"metadata":{"name":"x"}},');
        one.fail(refused());
      },
      (one) => one.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '7' }),
      (one) => one.answer(200, list('10', [widget('b', '2')])),
      opens,
    );
    await bench.start();
    await bench.environment.advance(2000);
    expect(bench.requests()).toEqual(['list latest', 'list t1', 'list t1']);
    await bench.environment.advance(14_000);
    expect(bench.requests()).toEqual(['list latest', 'list t1', 'list t1', 'list t1', 'watch 10']);
    expect(bench.cached()).toEqual(['a 1', 'b 2']);
  });

  it('gives a list up that expires again and again, and tries later', async () => {
    bench.transport.handler = (one) => {
      if (one.query.has('continue')) one.answer(410, status(410, 'Expired'));
      else one.answer(200, list('10', [], 't'));
    };
    await bench.start();
    expect(bench.requests()).toHaveLength(8);
    await bench.environment.advance(1600);
    expect(bench.requests()).toHaveLength(16);
  });

  it('gives items of built-in kinds the type that they have in a watch', async () => {
    const { apiVersion, kind, ...bare } = widget('a', '3');
    bench.script(answersList('10', bare), opens);
    await bench.start();
    expect(bench.informer.indexer.get({ namespace: 'a', name: 'a' })).toMatchObject({ apiVersion, kind });
  });
});

describe('the end of a watch', () => {
  const begin = async (): Promise<ScriptedExchange> => {
    bench.script(answersList('10', widget('a', '3')), opens, opens, opens);
    await bench.start();
    bench.heard = [];
    return bench.exchange(1);
  };

  it('in good order: the next starts at once from the version reached', async () => {
    const watch = await begin();
    watch.event('MODIFIED', widget('a', '11'));
    await bench.environment.advance(400_000);
    watch.end();
    await bench.environment.settle();
    expect(bench.requests()).toEqual(['list latest', 'watch 10', 'watch 11']);
  });

  it('cut in the middle of a line: the line is read again by the next', async () => {
    const watch = await begin();
    watch.event('MODIFIED', widget('a', '11'));
    watch.write('{"type":"MODIFIED","object":{"apiVersion":"exa');
    await bench.environment.advance(2000);
    watch.fail(new ConnectionError('other side closed', undefined, { systemCode: 'ECONNRESET' }));
    await bench.environment.settle();
    expect(bench.requests()).toEqual(['list latest', 'watch 10', 'watch 11']);
    bench.exchange(2).event('MODIFIED', widget('a', '12'));
    await bench.environment.settle();
    expect(bench.heard).toEqual(['update a 3 11', 'update a 11 12']);
  });

  it('a last line without a newline counts', async () => {
    const watch = await begin();
    watch.write(JSON.stringify({ type: 'MODIFIED', object: widget('a', '11') }));
    watch.end();
    await bench.environment.settle();
    expect(bench.heard).toEqual(['update a 3 11']);
    expect(bench.requests().at(-1)).toBe('watch 11');
  });

  it('at once and empty: a fault, so it waits and lists again', async () => {
    const watch = await begin();
    watch.end();
    await bench.environment.settle();
    expect(bench.requests()).toHaveLength(2);
    await bench.environment.advance(1600);
    expect(bench.requests().at(-1)).toBe('list 10');
    expect(bench.exchange(2).query.get('resourceVersionMatch')).toBe('NotOlderThan');
    expect(bench.log.some(({ fields }) => String(fields?.['error']).includes('ended at once'))).toBe(true);
  });

  it.each([
    ['429', 429, 'TooManyRequests', 'watch 11'],
    ['410 Expired', 410, 'Expired', 'list 11'],
    ['410 Gone', 410, 'Gone', 'list 11'],
    ['500', 500, 'InternalError', 'list 11'],
    ['anything else', 403, 'Forbidden', 'list 11'],
  ])('an ERROR event with %s: after the backoff', async (_name, code, reason, next) => {
    const watch = await begin();
    watch.event('MODIFIED', widget('a', '11'));
    watch.event('ERROR', status(code, reason));
    await bench.environment.settle();
    expect(bench.requests()).toHaveLength(2);
    expect(bench.transport.open).toEqual([]);
    await bench.environment.advance(1600);
    expect(bench.requests()[2]).toBe(next);
  });

  it.each([
    ['refused', (one: ScriptedExchange) => one.fail(refused()), 'watch 10'],
    ['429', (one: ScriptedExchange) => one.answer(429, status(429, 'TooManyRequests')), 'watch 10'],
    ['410', (one: ScriptedExchange) => one.answer(410, status(410, 'Expired')), 'list 10'],
    ['403', (one: ScriptedExchange) => one.answer(403, status(403, 'Forbidden')), 'list 10'],
    ['500', (one: ScriptedExchange) => one.answer(500, status(500, 'InternalError')), 'list 10'],
    ['HTML', (one: ScriptedExchange) => one.answer(200, '<html>', { 'content-type': 'text/html' }), 'list 10'],
    ['HTML without end', (one: ScriptedExchange) => one.head(200, { 'content-type': 'text/html' }), 'list 10'],
    ['rubbish', (one: ScriptedExchange) => one.answer(200, 'rubbish\n'), 'list 10'],
    ['JSON that is no event', (one: ScriptedExchange) => one.answer(200, '{"a":1}\n'), 'list 10'],
  ])('answered with %s: after the backoff', async (_name, answer, next) => {
    bench.script(answersList('10'), answer);
    await bench.start();
    expect(bench.requests()).toHaveLength(2);
    await bench.environment.advance(1600);
    expect(bench.requests()[2]).toBe(next);
    expect(bench.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(bench.log.at(-1)?.fields).toMatchObject({
      kind: 'Widget',
      reason: expect.any(String),
      retryInMilliseconds: expect.any(Number),
    });
  });

  it('an expired version is listed once more, then the latest state, at once', async () => {
    bench.script(
      answersList('10', widget('a', '3')),
      (one) => one.answer(410, status(410, 'Expired')),
      (one) => one.answer(410, status(410, 'Expired')),
      answersList('5', widget('b', '4')),
      opens,
    );
    await bench.start();
    await bench.environment.advance(1600);
    expect(bench.requests()).toEqual(['list latest', 'watch 10', 'list 10', 'list latest', 'watch 5']);
    expect(bench.heard).toEqual(['add a 3 initial', 'delete a 3 unknown', 'add b 4']);
  });

  it('a version ahead of the server is waited for as told, then given up', async () => {
    const tooLarge = status(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 5 });
    bench.script(
      answersList('10'),
      (one) => one.answer(410, status(410, 'Expired')),
      (one) => one.answer(504, tooLarge),
      (one) => one.answer(504, tooLarge),
      (one) => one.answer(504, tooLarge),
      answersList('4'),
    );
    await bench.start();
    await bench.environment.advance(1600);
    expect(bench.requests()).toHaveLength(3);
    await bench.environment.advance(4900);
    expect(bench.requests().at(-1)).toBe('list 10');
    await bench.environment.advance(20_000);
    expect(bench.requests()).toEqual([
      'list latest',
      'watch 10',
      'list 10',
      'list 10',
      'list 10',
      'list latest',
      'watch 4',
    ]);
  });

  it('silence beyond its own time-out and 30 s: it is half-open, the next starts', async () => {
    const watch = await begin();
    const limit = Number(watch.query.get('timeoutSeconds')) * 1000 + 30_000;
    await bench.environment.advance(100_000);
    watch.event('MODIFIED', widget('a', '11'));
    await bench.environment.settle();
    await bench.environment.advance(limit - 1);
    expect(bench.transport.open).toEqual([watch]);
    await bench.environment.advance(1602);
    expect(bench.requests()).toEqual(['list latest', 'watch 10', 'watch 11']);
    expect(watch.over).toBe(true);
  });

  it('silence of three minutes after a bookmark', async () => {
    const watch = await begin();
    watch.event('BOOKMARK', bookmark('15'));
    await bench.environment.settle();
    await bench.environment.advance(179_999);
    expect(bench.requests()).toHaveLength(2);
    await bench.environment.advance(1602);
    expect(bench.requests().at(-1)).toBe('watch 15');
  });

  it('never by its age: a watch that speaks may live for days', async () => {
    const watch = await begin();
    for (let minute = 0; minute < 60 * 48; minute++) {
      watch.event('BOOKMARK', bookmark(String(100 + minute)));
      await bench.environment.advance(60_000);
    }
    expect(bench.transport.exchanges).toHaveLength(2);
    expect(bench.transport.open).toEqual([watch]);
  });
});

describe('resource versions', () => {
  it.each([
    ['numbers of different lengths', ['9', '10', '11'], '11'],
    ['beyond 2^53', ['9007199254740993', '9007199254740995'], '9007199254740995'],
    ['repeated and late bookmarks', ['500', '900', '900', '700'], '900'],
    ['opaque words', ['abc', 'zz', 'b'], 'b'],
  ])('%s', async (_name, versions, last) => {
    bench.script(answersList('1'), opens);
    await bench.start();
    for (const version of versions) bench.exchange(1).event('BOOKMARK', bookmark(version));
    await bench.environment.advance(2000);
    bench.exchange(1).end();
    await bench.environment.settle();
    expect(bench.requests().at(-1)).toBe(`watch ${last}`);
    expect(bench.heard).toEqual([]);
  });

  it('an older state that is repeated does not overwrite a newer one', async () => {
    bench.script(answersList('10', widget('a', '9')), opens);
    await bench.start();
    bench.exchange(1).event('MODIFIED', widget('a', '12'));
    bench.exchange(1).event('MODIFIED', widget('a', '11'));
    bench.exchange(1).event('MODIFIED', widget('a', '12'));
    bench.exchange(1).event('DELETED', widget('a', '11'));
    await bench.environment.settle();
    expect(bench.cached()).toEqual(['a 12']);
    expect(bench.heard.slice(1)).toEqual(['update a 9 12']);
  });

  it('another uid under the same name is another object', async () => {
    bench.script(answersList('10', widget('a', '9', 'one')), opens);
    await bench.start();
    bench.exchange(1).event('MODIFIED', widget('a', '12', 'two'));
    await bench.environment.settle();
    expect(bench.heard.slice(1)).toEqual(['delete a 9 unknown', 'add a 12']);
    expect(bench.cached()).toEqual(['a 12']);
  });

  it('events of unknown types, other kinds, or without version are left out', async () => {
    bench.script(answersList('10'), opens);
    await bench.start();
    bench.exchange(1).event('FROBBED', widget('a', '11'));
    bench.exchange(1).event('ADDED', { ...widget('a', '12'), kind: 'Table' });
    bench.exchange(1).event('ADDED', { ...widget('a', '12'), metadata: { name: 'a' } });
    bench.exchange(1).event('ADDED', widget('b', '13'));
    await bench.environment.settle();
    expect(bench.cached()).toEqual(['b 13']);
    expect(bench.log.filter(({ message }) => message.includes('left out'))).toHaveLength(3);
  });
});
