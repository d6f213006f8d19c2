import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { ConnectionError } from '../client/errors.ts';
import { Rest } from '../client/rest.ts';
import type { LogFields, Logger } from '../environment/logger.ts';
import { ScriptedTransport, type ScriptedExchange } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment, type VirtualEnvironment } from '../environment/virtual.ts';
import { defineKind } from '../kind/kind.ts';
import { createInformer } from './informer.ts';
import type { SharedInformer } from './types.ts';

interface Widget extends KubernetesObject {
  spec?: { size: number };
}
const Widget = defineKind<Widget, 'Namespaced'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: [],
});

const widget = (name: string, resourceVersion: string, uid = `uid-${name}`): Widget => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'a', uid, resourceVersion },
});
const bookmark = (resourceVersion: string): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { resourceVersion },
});
const list = (resourceVersion: string, items: readonly object[], next?: string): object => ({
  apiVersion: 'example.com/v1',
  kind: 'WidgetList',
  metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
  items,
});
const status = (code: number, reason: string, details?: object): object => ({
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  message: reason,
  reason,
  code,
  ...(details === undefined ? {} : { details }),
});
const refused = (): ConnectionError =>
  new ConnectionError('connect ECONNREFUSED', undefined, { systemCode: 'ECONNREFUSED' });

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

function recorder(lines: Line[]): Logger {
  const at = (level: string) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => recorder(lines) };
}

let environment: VirtualEnvironment;
let transport: ScriptedTransport;
let informer: SharedInformer<Widget>;
let log: Line[];
let heard: string[];
let stop: AbortController;
let unhandled: unknown[];
const noteUnhandled = (error: unknown): void => {
  unhandled.push(error);
};

/** The script: a handler for each exchange in turn; later ones are left unanswered. */
function script(...handlers: ((exchange: ScriptedExchange) => void)[]): void {
  transport.handler = (exchange) => {
    handlers[transport.exchanges.indexOf(exchange)]?.(exchange);
  };
}

const answersList =
  (resourceVersion: string, ...items: readonly object[]) =>
  (exchange: ScriptedExchange): void => {
    exchange.answer(200, list(resourceVersion, items));
  };
const opens = (exchange: ScriptedExchange): void => {
  exchange.head();
};

function exchange(index: number): ScriptedExchange {
  const found = transport.exchanges[index];
  if (found === undefined) throw new Error(`there are only ${transport.exchanges.length} exchanges`);
  return found;
}

const what = (one: ScriptedExchange): string =>
  `${one.isWatch ? 'watch' : 'list'} ${one.query.get('continue') ?? one.query.get('resourceVersion') ?? 'latest'}`;
const requests = (): string[] => transport.exchanges.map(what);
const cached = (): string[] =>
  informer.indexer
    .list()
    .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
    .sort();

beforeEach(() => {
  environment = createVirtualEnvironment({ seed: 3 });
  transport = new ScriptedTransport(() => undefined);
  log = [];
  heard = [];
  stop = new AbortController();
  unhandled = [];
  process.on('unhandledRejection', noteUnhandled);
  const logger = recorder(log);
  const rest = new Rest({ transport, environment, logger });
  informer = createInformer<Widget>({ kind: Widget, rest, logger });
  informer.addEventHandler({
    add: ({ metadata }, initial) =>
      heard.push(`add ${metadata.name} ${metadata.resourceVersion}${initial ? ' initial' : ''}`),
    update: (previous, { metadata }) =>
      heard.push(`update ${metadata.name} ${previous.metadata.resourceVersion} ${metadata.resourceVersion}`),
    delete: ({ metadata }, unknown) =>
      heard.push(`delete ${metadata.name} ${metadata.resourceVersion}${unknown ? ' unknown' : ''}`),
  });
});

afterEach(async () => {
  stop.abort();
  await informer.stop();
  await environment.settle();
  process.off('unhandledRejection', noteUnhandled);
  expect(unhandled).toEqual([]);
  expect(environment.pendingTimers).toBe(0);
  expect(transport.open).toEqual([]);
});

async function start(): Promise<void> {
  void informer.start(stop.signal);
  await environment.settle();
}

describe('list and watch', () => {
  it('lists the latest state in pages of 500, then watches from there with bookmarks and a random time-out', async () => {
    script(answersList('10', widget('a', '3'), widget('b', '7')), opens);
    await start();
    expect(requests()).toEqual(['list latest', 'watch 10']);
    expect(Object.fromEntries(exchange(0).query)).toEqual({ limit: '500' });
    const { timeoutSeconds, ...query } = Object.fromEntries(exchange(1).query);
    expect(query).toEqual({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '10' });
    expect(Number(timeoutSeconds)).toBeGreaterThanOrEqual(300);
    expect(Number(timeoutSeconds)).toBeLessThanOrEqual(600);
    expect(informer.hasSynced()).toBe(true);
    expect(heard).toEqual(['add a 3 initial', 'add b 7 initial']);
    exchange(1).event('ADDED', widget('c', '11'));
    exchange(1).event('MODIFIED', widget('a', '12'));
    exchange(1).event('DELETED', widget('b', '13'));
    exchange(1).event('BOOKMARK', bookmark('20'));
    await environment.settle();
    expect(heard.slice(2)).toEqual(['add c 11', 'update a 3 12', 'delete b 13']);
    expect(cached()).toEqual(['a 12', 'c 11']);
    expect(informer.resourceVersion).toBe('20');
    expect(informer.health()).toMatchObject({ state: 'watching', synced: true });
  });

  it('reads all pages before it shows anything, and only the first carries a version', async () => {
    script((one) => one.answer(200, list('10', [widget('a', '1')], 't1')));
    await start();
    expect(heard).toEqual([]);
    expect(Object.fromEntries(exchange(1).query)).toEqual({ limit: '500', continue: 't1' });
    exchange(1).answer(200, list('10', [widget('b', '2')]));
    await environment.settle();
    expect(requests()).toEqual(['list latest', 'list t1', 'watch 10']);
    expect(cached()).toEqual(['a 1', 'b 2']);
  });

  it('begins a list again when its continue token expires, and forgets what it read', async () => {
    script(
      (one) => one.answer(200, list('10', [widget('a', '1'), widget('b', '2')], 't1')),
      (one) => one.answer(410, { ...status(410, 'Expired'), metadata: { continue: 't2' } }),
      (one) => one.answer(200, list('12', [widget('a', '1'), widget('c', '11')], 't3')),
      (one) => one.answer(200, list('12', [widget('d', '3')])),
      opens,
    );
    await start();
    expect(requests()).toEqual(['list latest', 'list t1', 'list latest', 'list t3', 'watch 12']);
    expect(cached()).toEqual(['a 1', 'c 11', 'd 3']);
    expect(heard).toEqual(['add a 1 initial', 'add c 11 initial', 'add d 3 initial']);
  });

  it('gives a list up that expires again and again, and tries later', async () => {
    transport.handler = (one) => {
      if (one.query.has('continue')) one.answer(410, status(410, 'Expired'));
      else one.answer(200, list('10', [], 't'));
    };
    await start();
    expect(requests()).toHaveLength(8);
    await environment.advance(1600);
    expect(requests()).toHaveLength(16);
  });

  it('gives items of built-in kinds the type that they have in a watch', async () => {
    const { apiVersion, kind, ...bare } = widget('a', '3');
    script(answersList('10', bare), opens);
    await start();
    expect(informer.indexer.get({ namespace: 'a', name: 'a' })).toMatchObject({ apiVersion, kind });
  });
});

describe('the end of a watch', () => {
  const begin = async (): Promise<ScriptedExchange> => {
    script(answersList('10', widget('a', '3')), opens, opens, opens);
    await start();
    heard = [];
    return exchange(1);
  };

  it('in good order: the next starts at once from the version reached', async () => {
    const watch = await begin();
    watch.event('MODIFIED', widget('a', '11'));
    await environment.advance(400_000);
    watch.end();
    await environment.settle();
    expect(requests()).toEqual(['list latest', 'watch 10', 'watch 11']);
  });

  it('cut in the middle of a line: the line is read again by the next', async () => {
    const watch = await begin();
    watch.event('MODIFIED', widget('a', '11'));
    watch.write('{"type":"MODIFIED","object":{"apiVersion":"exa');
    await environment.advance(2000);
    watch.fail(new ConnectionError('other side closed', undefined, { systemCode: 'ECONNRESET' }));
    await environment.settle();
    expect(requests()).toEqual(['list latest', 'watch 10', 'watch 11']);
    exchange(2).event('MODIFIED', widget('a', '12'));
    await environment.settle();
    expect(heard).toEqual(['update a 3 11', 'update a 11 12']);
  });

  it('a last line without a newline counts', async () => {
    const watch = await begin();
    watch.write(JSON.stringify({ type: 'MODIFIED', object: widget('a', '11') }));
    watch.end();
    await environment.settle();
    expect(heard).toEqual(['update a 3 11']);
    expect(requests().at(-1)).toBe('watch 11');
  });

  it('at once and empty: a fault, so it waits and lists again', async () => {
    const watch = await begin();
    watch.end();
    await environment.settle();
    expect(requests()).toHaveLength(2);
    await environment.advance(1600);
    expect(requests().at(-1)).toBe('list 10');
    expect(exchange(2).query.get('resourceVersionMatch')).toBe('NotOlderThan');
    expect(log.some(({ fields }) => String(fields?.['error']).includes('ended at once'))).toBe(true);
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
    await environment.settle();
    expect(requests()).toHaveLength(2);
    expect(transport.open).toEqual([]);
    await environment.advance(1600);
    expect(requests()[2]).toBe(next);
  });

  it.each([
    ['refused', (one: ScriptedExchange) => one.fail(refused()), 'watch 10'],
    ['429', (one: ScriptedExchange) => one.answer(429, status(429, 'TooManyRequests')), 'watch 10'],
    ['410', (one: ScriptedExchange) => one.answer(410, status(410, 'Expired')), 'list 10'],
    ['403', (one: ScriptedExchange) => one.answer(403, status(403, 'Forbidden')), 'list 10'],
    ['500', (one: ScriptedExchange) => one.answer(500, status(500, 'InternalError')), 'list 10'],
    ['HTML', (one: ScriptedExchange) => one.answer(200, '<html>', { 'content-type': 'text/html' }), 'list 10'],
    ['rubbish', (one: ScriptedExchange) => one.answer(200, 'rubbish\n'), 'list 10'],
    ['JSON that is no event', (one: ScriptedExchange) => one.answer(200, '{"a":1}\n'), 'list 10'],
  ])('answered with %s: after the backoff', async (_name, answer, next) => {
    script(answersList('10'), answer);
    await start();
    expect(requests()).toHaveLength(2);
    await environment.advance(1600);
    expect(requests()[2]).toBe(next);
    expect(log.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(log.at(-1)?.fields).toMatchObject({
      kind: 'Widget',
      reason: expect.any(String),
      retryInMilliseconds: expect.any(Number),
    });
  });

  it('an expired version is listed once more, then the latest state, at once', async () => {
    script(
      answersList('10', widget('a', '3')),
      (one) => one.answer(410, status(410, 'Expired')),
      (one) => one.answer(410, status(410, 'Expired')),
      answersList('5', widget('b', '4')),
      opens,
    );
    await start();
    await environment.advance(1600);
    expect(requests()).toEqual(['list latest', 'watch 10', 'list 10', 'list latest', 'watch 5']);
    expect(heard).toEqual(['add a 3 initial', 'delete a 3 unknown', 'add b 4']);
  });

  it('a version ahead of the server is waited for as told, then given up', async () => {
    const tooLarge = status(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 5 });
    script(
      answersList('10'),
      (one) => one.answer(410, status(410, 'Expired')),
      (one) => one.answer(504, tooLarge),
      (one) => one.answer(504, tooLarge),
      (one) => one.answer(504, tooLarge),
      answersList('4'),
    );
    await start();
    await environment.advance(1600);
    expect(requests()).toHaveLength(3);
    await environment.advance(4900);
    expect(requests().at(-1)).toBe('list 10');
    await environment.advance(20_000);
    expect(requests()).toEqual(['list latest', 'watch 10', 'list 10', 'list 10', 'list 10', 'list latest', 'watch 4']);
  });

  it('silence beyond its own time-out and 30 s: it is half-open, the next starts', async () => {
    const watch = await begin();
    const limit = Number(watch.query.get('timeoutSeconds')) * 1000 + 30_000;
    await environment.advance(100_000);
    watch.event('MODIFIED', widget('a', '11'));
    await environment.settle();
    await environment.advance(limit - 1);
    expect(transport.open).toEqual([watch]);
    await environment.advance(1602);
    expect(requests()).toEqual(['list latest', 'watch 10', 'watch 11']);
    expect(watch.over).toBe(true);
  });

  it('silence of three minutes after a bookmark', async () => {
    const watch = await begin();
    watch.event('BOOKMARK', bookmark('15'));
    await environment.settle();
    await environment.advance(179_999);
    expect(requests()).toHaveLength(2);
    await environment.advance(1602);
    expect(requests().at(-1)).toBe('watch 15');
  });

  it('never by its age: a watch that speaks may live for days', async () => {
    const watch = await begin();
    for (let minute = 0; minute < 60 * 48; minute++) {
      watch.event('BOOKMARK', bookmark(String(100 + minute)));
      await environment.advance(60_000);
    }
    expect(transport.exchanges).toHaveLength(2);
    expect(transport.open).toEqual([watch]);
  });
});

describe('resource versions', () => {
  it.each([
    ['numbers of different lengths', ['9', '10', '11'], '11'],
    ['beyond 2^53', ['9007199254740993', '9007199254740995'], '9007199254740995'],
    ['repeated and late bookmarks', ['500', '900', '900', '700'], '900'],
    ['opaque words', ['abc', 'zz', 'b'], 'b'],
  ])('%s', async (_name, versions, last) => {
    script(answersList('1'), opens);
    await start();
    for (const version of versions) exchange(1).event('BOOKMARK', bookmark(version));
    await environment.advance(2000);
    exchange(1).end();
    await environment.settle();
    expect(requests().at(-1)).toBe(`watch ${last}`);
    expect(heard).toEqual([]);
  });

  it('an older state that is repeated does not overwrite a newer one', async () => {
    script(answersList('10', widget('a', '9')), opens);
    await start();
    exchange(1).event('MODIFIED', widget('a', '12'));
    exchange(1).event('MODIFIED', widget('a', '11'));
    exchange(1).event('MODIFIED', widget('a', '12'));
    exchange(1).event('DELETED', widget('a', '11'));
    await environment.settle();
    expect(cached()).toEqual(['a 12']);
    expect(heard.slice(1)).toEqual(['update a 9 12']);
  });

  it('another uid under the same name is another object', async () => {
    script(answersList('10', widget('a', '9', 'one')), opens);
    await start();
    exchange(1).event('MODIFIED', widget('a', '12', 'two'));
    await environment.settle();
    expect(heard.slice(1)).toEqual(['delete a 9 unknown', 'add a 12']);
    expect(cached()).toEqual(['a 12']);
  });

  it('events of unknown types, other kinds, or without version are left out', async () => {
    script(answersList('10'), opens);
    await start();
    exchange(1).event('FROBBED', widget('a', '11'));
    exchange(1).event('ADDED', { ...widget('a', '12'), kind: 'Table' });
    exchange(1).event('ADDED', { ...widget('a', '12'), metadata: { name: 'a' } });
    exchange(1).event('ADDED', widget('b', '13'));
    await environment.settle();
    expect(cached()).toEqual(['b 13']);
    expect(log.filter(({ message }) => message.includes('left out'))).toHaveLength(3);
  });
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
    'a server that answers lists with %s for ten minutes: few requests, clear lines, and it goes on',
    async (_name, answer, reason) => {
      transport.handler = answer;
      await start();
      await environment.advance(600_000);
      expect(transport.exchanges.length).toBeGreaterThanOrEqual(7);
      expect(transport.exchanges.length).toBeLessThanOrEqual(40);
      expect(log.every(({ level, fields }) => level === 'warn' && fields?.['reason'] === reason)).toBe(true);
      expect(informer.health().error).toBeDefined();
      expect(informer.hasSynced()).toBe(false);
      transport.handler = (one) => (one.isWatch ? one.head() : one.answer(200, list('10', [widget('a', '3')])));
      await environment.advance(120_000);
      expect(cached()).toEqual(['a 3']);
      expect(informer.health().error).toBeUndefined();
    },
  );

  it('a CRD that is not installed is named, with how to install it; it starts when it appears', async () => {
    transport.handler = (one) => one.answer(404, '404 page not found', { 'content-type': 'text/plain' });
    await start();
    await environment.advance(300_000);
    expect(log[0]?.message).toContain('widgets.example.com v1: install the CRD of Widget (make install');
    transport.handler = (one) => (one.isWatch ? one.head() : one.answer(200, list('10', [widget('a', '3')])));
    await environment.advance(10_000);
    expect(cached()).toEqual(['a 3']);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000, 8000],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT' }, 20_000, 22_100],
    ['an absurd time', { 'retry-after': '999999' }, 60_000, 66_100],
  ])('Retry-After as %s', async (_name, headers, earliest, latest) => {
    script(answersList('10'), (one) => one.answer(429, status(429, 'TooManyRequests'), headers));
    await start();
    await environment.advance(earliest - 1);
    expect(requests()).toHaveLength(2);
    await environment.advance(latest - earliest);
    expect(requests()).toEqual(['list latest', 'watch 10', 'watch 10']);
  });

  it('handlers that throw or reject, and index functions that throw, disturb nobody', async () => {
    script(answersList('10', widget('a', '3')), opens);
    informer.addEventHandler({
      add() {
        throw new Error('one');
      },
      update: () => Promise.reject(new Error('two')) as unknown as void,
    });
    informer.indexer.addIndex('bad', () => {
      throw new Error('three');
    });
    let last = 0;
    informer.addEventHandler({ add: () => (last += 1), update: () => (last += 1) });
    await start();
    exchange(1).event('MODIFIED', widget('a', '11'));
    await environment.settle();
    expect(last).toBe(2);
    expect(log.filter(({ level }) => level === 'error')).toHaveLength(4);
    expect(informer.resourceVersion).toBe('11');
  });
});

describe('stop', () => {
  const points: [string, () => Promise<void>][] = [
    ['before the list is answered', async () => {}],
    [
      'between two pages',
      async () => {
        exchange(0).answer(200, list('10', [widget('a', '3')], 't'));
        await environment.settle();
      },
    ],
    [
      'before the watch is answered',
      async () => {
        exchange(0).answer(200, list('10', [widget('a', '3')]));
        await environment.settle();
      },
    ],
    [
      'in the middle of a line',
      async () => {
        exchange(0).answer(200, list('10', [widget('a', '3')]));
        await environment.settle();
        exchange(1).head();
        exchange(1).write('{"type":"MODI');
        await environment.settle();
      },
    ],
    [
      'while it waits to try again',
      async () => {
        exchange(0).fail(refused());
        await environment.settle();
      },
    ],
  ];

  it.each(points)('%s: nothing is left, and a second start works', async (_name, reach) => {
    await start();
    await reach();
    const before = transport.exchanges.length;
    const stopped = Promise.all([informer.stop(), informer.stop()]);
    await environment.settle();
    await stopped;
    expect(environment.pendingTimers).toBe(0);
    expect(transport.open).toEqual([]);
    expect(informer.health().state).toBe('stopped');
    await environment.advance(1_000_000);
    expect(transport.exchanges).toHaveLength(before);
    expect(log.filter(({ level }) => level === 'error')).toEqual([]);

    transport.handler = (one) => (one.isWatch ? one.head() : one.answer(200, list('20', [widget('b', '15')])));
    await start();
    expect(cached()).toEqual(['b 15']);
    expect(transport.open).toHaveLength(1);
  });

  it('in a watch: the next start lists from the version that was seen', async () => {
    script(answersList('10', widget('a', '3')), opens);
    await start();
    exchange(1).event('MODIFIED', widget('a', '12'));
    await environment.settle();
    await Promise.all([informer.stop(), environment.settle()]);
    await start();
    expect(requests().at(-1)).toBe('list 12');
  });

  it('from within a handler', async () => {
    informer.addEventHandler({ add: () => void informer.stop() });
    script(answersList('10', widget('a', '3'), widget('b', '4')), opens);
    await start();
    expect(transport.exchanges).toHaveLength(1);
    // The batch that was begun is finished, so that no handler misses a part of it.
    expect(heard).toEqual(['add a 3 initial', 'add b 4 initial']);
  });

  it('starting twice is starting once', async () => {
    const first = informer.start(stop.signal);
    expect(informer.start(new AbortController().signal)).toBe(first);
    await environment.settle();
    expect(transport.exchanges).toHaveLength(1);
  });

  it('a thousand starts and stops leave no listener on the signal', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => {
      warnings.push(warning);
    };
    process.on('warning', note);
    transport.handler = (one) => (one.isWatch ? one.head() : one.answer(200, list('20', [])));
    for (let round = 0; round < 1000; round++) {
      void informer.start(stop.signal);
      await Promise.resolve();
      await informer.stop();
    }
    await environment.settle();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('handlers', () => {
  it('a late one is told of what is there, before the call returns', async () => {
    script(answersList('10', widget('a', '3')), opens);
    await start();
    const late: string[] = [];
    const registration = informer.addEventHandler({
      add: ({ metadata }, initial) => late.push(`${metadata.name} ${initial}`),
    });
    expect(late).toEqual(['a true']);
    expect(registration.hasSynced()).toBe(true);
    exchange(1).event('ADDED', widget('b', '11'));
    await environment.settle();
    registration.remove();
    registration[Symbol.dispose]();
    exchange(1).event('ADDED', widget('c', '12'));
    await environment.settle();
    expect(late).toEqual(['a true', 'b false']);
  });

  it('one that is added by a handler is told once', async () => {
    script(answersList('10'), opens);
    await start();
    const told: string[] = [];
    const registration = informer.addEventHandler({
      add: () => {
        registration.remove();
        informer.addEventHandler({ add: ({ metadata }, initial) => told.push(`${metadata.name} ${initial}`) });
      },
    });
    exchange(1).event('ADDED', widget('a', '11'));
    exchange(1).event('ADDED', widget('b', '12'));
    await environment.settle();
    expect(told).toEqual(['a true', 'b false']);
  });

  it('get frozen objects, the same that the indexer gives', async () => {
    script(answersList('10', widget('a', '3')), opens);
    await start();
    const object = informer.indexer.get({ namespace: 'a', name: 'a' });
    expect(Object.isFrozen(object)).toBe(true);
    expect(Object.isFrozen(object?.metadata)).toBe(true);
    expect(informer.indexer.list({ namespace: 'a' })[0]).toBe(object);
    expect(informer.indexer.list({ namespace: 'b' })).toEqual([]);
  });
});
