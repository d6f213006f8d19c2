import { beforeEach, describe, expect, it } from 'vitest';
import {
  answersList,
  bookmark,
  initialEventsEnd,
  opens,
  refused,
  status,
  Widget,
  widget,
  type InformerBench,
  useInformerBench,
} from '../../../test/support/informer-bench.ts';
import { Rest } from '../client/rest.ts';
import { sleep } from '../environment/child-signal.ts';
import { discardLogger } from '../environment/logger.ts';
import type { ScriptedExchange } from '../environment/scripted-transport.ts';
import { ListWatch } from './list-watch.ts';
import { Reflector, type ReflectorSink } from './reflector.ts';

const current = useInformerBench({ streamingList: true });
let bench: InformerBench;
beforeEach(() => {
  bench = current();
});

const streams =
  (resourceVersion: string, ...objects: readonly object[]) =>
  (exchange: ScriptedExchange): void => {
    exchange.head();
    for (const object of objects) exchange.event('ADDED', object);
    exchange.event('BOOKMARK', initialEventsEnd(resourceVersion));
  };

describe('a streaming list', () => {
  it('brings the whole state, then goes on as the watch', async () => {
    bench.script(opens);
    await bench.start();
    const stream = bench.exchange(0);
    const { timeoutSeconds, ...query } = Object.fromEntries(stream.query);
    expect(query).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
    });
    expect(Number(timeoutSeconds)).toBeGreaterThanOrEqual(300);
    stream.event('ADDED', widget('a', '3'));
    stream.event('ADDED', widget('b', '7'));
    stream.event('BOOKMARK', bookmark('8'));
    await bench.environment.settle();
    expect(bench.heard).toEqual([]);
    expect(bench.informer.hasSynced()).toBe(false);
    stream.event('MODIFIED', widget('a', '9'));
    stream.event('DELETED', widget('b', '10'));
    stream.event('BOOKMARK', initialEventsEnd('11'));
    stream.event('MODIFIED', widget('a', '12'));
    await bench.environment.settle();
    expect(bench.heard).toEqual(['add a 9 initial', 'update a 9 12']);
    expect(bench.informer.hasSynced()).toBe(true);
    expect(bench.informer.health().state).toBe('watching');
    expect(bench.informer.statistics()).toMatchObject({ lists: 1, streamedLists: 1, watches: 1, pages: 0 });
    await bench.environment.advance(100_000);
    stream.end();
    await bench.environment.settle();
    expect(bench.requests()).toEqual(['watch latest', 'watch 12']);
    expect(bench.exchange(1).query.has('sendInitialEvents')).toBe(false);
  });

  it('a relist is not older than what was reached, and tells of differences only', async () => {
    bench.script(streams('10', widget('a', '3'), widget('b', '4')), streams('20', widget('a', '3'), widget('c', '15')));
    await bench.start();
    bench.exchange(0).event('ERROR', status(410, 'Expired'));
    await bench.environment.advance(1600);
    expect(bench.requests()).toEqual(['watch latest', 'watch 10']);
    expect(bench.exchange(1).query.get('sendInitialEvents')).toBe('true');
    expect(bench.heard.slice(2)).toEqual(['delete b 4 unknown', 'add c 15']);
    expect(bench.informer.resourceVersion).toBe('20');
  });

  it.each([
    ['422 Invalid', (one: ScriptedExchange) => one.answer(422, status(422, 'Invalid'))],
    ['400', (one: ScriptedExchange) => one.answer(400, status(400, 'BadRequest'))],
    ['405', (one: ScriptedExchange) => one.answer(405, status(405, 'MethodNotAllowed'))],
  ])('a server that refuses it with %s is asked for pages at once, and from then on', async (_name, answer) => {
    bench.script(
      answer,
      answersList('10', widget('a', '3')),
      (one) => one.answer(410, status(410, 'Expired')),
      answersList('20'),
    );
    await bench.start();
    expect(bench.requests()).toEqual(['watch latest', 'list latest', 'watch 10']);
    expect(bench.cached()).toEqual(['a 3']);
    await bench.environment.advance(1600);
    expect(bench.requests().slice(3)).toEqual(['list 10', 'watch 20']);
  });

  it('who may not watch gets pages, and is served as soon as it may', async () => {
    bench.script(
      (one) => one.answer(403, status(403, 'Forbidden')),
      answersList('10', widget('a', '3')),
      (one) => one.answer(403, status(403, 'Forbidden')),
      streams('20', widget('a', '12')),
    );
    await bench.start();
    expect(bench.requests()).toEqual(['watch latest', 'list latest', 'watch 10']);
    await bench.environment.advance(1600);
    expect(bench.requests().slice(3)).toEqual(['watch 10']);
    expect(bench.cached()).toEqual(['a 12']);
  });

  it.each([
    ['500', (one: ScriptedExchange) => one.answer(500, status(500, 'InternalError'))],
    ['429', (one: ScriptedExchange) => one.answer(429, status(429, 'TooManyRequests'))],
    ['no connection', (one: ScriptedExchange) => one.fail(refused())],
    ['HTML', (one: ScriptedExchange) => one.answer(200, '<html>', { 'content-type': 'text/html' })],
  ])('a server in trouble (%s) is left alone for a while, and not asked for pages', async (_name, answer) => {
    bench.script(answer, streams('10', widget('a', '3')));
    await bench.start();
    expect(bench.requests()).toHaveLength(1);
    await bench.environment.advance(1600);
    expect(bench.requests()).toEqual(['watch latest', 'watch latest']);
    expect(bench.cached()).toEqual(['a 3']);
  });

  it('a server that knows nothing of it and is silent is asked for pages after three seconds', async () => {
    bench.script(opens, answersList('10', widget('a', '3')), opens);
    await bench.start();
    await bench.environment.advance(2999);
    expect(bench.requests()).toHaveLength(1);
    await bench.environment.advance(1);
    expect(bench.requests()).toEqual(['watch latest', 'list latest', 'watch 10']);
    expect(bench.exchange(0).over).toBe(true);
  });

  it('one whose end does not come is given up after ten seconds of silence', async () => {
    bench.script(opens, answersList('10', widget('a', '3')), opens);
    await bench.start();
    bench.exchange(0).event('ADDED', widget('x', '1'));
    await bench.environment.advance(9999);
    expect(bench.requests()).toHaveLength(1);
    await bench.environment.advance(1);
    expect(bench.cached()).toEqual(['a 3']);
  });

  it('one that is cut before its end shows nothing', async () => {
    bench.script(opens, answersList('10', widget('a', '3')), opens);
    await bench.start();
    bench.exchange(0).event('ADDED', widget('x', '1'));
    bench.exchange(0).end();
    await bench.environment.advance(1600);
    expect(bench.requests()).toEqual(['watch latest', 'list latest', 'watch 10']);
    expect(bench.heard).toEqual(['add a 3 initial']);
  });

  it('an expired version is asked for once more without', async () => {
    bench.script(
      streams('10', widget('a', '3')),
      (one) => one.answer(410, status(410, 'Expired')),
      streams('5', widget('b', '4')),
    );
    await bench.start();
    bench.exchange(0).event('ERROR', status(410, 'Gone'));
    await bench.environment.advance(1600);
    expect(bench.requests()).toEqual(['watch latest', 'watch 10', 'watch latest']);
    expect(bench.cached()).toEqual(['b 4']);
    expect(bench.informer.resourceVersion).toBe('5');
  });

  it('whose taking over takes long is not silent', async () => {
    const { environment, transport } = bench;
    const replaced: string[] = [];
    const sink: ReflectorSink = {
      prepare: (object) => object,
      replace: async (_objects, version) => {
        await sleep(environment.clock, 60_000, bench.stop.signal);
        replaced.push(version);
      },
      upsert: () => undefined,
      delete: () => undefined,
      bookmark: () => undefined,
    };
    bench.script(streams('11', widget('a', '3')));
    const rest = new Rest({ transport, environment, logger: discardLogger });
    const listWatch = new ListWatch(rest, Widget, {});
    const reflector = new Reflector({ listWatch, sink, environment, logger: discardLogger });
    const running = reflector.run(bench.stop.signal);
    await environment.advance(120_000);
    expect(replaced).toEqual(['11']);
    expect(bench.requests()).toEqual(['watch latest']);
    expect(reflector.statistics).toMatchObject({ silences: 0, failures: 0 });
    bench.stop.abort();
    await running;
  });
});
